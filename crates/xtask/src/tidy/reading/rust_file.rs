//! A Rust source file, lexed and parsed once for all checks.

use proc_macro2::TokenStream;

use crate::tidy::finding::Finding;

pub struct RustFile {
    pub path: String,
    pub text: String,
    /// Tokens reach into macro calls, which the syntax tree leaves unparsed.
    pub tokens: TokenStream,
    pub syntax: syn::File,
}

impl RustFile {
    /// A file that does not parse is a finding: no check could vouch for it.
    pub fn parse(path: &str, text: &str) -> Result<Self, Finding> {
        let refuse = |line: usize, message: String| Finding::new(path, line, "syntax", message);
        let tokens: TokenStream = text
            .parse()
            .map_err(|error: proc_macro2::LexError| refuse(error.span().start().line, error.to_string()))?;
        let syntax =
            syn::parse2(tokens.clone()).map_err(|error| refuse(error.span().start().line, error.to_string()))?;
        Ok(Self { path: path.to_owned(), text: text.to_owned(), tokens, syntax })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_does_not_lex_or_parse_is_a_finding() {
        for bad in ["//! Bad.\nfn f( {", "//! Bad.\nfn 7() {}"] {
            let finding = RustFile::parse("a.rs", bad).err().expect("the example is broken");
            assert_eq!((finding.rule, finding.line), ("syntax", 2), "{bad}");
        }
        assert!(RustFile::parse("a.rs", "//! Good.\nfn f() {}").is_ok());
    }
}
