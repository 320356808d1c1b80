//! The files, each with its type and its hash.

use std::sync::OnceLock;

/// What the browser is allowed to do: load from where the page came from, and nothing inline.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

type Asset = (&'static str, &'static str, &'static [u8]);

/// Every file: its path below `/page/`, its type, its bytes.
const ASSETS: &[Asset] = &[
    ("api.js", SCRIPT, include_bytes!("../assets/api.js")),
    ("app.css", STYLE, include_bytes!("../assets/app.css")),
    ("canvas.js", SCRIPT, include_bytes!("../assets/canvas.js")),
    ("dom.js", SCRIPT, include_bytes!("../assets/dom.js")),
    ("help.js", SCRIPT, include_bytes!("../assets/help.js")),
    ("icon.svg", PICTURE, include_bytes!("../assets/icon.svg")),
    ("index.html", HTML, include_bytes!("../assets/index.html")),
    ("layout-worker.js", SCRIPT, include_bytes!("../assets/layout-worker.js")),
    ("layout.js", SCRIPT, include_bytes!("../assets/layout.js")),
    ("main.js", SCRIPT, include_bytes!("../assets/main.js")),
    ("markdown.js", SCRIPT, include_bytes!("../assets/markdown.js")),
    ("menu.js", SCRIPT, include_bytes!("../assets/menu.js")),
    ("moment.js", SCRIPT, include_bytes!("../assets/moment.js")),
    ("palette.js", SCRIPT, include_bytes!("../assets/palette.js")),
    ("parts.js", SCRIPT, include_bytes!("../assets/parts.js")),
    ("place.js", SCRIPT, include_bytes!("../assets/place.js")),
    ("timebar.js", SCRIPT, include_bytes!("../assets/timebar.js")),
    ("tokens.css", STYLE, include_bytes!("../assets/tokens.css")),
    ("view-compare.js", SCRIPT, include_bytes!("../assets/view-compare.js")),
    ("view-event.js", SCRIPT, include_bytes!("../assets/view-event.js")),
    ("view-facts.js", SCRIPT, include_bytes!("../assets/view-facts.js")),
    ("view-failures.js", SCRIPT, include_bytes!("../assets/view-failures.js")),
    ("view-graph.js", SCRIPT, include_bytes!("../assets/view-graph.js")),
    ("view-keys.js", SCRIPT, include_bytes!("../assets/view-keys.js")),
    ("view-notes.js", SCRIPT, include_bytes!("../assets/view-notes.js")),
    ("view-now.js", SCRIPT, include_bytes!("../assets/view-now.js")),
    ("view-personas.js", SCRIPT, include_bytes!("../assets/view-personas.js")),
    ("view-rules.js", SCRIPT, include_bytes!("../assets/view-rules.js")),
    ("view-search.js", SCRIPT, include_bytes!("../assets/view-search.js")),
    ("view-sessions.js", SCRIPT, include_bytes!("../assets/view-sessions.js")),
    ("view-start.js", SCRIPT, include_bytes!("../assets/view-start.js")),
    ("view-told.js", SCRIPT, include_bytes!("../assets/view-told.js")),
    ("view-trust.js", SCRIPT, include_bytes!("../assets/view-trust.js")),
    ("views.css", STYLE, include_bytes!("../assets/views.css")),
    ("welcome.js", SCRIPT, include_bytes!("../assets/welcome.js")),
];

/// One file as it is served.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// The value of the header `Content-Type`.
    pub content_type: &'static str,
    /// What it holds.
    pub bytes: &'static [u8],
    /// The hash of the bytes in hexadecimal, for `ETag`.
    pub hash: &'static str,
}

/// The file at a path below `/page/`; `index.html` is the page itself.
#[must_use]
pub fn file(path: &str) -> Option<File> {
    let index = ASSETS.iter().position(|(name, ..)| *name == path)?;
    let (_, content_type, bytes) = ASSETS[index];
    Some(File { content_type, bytes, hash: hashes().get(index)? })
}

/// The paths of all files.
pub fn paths() -> impl Iterator<Item = &'static str> {
    ASSETS.iter().map(|(name, ..)| *name)
}

fn hashes() -> &'static [String] {
    static HASHES: OnceLock<Vec<String>> = OnceLock::new();
    HASHES.get_or_init(|| ASSETS.iter().map(|(.., bytes)| blake3::hash(bytes).to_hex().to_string()).collect())
}
