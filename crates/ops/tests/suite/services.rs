//! Facts, episodes and conversations: as one uses them, and as nobody should have to.

#[path = "services/contradictions.rs"]
mod contradictions;
#[path = "services/conversations.rs"]
mod conversations;
#[path = "services/episodes.rs"]
mod episodes;
#[path = "services/facts.rs"]
mod facts;
#[path = "services/isolation.rs"]
mod isolation;
#[path = "services/limits.rs"]
mod limits;
