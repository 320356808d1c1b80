//! A server on loopback with a home of its own, and a client that sends exactly what it is told to.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use idetic_ops::core::Time;
use idetic_ops::model::Chat;
use idetic_ops::{Env, Grant, Memory, Models, OwnerContext, Reply};
use idetic_server::{Listening, Principal, Service, Settings, serve};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// How long a client waits before it says that the server hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server and its home.
pub struct Stage {
    pub folder: Arc<TempDir>,
    pub memory: Arc<Memory>,
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }

    /// The body of an answer that must be fine.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }
}

pub fn env() -> Env {
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        Time(i64::try_from(since.as_micros()).expect("before the year 292000"))
    };
    // Chance that differs from call to call is enough here.
    let count = std::sync::atomic::AtomicU64::new(0);
    Env::new(now, move |bytes| {
        let seed = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut random = super::random::Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        bytes.iter_mut().for_each(|byte| *byte = u8::try_from(random.below(256)).expect("a byte"));
    })
}

/// What a server is given.
pub fn service(memory: &Arc<Memory>, chat: Option<Arc<dyn Chat>>, open: bool) -> Service {
    let settings = Settings {
        models: Models::default(),
        chat,
        variable: |name| (name == "WEBHOOK_SECRET").then(|| super::webhooks::SECRET.to_owned()),
        clock: Instant::now,
        sign_in_token: None,
        without_key: open.then(|| Principal::local(Grant::default())),
        version: "test",
    };
    Service::new(Arc::clone(memory), settings).expect("the log's address is right")
}

impl Stage {
    pub fn new() -> Self {
        Self::with("", None, false)
    }

    /// With a configuration, a language model, and whether it answers without a key.
    pub fn with(config: &str, chat: Option<Arc<dyn Chat>>, open: bool) -> Self {
        let base = Path::new("/dev/shm");
        let folder = if base.is_dir() { TempDir::new_in(base) } else { TempDir::new() }.expect("a folder");
        Memory::init(folder.path()).expect("a home");
        std::fs::write(folder.path().join("config.toml"), config).expect("a configuration");
        Self::start(Arc::new(folder), chat, open)
    }

    /// Another server of the same home.
    pub fn beside(&self) -> Self {
        Self::start(Arc::clone(&self.folder), None, false)
    }

    /// The same home after a restart.
    pub fn again(self) -> Self {
        let folder = Arc::clone(&self.folder);
        drop(self);
        Self::start(folder, None, false)
    }

    fn start(folder: Arc<TempDir>, chat: Option<Arc<dyn Chat>>, open: bool) -> Self {
        let memory = Arc::new(Memory::open(folder.path(), env()).expect("the home opens"));
        let service = Arc::new(service(&memory, chat, open));
        let (tell, told) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listening = Listening::on("127.0.0.1:0".parse().expect("an address"), &service).await;
                let listening = listening.expect("it listens");
                tell.send(listening.address()).expect("somebody waits");
                serve(listening, service, async { drop(stopped.await) }).await.expect("it serves");
            });
        });
        let address = told.recv().expect("it listens");
        Self { folder, memory, address, stop: Some(stop), thread: Some(thread) }
    }

    /// Stops it and waits for its end.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends well");
        }
    }

    /// Runs an operation as whoever runs the program.
    pub fn operate(&self, name: &str, arguments: &Value) -> Vec<Value> {
        let mut answers = Vec::new();
        let mut reply = |reply: Reply| {
            answers.push(serde_json::to_value(&reply).expect("it can be written"));
            Ok(())
        };
        let (mut progress, mut notice) = (|_, _| {}, |_: &str| {});
        let space = self.memory.config().space.clone();
        let mut context = OwnerContext::within(&self.memory, space, &mut reply, &mut progress, &mut notice);
        let operation = idetic_agent::ops::find(name).expect("an operation");
        (operation.from_json)(&mut context, &arguments.to_string()).expect("it works");
        drop(context);
        answers
    }

    /// Makes a key.
    pub fn key(&self, arguments: &Value) -> String {
        self.operate("key create", arguments)[0]["key"].as_str().expect("a key").to_owned()
    }

    pub fn admin(&self) -> String {
        self.key(&json!({"name": "the administrator", "admin": true}))
    }

    /// Calls a route with a JSON body.
    pub fn post(&self, path: &str, key: &str, body: &Value) -> Answer {
        self.send("POST", path, &[("Authorization", &format!("Bearer {key}"))], body.to_string().as_bytes())
    }

    /// The same in a space.
    pub fn post_in(&self, space: &str, path: &str, key: &str, body: &Value) -> Answer {
        let key = format!("Bearer {key}");
        self.send("POST", path, &[("Authorization", &key), ("Idetic-Space", space)], body.to_string().as_bytes())
    }

    /// One request on a connection of its own.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = format!("{head}\r\n").into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes)
    }

    /// Bytes as they are; what comes back until the connection ends.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream.set_write_timeout(Some(PATIENCE)).expect("a limit");
        // A server that refuses stops reading.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert!(
                error.kind() == std::io::ErrorKind::ConnectionReset,
                "the server hangs on: {} ({error})",
                String::from_utf8_lossy(&bytes[..bytes.len().min(300)])
            );
        }
        read(&answer)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// An answer as it came, put together where it came in pieces.
pub fn read(bytes: &[u8]) -> Answer {
    const GAP: &[u8] = b"\r\n\r\n";
    let end = bytes.windows(GAP.len()).position(|window| window == GAP);
    let (head, body) = end.map_or((bytes, &[][..]), |end| (&bytes[..end], &bytes[end + GAP.len()..]));
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { joined(body) } else { body.to_vec() };
    Answer { status, head, body: String::from_utf8_lossy(&body).into_owned() }
}

fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = chunks.windows(2).position(|window| window == b"\r\n") {
        let (size, rest) = (String::from_utf8_lossy(&chunks[..end]), &chunks[end + 2..]);
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else { break };
        if size == 0 || rest.len() < size {
            break;
        }
        all.extend_from_slice(&rest[..size]);
        chunks = rest[size..].strip_prefix(b"\r\n").unwrap_or(&rest[size..]);
    }
    all
}
