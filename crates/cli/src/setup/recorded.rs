//! What is recorded of a client's sessions once it is set up, what is not, and what its user has to approve.

use idetic_ops::clients::table::Moment;
use idetic_ops::clients::{Client, Scope};
use serde_json::{Value, json};

use super::Setup;

/// What can be recorded, and the moments at which a client must call a hook for it.
const PARTS: [(&str, &[Moment]); 6] = [
    ("the start of a session", &[Moment::Begins]),
    ("prompts", &[Moment::Asks]),
    ("tool uses", &[Moment::Uses]),
    ("answers", &[Moment::Says, Moment::Stops]),
    ("compactions", &[Moment::Compacts]),
    ("the end of a session", &[Moment::Ends]),
];

/// What is recorded of a client's sessions, and what is not.
pub fn recorded(client: &Client) -> (Vec<&'static str>, Vec<&'static str>) {
    let moments: Vec<Moment> =
        client.hooks.iter().flat_map(|hooks| hooks.events.iter().map(|(_, moment)| *moment)).collect();
    let (is_in, is_not): (Vec<_>, Vec<_>) =
        PARTS.into_iter().partition(|(_, needed)| needed.iter().any(|moment| moments.contains(moment)));
    let names = |parts: Vec<(&'static str, _)>| parts.into_iter().map(|(name, _)| name).collect();
    (names(is_in), names(is_not))
}

impl Setup {
    /// What is to be approved.
    pub fn approval(&self) -> Option<&'static str> {
        let [user, project] = self.client.approve;
        match self.scope {
            Scope::User => user,
            Scope::Project => project,
        }
    }

    /// The client, for a program.
    pub fn described(&self) -> Value {
        let (recorded, missing) = recorded(self.client);
        json!({"client": self.client.name, "title": self.client.title, "recorded": recorded, "not_recorded": missing,
            "approve": self.approval()})
    }

    /// What happens from the next session on.
    pub fn outlook(&self) -> String {
        let title = self.client.title;
        let (recorded, missing) = recorded(self.client);
        let mut text = if recorded.is_empty() {
            format!(
                "{title} can remember and recall from its next session on; it has no hooks, so no session is recorded\n"
            )
        } else {
            format!("{title} remembers from its next session on\n  recorded: {}\n", recorded.join(", "))
        };
        if !recorded.is_empty() && !missing.is_empty() {
            text += &format!("  not recorded: {}\n", missing.join(", "));
        }
        text += &self.approval().map_or(String::new(), |approve| format!("  approve: {approve}\n"));
        text
    }
}
