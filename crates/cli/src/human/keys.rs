//! How keys for the server are shown to people.

use std::io::{self, Write};

use idetic_ops::{KeyLine, KeyMade};

use super::{HumanOutput, Paint, plain};

impl HumanOutput {
    pub(super) fn key_made(&self, out: &mut dyn Write, made: &KeyMade) -> io::Result<()> {
        writeln!(out, "{}", self.paint(Paint::Bold, &made.key))?;
        writeln!(out, "It is shown this once: only its hash is kept. Send it as `Authorization: Bearer …`.")?;
        self.key_line(out, &made.line)
    }

    pub(super) fn key_line(&self, out: &mut dyn Write, line: &KeyLine) -> io::Result<()> {
        let rights = format!("{:?}", line.rights).to_lowercase();
        let bounds = [
            ("user", &line.user),
            ("collection", &line.collection),
            ("agent", &line.agent),
            ("persona", &line.persona),
            ("trust", &line.trust),
            ("expires", &line.expires),
            ("revoked", &line.revoked),
        ];
        let bounds = bounds.iter().filter_map(|(what, value)| Some(format!("  {what} {}", plain(value.as_ref()?))));
        let (id, name) = (&line.id, self.paint(Paint::Bold, &plain(&line.name)));
        writeln!(out, "{id}  {name}  {rights}{}", bounds.collect::<String>())
    }
}
