//! Snapshots in S3: the same against a server from the package index that speaks its protocol.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::super::place::{Answer, Place, said};
use super::cluster::Cluster;
use super::machine;
use super::snapshots::{fill, lane_files, share, share_too};

const REQUIREMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/requirements-s3.txt");
/// How long the server may take until it answers.
const START: Duration = Duration::from_secs(120);

/// A server that keeps buckets in memory, with one bucket.
struct S3 {
    server: Child,
    port: u16,
}

impl S3 {
    fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let mut command = Command::new(python());
        command.args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()]);
        let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("python starts");
        let s3 = Self { server, port };
        let begun = Instant::now();
        while s3.ask("PUT", "/memory").is_none_or(|answer| !answer.contains(" 200 ")) {
            assert!(begun.elapsed() < START, "the server does not answer");
            std::thread::sleep(Duration::from_millis(200));
        }
        s3
    }

    /// What it answers to a request without a body, if it is there.
    fn ask(&self, method: &str, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer).into_owned())
    }

    /// The names of all objects.
    fn objects(&self) -> Vec<String> {
        let answer = self.ask("GET", "/memory?list-type=2").expect("it answers");
        answer.split("<Key>").skip(1).filter_map(|rest| Some(rest.split_once("</Key>")?.0.to_owned())).collect()
    }

    /// A machine that shares snapshots there.
    fn machine(&self, cluster: &Cluster) -> Place {
        let place = Place::new();
        share(&place, &cluster.url(), &self.address());
        place
    }

    fn address(&self) -> String {
        format!("s3://memory/idetic/snapshots?endpoint=http://127.0.0.1:{}&region=eu-1", self.port)
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The Python that has the server, installed unless it is there in these very versions.
fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("s3");
    fs::create_dir_all(&folder).expect("the target directory can be written");
    let lock = File::create(folder.join("lock")).expect("the target directory can be written");
    lock.lock().expect("the file system has locks");
    let (stamp, python) = (folder.join("installed.txt"), folder.join("python/bin/python"));
    let wanted = fs::read_to_string(REQUIREMENTS).expect("the list is there");
    if !fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        let run = |command: &mut Command| {
            let ended = command.stdin(Stdio::null()).output().expect("python3 with its module venv is needed for this");
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        };
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder.join("python")));
        run(Command::new(&python).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            REQUIREMENTS,
        ]));
        fs::write(&stamp, wanted).expect("the target directory can be written");
    }
    python
}

/// Runs the program with a key for the bucket.
fn run(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(args);
    command.env("AWS_ACCESS_KEY_ID", "owner").env("AWS_SECRET_ACCESS_KEY", "s3cret").stdin(Stdio::null());
    Answer::of(command.output().expect("the program starts"))
}

#[test]
#[ignore = "needs PostgreSQL and a package of Python: `cargo xtask ci` runs it"]
fn a_bucket_keeps_snapshots_and_heads_as_a_folder_does() {
    let (cluster, s3) = (Cluster::start(), S3::start());
    // Filled before it shares anything: what fills it has no key for the bucket.
    let first = machine(&cluster.url());
    fill(&first);
    first.append(&[said("The canary xylo7731 grows")]);
    share_too(&first, &s3.address());
    run(&first, &["recall", "canary", "--mode", "lexical"]).ok();
    run(&first, &["snapshot"]).ok();
    let objects = s3.objects();
    assert!(objects.contains(&"idetic/snapshots/local/default/head".to_owned()), "{objects:?}");
    assert!(objects.iter().any(|name| name.ends_with("/contents")), "{objects:?}");
    let late = s3.machine(&cluster);
    assert_eq!(run(&late, &["digest"]).ok(), run(&first, &["digest"]).ok());
    assert_eq!(lane_files(&late), lane_files(&first), "they are those of the snapshot");
    let purged = run(&late, &["purge", "--matching", "xylo7731", "--yes"]);
    assert_eq!(purged.code, 0, "{purged:?}");
    assert_eq!(s3.objects(), ["idetic/snapshots/local/default/head"]);
    run(&first, &["snapshot"]).ok();
    super::snapshots::set_back(&cluster, 700);
    let (why, _) = run(&s3.machine(&cluster), &["recall", "vault"]).refused(1);
    assert!(why.contains("events 701 to ") && why.contains("are missing"), "{why}");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_bucket_that_cannot_be_reached_is_reported_and_keeps_nobody_from_working() {
    let cluster = Cluster::start();
    let place = Place::new();
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
    share(&place, &cluster.url(), &format!("s3://memory?endpoint=http://127.0.0.1:{port}"));
    let remembered = run(&place, &["remember", "The lamp is green"]);
    assert_eq!(remembered.code, 0, "{remembered:?}");
    assert!(remembered.err.contains("s3://memory"), "{remembered:?}");
    assert!(!remembered.err.contains("s3cret"), "{remembered:?}");
    let recalled = run(&place, &["recall", "lamp", "--mode", "lexical"]);
    assert!(recalled.code == 0 && recalled.out.contains("green"), "{recalled:?}");
    assert_eq!(run(&place, &["snapshot"]).code, 5);
}
