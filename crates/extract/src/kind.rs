//! What a value of a statement looks like: what patterns ask for and words are held against.

/// Declares the kinds and how the data files name them.
macro_rules! kinds {
    ($($kind:ident),+ $(,)?) => {
        /// What a value looks like.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            $($kind),+
        }

        impl Kind {
            /// The kind of a name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($kind) => Some(Self::$kind),)+
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    Place,
    PlaceOrYear,
    Org,
    Employer,
    Name,
    Job,
    Sort,
    Trait,
    Diet,
    People,
    Age,
    Tall,
    Measure,
    Zone,
    Having,
    Owned,
    Product,
    Shop,
    Allergy,
    Food,
    Medicine,
    Worn,
    Language,
    Game,
    Liking,
    Preference,
    Favourite,
    Tool,
    KnownTool,
    Versioned,
    Program,
    Proper,
    Plain,
    Field,
    Study,
    Home,
    Team,
    TheThing,
    Port,
    Date,
    Day,
    Clock,
    ClockOrPath,
    Location,
    Setting,
    Counted,
    Title,
    Email,
    Address,
    Handle,
    Slashed,
    Phone,
    Role,
    Word,
    Spot,
    Habit,
    Names,
    Blood,
    Doing,
    Means,
    Hours,
    Commute,
    Sport,
    Year,
    Venue,
    School,
    Plan,
}
