//! Given events about facts, then these are the rows.

use std::collections::HashMap;

use super::*;
use crate::chain::Secret;
use crate::{SpaceId, Tip};

/// The live rows by table and key after some records.
struct Space {
    rows: HashMap<(&'static str, Vec<Value>), Vec<Value>>,
    tip: Tip,
    count: i64,
}

impl Space {
    fn new() -> Self {
        Self { rows: HashMap::new(), tip: Tip::empty(SpaceId([1; 16])), count: 0 }
    }

    fn tell(&mut self, id: &str, body: &str) -> &mut Self {
        let record = crate::Record::parse(body.as_bytes()).expect("a record");
        let secret = Secret { salt: [0; 32], body: record.body };
        let stored = self.tip.seal(id.to_owned(), record.claim.kind, secret, Time(0));
        self.tip = stored.tip();
        let event = Event::read(&stored).expect("reads");
        let rows = &self.rows;
        let changes = fold(&event, &mut |table, key| rows.get(&(table.name, key.to_vec())).cloned());
        for change in changes {
            match change {
                Change::Put(table, row) => {
                    let Shape::Entity { key } = table.shape else { panic!("an entity") };
                    self.rows.insert((table.name, row[..key].to_vec()), row);
                }
                Change::Add(_, row) => self.count += row[1].int(),
                Change::Insert(..) => {}
            }
        }
        self
    }

    fn lives(&mut self, id: &str, city: &str, from: &str) -> &mut Self {
        let body = serde_json::json!({
            "kind": FACT_STORED, "content": format!("Ann lives in {city}"),
            "metadata": {"subject": "Ann", "attribute": "lives_in", "value": city, "single": true, "from": from},
        });
        self.tell(id, &body.to_string())
    }

    fn fact(&self, id: &str) -> FactRow {
        FactRow::of(&self.rows[&(FACTS.name, vec!["".into(), "".into(), id.into()])])
    }

    /// The fact that holds at a moment.
    fn at(&self, time: &str) -> Vec<String> {
        let moment = moment(time).expect("a time");
        let facts = self.rows.iter().filter(|((table, _), _)| *table == FACTS.name);
        let mut holding: Vec<String> =
            facts.map(|(_, row)| FactRow::of(row)).filter(|row| row.holds_at(moment)).map(|row| row.value).collect();
        holding.sort();
        holding
    }
}

#[test]
fn values_follow_each_other_in_the_order_in_which_they_were_true_however_they_are_told() {
    let stories = [("a", "Brno", "2020-01-01"), ("b", "Prague", "2022-01-01"), ("c", "Oslo", "2024-01-01")];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut space = Space::new();
        for at in order {
            let (id, city, from) = stories[at];
            space.lives(id, city, from);
        }
        assert_eq!(space.at("2021-06-01"), ["Brno"], "{order:?}");
        assert_eq!(space.at("2023-06-01"), ["Prague"], "{order:?}");
        assert_eq!(space.at("2026-06-01"), ["Oslo"], "{order:?}");
        assert_eq!(space.at("2019-06-01"), Vec::<String>::new(), "{order:?}");
        assert_eq!(space.fact("a").superseded_by.as_deref(), Some("b"), "{order:?}");
        assert_eq!(space.fact("c").previous.as_deref(), Some("b"), "{order:?}");
        assert_eq!(space.count, 3);
    }
}

#[test]
fn a_value_that_comes_back_is_a_fact_of_its_own_and_one_that_stays_is_joined() {
    let mut space = Space::new();
    space.lives("a", "Brno", "2020-01-01").lives("b", "Prague", "2022-01-01").lives("c", "Brno", "2024-01-01");
    space.lives("d", "brno", "2024-01-01");
    assert_eq!((space.fact("a").sources, space.fact("c").sources, space.count), (1, 2, 3));
    assert!(space.fact("c").confidence > space.fact("a").confidence);
    assert_eq!(space.at("2025-06-01"), ["Brno"]);
}

