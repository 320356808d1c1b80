//! What a score is made of.

use super::weights::Weights;

/// What each part says about a document, before weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts {
    /// Share of what the question's words could reach, from 0 to 1.
    pub lexical: f64,
    /// Standard deviations above the mean cosine, with a share of the neighbours'.
    pub vector: f64,
    /// The best passage's cosine, if the document has vectors.
    pub cosine: Option<f64>,
    /// 1 if by an author the question names.
    pub author: f64,
    /// Share of the document that is questions.
    pub question: f64,
    /// 1 now, half of it after the half-life.
    pub recency: f64,
    /// What that counts in this question.
    pub recency_weight: f64,
    /// How much it matters above or below the usual, from -1 to 1.
    pub importance: f64,
    /// What coming from where it comes costs.
    pub distrust: f64,
    /// How much of an assistant's answer in a dialogue it is, from 0 to 1.
    pub answer: f64,
    /// What that costs in this question.
    pub answer_weight: f64,
    /// How far its answer stands above it.
    pub answered: f64,
    /// What that counts in this question.
    pub answered_weight: f64,
    /// The weighted sum of the parts above.
    pub base: f64,
    /// The largest such sum in the document's conversation.
    pub conversation: f64,
    /// What that counts in this question.
    pub conversation_weight: f64,
    /// 1 inside an interval the question names, less outside.
    pub date: f64,
    /// What that counts in this question.
    pub date_weight: f64,
    /// How many hits of the same conversation are better.
    pub crowding: f64,
    /// What that costs in this question.
    pub crowding_weight: f64,
}

impl Parts {
    /// What each part adds to the score, under its name; together they are the score.
    pub fn contributions(&self, weights: &Weights) -> [(&'static str, f64); 12] {
        [
            ("words", weights.words * self.lexical),
            ("meaning", weights.meaning * self.vector),
            ("author", weights.author * self.author),
            ("question", -weights.question * self.question),
            ("recency", self.recency_weight * self.recency),
            ("importance", weights.importance * self.importance),
            ("trust", -weights.distrust * self.distrust),
            ("answer", -self.answer_weight * self.answer),
            ("answered", self.answered_weight * self.answered),
            ("conversation", self.conversation_weight * self.conversation),
            ("date", self.date_weight * self.date),
            ("crowding", -self.crowding_weight * self.crowding),
        ]
    }
}
