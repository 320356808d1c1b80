//! The closed vocabularies of an event: status, persona, visibility, trust.

/// Declares an enum whose wire form is a lower-case word, with reading, writing and a message that lists the words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident as $field:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every word, in order.
            pub const WORDS: &[&str] = &[$($word),+];

            /// The word on the wire.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads the word.
            pub fn parse(text: &str) -> Result<Self, $crate::Invalid> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::Invalid::new(format!("{} '{}' is not known", $field, $crate::invalid::excerpt(text)))
                        .hint(format!("{} is one of: {}", $field, Self::WORDS.join(", ")))),
                }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// How it went.
    Status as "status" {
        /// It worked.
        Success = "success",
        /// It did not.
        Failure = "failure",
        /// It is not over.
        Pending = "pending",
        /// It took too long.
        Timeout = "timeout",
    }
}

words! {
    /// Which side of an agent an event belongs to.
    Persona as "persona" {
        /// The side that acts and talks.
        Actor = "actor",
        /// The side that maintains; the actor never sees it.
        Subconscious = "subconscious",
    }
}

words! {
    /// Who may be shown it; the stricter is the greater.
    Visibility as "visibility" {
        /// Anyone who may read the space.
        External = "external",
        /// The agent itself.
        Internal = "internal",
    }
}

words! {
    /// Where it comes from; the lower is the greater, so that the lowest of several is their maximum.
    Trust as "trust" {
        /// A person said it.
        User = "user",
        /// An agent concluded it.
        Agent = "agent",
        /// A tool returned it.
        Tool = "tool",
        /// It came from outside.
        External = "external",
    }
}

words! {
    /// Which way a text came in, before whatever is said of that in more words: `tool:WebFetch`.
    Origin as "origin" {
        /// A person typed it.
        User = "user",
        /// An agent wrote it.
        Agent = "agent",
        /// A tool printed it.
        Tool = "tool",
        /// It stood in a file of a folder that is in sync with the log.
        File = "file",
        /// It was fetched from elsewhere.
        Web = "web",
        /// It came with an import.
        Import = "import",
        /// From outside, nobody knows which way.
        Outside = "outside",
    }
}

impl Origin {
    /// The origin that a text begins with, as `tool` or `tool:WebFetch`.
    pub fn of(text: &str) -> Result<Self, crate::Invalid> {
        Self::parse(text.split(':').next().unwrap_or_default())
    }

    /// The most that anything from there is trusted.
    pub fn ceiling(self) -> Trust {
        match self {
            Self::User => Trust::User,
            Self::Agent | Self::File => Trust::Agent,
            Self::Tool => Trust::Tool,
            Self::Web | Self::Import | Self::Outside => Trust::External,
        }
    }
}

impl Trust {
    /// The origin of what is trusted so and says nothing else of where it came from.
    pub fn origin(self) -> &'static str {
        match self {
            Self::User => Origin::User.word(),
            Self::Agent => Origin::Agent.word(),
            Self::Tool => Origin::Tool.word(),
            Self::External => Origin::Outside.word(),
        }
    }

    /// Whether what has this trust may change what has another: it needs at least as much.
    pub fn may_change(self, other: Self) -> bool {
        self <= other
    }

    /// What an event of this kind is trusted when nothing is said.
    pub fn of_kind(kind: &str) -> Self {
        match kind {
            "user_input" | "feedback" => Self::User,
            "tool_result" => Self::Tool,
            _ => Self::Agent,
        }
    }

    /// What an event is trusted: as said, or as its kind implies, and never more than where it came from allows.
    pub fn of_event(said: Option<Self>, origin: Option<&str>, kind: &str) -> Self {
        let ceiling = origin.and_then(|origin| Origin::of(origin).ok()).map_or(Self::User, Origin::ceiling);
        said.unwrap_or_else(|| Self::of_kind(kind)).max(ceiling)
    }

    /// The highest trust an event of this kind may claim: the output of a tool is never above `tool`.
    pub fn ceiling(kind: &str) -> Self {
        if kind == "tool_result" { Self::Tool } else { Self::User }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip_and_others_are_refused_with_the_list() {
        for word in Status::WORDS {
            assert_eq!(Status::parse(word).map(Status::word), Ok(*word));
        }
        let refused = Persona::parse("ego").expect_err("no such persona");
        assert_eq!(refused.hint, "persona is one of: actor, subconscious");
    }

    #[test]
    fn the_lowest_trust_is_the_maximum() {
        assert_eq!([Trust::User, Trust::External, Trust::Tool].into_iter().max(), Some(Trust::External));
        assert_eq!(Trust::ceiling("tool_result"), Trust::Tool);
    }
}
