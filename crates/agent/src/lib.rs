//! An agent that remembers: a memory-aware loop of thought and action, its working memory, its tools.
