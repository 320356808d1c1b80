//! Whether words can be a value of a kind: capitals, numbers, known words, and what they must not be.

mod lists;
mod times;

use super::super::doubt::starts;
use super::super::kind::Kind::{self, *};
use super::super::token::Token;
use super::super::vocabulary::{
    DIETS, HAVINGS, JOBS, JUDGING, KIN, MONTHS, NOT_NAMES, PEOPLES, ROLES, SORTS, TOOLS, TRAITS,
};
use super::super::words::Words;
use super::{DAYS, is_date_word, is_number};
use lists::*;

/// A value that fits, without its article, and as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The value.
    pub plain: String,
    /// With the article it has in the text.
    pub told: String,
}

/// The value that words make, if they fit the kind. In a text without capitals, names need none.
pub fn fits(kind: Kind, words: &[Token], text: &str, small: bool) -> Option<Value> {
    let first = words.first()?;
    let last = words.last()?;
    let has_article = matches!(first.lower.as_str(), "a" | "an") && words.len() > 1;
    let bare = if has_article { &words[1..] } else { words };
    let behind = if matches!(kind, Language | Liking) { behind_measure(words, kind) } else { None };
    let measured = behind.is_some();
    let (bare, has_article) = behind.map_or((bare, has_article), |behind| (behind, false));
    let head = bare.first()?;
    let all: Vec<&str> = bare.iter().map(|t| t.lower.as_str()).collect();
    let joined = all.join(" ");
    if NO_FIRST.contains(first.lower.as_str()) && !matches!(kind, Day | Date | TheThing) && !measured
        || !words.iter().any(|t| t.word)
    {
        return None;
    }
    if NO_LAST.contains(last.lower.as_str()) || all.iter().any(|word| OTHERS.contains(word)) {
        return None;
    }
    let ambiguous = all.contains(&"or")
        && !all.windows(2).any(|w| w[0] == "or" && matches!(w[1], "newer" | "later" | "higher" | "above" | "more"));
    if ambiguous {
        return None;
    }
    let seen = Seen { words, bare, all: &all, joined: &joined, text, small, article: has_article };
    if !seen.fits(kind) {
        return None;
    }
    let slice = |from: &Token| text.get(from.span.start..last.span.end).unwrap_or_default();
    let grow = small && matches!(kind, Place | PlaceOrYear | Org | Employer | Name | Title | Language);
    let shape = |part: &str| if grow { capitals(part) } else { part.to_owned() };
    let trim = |part: &str| part.trim_matches(['`', '"', '“', '”', '\'', ' ']).to_owned();
    let (plain, told) = (trim(&shape(slice(head))), trim(&shape(slice(first))));
    (!plain.is_empty()).then_some(Value { plain, told })
}

/// A value without how much of it there is: "a bit of Galician", "a lot of jazz".
fn behind_measure(words: &[Token], kind: Kind) -> Option<&[Token]> {
    let spoken =
        ["a little bit of", "a bit of", "a little", "some", "basic", "conversational", "fluent", "decent", "good"];
    let ways = if kind == Language { &spoken[..] } else { &["a lot of", "lots of", "all kinds of"] };
    let end = ways.iter().find_map(|way| starts(words, 0, way))?;
    (end < words.len()).then(|| &words[end..])
}

/// Whether nothing that someone likes or prefers is one of the choices at hand: "option B", "the second draft".
pub fn can_be_liked(words: &[Token]) -> bool {
    !words.iter().any(|word| NO_LIKING.contains(&word.lower) || NO_PREFERENCE.contains(&word.lower))
}

/// The words of a name that is written without capitals, with them.
fn capitals(words: &str) -> String {
    let grown = words.split(' ').map(|word| {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if !Words("a|an|the|of|in|near|de").contains(word) => {
                first.to_uppercase().chain(chars).collect()
            }
            _ => word.to_owned(),
        }
    });
    grown.collect::<Vec<_>>().join(" ")
}

