//! Damage to what is derived for recall: every file deleted, cut short or with a byte changed. The answer stays the same,
//! or it is said what is wrong and what to do.

use std::path::{Path, PathBuf};

use super::embeddings::{Deed, Endpoint, use_endpoint};
use super::place::{Answer, Place, copy_files, is_long_run, number, said};

const TEXTS: usize = 600;
const QUESTIONS: &str =
    "{\"query\":\"topic3\"}\n{\"query\":\"number17 car\",\"k\":5}\n{\"query\":\"automobile\",\"k\":3}\n";

/// A home whose index is sealed, and everything needed to damage it again and again.
struct Sealed {
    place: Place,
    pristine: PathBuf,
    answers: String,
}

impl Sealed {
    fn new() -> Self {
        let (place, endpoint) = (Place::new(), Endpoint::start(Deed::Embed));
        use_endpoint(&place, endpoint.url());
        let lines: Vec<String> = (0..TEXTS).map(|n| said(&format!("entry number{n} about topic{}", n % 9))).collect();
        place.append(&lines[..300]);
        place.ok(&["dream"]);
        place.append(&lines[300..]);
        place.append(&[said("the car needs new tyres")]);
        place.ok(&["dream"]);
        let answers = ask(&place).ok();
        let pristine = place.path("pristine");
        copy_files(&place.space(), &pristine);
        copy_files(&place.space().join("lanes"), &pristine.join("lanes"));
        Self { place, pristine, answers }
    }

    /// Puts everything back as it was.
    fn restore(&self) {
        for folder in [self.place.space(), self.place.space().join("lanes")] {
            for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
                if entry.file_type().is_ok_and(|t| t.is_file()) {
                    std::fs::remove_file(entry.path()).expect("it can be removed");
                }
            }
        }
        copy_files(&self.pristine, &self.place.space());
        copy_files(&self.pristine.join("lanes"), &self.place.space().join("lanes"));
    }

    /// The files of the index whose name begins so.
    fn files(&self, begin: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.pristine.join("lanes")).expect("there is an index").flatten();
        let mut names: Vec<String> = entries.map(|e| e.file_name().into_string().expect("plain names")).collect();
        names.retain(|name| name.starts_with(begin));
        names.sort();
        assert!(!names.is_empty(), "no {begin}");
        names.iter().map(|name| self.place.space().join("lanes").join(name)).collect()
    }

    fn is_covered(&self) -> bool {
        let coverage = &self.place.json(&["status"])["coverage"];
        ["embedded", "pending", "retry"].map(|key| number(&coverage[key])) == [TEXTS as u64 + 1, 0, 0]
    }
}

fn ask(place: &Place) -> Answer {
    let answer = place.feed(&["recall", "--queries", "-", "--json"], QUESTIONS);
    assert!(!answer.err.contains("panicked") && answer.code >= 0, "{answer:?}");
    answer
}

/// Every way to damage a file that is tried: gone, empty, cut, one byte changed at places all over it.
fn damages(file: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let bytes = std::fs::read(file).expect("the file is there");
    let mut all = vec![("gone".to_owned(), None), ("empty".to_owned(), Some(Vec::new()))];
    for cut in [1, bytes.len() / 3, bytes.len() - 1] {
        all.push((format!("cut to {cut}"), Some(bytes[..cut].to_vec())));
    }
    let places = if is_long_run() { 400 } else { 24 };
    let head = (0..48).step_by(if is_long_run() { 1 } else { 6 });
    for at in head.chain((0..places).map(|n| n * (bytes.len() - 1) / places)).filter(|at| *at < bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= if at % 2 == 0 { 0x01 } else { 0x80 };
        all.push((format!("byte {at} changed"), Some(changed)));
    }
    all
}

fn damage(file: &Path, to: Option<&Vec<u8>>) {
    match to {
        Some(bytes) => std::fs::write(file, bytes).expect("it can be written"),
        None => std::fs::remove_file(file).expect("it can be removed"),
    }
}

#[test]
fn a_damaged_list_or_document_file_changes_no_answer() {
    let sealed = Sealed::new();
    let (mut changed, mut named) = (0, 0);
    for file in [sealed.files("manifest"), sealed.files("documents")].concat() {
        sealed.restore();
        for (what, bytes) in damages(&file) {
            sealed.restore();
            damage(&file, bytes.as_ref());
            let answer = ask(&sealed.place);
            assert_eq!((answer.code, answer.out.as_str()), (0, sealed.answers.as_str()), "{file:?} {what}: {answer:?}");
            let told = answer.err.contains("the recall index was damaged") && answer.err.contains("rebuilt");
            assert!(told || answer.err.is_empty(), "{file:?} {what}: {answer:?}");
            changed += usize::from(what.contains("changed"));
            named += usize::from(what.contains("changed") && told);
        }
    }
    assert!(named * 10 > changed * 9, "of {changed} changed bytes {named} were told, the others lie between blocks");
}

#[test]
fn a_damaged_vector_file_never_stops_recall_and_told_by_verify() {
    let sealed = Sealed::new();
    let mut told = 0;
    for file in sealed.files("vectors") {
        sealed.restore();
        for (what, bytes) in damages(&file) {
            sealed.restore();
            damage(&file, bytes.as_ref());
            let verified = sealed.place.run(&["verify"]);
            assert_eq!(verified.code, 0, "the log is sound: {verified:?}");
            let is_told =
                verified.err.contains("the recall index is damaged") && verified.err.contains("idetic rebuild");
            let answer = ask(&sealed.place);
            assert_eq!(answer.code, 0, "{file:?} {what}: {answer:?}");
            assert!(is_told || answer.out == sealed.answers, "{file:?} {what}: another answer and nobody says why");
            told += usize::from(is_told);
            let repairs = if told % 2 == 0 { "rebuild" } else { "dream" };
            sealed.place.ok(&[repairs]);
            assert_eq!(ask(&sealed.place).ok(), sealed.answers, "{file:?} {what}: repaired by {repairs}");
            sealed.place.verify();
        }
    }
    assert!(told > 20, "damage was told {told} times only");
}

#[test]
fn damaged_vectors_leave_the_words_and_are_made_anew_when_that_is_asked_for() {
    let sealed = Sealed::new();
    let file = sealed.place.space().join("vectors.db");
    for (what, bytes) in damages(&file) {
        sealed.restore();
        for beside in ["vectors.db-wal", "vectors.db-shm"] {
            let _ = std::fs::remove_file(sealed.place.space().join(beside));
        }
        damage(&file, bytes.as_ref());
        // The files of the index hold what is needed, so that the damage may go unnoticed for now.
        let answer = ask(&sealed.place);
        let same = answer.out == sealed.answers;
        assert!(answer.code == 0 && (same || answer.err.contains("vectors.db was damaged")), "{what}: {answer:?}");
        // Without them words are left.
        std::fs::remove_dir_all(sealed.place.space().join("lanes")).expect("they are derived");
        let answer = ask(&sealed.place);
        assert_eq!(answer.code, 0, "{what}: {answer:?}");
        let dreamt = sealed.place.run(&["dream"]);
        if dreamt.code != 0 {
            let (what, hint) = dreamt.refused(1);
            assert!(what.contains("vectors.db is damaged") && hint.contains("reembed --afresh"), "{what} / {hint}");
            assert!(sealed.place.run(&["verify"]).err.contains("vectors.db is damaged"));
            sealed.place.ok(&["reembed", "--afresh"]);
        }
        assert!(sealed.is_covered(), "{what}");
    }
}
