//! A proxy before PostgreSQL that cuts connections just before a commit reaches the server, or just before its answer
//! reaches the client.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// What is in a flight that commits a change of the log.
const COMMITS: &[u8] = b"UPDATE idetic.spaces SET id";

/// The proxy. It ends with the test's process.
pub struct Proxy {
    port: u16,
    cut: Arc<Counts>,
}

/// How often it cut.
#[derive(Default)]
pub struct Counts {
    commits: AtomicUsize,
    /// Before the server had the commit.
    pub before: AtomicUsize,
    /// After the server had it.
    pub after: AtomicUsize,
}

impl Proxy {
    /// Cuts every third commit before it is made, and every third after it.
    pub fn start(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let cut = Arc::new(Counts::default());
        let counts = Arc::clone(&cut);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, server)) else { continue };
                join(client, server, &counts);
            }
        });
        Self { port, cut }
    }

    /// The address of the database behind it.
    pub fn url(&self) -> String {
        format!("postgres://idetic@127.0.0.1:{}/idetic", self.port)
    }

    /// How often it cut.
    pub fn counts(&self) -> &Counts {
        &self.cut
    }
}

fn join(client: TcpStream, server: TcpStream, counts: &Arc<Counts>) {
    let swallow = Arc::new(AtomicBool::new(false));
    let end = |one: &TcpStream, other: &TcpStream| {
        let _ = (one.shutdown(Shutdown::Both), other.shutdown(Shutdown::Both));
    };
    let copy = |stream: &TcpStream| stream.try_clone().expect("a second handle");
    let (mut from, mut to, swallowing, counts) =
        (copy(&client), copy(&server), Arc::clone(&swallow), Arc::clone(counts));
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 20];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            if bytes[..length].windows(COMMITS.len()).any(|part| part == COMMITS) {
                match counts.commits.fetch_add(1, Ordering::Relaxed) % 3 {
                    1 => {
                        counts.before.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                    2 => {
                        counts.after.fetch_add(1, Ordering::Relaxed);
                        swallowing.store(true, Ordering::Relaxed);
                    }
                    _ => {}
                }
            }
            if to.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        end(&from, &to);
    });
    let (mut from, mut to) = (server, client);
    thread::spawn(move || {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            if swallow.load(Ordering::Relaxed) || to.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        end(&from, &to);
    });
}
