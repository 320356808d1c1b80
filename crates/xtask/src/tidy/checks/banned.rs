//! Calls and constructs this project does not use, and where they may stand.

use crate::tidy::finding::Finding;
use crate::tidy::reading::place::{crate_of, in_tests_folder};
use crate::tidy::reading::rust_file::RustFile;
use crate::tidy::reading::sightings::{Sighting, What, sightings};

/// Files that may say `unsafe`, with the reason.
pub const UNSAFE_FILES: &[(&str, &str)] = &[
    ("crates/search/src/vectors/kernels.rs", "SIMD kernels that scan vectors"),
    ("crates/search/src/vectors/kernels/avx2.rs", "SIMD kernels that scan vectors"),
    ("crates/search/src/vectors/kernels/avx512.rs", "SIMD kernels that scan vectors"),
    ("crates/search/src/vectors/kernels/neon.rs", "SIMD kernels that scan vectors"),
    ("crates/model/src/kernels/avx2.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/avx512.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/entries.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/jobs.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/lanes.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/neon.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/portable.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/table.rs", "SIMD kernels of the forward pass"),
    ("crates/model/src/kernels/work.rs", "SIMD kernels of the forward pass"),
    ("crates/store/src/lanes/map.rs", "maps an index file"),
];

/// Programs talk to the user, the environment and the clock; libraries are
/// handed what they need, so that a test can hand them something else. The library that others embed stands where a program does: it
/// brings the machine's clock.
const PROGRAMS: &[&str] = &["cli", "idetic", "xtask", "bench", "fuzz"];

/// Libraries that are functions of what they are given and nothing else.
const PURE: &[&str] = &["core", "search", "extract"];

enum Scope {
    Everywhere,
    Libraries,
    Pure,
}

struct Ban {
    rule: &'static str,
    scope: Scope,
    /// Whether test code may do it all the same.
    tests_may: bool,
    hits: fn(&What) -> bool,
    advice: &'static str,
}

const BANS: &[Ban] = &[
    Ban {
        rule: "print",
        scope: Scope::Libraries,
        tests_may: true,
        hits: |what| is_macro(what, &["print", "println", "eprint", "eprintln"]),
        advice: "a library does not write to the terminal",
    },
    Ban {
        rule: "env",
        scope: Scope::Libraries,
        tests_may: true,
        hits: |what| starts_with(what, &["std", "env"]),
        advice: "a library is handed its settings",
    },
    Ban {
        rule: "clock",
        scope: Scope::Libraries,
        tests_may: true,
        hits: reads_clock,
        advice: "a library is handed the time",
    },
    Ban {
        rule: "unwrap",
        scope: Scope::Everywhere,
        tests_may: true,
        hits: unwraps,
        advice: "handle the error, or use `.expect(\"reason\")`",
    },
    Ban {
        rule: "empty-expect",
        scope: Scope::Everywhere,
        tests_may: true,
        hits: |what| match what {
            What::Method(name, Some(reason)) => name == "expect" && reason.trim().is_empty(),
            _ => false,
        },
        advice: "say why it cannot fail",
    },
    Ban {
        rule: "unfinished",
        scope: Scope::Everywhere,
        tests_may: true,
        hits: |what| is_macro(what, &["todo", "unimplemented", "dbg"]),
        advice: "finish it first",
    },
    Ban {
        rule: "pure",
        scope: Scope::Pure,
        tests_may: false,
        hits: |what| {
            let modules = ["fs", "net", "io", "thread"];
            let outside = |module| starts_with(what, &["std", module]);
            *what == What::AsyncFn || modules.into_iter().any(outside)
        },
        advice: "core computes and does nothing else",
    },
    Ban {
        rule: "lint-allow",
        scope: Scope::Everywhere,
        tests_may: false,
        hits: |what| matches!(what, What::Lint(level, reasoned) if level == "allow" || !reasoned),
        advice: "use `#[expect(.., reason = \"..\")]`, which notices when it is not needed any more",
    },
];

/// `is_test_only` says that the file is compiled for tests alone, because of
/// a `#[cfg(test)] mod` elsewhere.
pub fn check(file: &RustFile, is_test_only: bool, unsafe_files: &[(&str, &str)]) -> Vec<Finding> {
    let in_test = is_test_only || in_tests_folder(&file.path);
    let may_be_unsafe = unsafe_files.iter().any(|(path, _)| *path == file.path);
    let mut findings = Vec::new();
    for sighting in sightings(file.tokens.clone(), in_test) {
        let mut add = |rule, advice: &str| {
            let message = format!("{}: {advice}", sighting.what);
            findings.push(Finding::new(&file.path, sighting.line, rule, message));
        };
        if sighting.what == What::Unsafe && !may_be_unsafe {
            add("unsafe", "not in the table of files in banned.rs");
        }
        for ban in BANS.iter().filter(|ban| applies(ban, file, &sighting)) {
            add(ban.rule, ban.advice);
        }
    }
    findings
}

fn applies(ban: &Ban, file: &RustFile, sighting: &Sighting) -> bool {
    let folder = crate_of(&file.path).unwrap_or_default();
    let in_scope = match ban.scope {
        Scope::Everywhere => true,
        Scope::Libraries => !PROGRAMS.contains(&folder),
        Scope::Pure => PURE.contains(&folder),
    };
    in_scope && !(ban.tests_may && sighting.in_test) && (ban.hits)(&sighting.what)
}

fn is_macro(what: &What, names: &[&str]) -> bool {
    matches!(what, What::Macro(name) if names.contains(&name.as_str()))
}

