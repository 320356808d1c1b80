//! The program killed with SIGKILL while it writes the files of a project: the next boot brings them to the right state.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::suite::markdown::{ARCHIVE, CONTEXT, GRAPH, LOG, Project, block, clock, record};
use crate::suite::place::{Place, is_long_run, json_lines, say};

/// Events that every project begins with, so that a run has something to compare and to derive.
const BEGUN: u64 = 60;
/// How many runs tell how long one takes.
const MEASURED: u32 = 5;

fn kills() -> u32 {
    if is_long_run() { 300 } else { 25 }
}

fn begun_summary(n: u64) -> String {
    format!("Write part {n} of the application")
}

/// A project with so many events, all of them known.
fn begun(place: &Place, events: u64) -> Project<'_> {
    let project = Project::plain(place, "template");
    let blocks: Vec<String> = (1..=events).map(|n| block(n, &clock(60), &begun_summary(n), "none")).collect();
    project.write_by_hand(&blocks.join("\n"));
    project.boot();
    project.validate();
    project
}

/// A command that is killed again and again, each time in a copy of the same project.
struct Campaign<'c> {
    template: &'c Project<'c>,
    args: &'c [&'c str],
    /// What is to be brought into the changelog.
    awaited: Vec<String>,
    /// Whether they come all together or not at all.
    together: bool,
}

/// How the kills fell.
#[derive(Default)]
struct Figures {
    before: u32,
    midst: u32,
    after: u32,
}

impl Campaign<'_> {
    /// How long it takes when nobody kills it.
    fn usual(&self) -> Duration {
        let once = |n: u32| {
            let copy = self.template.copied(&format!("measured-{n}"));
            copy.sync_if_fresh();
            let start = Instant::now();
            copy.ok(self.args);
            let took = start.elapsed();
            self.is_right(&copy, true);
            took
        };
        let mut took: Vec<Duration> = (0..MEASURED).map(once).collect();
        took.sort_unstable();
        took[took.len() / 2]
    }

    fn run(&self) -> Figures {
        let usual = self.usual();
        let mut figures = Figures::default();
        let spread = (0..kills()).map(|kill| Moment::After(usual * kill / kills()));
        let moments: Vec<Moment> = spread.chain(WRITTEN.into_iter().map(Moment::Once)).collect();
        for (kill, moment) in (0..).zip(&moments) {
            let copy = self.template.copied(&format!("kill-{kill}"));
            copy.sync_if_fresh();
            let before = copy.files();
            let said = kill_at(&copy, self.args, moment);
            match &said {
                Some(_) => figures.after += 1,
                None if copy.files() == before => figures.before += 1,
                None => figures.midst += 1,
            }
            // Sometimes it is killed once more, while it finishes what the first left.
            if kill % 3 == 0 {
                kill_at(&copy, &["md", "boot"], &Moment::After(usual * (kill / 3) / (kills() / 3 + 1)));
            }
            let boot = copy.run(&["md", "boot"]);
            assert_eq!(boot.code, 0, "killed {moment:?}: {boot:?}");
            self.is_right(&copy, said.is_some());
            copy.ok(self.args);
            copy.ok(&["md", "boot"]);
            self.is_right(&copy, true);
            copy.verify();
            std::fs::remove_dir_all(&copy.folder).expect("a copy can be removed");
        }
        figures
    }

    /// Every event of the log is in the files once, under a number of its own; no rule is broken.
    fn is_right(&self, project: &Project, must_be_there: bool) {
        project.is_sequential();
        let counts = project.summaries();
        for n in 1..=BEGUN {
            assert_eq!(counts.get(&begun_summary(n)), Some(&1), "what was there is there once");
        }
        let known = log_summaries(project);
        let is_there = |summary: &&String| counts.contains_key(*summary);
        for summary in &self.awaited {
            let (in_file, in_log) = (counts.get(summary).copied(), known.get(summary).copied());
            assert!(in_file.is_none_or(|count| count == 1), "{summary} is there {in_file:?} times");
            assert_eq!(in_file, in_log, "what the log has of {summary} is in the file, and nothing else");
        }
        let there = self.awaited.iter().filter(is_there).count();
        if must_be_there {
            assert_eq!(there, self.awaited.len(), "what was acknowledged is there");
        }
        if self.together {
            assert!(there == 0 || there == self.awaited.len(), "{there} of a batch are there");
        }
        let archived = counts.iter().filter(|(summary, _)| summary.starts_with("Archived evt-"));
        let archived: Vec<usize> = archived.map(|(_, count)| *count).collect();
        assert_eq!(archived, if project.has(ARCHIVE) { vec![1] } else { Vec::new() }, "an archive is told once");
        project.validate();
    }

    fn say(&self, figures: &Figures) {
        let Figures { before, midst, after } = figures;
        let (kills, what) = (before + midst + after, self.args.join(" "));
        say(&format!(
            "figure: {what} killed {kills} times: {before} before it wrote, {midst} while it did, {after} after"
        ));
    }
}

