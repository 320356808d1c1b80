//! What each part of the ranking counts.

/// What each part counts. The same for every lane; other weights are for measuring what each part adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The words, whose part lies between 0 and 1: eight standard deviations of the vector part.
    pub words: f64,
    /// The vector part, which is in standard deviations already.
    pub meaning: f64,
    /// Being by an author the question names.
    pub author: f64,
    /// What being nothing but questions costs: questions seldom answer one.
    pub question: f64,
    /// Being new: a memory of ongoing work needs it.
    pub recency: f64,
    /// The share of that which is left for a text that only asks: who goes on with something means the newest, who asks
    /// means anything that answers.
    pub recency_asked: f64,
    /// Mattering more or less than usual.
    pub importance: f64,
    /// The cost of where a document comes from: what was only quoted to the agent proves less.
    pub distrust: f64,
    /// What being an assistant's answer costs in a dialogue: the evidence is what the person said, and answers repeat it.
    pub answer: f64,
    /// How much of the lead of its answer a turn takes over: what was answered well was said here.
    pub answered: f64,
    /// What every better hit of the same conversation costs where the order of things is asked for.
    pub crowding: f64,
    /// The best document of the same conversation; nothing for lists, whose evidence is spread.
    pub conversation: f64,
    /// Lying in an interval the question names by date.
    pub date: f64,
    /// Lying in an interval the question names relative to now, which is vaguer.
    pub relative_date: f64,
    /// What a word counts when it stands one turn away; two turns away it counts this squared.
    pub neighbour_words: f64,
    /// What the neighbours in the conversation add of their own standing in the vector part.
    pub neighbour_meaning: f64,
    /// The power of a word's rarity: between BM25 (1) and the cosine of tf-idf (2).
    pub rarity: f64,
    /// Whether names of participants are taken out of the question and known as authors.
    pub names: bool,
    /// Whether the same text by the same author is returned once.
    pub collapse: bool,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            words: 8.0,
            meaning: 1.0,
            author: 2.0,
            question: 1.5,
            recency: 0.7,
            recency_asked: 0.3,
            importance: 1.0,
            distrust: 1.0,
            answer: 2.0,
            answered: 0.6,
            crowding: 0.2,
            conversation: 0.3,
            date: 2.5,
            relative_date: 1.0,
            neighbour_words: 0.6,
            neighbour_meaning: 0.1,
            rarity: 1.5,
            names: true,
            collapse: true,
        }
    }
}

impl Weights {
    /// Words and meaning and nothing else: neither when it was, nor who said it, nor what stands beside it.
    pub fn of_the_text_alone() -> Self {
        Self {
            author: 0.0,
            question: 0.0,
            recency: 0.0,
            importance: 0.0,
            distrust: 0.0,
            answer: 0.0,
            answered: 0.0,
            crowding: 0.0,
            conversation: 0.0,
            date: 0.0,
            relative_date: 0.0,
            neighbour_words: 0.0,
            neighbour_meaning: 0.0,
            names: false,
            collapse: false,
            ..Self::default()
        }
    }
}
