//! Episodes are found by what was attempted, however it is worded: the one of the same task comes first.
#![expect(clippy::print_stderr, reason = "a test says what it missed")]

use idetic_ops::EpisodeDraft;
use idetic_ops::EpisodeQuery;

use super::stage::Stage;

/// A task and another wording of it.
const TASKS: [(&str, &str); 20] = [
    ("Set up continuous integration for {}", "Get automated builds running on every commit of {}"),
    ("Migrate {} from MySQL to PostgreSQL", "Move the database of {} over to Postgres"),
    ("Find the memory leak in {}", "{} keeps eating more and more RAM, track down why"),
    ("Write a user guide for {}", "Produce documentation that explains to people how to use {}"),
    ("Reduce the start-up time of {}", "Make {} launch faster"),
    ("Translate the interface of {} into German", "Localise {} for users in Germany"),
    ("Rotate the access keys of {}", "Replace the old credentials used by {} with new ones"),
    ("Add dark mode to {}", "Give {} a night theme with dark colours"),
    ("Restore the backup of {} after the crash", "{} went down, bring its data back from the last snapshot"),
    ("Plan the release of {} for autumn", "Work out a schedule for shipping {} later this year"),
    ("Fix the flaky tests of {}", "Some checks of {} fail at random, make them reliable"),
    ("Interview customers about {}", "Talk to the people who buy {} and collect their opinions"),
    ("Shrink the container image of {}", "The Docker image for {} is far too big, cut it down"),
    ("Encrypt the files that {} stores", "Protect the documents kept by {} with encryption at rest"),
    ("Upgrade {} to the newest Python", "Bring {} onto the latest version of Python"),
    ("Design a logo for {}", "Draw a new brand mark for {}"),
    ("Import the old spreadsheets into {}", "Load the legacy Excel sheets into {}"),
    ("Cut the cloud bill of {}", "Lower what we pay every month for hosting {}"),
    ("Train the support team on {}", "Teach the help desk how {} works"),
    ("Audit {} for security holes", "Check {} for vulnerabilities"),
];
const PROJECTS: [&str; 10] = [
    "Falcon",
    "the billing service",
    "Lighthouse",
    "the warehouse app",
    "Marigold",
    "the booking portal",
    "Quartz",
    "the payroll tool",
    "Nimbus",
    "the photo archive",
];

#[test]
fn the_episode_of_the_same_task_is_found_first_in_another_wording() {
    let stage = Stage::new("");
    let viewpoint = stage.space().as_owner();
    let mut expected = Vec::new();
    for (goal, wording) in TASKS {
        for project in PROJECTS {
            let draft = EpisodeDraft {
                goal: goal.replace("{}", project),
                steps: vec![
                    "looked at the code".to_owned(),
                    "made a plan".to_owned(),
                    "changed what was needed".to_owned(),
                ],
                outcome: "it was done in two days".to_owned(),
                lessons: "ask early".to_owned(),
                success: Some(true),
                ..EpisodeDraft::default()
            };
            let id = viewpoint.store_episode(&draft).expect("stores").episode_id;
            expected.push((wording.replace("{}", project), id));
        }
    }
    assert_eq!(expected.len(), 200);
    viewpoint.embed_all(&stage.models).expect("embeds");
    let mut first = 0;
    for (wording, id) in &expected {
        let asked = EpisodeQuery { query: wording.clone(), ..EpisodeQuery::default() };
        let now = stage.memory.env().now();
        let found = viewpoint.retrieve_episodes(&stage.models, &asked, now, &mut |_| {}).expect("finds");
        let is_first = found.first().is_some_and(|episode| episode.id == *id);
        first += usize::from(is_first);
        if !is_first {
            eprintln!("missed: {wording}: {:?}", found.first().map(|episode| &episode.goal));
        }
    }
    assert!(first >= 180, "{first} of 200 are found first");
}

#[test]
fn of_two_that_are_alike_the_successful_one_comes_first() {
    let stage = Stage::new("");
    let viewpoint = stage.space().as_owner();
    for (outcome, success) in [("the certificate was refused", false), ("the site is reachable", true)] {
        let draft = EpisodeDraft {
            goal: "Renew the certificate of the shop".to_owned(),
            outcome: outcome.to_owned(),
            success: Some(success),
            ..EpisodeDraft::default()
        };
        viewpoint.store_episode(&draft).expect("stores");
    }
    let asked = EpisodeQuery {
        query: "The TLS certificate of the shop has to be renewed".to_owned(),
        ..EpisodeQuery::default()
    };
    let found =
        viewpoint.retrieve_episodes(&stage.models, &asked, stage.memory.env().now(), &mut |_| {}).expect("finds");
    assert_eq!(found.iter().map(|e| e.success).collect::<Vec<_>>(), [Some(true), Some(false)]);
}
