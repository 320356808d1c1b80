//! A language model that gave no answer: what happened, and what to do about it.

use idetic_ops::Error;
use idetic_ops::model::ChatError;

/// Why the model gave no answer, as our own error.
pub(crate) fn no_answer(error: &ChatError) -> Error {
    let hint = match error {
        ChatError::Unavailable(_) => "check [model] in config.toml and that the endpoint is running, then ask again",
        ChatError::Refused(_) => "check model.name and the key in config.toml",
        ChatError::Wrong(_) => "the endpoint is not OpenAI-compatible, or the model failed: ask again, or use another",
        ChatError::CutOff { .. } => "ask again; what came so far is not kept as an answer",
        ChatError::TooLong(_) => "lower model.context_tokens to the model's context window",
        ChatError::Budget { .. } => {
            "raise model.daily_tokens or model.daily_cost in config.toml, or wait until tomorrow (UTC)"
        }
    };
    Error::unavailable(error.to_string()).hint(hint)
}