impl Project<'_> {
    /// Stamps of copied files are new: has them known again, so that a run is as short as it usually is.
    fn sync_if_fresh(&self) {
        if !self.has(".idetic/not-in-step") {
            self.sync();
        }
    }
}

/// When a process is killed.
#[derive(Debug)]
enum Moment {
    /// So long after it was started.
    After(Duration),
    /// As soon as it has written to this file, or is done.
    Once(&'static str),
}

/// The files that a run writes, one after the other.
const WRITTEN: [&str; 9] = [
    LOG,
    ARCHIVE,
    GRAPH,
    CONTEXT,
    ".memory",
    ".idetic/spaces/local/default/markdown/state.json",
    ".idetic/spaces/local/default/markdown/staged.json",
    ".idetic/spaces/local/default/markdown/graph.json",
    ".idetic/spaces/local/default/log.db-wal",
];

/// Runs it and kills it at a moment; what it said, where it was faster.
fn kill_at(project: &Project, args: &[&str], moment: &Moment) -> Option<String> {
    let stamp = |name: &str| std::fs::metadata(project.path(name)).ok().map(|m| (m.len(), m.modified().ok(), m.ino()));
    let before = if let Moment::Once(name) = moment { stamp(name) } else { None };
    let mut command = project.command(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    match moment {
        Moment::After(time) => std::thread::sleep(*time),
        Moment::Once(name) => {
            while stamp(name) == before && child.try_wait().expect("it can be asked").is_none() {
                std::hint::spin_loop();
            }
        }
    }
    child.kill().expect("the process can be killed");
    let output = child.wait_with_output().expect("it is dead");
    let code = output.status.code();
    assert!(code.is_none_or(|code| code == 0), "{args:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    output.status.success().then(|| String::from_utf8(output.stdout).expect("the output is UTF-8"))
}

/// The summaries of the log's events that belong into a changelog, with how often they are there.
fn log_summaries(project: &Project) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in json_lines(&project.ok(&["export"])) {
        if let Some(summary) = event["body"]["summary"].as_str() {
            *counts.entry(summary.to_owned()).or_default() += 1;
        }
    }
    counts
}

fn awaited(what: &str) -> Vec<String> {
    (0..5).map(|n| format!("{what} as number {n} of five")).collect()
}

#[test]
fn a_shutdown_that_is_killed_is_finished_by_the_next() {
    let place = Place::bare();
    let template = begun(&place, BEGUN);
    let awaited = awaited("Wait until the end");
    for summary in &awaited {
        let staged = ["md", "append", "modify", "--scope", "app", "--summary", summary, "--stage"];
        template.ok(&staged);
    }
    let campaign = Campaign { template: &template, args: &["md", "shutdown", "--no-archive"], awaited, together: true };
    let figures = campaign.run();
    campaign.say(&figures);
    assert!(figures.midst > 0, "no kill fell while it wrote");
}

#[test]
fn a_shutdown_that_archives_is_finished_by_the_next() {
    let place = Place::bare();
    let template = begun(&place, BEGUN);
    let awaited = awaited("Wait until the end");
    for summary in &awaited {
        template.ok(&["md", "append", "modify", "--scope", "app", "--summary", summary, "--stage"]);
    }
    let campaign = Campaign { template: &template, args: &["md", "shutdown"], awaited, together: true };
    let figures = campaign.run();
    campaign.say(&figures);
    assert!(figures.midst > 0, "no kill fell while it wrote");
}

#[test]
fn an_archive_that_is_killed_is_finished_by_the_next_boot() {
    let place = Place::bare();
    let template = begun(&place, BEGUN);
    let campaign = Campaign { template: &template, args: &["md", "archive"], awaited: Vec::new(), together: true };
    let figures = campaign.run();
    campaign.say(&figures);
    assert!(figures.midst > 0, "no kill fell while it wrote");
}

#[test]
fn a_sync_that_is_killed_is_finished_by_the_next_boot() {
    let place = Place::bare();
    let template = begun(&place, BEGUN);
    let awaited = awaited("Happen in another place");
    let records: Vec<String> =
        awaited.iter().map(|summary| record("modify", summary, &json!({"metadata": {"entity": "app"}}))).collect();
    template.append_elsewhere(&records);
    template.write(".idetic/not-in-step", "");
    let campaign = Campaign { template: &template, args: &["md", "sync"], awaited, together: true };
    let figures = campaign.run();
    campaign.say(&figures);
    assert!(figures.midst > 0, "no kill fell while it wrote");
}

#[test]
fn an_append_that_is_killed_is_there_once_or_not_at_all() {
    let place = Place::bare();
    let project = begun(&place, BEGUN);
    let mut usual = Duration::MAX;
    let mut acknowledged = Vec::new();
    for n in 0..MEASURED {
        let start = Instant::now();
        let summary = format!("Append in peace as number {n}");
        project.append("modify", "app", &summary, &[]);
        usual = usual.min(start.elapsed());
        acknowledged.push(summary);
    }
    let (mut appended, mut lost) = (0, 0);
    for kill in 0..kills() {
        let summary = format!("Append and be killed as number {kill}");
        let args = ["md", "append", "modify", "--scope", "app", "--summary", &summary, "--json"];
        let said = kill_at(&project, &args, &Moment::After(usual * kill / kills()));
        let boot = project.run(&["md", "boot"]);
        assert_eq!(boot.code, 0, "{boot:?}");
        project.validate();
        project.is_sequential();
        let (counts, known) = (project.summaries(), log_summaries(&project));
        assert_eq!(counts.get(&summary), known.get(&summary), "the file has what the log has");
        assert!(counts.get(&summary).is_none_or(|count| *count == 1), "{summary} is there twice");
        if said.is_some() {
            acknowledged.push(summary.clone());
        }
        appended += u32::from(counts.contains_key(&summary));
        lost += u32::from(!counts.contains_key(&summary));
        for summary in &acknowledged {
            assert_eq!(counts.get(summary), Some(&1), "{summary} was acknowledged");
        }
    }
    project.verify();
    say(&format!("figure: md append killed {} times: {appended} were appended, {lost} were not", kills()));
    assert!(lost > 0, "no kill fell before the end");
}

/// A run that was killed leaves what it had not put in its place yet; the next one takes it away.
#[test]
fn nothing_is_left_of_a_run_that_was_killed() {
    let place = Place::bare();
    let project = begun(&place, 3);
    let mut ended = project.command(&["--version"]).stdout(Stdio::null()).spawn().expect("the program starts");
    let pid = ended.id();
    ended.wait().expect("it ends");
    let left = [format!(".CHANGELOG.md.{pid}-0.unfinished"), format!(".memory/.graph.md.{pid}-1.unfinished")];
    for name in &left {
        project.write(name, "half of");
    }
    project.append("modify", "app", "Write behind the killed one", &[]);
    project.boot();
    for name in &left {
        assert!(!project.has(name), "{name} belongs to nobody");
    }
}
