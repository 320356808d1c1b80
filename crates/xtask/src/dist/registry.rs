//! A registry of npm packages on loopback, so that packages are tried as they are installed once they are published.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

/// Where a package's description has its end at the latest.
const MANIFEST_MAX_BYTES: usize = 1 << 16;

/// Serves the packages of a folder until the program ends.
pub fn serve(folder: &Path) -> Result<SocketAddr, String> {
    let failed = |error: std::io::Error| format!("cannot serve the packages: {error}");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let packages = packages(folder, address)?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that went away is no reason to end.
            let _ = answer(stream, &packages);
        }
    });
    Ok(address)
}

/// What a registry has at an address.
enum Entry {
    About(Value),
    Package(PathBuf),
}

fn packages(folder: &Path, address: SocketAddr) -> Result<BTreeMap<String, Entry>, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut entries = BTreeMap::new();
    for path in files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|it| it == "tgz")) {
        let mut manifest = manifest(&path)?;
        let (name, version) = (text(&manifest["name"]), text(&manifest["version"]));
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        manifest["dist"] = json!({ "tarball": format!("http://{address}/-/{file}") });
        let about = json!({ "name": name, "dist-tags": { "latest": version }, "versions": { version: manifest } });
        entries.insert(format!("/{}", name.replace('/', "%2f")), Entry::About(about));
        entries.insert(format!("/-/{file}"), Entry::Package(path));
    }
    Ok(entries)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The description of a package, which is the first file after its folder.
fn manifest(package: &Path) -> Result<Value, String> {
    let failed = |why: String| format!("{}: {why}", package.display());
    let file = std::fs::File::open(package).map_err(|error| failed(error.to_string()))?;
    let mut start = Vec::new();
    let mut reader = GzDecoder::new(file).take(MANIFEST_MAX_BYTES as u64);
    reader.read_to_end(&mut start).map_err(|error| failed(error.to_string()))?;
    let header = start.get(512..1024).filter(|header| header.starts_with(b"package/package.json\0"));
    let size = header.and_then(|header| std::str::from_utf8(&header[124..135]).ok());
    let size = size.and_then(|size| usize::from_str_radix(size, 8).ok());
    let bytes = size.and_then(|size| start.get(1024..1024 + size));
    let bytes = bytes.ok_or_else(|| failed("it does not begin with package.json".to_owned()))?;
    serde_json::from_slice(bytes).map_err(|error| failed(error.to_string()))
}

fn answer(stream: TcpStream, packages: &BTreeMap<String, Entry>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (status, body) = match packages.get(path) {
        Some(Entry::About(about)) => ("200 OK", about.to_string().into_bytes()),
        Some(Entry::Package(file)) => ("200 OK", std::fs::read(file)?),
        None => ("404 Not Found", b"{}".to_vec()),
    };
    let mut stream = reader.into_inner();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len())?;
    stream.write_all(&body)
}
