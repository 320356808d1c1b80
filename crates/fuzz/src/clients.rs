//! What coding agents tell their hooks, and their configuration files.

use std::sync::LazyLock;

use idetic_clients::content::{Planned, plan};
use idetic_clients::message::{INPUT_MAX_BYTES, OUTPUT_MAX_BYTES, WORDS_MAX_BYTES, answer};
use idetic_clients::{CLIENTS, Client, Content, Happened, Message, Scope, Start, diff, jsonc};

/// Bytes that say how much of a long text was left out.
const OMISSION_MAX_BYTES: usize = 64;
/// Longest name in a message, in bytes.
const NAME_MAX_BYTES: usize = 200 * 4;
/// Levels of nesting at which JSON may be refused.
const DEPTH_MAX: usize = 100;

/// Every event of every client that has hooks.
static EVENTS: LazyLock<Vec<(&Client, &str)>> = LazyLock::new(|| {
    let events = |client: &'static Client| {
        client.hooks.iter().flat_map(|hooks| hooks.events).map(move |(name, _)| (client, *name))
    };
    CLIENTS.iter().flat_map(events).collect()
});

/// Every file of every client, with two programs that may be in it.
static FILES: LazyLock<Vec<(Content, Content)>> = LazyLock::new(|| {
    let start =
        |program: &str| Start { program: program.to_owned(), flags: vec!["--home".to_owned(), "/my home".to_owned()] };
    let files = |program: &str| -> Vec<Planned> {
        let all = CLIENTS.iter().flat_map(|client| Scope::ALL.map(|scope| (client, scope)));
        all.flat_map(|(client, scope)| plan(client, scope, &start(program))).collect()
    };
    let contents = files("/usr/bin/idetic").into_iter().zip(files("/opt/it's new/idetic"));
    contents.map(|(one, other)| (one.content, other.content)).collect()
});

/// A message, whichever client sends it, is read within its limits or refused. The first byte chooses the event.
pub fn hook_message(data: &[u8]) {
    let Some((choice, text)) = data.split_first() else { return };
    let (client, event) = EVENTS[usize::from(*choice) % EVENTS.len()];
    let Ok(message) = Message::read(client, event, text) else { return };
    let names = [Some(&message.session), message.turn.as_ref(), message.model.as_ref()];
    for name in names.into_iter().flatten() {
        assert!(!name.is_empty() && name.len() <= NAME_MAX_BYTES && !name.contains(char::is_control), "{name:?}");
    }
    let within = |text: &str, max_bytes: usize| assert!(text.len() <= max_bytes + OMISSION_MAX_BYTES, "{}", text.len());
    match &message.happened {
        Happened::Asked(words) | Happened::Said(words) | Happened::Stopped(words) => within(words, WORDS_MAX_BYTES),
        Happened::Used(tool) => {
            within(&tool.input, INPUT_MAX_BYTES);
            within(&tool.output, OUTPUT_MAX_BYTES);
            assert!(!tool.gist.contains('\n'), "{:?}", tool.gist);
        }
        Happened::Began { .. } | Happened::Compacting | Happened::Ended => {}
    }
    let _ = answer(client, event, &message.session);
}

/// What is put into a configuration comes out again byte for byte. The first byte chooses the file.
pub fn client_config(data: &[u8]) {
    let Some((choice, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let before = text.as_ref();
    let (content, moved) = &FILES[usize::from(*choice) % FILES.len()];
    let parsed = jsonc::parse(before);
    let deep = before.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() > DEPTH_MAX;
    if !deep && serde_json::from_str::<serde_json::Value>(before).is_ok() {
        assert!(parsed.is_ok(), "what is JSON is read: {parsed:?}");
    }
    let _ = (content.is_in(before), content.started_by(before), content.is_as_written(before));
    let _ = content.take_out(before, None);
    let Ok(after) = content.put_in(Some(before)) else { return };
    assert_eq!(content.put_in(Some(&after)).as_ref(), Ok(&after), "twice is once");
    assert_eq!(content.is_in(&after), Ok(true));
    assert_eq!(content.take_out(&after, Some(before)), Ok(Some(before.to_owned())), "{after:?}");
    let _ = diff::lines(before, &after);
    // Another version of the program took its place meanwhile.
    if let Ok(again) = moved.put_in(Some(&after)) {
        assert_eq!(content.take_out(&again, Some(before)), Ok(Some(before.to_owned())), "{again:?}");
    }
}
