//! Files that several machines share: no change is lost, and none is made twice.

use std::thread;

use idetic_store::{Database, Error, SharedFile};

use super::cluster::Cluster;

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn changes_of_several_machines_are_all_there() {
    let cluster = Cluster::start();
    let database = || Database::new(&cluster.url()).expect("an address");
    assert_eq!(database().shared_file("list", None), Ok(None));
    thread::scope(|scope| {
        for machine in 0..4 {
            scope.spawn(move || {
                let database = database();
                for n in 0..10 {
                    let add =
                        |text: Option<&str>| Ok::<_, Error>(format!("{}{machine}-{n};", text.unwrap_or_default()));
                    database.change_shared_file("list", add).expect("changed");
                }
            });
        }
    });
    let file = database().shared_file("list", None).expect("read").expect("a file");
    let contents = file.contents.clone().expect("they are not known yet");
    let mut entries: Vec<&str> = contents.split_terminator(';').collect();
    entries.sort_unstable();
    entries.dedup();
    assert_eq!(entries.len(), 40, "{contents}");
    let same = SharedFile { stamp: file.stamp.clone(), contents: None };
    assert_eq!(database().shared_file("list", Some(&file.stamp)), Ok(Some(same)), "it is the one that is known");
    // What is refused changes nothing.
    let refused = database().change_shared_file("list", |_| Err::<String, _>(Error::Poisoned));
    assert_eq!(refused, Err(Error::Poisoned));
    assert_eq!(database().shared_file("list", None), Ok(Some(file)));
}
