//! The TypeScript client against the real program: every route, streams, the packed package, and a browser where there is one.
#![expect(clippy::print_stderr, reason = "a test says what Node said")]

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use super::peers::Peers;

const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/typescript");

#[test]
#[ignore = "needs packages of Python and npm: `cargo xtask ci` runs it"]
fn the_typescript_client_works() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typescript-client");
    // Held until the test ends, also against other test processes.
    let lock = File::create(folder.with_extension("lock")).expect("the target directory can be written");
    lock.lock().expect("the file system has locks");
    let mut run = Peers::install().node(&Path::new(CLIENT).join("run.mjs"));
    run.arg("--folder").arg(folder).arg(env!("CARGO_BIN_EXE_idetic"));
    let output = run.stdin(Stdio::null()).output().expect("Node.js is installed");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    eprintln!("{out}{err}");
    assert!(output.status.success(), "what Node said stands above");
}
