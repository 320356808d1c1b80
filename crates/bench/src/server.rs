//! The bench of the server: what a question costs over HTTP against the same call in one process, how appends of many
//! connections share their flushes, and whether memory stays flat.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use idetic_core::Record;
use idetic_model::{Embedder, MiniLm};
use idetic_ops::{Models, Question, RecallOptions, Viewpoint};

use super::clocks::own_cpu;
use super::ground::{Ground, succeed};
use super::options::Options;
use super::progress::progress;
use super::report::{Report, Table, figure, grouped, median};
use super::run::Bench;
use super::tasks::home;
use crate::model::asset_bytes;

const RECALLS: &str = "recalls";
const APPENDS: &str = "appends";
const MEMORY: &str = "memory";
/// Events in the space that is asked.
const EVENTS: usize = 10_000;
const LIMIT_CPU: f64 = 1.5;
const LIMIT_TAIL: f64 = 10.0;
const CONNECTIONS: usize = 64;
/// Appends of a run, of all connections together.
const APPENDED: usize = 2_000;
const LIMIT_FLUSHES: f64 = 100.0;
const LEAST_SPEEDUP: f64 = 20.0;
/// How much more memory a server may hold at the end than after its first tenth.
const LIMIT_GROWTH: f64 = 1.1;
const WORDS: [&str; 12] = [
    "harbour", "garden", "violin", "lantern", "server", "invoice", "kitchen", "release", "museum", "orchard", "bridge",
    "engine",
];

/// Measures and writes the document; says whether every target was met.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let bench = Bench { name: "server", heading: "The server", subjects: &[RECALLS, APPENDS, MEMORY] };
    let options = Options::parse(words)?;
    bench.check(&options)?;
    let ground = Ground::prepare(root)?;
    let model = MiniLm::from_bytes(asset_bytes(root)?).map_err(|error| error.to_string())?;
    let model: Arc<dyn Embedder> = Arc::new(model);
    let models = Models { wanted: Some(model), local: true, ..Models::default() };
    bench.conduct(root, &ground, &options, |subject, report| match subject {
        RECALLS => recalls(&ground, &options, &models, report),
        APPENDS => appends(&ground, report),
        _ => memory(&ground, &options, report),
    })
}

/// The program as a server, ended when it is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts it, perhaps below another program.
    fn start(ground: &Ground, folder: &Path, below: &[&str]) -> Result<Self, String> {
        let own = ground.idetic(folder, &["serve", "--listen", "127.0.0.1:0", "--open", "--log", "off"]);
        let mut command = match below.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(own.get_program()).args(own.get_args());
                command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
                command
            }
            None => own,
        };
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
        let out = child.stdout.take().ok_or("no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).map_err(|error| error.to_string())?;
        let address = line.trim().strip_prefix("http://").ok_or(format!("it said: {line}"))?.to_owned();
        Ok(Self { child, address })
    }

    /// The process that serves: the child, or what the child runs.
    fn process(&self) -> u32 {
        let below = format!("/proc/{0}/task/{0}/children", self.child.id());
        let below = std::fs::read_to_string(below).unwrap_or_default();
        below.split_whitespace().next().and_then(|id| id.parse().ok()).unwrap_or(self.child.id())
    }

    /// Processor time of all its threads so far, in microseconds.
    fn cpu_us(&self) -> f64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.process()));
        let nanos = |path: std::path::PathBuf| -> Option<f64> {
            std::fs::read_to_string(path.join("schedstat")).ok()?.split_whitespace().next()?.parse().ok()
        };
        tasks.into_iter().flatten().flatten().filter_map(|task| nanos(task.path())).sum::<f64>() / 1e3
    }

    /// Memory it holds, in KiB.
    fn resident_kib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let process = rustix::process::Pid::from_raw(i32::try_from(self.process()).unwrap_or(0));
        if let Some(process) = process {
            let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
struct Client {
    stream: BufReader<TcpStream>,
    address: String,
}

impl Client {
    fn connect(address: &str) -> Result<Self, String> {
        let stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(Self { stream: BufReader::new(stream), address: address.to_owned() })
    }

    /// Asks, and waits for the whole answer, which must be a good one.
    fn post(&mut self, path: &str, body: &str) -> Result<String, String> {
        let failed = |error: std::io::Error| error.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", self.address, body.len());
        self.stream.get_mut().write_all(format!("{head}{body}").as_bytes()).map_err(failed)?;
        let (mut status, mut length) = (String::new(), 0);
        self.stream.read_line(&mut status).map_err(failed)?;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).map_err(failed)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| "no length")?;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).map_err(failed)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        if status.contains(" 200 ") { Ok(answer) } else { Err(format!("{status}{answer}")) }
    }
}

