//! Where a memory is: mem0 says which user's it is, and a space is a user's; an id names both, so that it is found again.

use idetic_ops::Error;
use idetic_ops::core::SpaceName;

use super::asked::Asked;

/// The space of a user: the caller's collection of that user; without one the caller's own.
pub fn space(asked: &Asked, user: Option<&str>) -> Result<SpaceName, Error> {
    let usual = asked.who.grant().usual(&asked.app.service.memory.config().space)?;
    let Some(user) = user else { return Ok(usual) };
    let [_, collection] = usual.parts();
    SpaceName::parse(&format!("{user}/{collection}")).map_err(|_| {
        Error::invalid(format!("user_id '{user}' cannot be the name of a user"))
            .hint("1 to 64 of A-Z a-z 0-9 . _ @ + - and not starting with a dot, e.g. ann@example.com")
    })
}

/// The user of a space.
pub fn user(space: &SpaceName) -> &str {
    let [user, _] = space.parts();
    user
}

/// The id of a memory: its user and the id of its first version.
pub fn id(space: &SpaceName, event: &str) -> String {
    format!("{}:{event}", user(space))
}

/// The space and the event that an id names. One without a user is the caller's own.
pub fn named(asked: &Asked, id: &str) -> Result<(SpaceName, String), Error> {
    match id.split_once(':') {
        Some((user, event)) => Ok((space(asked, Some(user))?, event.to_owned())),
        None => Ok((space(asked, None)?, id.to_owned())),
    }
}