fn starts_with(what: &What, start: &[&str]) -> bool {
    match what {
        What::Path(path) => path.iter().map(String::as_str).take(start.len()).eq(start.iter().copied()),
        _ => false,
    }
}

/// By the last two segments, since the types are imported more often than not.
fn reads_clock(what: &What) -> bool {
    let What::Path(path) = what else { return false };
    match path.as_slice() {
        [.., clock, function] => {
            let clocks = ["SystemTime", "Instant", "Timestamp", "Zoned"];
            function == "now" && clocks.contains(&clock.as_str())
        }
        _ => false,
    }
}

fn unwraps(what: &What) -> bool {
    match what {
        What::Method(name, _) => name == "unwrap",
        // `.map(Option::unwrap)` is the same thing in other clothes.
        What::Path(path) => match path.as_slice() {
            [.., kind, function] => function == "unwrap" && (kind == "Option" || kind == "Result"),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules_in(path: &str, text: &str) -> Vec<&'static str> {
        let file = RustFile::parse(path, text).expect("the example parses");
        let findings = check(&file, false, &[]);
        findings.iter().map(|finding| finding.rule).collect()
    }

    /// The rules that object to the code in a library, a program and a test.
    fn rules(body: &str) -> [Vec<&'static str>; 3] {
        let code = format!("fn f() {{ {body} }}");
        [
            rules_in("crates/store/src/a.rs", &code),
            rules_in("crates/cli/src/a.rs", &code),
            rules_in("crates/store/tests/a.rs", &code),
        ]
    }

    #[test]
    fn libraries_leave_terminal_environment_and_clock_to_programs() {
        for (rule, body) in [
            ("print", "println!(\"a\")"),
            ("print", "print!(\"a\")"),
            ("print", "std::eprintln!(\"a\")"),
            ("print", "eprint!(\"a\")"),
            ("env", "std::env::var(\"A\")"),
            ("env", "use std::{env, fmt};"),
            ("clock", "SystemTime::now()"),
            ("clock", "std::time::Instant::now()"),
            ("clock", "a.unwrap_or_else(jiff::Timestamp::now)"),
            ("clock", "Zoned::now()"),
        ] {
            assert_eq!(rules(body), [vec![rule], vec![], vec![]], "{body}");
        }
        let at_build_time = rules("env!(\"A\"); option_env!(\"A\")");
        assert!(at_build_time.concat().is_empty());
    }

    #[test]
    fn only_tests_may_panic_without_a_reason() {
        for (rule, body) in [
            ("unwrap", "a.unwrap()"),
            ("unwrap", "a.map(Option::unwrap)"),
            ("empty-expect", "a.expect(\"\")"),
            ("empty-expect", "a.expect(\" \")"),
            ("unfinished", "todo!()"),
            ("unfinished", "unimplemented!(\"a\")"),
            ("unfinished", "dbg!(a)"),
        ] {
            assert_eq!(rules(body), [vec![rule], vec![rule], vec![]], "{body}");
        }
        assert!(rules("a.expect(\"reason\")").concat().is_empty());
        assert_eq!(rules_in("crates/xtask/src/a.rs", "fn f() { a.unwrap() }"), ["unwrap"]);
    }

    #[test]
    fn unit_tests_are_tests_wherever_they_stand() {
        let code = "#[test] fn f() { println!(\"\"); a.unwrap() }\n\
            #[cfg(test)] mod tests { use std::env; fn g() { todo!() } }";
        assert!(rules_in("crates/store/src/a.rs", code).is_empty());
        let file = RustFile::parse("crates/store/src/tests.rs", "fn f() { a.unwrap() }").expect("the example parses");
        assert!(check(&file, true, &[]).is_empty());
        assert_eq!(check(&file, false, &[]).len(), 1);
    }

    #[test]
    fn core_is_pure_even_in_its_tests() {
        for item in [
            "use std::fs;",
            "use std::{fmt, io::Read};",
            "fn f() -> std::net::IpAddr {}",
            "fn f() { std::thread::yield_now() }",
            "async fn f() {}",
        ] {
            assert_eq!(rules_in("crates/core/src/a.rs", item), ["pure"], "{item}");
            assert_eq!(rules_in("crates/core/tests/a.rs", item), ["pure"], "{item}");
            assert!(rules_in("crates/store/src/a.rs", item).is_empty(), "{item}");
        }
    }

    #[test]
    fn unsafe_needs_an_entry_in_the_table() {
        let code = "fn f() { unsafe { g() } }";
        for path in ["crates/cli/src/a.rs", "crates/cli/tests/a.rs"] {
            assert_eq!(rules_in(path, code), ["unsafe"]);
            let file = RustFile::parse(path, code).expect("the example parses");
            assert!(check(&file, false, &[(path, "why")]).is_empty());
        }
        assert!(rules_in("crates/cli/src/a.rs", "#![forbid(unsafe_code)]").is_empty());
    }

    #[test]
    fn lints_are_expected_with_a_reason_and_never_allowed() {
        let good = "#[expect(dead_code, reason = \"soon\")] fn f() {}";
        assert!(rules_in("crates/cli/src/a.rs", good).is_empty());
        for bad in [
            "#[allow(dead_code)] fn f() {}",
            "#![allow(dead_code)]",
            "#[allow(dead_code, reason = \"r\")] fn f() {}",
            "#[cfg_attr(unix, allow(dead_code))] fn f() {}",
            "#[expect(dead_code)] fn f() {}",
            "#[expect(dead_code, reason = \"\")] fn f() {}",
        ] {
            assert_eq!(rules_in("crates/cli/tests/a.rs", bad), ["lint-allow"], "{bad}");
        }
    }
}
