//! Spaces: kept apart, opened on demand, closed when too many are open.

use idetic_ops::core::SpaceName;
use idetic_ops::{Kind, Memory};

use crate::hermetic::Hermetic;

#[test]
fn what_is_in_one_space_is_in_no_other() {
    let home = Hermetic::new();
    home.append("ann/notes", &[r#"{"kind":"test","id":"x","content":"hers"}"#.to_owned()]);
    home.append("Ann/notes", &[r#"{"kind":"test","id":"x","content":"another's"}"#.to_owned()]);
    let text = |space: &str| home.call(space, "get", r#"{"event":"x"}"#).expect("answers")[0].clone();
    assert!(text("ann/notes").contains("hers") && text("Ann/notes").contains("another's"));
    assert_eq!(home.call("bob/notes", "get", r#"{"event":"x"}"#).expect_err("no such space").kind, Kind::NotFound);
    assert!(home.call("bob/notes", "log", "{}").expect("a space that is new").is_empty());
    let listed = home.call("ann/notes", "spaces", "{}").expect("answers");
    assert_eq!(listed, [r#"{"space":"Ann/notes","events":1}"#, r#"{"space":"ann/notes","events":1}"#]);
}

#[test]
fn more_spaces_than_may_be_open_are_all_at_hand() {
    let home = Hermetic::new();
    std::fs::write(home.folder.path().join("config.toml"), "open_spaces = 3\n").expect("writes");
    let memory = Memory::open(home.folder.path(), home.env.clone()).expect("opens");
    let name = |n: usize| SpaceName::parse(&format!("user{n}/x")).expect("a name");
    for round in 0..3 {
        for n in 0..10 {
            let record = idetic_ops::core::Record::parse(br#"{"kind":"test"}"#).expect("valid");
            let acks = memory.space_or_new(&name(n)).expect("opens").append(vec![record], None).expect("appends");
            assert_eq!(acks[0].seq, round + 1);
        }
    }
    let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    assert!(open < 200, "{open} files are open");
}

#[test]
fn a_look_at_a_space_keeps_no_place_for_it() {
    let home = Hermetic::new();
    std::fs::write(home.folder.path().join("config.toml"), "open_spaces = 2\n").expect("writes");
    let memory = Memory::open(home.folder.path(), home.env.clone()).expect("opens");
    let name = |n: usize| SpaceName::parse(&format!("user{n}/x")).expect("a name");
    let is_open = |n: usize| memory.open_spaces().iter().any(|space| *space.name() == name(n));
    let append = |n: usize| {
        let record = idetic_ops::core::Record::parse(br#"{"kind":"test"}"#).expect("valid");
        memory.space_or_new(&name(n)).expect("opens").append(vec![record], None).expect("appends");
    };
    append(1);
    append(2);
    assert_eq!(memory.peek(&name(1)).expect("is open").name(), &name(1));
    append(3);
    assert!(!is_open(1) && is_open(2) && is_open(3), "looking is no use of it");
    assert_eq!(memory.peek(&name(1)).expect("is opened").name(), &name(1));
    assert!(is_open(1));
    assert_eq!(memory.peek(&name(4)).err().map(|error| error.kind), Some(Kind::NotFound));
}

#[test]
fn views_that_were_damaged_are_folded_anew() {
    let home = Hermetic::new();
    home.append("local/x", &[r#"{"kind":"test","tags":["a"]}"#.to_owned()]);
    let before = home.call("local/x", "digest", "{}").expect("answers");
    let views = home.folder.path().join("spaces/local/x/views.db");
    std::fs::write(&views, vec![7; 20_000]).expect("writes");
    assert_eq!(home.call("local/x", "log", r#"{"tags":["a"]}"#).expect("answers").len(), 1);
    assert_eq!(home.call("local/x", "digest", "{}").expect("answers"), before);
}