fn question(n: usize) -> String {
    let word = |shift: usize| WORDS[(n * 5 + shift * 7 + n / 12) % WORDS.len()];
    format!("Where is the {} of the {} near the {}?", word(0), word(1), word(2))
}

fn fill(viewpoint: &Viewpoint, count: usize) -> Result<(), String> {
    let word = |n: usize, shift: usize| WORDS[(n / 12_usize.pow(shift as u32) + shift) % WORDS.len()];
    for first in (0..count).step_by(500) {
        let text =
            |n: usize| format!("The {} of person {n} is beside the {} and the {}", word(n, 0), word(n, 1), word(n, 2));
        let record =
            |n| Record::parse(serde_json::json!({"kind": "user_input", "content": text(n)}).to_string().as_bytes());
        let records: Result<Vec<Record>, _> = (first..(first + 500).min(count)).map(record).collect();
        viewpoint.append(records.map_err(|error| error.to_string())?, None).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn recalls(ground: &Ground, options: &Options, models: &Models, report: &mut Report) -> Result<(), String> {
    let folder = ground.fresh("server-recalls")?;
    let asked = if options.quick { 300 } else { 2_000 };
    progress(&format!("server: {EVENTS} events"));
    let (memory, space) = home::make(&folder)?;
    let viewpoint = space.as_owner();
    fill(&viewpoint, EVENTS)?;
    succeed(ground.idetic(&folder, &["dream"]).stdout(Stdio::null()), "idetic dream")?;
    let own = |n: usize| {
        let asked = Question { query: question(n), ..Question::default() };
        let found = viewpoint.recall_one(models, &RecallOptions::default(), &asked, &mut |_| {});
        found.map(|found| found.hits.len()).map_err(|error| error.to_string())
    };
    let server = Server::start(ground, &folder, &[])?;
    let mut client = Client::connect(&server.address)?;
    for n in 0..20 {
        own(n)?;
        client.post("/v1/recall", &serde_json::json!({"query": question(n)}).to_string())?;
    }
    let (mut ratios, mut inside, mut outside, mut waits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds() {
        progress(&format!("server: recalls, round {}", round + 1));
        let before = own_cpu();
        for n in 0..asked / 4 {
            own(n)?;
        }
        let one = (own_cpu() - before).as_secs_f64() * 1e6 / (asked / 4) as f64;
        let before = server.cpu_us();
        for n in 0..asked {
            let start = Instant::now();
            client.post("/v1/recall", &serde_json::json!({"query": question(n)}).to_string())?;
            waits.push(start.elapsed().as_secs_f64() * 1e6);
        }
        let each = (server.cpu_us() - before) / asked as f64;
        inside.push(one);
        outside.push(each);
        ratios.push(each / one);
    }
    drop((server, memory));
    waits.sort_by(f64::total_cmp);
    let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize];
    let (ratio, tail) = (median(ratios), at(0.99) / at(0.5));
    let mut table =
        Table::new("A question", &["events", "in one process, µs", "over HTTP, µs", "ratio", "p50, µs", "p99, µs"]);
    table.note("Processor time for one recall with the built-in model, all threads of the server together; waits of one client.");
    let figures = [
        figure(median(inside)),
        figure(median(outside)),
        format!("{} ×", figure(ratio)),
        figure(at(0.5)),
        figure(at(0.99)),
    ];
    table.row([grouped(EVENTS as u64)].into_iter().chain(figures));
    report.at_most("processor time of a recall over HTTP, in calls of one process", LIMIT_CPU, ratio, " ×");
    report.at_most("p99 of a recall, in p50", LIMIT_TAIL, tail, " ×");
    report.tables.push(table);
    Ok(())
}

/// Appends by so many connections, one event each time; appends in a second.
fn append(server: &Server, connections: usize, appends: usize) -> Result<f64, String> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let work = |c: usize| {
            let address = server.address.clone();
            scope.spawn(move || -> Result<(), String> {
                let mut client = Client::connect(&address)?;
                for n in 0..appends / connections {
                    let event =
                        serde_json::json!({"events": [{"kind": "user_input", "content": format!("{c} says {n}")}]});
                    client.post("/v1/append", &event.to_string())?;
                }
                Ok(())
            })
        };
        let all: Vec<_> = (0..connections).map(work).collect();
        all.into_iter().try_for_each(|one| one.join().map_err(|_| "a client failed".to_owned())?)
    })?;
    Ok((appends / connections * connections) as f64 / start.elapsed().as_secs_f64())
}

