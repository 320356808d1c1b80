//! Streams that do not fit into memory: a process that takes them stays small.

use super::place::{Place, is_long_run, peak_kib, said, say};
use super::random::Random;
use super::stream::Stream;

/// What `append -` may take.
const KIB_MAX: u64 = 200 << 10;

/// Feeds lines of the given lengths, made one at a time, until so many bytes are through; gives the peak in KiB.
fn feed(place: &Place, bytes: u64, mut length: impl FnMut() -> usize) -> Option<u64> {
    let mut stream = Stream::start(place, &[]);
    let (mut sent, mut lines) = (0, 0);
    let filler = "lorem ipsum ".repeat(100_000);
    while sent < bytes {
        let line = format!("{{\"kind\":\"tool_result\",\"content\":\"{}\"}}\n", &filler[..length()]);
        assert!(stream.send(&line), "it went away after {sent} bytes");
        sent += line.len() as u64;
        lines += 1;
    }
    for n in 1..=lines {
        assert_eq!(stream.ack().seq, n);
    }
    let peak = peak_kib(stream.pid());
    let (rest, end) = stream.close();
    assert_eq!((rest.len(), end.code, end.err.as_str()), (0, 0, ""));
    peak
}

#[test]
fn a_stream_of_any_length_is_taken_in_little_memory() {
    let bytes = if is_long_run() { 1 << 30 } else { 200 << 20 };
    let mut random = Random::new(7);
    let mut mixed = move || match random.below(100) {
        0 => 500_000,
        1..=9 => 5000,
        n => n as usize * 3,
    };
    for (name, length) in
        [("mixed lines", &mut mixed as &mut dyn FnMut() -> usize), ("lines of 500 KB", &mut || 500_000)]
    {
        let place = Place::new();
        let Some(peak) = feed(&place, bytes, length) else {
            return say("the memory test is skipped, this system does not tell the peak of a process");
        };
        say(&format!("figure: append - of {} MiB in {name}: peak {} MiB", bytes >> 20, peak >> 10));
        assert!(peak <= KIB_MAX, "{} MiB for {name}", peak >> 10);
        place.verify();
    }
}

#[test]
fn a_line_that_does_not_end_is_refused_in_little_memory() {
    let place = Place::new();
    let mut stream = Stream::start(&place, &[]);
    assert_eq!(stream.one(&said("before")).seq, 1);
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..200 {
        assert!(stream.send(&chunk));
    }
    let peak = peak_kib(stream.pid());
    let (rest, end) = stream.close();
    let (what, hint) = end.refused(2);
    assert_eq!(rest, []);
    assert!(what.contains("line 2") && what.contains("209715200 bytes") && what.contains("up to line 1"), "{what}");
    assert!(hint.contains("at most 8388608 bytes"), "{hint}");
    if let Some(peak) = peak {
        say(&format!("figure: a line of 200 MiB: peak {} MiB", peak >> 10));
        assert!(peak <= 64 << 10, "{} MiB", peak >> 10);
    }
    assert_eq!(place.events(), 1);

    let mut stream = Stream::start(&place, &["--keep-going"]);
    for _ in 0..20 {
        assert!(stream.send(&chunk));
    }
    assert!(stream.send(format!("\n{}\n", said("behind it"))));
    assert_eq!(stream.ack().seq, 2, "the next line is a line again");
    let (_, end) = stream.close();
    let (what, _) = end.refused(2);
    assert!(what.contains("1 line was refused"), "{what}");
}