struct Seen<'a> {
    words: &'a [Token],
    bare: &'a [Token],
    all: &'a [&'a str],
    joined: &'a str,
    text: &'a str,
    small: bool,
    article: bool,
}

impl Seen<'_> {
    fn fits(&self, kind: Kind) -> bool {
        match kind {
            Place => self.is_place(),
            PlaceOrYear => self.is_place() || self.is_year(),
            Org => self.is_org(),
            Employer => self.is_org() && self.words[0].capital && !self.is_tool() && !self.is_day(),
            Name => self.is_name(),
            Title => {
                self.len() <= 4
                    && (self.bare[0].capital || self.len() == 1 && self.all[0].len() > 1)
                    && !matches!(self.all[0], "twice" | "once" | "again" | "automatically" | "when" | "after")
            }
            Job => self.is_job(),
            Sort => self.is_sort(),
            Trait => TRAITS.contains(self.joined),
            Diet => DIETS.contains(self.joined),
            People => PEOPLES.contains(self.joined),
            Age => self.is_age(),
            Tall => self.all.last() == Some(&"tall") && is_number(self.all[0]) && self.len() <= 4,
            Measure => self.len() <= 3 && is_number(self.all[0]),
            Zone => self.is_zone(),
            Having => self.is_having(),
            Owned => (self.article || is_number(self.all[0]) || self.all[0] == "the") && self.len() <= 6,
            Product => self.len() <= 6 && self.is_marked() && !self.is_mine(),
            Shop => self.is_shop(),
            Allergy => {
                self.len() <= 4
                    && !self.all.iter().any(|w| {
                        Words(
                            "\
                mondays|everything|work|bullshit|nonsense|stupidity|meetings|mornings|people|code|bad|stupid|drama|\
                exercise|deadlines|fun|idea",
                        )
                        .contains(w)
                    })
            }
            Food => self.len() <= 4 && self.all[0] != "the" && !self.is_moment(),
            Medicine => self.len() <= 2 && !self.article && self.is_medicine(),
            Worn => self.len() <= 4 && self.all[0] != "the" && !self.is_marked_possessive(),
            Language => self.is_language(),
            Game => {
                self.len() <= 3
                    && !self.all.iter().any(|w| {
                        Words("role|part|dumb|along|hard|nice|fair|well|dirty|nicely|games|around|safe|it|with")
                            .contains(w)
                    })
            }
            Liking => self.is_liking(),
            Preference => self.is_preference(),
            Favourite => {
                self.len() <= 6 && !self.is_clause() && (self.all[0] != "the" || self.bare.iter().any(|t| t.capital))
            }
            Tool => self.is_tool_like(),
            KnownTool => self.is_tool(),
            Versioned => {
                self.len() <= 5
                    && self.bare.iter().any(has_digit)
                    && self.bare.iter().any(|t| t.lower.starts_with(|c: char| c.is_alphabetic()))
                    && !self.is_day()
                    && !PLACES_IN_TEXT.contains(self.all[0])
                    && !self.is_counted()
                    && self.all[0] != "port"
            }
            Program => self.len() <= 3 && (self.bare[0].capital || self.len() == 1) && self.all[0] != "the",
            Proper => {
                self.len() <= 5
                    && (self.is_marked() || self.is_tool())
                    && !self.is_mine()
                    && !self.all[0].starts_with("port")
                    && !self.is_day()
            }
            _ => self.fits_other(kind),
        }
    }

    fn fits_other(&self, kind: Kind) -> bool {
        match kind {
            Plain => {
                self.len() <= 6
                    && !self.is_clause()
                    && !self.all.iter().any(|w| matches!(*w, "ton" | "lot" | "lots" | "bunch" | "bit" | "much"))
            }
            Role => ROLES.contains(self.joined),
            Spot => self.is_spot(),
            Habit => true,
            Names => self.is_name(),
            Blood => {
                self.len() <= 3
                    && Words("a|b|ab|o|a+|b+|ab+|o+|a-|b-|ab-|o-|0|rh").contains(
                        self.text[self.words[0].span.clone()].to_lowercase().as_str(),
                    )
            }
            Doing => {
                self.len() <= 2
                    && self.all[0].ends_with("ing")
                    && !Words("going|doing|missing|nothing|anything|something|everything|looking|being").contains(self.all[0])
            }
            Means => WAYS.contains(self.joined),
            Hours => self.is_hours(),
            Year => self.is_year(),
            Venue => Words("the gym|church|the pool|mosque|synagogue|the sauna|the library|choir").contains(self.joined),
            School => {
                let kinds = Words("school|primary|high|college|university|uni|academy|kindergarten|elementary|nursery|daycare");
                self.len() <= 5 && self.bare[0].capital && self.all.iter().any(|w| kinds.contains(w))
            }
            Plan => self.len() <= 3 && matches!(self.all[self.len() - 1], "plan" | "tier" | "subscription"),
            Sport => {
                let sports = Words(
                    "\
                    yoga|pilates|judo|karate|aikido|tai chi|crossfit|ballet|boxing|gymnastics|archery|ceramics|pottery|\
                    meditation|marathons|half marathons|ultramarathons|triathlons|parkrun|trails|calligraphy|origami|\
                    stand-up comedy|martial arts|jiu-jitsu|taekwondo|fencing|kickboxing|zumba|weightlifting",
                );
                sports.contains(self.joined)
            }
            Commute => Words("work|school|uni|university|college|the office|campus|class").contains(self.joined),
            Word => {
                self.len() == 1
                    && !LIKE_WORDS.contains(self.joined)
                    && !PASSING.contains(self.joined)
                    && !matches!(self.joined, "set" | "due" | "kept")
                    && !["ed", "ing", "ful", "able", "ly"].iter().any(|end| self.joined.ends_with(end))
            }
            Field => {
                self.len() <= 6
                    && !self.all.iter().any(|w| NO_PLACE.contains(w))
                    && !self.is_clause()
                    && self.all[0] != "the"
            }
            Study => {
                self.len() <= 4
                    && self.all[0] != "the"
                    && !matches!(self.all[0], "hard" | "abroad" | "alone" | "online" | "every" | "late")
                    && !self.article
                    && !self.is_clause()
            }
            Home => self.all[0] == "home" || self.bare[0].capital,
            Team => {
                self.len() <= 4
                    && self.all.last().is_some_and(|w| matches!(*w, "team" | "squad" | "committee" | "board" | "crew"))
            }
            TheThing => {
                (self.all[0] == "the" || self.bare[0].capital)
                    && (2..=5).contains(&self.len())
                    && !self.all.iter().any(|w| {
                        Words("fix|bug|issue|problem|same|task|way|charge|weather|house|discussion|call|meeting|size|input").contains(w)
                    })
            }
            Port => {
                self.len() == 1 && self.all[0].bytes().all(|b| b.is_ascii_digit()) && self.all[0].parse::<u16>().is_ok()
            }
            Date => self.is_date(),
            Day => {
                self.len() <= 5 && self.all.iter().any(|w| DAYS.contains(w)) && self.all.iter().all(|w| is_date_word(w))
                    || self.is_cadence()
            }
            Clock => self.is_clock(),
            ClockOrPath => self.is_clock() || self.is_path(),
            Location => self.is_location(),
            Setting => self.is_setting() && !self.is_compared(),
            Counted => self.is_counted() && self.len() <= 4 && !self.is_compared(),
            Email => self.len() == 1 && self.all[0].contains('@') && self.all[0].contains('.'),
            Address => self.bare.iter().any(has_digit) && (2..=9).contains(&self.len()),
            Handle => self.len() == 1,
            Slashed => self.len() == 1 && self.all[0].contains('/'),
            Phone => self.bare.iter().all(|t| has_digit(t) || !t.word),
            _ => false,
        }
    }

    fn len(&self) -> usize {
        self.bare.len()
    }

    fn is_mine(&self) -> bool {
        matches!(self.all[0], "my" | "our" | "the") && !self.bare.iter().any(|t| t.capital)
    }

    /// Whether a capital, a digit or the marks of a path stand in it: the name of something.
    fn is_marked(&self) -> bool {
        self.bare.iter().any(|t| {
            t.capital
                || has_digit(t)
                || t.lower.contains(['/', '_'])
                || self.text[t.span.clone()].chars().any(char::is_uppercase)
        })
    }

    /// What is measured against something else, or counted at the moment.
    fn is_compared(&self) -> bool {
        let compared =
            Words("longer|slower|faster|shorter|behind|ahead|failing|remaining|left|messages|alerts|items|errors");
        self.all.iter().any(|word| compared.contains(word))
    }

    fn is_place(&self) -> bool {
        if self.len() > 8 || self.all.iter().any(|w| NO_PLACE.contains(w)) || self.is_day() || self.is_tool() {
            return false;
        }
        let described = self.article || self.all[0] == "the" || is_number(self.all[0]);
        let named = self.bare[0].capital || self.bare[0].lower.starts_with(|c: char| c.is_alphabetic()) && self.small;
        let far = described
            && self.all[0] != "the"
            && self.all.iter().any(|w| {
                Words(
                    "\
                house|flat|apartment|village|town|city|suburb|studio|farm|cottage|neighbourhood|neighborhood|dorm|\
                van|houseboat|condo|bungalow|caravan",
                )
                .contains(w)
            });
        let the = described && self.bare.iter().any(|t| t.capital) && self.len() <= 6;
        let regions = self.all[0] == "the"
            && self.all.iter().any(|w| {
                Words(
                    "\
                countryside|suburbs|city|mountains|north|south|east|west|netherlands|us|uk|usa|philippines|centre|\
                center",
                )
                .contains(w)
            });
        (named && !described && (self.bare[0].capital || self.len() <= 3)) || far || the || regions
    }

    fn is_org(&self) -> bool {
        let described = self.article || self.all[0] == "the";
        let ok = self.bare[0].capital
            || described && self.len() >= 1
            || self.small && self.len() <= 3 && self.all[0].len() > 2;
        let not = Words(
            "\
            night|home|free|money|height|scale|moment|myself|hours|desk|day|least|minute|fun|living|while|first|\
            last|time",
        );
        ok && self.len() <= 8 && !self.all.iter().any(|w| not.contains(w)) && !is_number(self.all[0])
    }

    fn is_name(&self) -> bool {
        let letters = |t: &&Token| t.lower.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '.' | '’'));
        let cased =
            self.bare.iter().all(|t| t.capital || Words("de|van|von|der|la|le|del|da|di|bin|al").contains(&t.lower));
        let small = self.small && self.len() <= 2;
        let known = self.all.iter().any(|w| {
            PEOPLES.contains(w)
                || TRAITS.contains(w)
                || DAYS.contains(w)
                || DIETS.contains(w)
                || KIN.contains(w)
                || NOT_NAMES.contains(w)
        });
        !self.article && self.len() <= 4 && self.bare.iter().all(|t| letters(&t)) && (cased || small) && !known
    }

    fn is_job(&self) -> bool {
        if self.len() > 6
            || self
                .all
                .iter()
                .any(|w| JUDGING.contains(w) || Words("than|of|to|like|person|bit|little|lot").contains(w))
        {
            return false;
        }
        let last = self.all[self.len() - 1];
        let suffix = ["ologist", "iatrist", "ographer", "maker", "keeper", "smith", "wright", "ician"]
            .iter()
            .any(|end| last.len() > end.len() + 2 && last.ends_with(end));
        JOBS.contains(last) || suffix
    }

    fn is_sort(&self) -> bool {
        let end = self.all.iter().position(|w| *w == "of").unwrap_or(self.len());
        let counted = end == self.len() || self.all.get(end + 1).is_some_and(|w| is_number(w)) && self.len() == end + 2;
        self.article && counted && SORTS.contains(self.all[..end].join(" ").as_str())
            || SORTS.contains(self.joined) && counted && end == self.len()
            || counted && end < self.len() && SORTS.contains(self.all[..end].join(" ").as_str())
    }

    fn is_language(&self) -> bool {
        let ends = ["ian", "ish", "ese", "ic", "an"];
        let spoken = |t: &Token| {
            t.capital
                || PEOPLES.contains(t.lower.as_str())
                || self.small && t.lower.len() > 4 && ends.iter().any(|end| t.lower.ends_with(end))
        };
        self.len() <= 3 && self.bare.iter().any(spoken)
    }

    /// Where something is kept: a path, a name, or any "the X" that is no figure of speech.
    fn is_spot(&self) -> bool {
        let figure = Words(
            "\
            way|middle|end|dark|past|background|case|moment|meantime|works|air|loop|future|same|mind|hope|face|hand|\
            edge|top|process|wrong|right|first|list",
        );
        let the = self.all[0] == "the"
            && (2..=6).contains(&self.len())
            && !self.is_clause()
            && !self.all.iter().any(|w| figure.contains(w));
        the || self.article && self.len() <= 5 && !self.is_clause() || self.is_location()
    }

    fn is_having(&self) -> bool {
        let end = self
            .all
            .iter()
            .position(|w| matches!(*w, "called" | "named" | "in" | "of" | "with" | "from" | "about"))
            .unwrap_or(self.len());
        let head = end > 0
            && (HAVINGS.contains(self.all[end - 1])
                || end > 1 && HAVINGS.contains(self.all[end - 2..end].join(" ").as_str()));
        let named = end == self.len() || self.len() <= end + 4;
        let own = !Words("the|my|problems|great|good|enough|many").contains(self.all[0]);
        head && named && own && end <= 5 && self.all.get(end) != Some(&"with")
    }

    fn is_shop(&self) -> bool {
        let kinds = Words(
            "\
            bakery|bookshop|shop|store|cafe|café|restaurant|bar|business|company|startup|agency|farm|hotel|hostel|\
            studio|podcast|blog|newsletter|practice|school|gym|brewery|salon|charity|clinic|vineyard",
        );
        self.article && self.len() <= 6 && self.all.iter().any(|w| kinds.contains(w))
    }

    fn is_medicine(&self) -> bool {
        let known =
            Words("insulin|aspirin|antihistamines|antidepressants|statins|vitamins|warfarin|lithium|painkillers");
        let ends = Words(
            "\
            pril|olol|statin|zole|pine|formin|xaban|sartan|cillin|profen|oxine|traline|pram|idone|thyroxine|zepam|\
            azine",
        );
        self.all.iter().any(|word| {
            known.contains(word)
                || ends.iter().any(|end| word.len() > end.len() + 1 && word.ends_with(end))
                || word.starts_with("vitamin")
        })
    }

    fn is_marked_possessive(&self) -> bool {
        matches!(self.all[0], "many" | "your" | "out" | "off")
    }

    fn is_moment(&self) -> bool {
        let own = Words("lunch|dinner|breakfast|too|now|out|soup|up|down|cake");
        self.all.iter().any(|w| own.contains(w))
    }

    fn is_clause(&self) -> bool {
        self.all.iter().any(|w| Words("is|are|was|because|when|would|will|can|has|have").contains(w))
    }

    fn is_liking(&self) -> bool {
        let the = self.all[0] == "the" && !self.bare.get(1).is_some_and(|t| t.capital);
        let to_be = self.all[0] == "to"
            && matches!(self.all.get(1), Some(&("see" | "know" | "hear" | "be" | "have" | "get" | "think" | "say")));
        !self.article
            && !the
            && !to_be
            && !self.is_day()
            && self.len() <= 6
            && !self.is_clause()
            && !self.all.iter().any(|w| NO_LIKING.contains(w))
            && !is_number(self.all[0])
            && !self.all[0].starts_with(['#', '('])
    }

    fn is_preference(&self) -> bool {
        let the = self.all[0] == "the" && !self.bare.get(1).is_some_and(|t| t.capital);
        let told_apart = Words(
            "\
            new|old|original|previous|current|other|layout|design|way|idea|change|look|answer|draft|style|second|third|\
            rest|following|proposed|suggested|existing|simple|same",
        );
        let described = self.len() >= 3
            && !self.all.iter().any(|w| told_apart.contains(w))
            && !["er", "est"].iter().any(|end| self.all[1].ends_with(end));
        (!the || described)
            && self.len() <= 8
            && !self.is_clause()
            && !self
                .all
                .iter()
                .any(|w| NO_PREFERENCE.contains(w) || Words("first|second|latter|former|not").contains(w))
    }

    fn is_tool(&self) -> bool {
        TOOLS.contains(self.joined)
            || self.len() > 1 && TOOLS.contains(self.all[0]) && has_digit(&self.bare[self.len() - 1])
    }

    fn is_tool_like(&self) -> bool {
        let the = self.all[0] == "the";
        let vague = Words(
            "\
            same|lot|different|new|old|word|term|way|trick|method|function|approach|mix|bit|few|couple|words|loop|\
            plan|mode|that's|to|port|default|cookies",
        );
        !the && self.len() <= 4
            && !self.all.iter().any(|w| vague.contains(w))
            && !self.is_clause()
            && !is_number(self.all[0])
    }

    fn is_path(&self) -> bool {
        self.len() == 1
            && (self.all[0].contains('/') || self.all[0].contains('.') && self.all[0].len() > 3)
            && !self.all[0].ends_with("/s")
    }

    fn is_location(&self) -> bool {
        let room = self.all[0] == "the" && ROOMS.contains(self.all[1..].join(" ").as_str());
        let placed = self.bare[0].capital && self.len() <= 4 && !self.is_day() && !MONTHS.contains(self.all[0]);
        let coded = self.len() == 1
            && has_digit(&self.bare[0])
            && self.all[0].contains('-')
            && self.all[0].starts_with(char::is_alphabetic);
        let numbered =
            self.len() == 2 && matches!(self.all[0], "room" | "building" | "desk") && has_digit(&self.bare[1]);
        self.is_path() || room || placed || coded || numbered
    }

    fn is_counted(&self) -> bool {
        is_number(self.all[0]) && self.len() >= 2
    }

    /// A value such as configurations have: numbers, dates, paths, names; one small word stands only for a name in code.
    fn is_setting(&self) -> bool {
        let last = self.all[self.len() - 1];
        if self.len() > 6
            || self.is_mine()
            || self.article && !self.is_marked()
            || PASSING.contains(last)
            || self.is_clause()
        {
            return false;
        }
        let named = self.bare[0].capital && (self.article || !PEOPLES.contains(self.joined));
        let coded = self.text[self.words[0].span.clone()].starts_with(['`', '/', '~', '@', '#']) || self.is_path();
        let dated = self.is_date() || self.is_clock();
        let numbered = has_digit(&self.bare[0]) && self.len() <= 5;
        let tool = self.is_tool() || TOOLS.contains(self.all[0].trim_end_matches(','));
        let word = self.len() == 1
            && Words("main|master|develop|trunk|dev|production|staging|root|admin|utf-8").contains(self.all[0]);
        named || coded || dated || numbered || tool || word
    }
}

fn has_digit(word: &Token) -> bool {
    word.lower.bytes().any(|b| b.is_ascii_digit())
}