fn appends(ground: &Ground, report: &mut Report) -> Result<(), String> {
    let mut table = Table::new("Appends of many connections", &["connections", "what", "measured", "target"]);
    if !super::strace::is_there() {
        table.note("Not measured: `strace` is not installed on this machine.");
        report.tables.push(table);
        return Ok(());
    }
    table.note(
        "One event a request, acknowledged once it is on disk. Flushes are counted, and slowed to 5 ms, by `strace`.",
    );
    progress("server: flushes of 64 connections");
    let trace = ground.folder().join("server-strace.out");
    let trace_text = trace.display().to_string();
    let counting = ["strace", "-f", "--seccomp-bpf", "-e", "trace=fsync,fdatasync", "-o", &trace_text];
    let folder = ground.fresh("server-flushes")?;
    drop(home::make(&folder)?);
    let server = Server::start(ground, &folder, &counting)?;
    append(&server, 1, 10)?;
    let count = || std::fs::read_to_string(&trace).map(|text| text.matches("sync(").count()).unwrap_or(0);
    let before = count();
    append(&server, CONNECTIONS, APPENDED)?;
    let done = (APPENDED / CONNECTIONS * CONNECTIONS) as f64;
    drop(server);
    let flushes = (count() - before) as f64 * 1000.0 / done;
    table.row(["64".to_owned(), "flushes per 1 000 appends".to_owned(), figure(flushes), format!("≤ {LIMIT_FLUSHES}")]);
    report.at_most("flushes per 1 000 appends of 64 connections", LIMIT_FLUSHES, flushes, "");
    progress("server: appends with slow flushes");
    let (only, slower) = ("trace=fsync,fdatasync", "inject=fsync,fdatasync:delay_exit=5000");
    let slow = ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", only, "-e", slower];
    let folder = ground.fresh("server-slow")?;
    drop(home::make(&folder)?);
    let server = Server::start(ground, &folder, &slow)?;
    append(&server, 1, 10)?;
    let one = append(&server, 1, 100)?;
    let many = append(&server, CONNECTIONS, APPENDED)?;
    table.row(["1".to_owned(), "appends a second, flushes of 5 ms".to_owned(), figure(one), String::new()]);
    table.row(["64".to_owned(), "the same".to_owned(), figure(many), format!("≥ {LEAST_SPEEDUP} ×")]);
    report.at_least("appends of 64 connections, in those of one, flushes of 5 ms", LEAST_SPEEDUP, many / one, " ×");
    report.tables.push(table);
    Ok(())
}

fn memory(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let minutes = if options.quick { 1 } else { 10 };
    progress(&format!("server: {minutes} minutes of questions and appends"));
    let folder = ground.fresh("server-memory")?;
    drop(home::make(&folder)?);
    let server = Server::start(ground, &folder, &[])?;
    let mut client = Client::connect(&server.address)?;
    let (start, whole) = (Instant::now(), Duration::from_secs(60 * minutes));
    let (mut early, mut n) = (None, 0);
    while start.elapsed() < whole {
        // Half of the calls write to a space whose size does not change what is kept in memory by much.
        let event = serde_json::json!({"text": question(n), "id": format!("e{}", n % 2_000)});
        client
            .post("/v1/remember", &event.to_string())
            .or_else(|error| if error.contains("409") { Ok(error) } else { Err(error) })?;
        client.post("/v1/recall", &serde_json::json!({"query": question(n + 1)}).to_string())?;
        n += 1;
        if early.is_none() && start.elapsed() > whole / 10 {
            early = Some(server.resident_kib());
        }
    }
    let (early, late) = (early.unwrap_or(0.0), server.resident_kib());
    let mut table = Table::new("Memory", &["minutes", "calls", "after a tenth, MiB", "at the end, MiB"]);
    table.row([minutes.to_string(), grouped(2 * n as u64), figure(early / 1024.0), figure(late / 1024.0)]);
    report.at_most("memory at the end, in that after a tenth of the time", LIMIT_GROWTH, late / early, " ×");
    report.tables.push(table);
    Ok(())
}
