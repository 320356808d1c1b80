//! A PostgreSQL server of a test's own, and PgBouncer before it: made in a temporary folder, stopped when it is dropped.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Debian's packages, installed where they are missing and that is allowed.
const PACKAGES: [&str; 2] = ["postgresql", "pgbouncer"];
/// How long a server may take until it takes connections.
const START: Duration = Duration::from_secs(60);

/// A running server.
pub struct Cluster {
    pub(super) server: Child,
    pub(super) folder: TempDir,
    pub(super) programs: PathBuf,
    pub(super) port: u16,
}

/// A running PgBouncer, in transaction mode.
pub struct Bouncer {
    server: Child,
    port: u16,
    _folder: TempDir,
}

impl Cluster {
    /// Makes a cluster and starts it.
    pub fn start() -> Self {
        Self::start_as(|_| {})
    }

    /// The same with something changed in its folder before it starts.
    pub fn start_as(change: impl FnOnce(&Path)) -> Self {
        let programs = programs();
        let folder = owned_folder();
        let data = folder.path().join("data");
        let mut initdb = as_user(&programs.join("initdb"));
        initdb.args(["--no-sync", "-U", "idetic", "-A", "trust", "-E", "UTF8", "--locale=C", "-D"]).arg(&data);
        let made = initdb.output().expect("initdb starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        change(folder.path());
        let port = free_port();
        let server = serve(&programs, folder.path(), port);
        Self { server, folder, programs, port }
    }

    /// Its address.
    pub fn url(&self) -> String {
        url(self.port)
    }

    /// Its port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it as a crash does: no session is finished, nothing is written.
    pub fn crash(&mut self) {
        signal("QUIT", self.server.id());
        self.server.wait().expect("it ended");
    }

    /// Starts it again.
    pub fn start_again(&mut self) {
        self.server = serve(&self.programs, self.folder.path(), self.port);
    }

    /// Runs a statement with psql and gives what it prints.
    pub fn sql(&self, statement: &str) -> String {
        let mut psql = Command::new(self.programs.join("psql"));
        let run = psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statement, &self.url()]).output();
        let run = run.expect("psql starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8_lossy(&run.stdout).trim().to_owned()
    }

    /// PgBouncer before it. Few sessions are shared by all connections, so that a transaction meets another one's.
    pub fn bouncer(&self) -> Bouncer {
        let (folder, port) = (owned_folder(), free_port());
        let settings = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\nidetic = host=127.0.0.1 port={} user=idetic\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 200\n",
            self.port
        );
        std::fs::write(&settings, text).expect("written");
        let mut command = as_user(Path::new("pgbouncer"));
        command.arg("-q").arg(&settings).stdout(Stdio::null()).stderr(Stdio::null());
        let server = command.spawn().expect("pgbouncer starts");
        wait_until_open(port);
        Bouncer { server, port, _folder: folder }
    }
}

impl Bouncer {
    /// Its address.
    pub fn url(&self) -> String {
        url(self.port)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        signal("QUIT", self.server.id());
        let _ = self.server.wait();
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn url(port: u16) -> String {
    format!("postgres://idetic@127.0.0.1:{port}/idetic")
}

fn serve(programs: &Path, folder: &Path, port: u16) -> Child {
    let server = spawn(programs, folder, port);
    wait_until_ready(programs, folder, port);
    server
}

/// Starts the server on the data in a folder, and does not wait for it.
pub fn spawn(programs: &Path, folder: &Path, port: u16) -> Child {
    let log = std::fs::File::options().create(true).append(true).open(folder.join("server.log")).expect("a log");
    let mut command = as_user(&programs.join("postgres"));
    command.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
    command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "fsync=off", "-c", "max_connections=200"]);
    command.stdout(Stdio::null()).stderr(log).spawn().expect("postgres starts")
}

/// Waits until the database is there: the first time it is made.
fn wait_until_ready(programs: &Path, folder: &Path, port: u16) {
    let until = Instant::now() + START;
    loop {
        let mut createdb = Command::new(programs.join("createdb"));
        createdb.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-U", "idetic", "idetic"]);
        let made = createdb.output().expect("createdb starts");
        let said = String::from_utf8_lossy(&made.stderr).into_owned();
        if made.status.success() || said.contains("already exists") {
            return;
        }
        let log = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
        assert!(Instant::now() < until, "PostgreSQL does not start: {said}{log}");
        sleep(Duration::from_millis(50));
    }
}

fn wait_until_open(port: u16) {
    let until = Instant::now() + START;
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        assert!(Instant::now() < until, "nothing listens on port {port}");
        sleep(Duration::from_millis(20));
    }
}

pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

pub fn signal(name: &str, process: u32) {
    let _ = Command::new("kill").args(["-s", name, &process.to_string()]).status();
}

/// Where the programs of PostgreSQL are; Debian keeps those of each version apart.
fn programs() -> PathBuf {
    let found = || {
        let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        folders.into_iter().find(|folder| folder.join("initdb").exists())
    };
    let has_bouncer = || Command::new("pgbouncer").arg("--version").output().is_ok_and(|run| run.status.success());
    if found().is_none() || !has_bouncer() {
        let _ = Command::new("apt-get").args(["install", "-y", "-q"]).args(PACKAGES).output();
    }
    found().expect("PostgreSQL is installed: on Debian the packages postgresql and pgbouncer")
}

/// The servers refuse to run as root: then they run as the user that Debian's packages make.
pub fn server_user() -> Option<(u32, u32)> {
    if !is_root() {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").expect("a list of users");
    let line = users.lines().find(|line| line.starts_with("postgres:")).expect("a user postgres");
    let mut numbers = line.split(':').skip(2).map(|number| number.parse().expect("a number"));
    numbers.next().zip(numbers.next())
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// A command that runs as that user, and not longer than the test that started it.
pub fn as_user(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL"]);
    if let Some((user, group)) = server_user() {
        command.args([format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".to_owned()]);
    }
    command.arg(program).current_dir("/").stdin(Stdio::null());
    command
}

/// A folder that the server may use.
pub fn owned_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.expect("a folder");
    if let Some((user, group)) = server_user() {
        chown(folder.path(), Some(user), Some(group)).expect("it may be given away");
    }
    folder
}