#[test]
fn what_is_deleted_leaves_its_neighbours_to_meet() {
    let mut space = Space::new();
    space.lives("a", "Brno", "2020-01-01").lives("b", "Prague", "2022-01-01").lives("c", "Oslo", "2024-01-01");
    space.tell("x", r#"{"kind":"fact.deleted","metadata":{"fact":"b"}}"#);
    assert_eq!((space.at("2023-01-01"), space.count), (vec!["Brno".to_owned()], 2));
    space.tell("y", r#"{"kind":"fact.deleted","metadata":{"fact":"c"}}"#);
    assert_eq!((space.at("2026-01-01"), space.fact("a").superseded_by), (vec!["Brno".to_owned()], None));
    space.lives("d", "Bern", "2025-01-01");
    assert_eq!(space.at("2026-01-01"), ["Bern"]);
}

#[test]
fn an_end_that_is_said_holds_and_a_new_wording_keeps_what_it_does_not_say() {
    let mut space = Space::new();
    space.lives("a", "Brno", "2020-01-01");
    space.tell("x", r#"{"kind":"fact.ended","metadata":{"fact":"a","until":"2021-01-01"}}"#);
    assert!(space.at("2021-06-01").is_empty());
    assert_eq!(
        (space.fact("a").event.as_str(), space.fact("a").seq),
        ("a", 1),
        "its words are still those of the first"
    );
    space.lives("b", "Prague", "2022-01-01");
    assert_eq!(space.fact("a").valid_until, moment("2021-01-01"));
    space.tell("y", r#"{"kind":"fact.stored","content":"Ann lives in Praha","metadata":{"fact":"b","value":"Praha"}}"#);
    let row = space.fact("b");
    assert_eq!((row.text.as_str(), row.value.as_str(), row.subject.as_str()), ("Ann lives in Praha", "Praha", "Ann"));
    assert_eq!((row.previous.as_deref(), row.event.as_str()), (Some("a"), "y"));
}

#[test]
fn many_values_stand_beside_each_other_and_wordings_of_one_gist_join() {
    let mut space = Space::new();
    for (id, value) in [("a", "tea"), ("b", "coffee")] {
        let body = serde_json::json!({"kind": FACT_STORED, "content": format!("Ann likes {value}"),
            "metadata": {"subject": "Ann", "attribute": "likes", "value": value, "gist": format!("ann like {value}")}});
        space.tell(id, &body.to_string());
    }
    space.tell("c", r#"{"kind":"fact.stored","content":"ann LIKES tea","metadata":{"gist":"ann like tea"}}"#);
    assert_eq!(space.at("2026-01-01"), ["coffee", "tea"]);
    assert_eq!((space.fact("a").sources, space.count), (2, 2));
}

#[test]
fn what_comes_from_outside_takes_nobodys_place() {
    let mut space = Space::new();
    space.lives("a", "Brno", "2020-01-01");
    space.tell(
        "b",
        r#"{"kind":"fact.stored","content":"Ann lives in Hell","trust":"external","metadata":{"subject":"Ann","attribute":"lives_in","value":"Hell","single":true,"from":"2021-01-01"}}"#,
    );
    assert_eq!(
        (space.at("2026-01-01"), space.fact("a").superseded_by),
        (vec!["Brno".to_owned(), "Hell".to_owned()], None)
    );
}

/// Whoever plants what the user will say decides nothing of it: not when it begins, when it ends, or what it replaces.
#[test]
fn the_users_word_is_not_bound_to_what_was_planted_before() {
    for trust in ["external", "tool", "agent"] {
        let lives = |trust: &str, city: &str, from: &str| {
            let body = serde_json::json!({
                "kind": FACT_STORED, "content": format!("Ann lives in {city}"), "trust": trust,
                "metadata": {"subject": "Ann", "attribute": "lives_in", "value": city, "single": true, "from": from},
            });
            body.to_string()
        };
        // Said to be true in some years, or of old.
        for from in ["2031-01-01", "1990-01-01"] {
            let mut space = Space::new();
            space.tell("p", &lives(trust, "Zurich", from));
            space.tell("b", &lives("user", "Bern", "2020-01-01")).tell("z", &lives("user", "Zurich", "2024-01-01"));
            assert_eq!(space.fact("b").superseded_by.as_deref(), Some("z"), "{trust} {from}");
            assert_eq!(space.fact("z").valid_until, None, "{trust} {from}");
            assert_eq!(space.fact("z").trust, "user", "{trust} {from}");
            assert!(space.at("2022-01-01").contains(&"Bern".to_owned()), "{trust} {from}");
        }
        // Of facts in plain words it is the end.
        let mut space = Space::new();
        let said = |trust: &str, until: Option<&str>| {
            let mut body = serde_json::json!({
                "kind": FACT_STORED, "content": "The window is Friday", "trust": trust,
                "metadata": {"gist": "window friday"},
            });
            if let Some(until) = until {
                body["metadata"]["until"] = until.into();
            }
            body.to_string()
        };
        space.tell("p", &said(trust, Some("1970-01-02"))).tell("u", &said("user", None));
        let facts = space.rows.iter().filter(|((table, _), _)| *table == FACTS.name).map(|(_, row)| FactRow::of(row));
        let users: Vec<FactRow> = facts.filter(|row| row.trust == "user").collect();
        assert_eq!(users.len(), 1, "{trust}");
        assert_eq!(users[0].valid_until, None, "{trust}");
    }
}

#[test]
fn whoever_is_trusted_less_does_not_say_how_sure_something_is() {
    let said = |trust: &str, confidence: Option<f64>| {
        let mut body = serde_json::json!({
            "kind": FACT_STORED, "content": "The window is Friday", "trust": trust,
            "metadata": {"gist": "window friday"},
        });
        if let Some(confidence) = confidence {
            body["metadata"]["confidence"] = confidence.into();
        }
        body.to_string()
    };
    let mut space = Space::new();
    space.tell("u", &said("user", None)).tell("e", &said("external", Some(1.0)));
    assert_eq!((space.fact("u").confidence, space.fact("u").sources), (940, 2));
}
