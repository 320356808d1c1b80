//! Records as agents write them: about three hundred bytes of JSON, the same for the same number on every machine.

const KINDS: [&str; 8] = [
    "tool_call",
    "tool_result",
    "tool_call",
    "tool_result",
    "user_input",
    "actor_output",
    "decision",
    "gateway.request",
];
const AGENTS: [&str; 5] = ["planner", "coder", "reviewer", "tester", "writer"];
const SOURCES: [&str; 4] = ["idetic", "website", "gateway", "billing"];
const TAGS: [&str; 12] =
    ["build", "ci", "search", "api", "bug", "docs", "perf", "ui", "auth", "cache", "release", "schema"];
const WORDS: [&str; 16] = [
    "the", "query", "returned", "rows", "after", "index", "rebuild", "and", "cache", "was", "cold", "so", "retry",
    "with", "backoff", "failed",
];
/// 2025-01-01T00:00:00Z.
const FIRST_SECOND: u64 = 1_735_689_600;
const EVENTS_OF_A_TRACE: u64 = 20;
const EVENTS_OF_A_CONVERSATION: u64 = 200;

/// The record with a number, with an id of the caller's or without.
pub fn record(number: u64, with_id: bool) -> String {
    let chance = mix(number);
    let pick = |from: &[&'static str], shift: u32| from[((chance >> shift) % from.len() as u64) as usize];
    let id = if with_id { format!("\"id\":\"{}\",", caller_id(number)) } else { String::new() };
    let status = if chance.is_multiple_of(13) { "failure" } else { "success" };
    let words: Vec<&str> = (0..9).map(|at| WORDS[((chance >> (at * 4)) % 16) as usize]).collect();
    format!(
        "{{{id}\"ts\":\"{}\",\"kind\":\"{}\",\"status\":\"{status}\",\"agent_id\":\"{}\",\"source\":\"{}\",\
         \"trace_id\":\"trace-{}\",\"conversation_id\":\"c-{}\",\"content\":\"step {number}: {}\",\"tags\":[\"{}\"],\
         \"metadata\":{{\"duration_ms\":{},\"attempt\":{}}}}}",
        time(number),
        pick(&KINDS, 3),
        pick(&AGENTS, 11),
        pick(&SOURCES, 19),
        number / EVENTS_OF_A_TRACE,
        number / EVENTS_OF_A_CONVERSATION,
        words.join(" "),
        pick(&TAGS, 27),
        chance % 5000,
        chance % 3 + 1,
    )
}

/// The id a caller would give: in no order, like a random UUID.
pub fn caller_id(number: u64) -> String {
    let (high, low) = (mix(number ^ 0x5555), mix(number ^ 0xaaaa));
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        low >> 52,
        low & 0xffff_ffff_ffff
    )
}

/// A number that looks random and is not (splitmix64).
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An event every few seconds, some of them late.
fn time(number: u64) -> String {
    let second = FIRST_SECOND + number * 7 - mix(number) % 60;
    let micros = i64::try_from(second * 1_000_000).unwrap_or(i64::MAX);
    idetic_core::Time(micros).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use idetic_core::Record;

    #[test]
    fn every_record_is_valid_and_of_a_realistic_length() {
        for number in 0..2000 {
            let text = record(number, number % 2 == 0);
            let record = Record::parse(text.as_bytes()).expect("a valid record");
            assert_eq!(record.claim.id, (number % 2 == 0).then(|| caller_id(number)));
            assert!((250..420).contains(&text.len()), "{} bytes: {text}", text.len());
        }
        assert_eq!(record(7, true), record(7, true));
    }
}
