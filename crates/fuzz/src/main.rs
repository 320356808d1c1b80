//! The coverage-guided program: libFuzzer around the target that `IDETIC_FUZZ_TARGET` names.
#![no_main]

use std::sync::LazyLock;

use idetic_fuzz::{Target, find, targets};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("IDETIC_FUZZ_TARGET").unwrap_or_default();
    find(&name).unwrap_or_else(|| {
        let names: Vec<&str> = targets().map(|target| target.name).collect();
        panic!("IDETIC_FUZZ_TARGET is '{name}': set it to one of {}", names.join(", "))
    })
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if data.len() <= TARGET.input_max_bytes {
        (TARGET.run)(data);
    }
});
