//! A home with an agent in it: a temporary folder, a clock that ticks, the built-in embedder, and a model that is scripted.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use idetic_agent::wire::Happening;
use idetic_agent::{Agent, Asked};
use idetic_ops::core::{Record, SpaceName, Time};
use idetic_ops::model::chat::Scripted;
use idetic_ops::model::{Embedder, MiniLm};
use idetic_ops::{AgentAnswer, Env, Memory, Models, Result, Space};
use serde_json::Value;
use tempfile::TempDir;

/// The embedder that the program has.
pub fn models() -> Models {
    static MODEL: OnceLock<Arc<dyn Embedder>> = OnceLock::new();
    let model = MODEL.get_or_init(|| Arc::new(MiniLm::from_bytes(idetic_weights::MINILM).expect("the model")));
    Models { wanted: Some(Arc::clone(model)), local: true, ..Models::default() }
}

/// A home, its memory and its agent.
pub struct Stage {
    pub folder: TempDir,
    pub memory: Arc<Memory>,
    pub clock: Arc<AtomicI64>,
    pub models: Models,
}

/// Noon on the first of January 2025.
const START: i64 = 1_735_732_800_000_000;

impl Stage {
    /// With a configuration beyond the defaults.
    pub fn new(config: &str) -> Self {
        let base = Path::new("/dev/shm");
        let folder = if base.is_dir() { TempDir::new_in(base) } else { TempDir::new() }.expect("a folder");
        Memory::init(folder.path()).expect("a home");
        std::fs::write(folder.path().join("config.toml"), config).expect("a configuration");
        let (clock, bytes) = (Arc::new(AtomicI64::new(START)), AtomicU64::new(1));
        let hand = Arc::clone(&clock);
        let env = Env::new(
            move || Time(hand.fetch_add(1_000_000, Ordering::Relaxed)),
            move |out| {
                for chunk in out.chunks_mut(8) {
                    let next = bytes.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
                    chunk.copy_from_slice(&next[..chunk.len()]);
                }
            },
        );
        let memory = Arc::new(Memory::open(folder.path(), env).expect("the home opens"));
        Self { folder, memory, clock, models: models() }
    }

    /// Lets time pass.
    pub fn wait_minutes(&self, minutes: i64) {
        self.clock.fetch_add(minutes * 60_000_000, Ordering::Relaxed);
    }

    pub fn space(&self) -> Arc<Space> {
        self.memory.space_or_new(&name()).expect("a space")
    }

    pub fn append(&self, records: &[Value]) {
        let records = records.iter().map(|r| Record::parse(r.to_string().as_bytes()).expect("a record")).collect();
        self.space().append(records, None).expect("appends");
    }

    /// Asks an agent that thinks with a script.
    pub fn ask(&self, script: &Arc<Scripted>, asked: &Asked) -> Result<AgentAnswer> {
        self.ask_hearing(script, asked, &mut |_| {})
    }

    pub fn ask_hearing(
        &self,
        script: &Arc<Scripted>,
        asked: &Asked,
        hear: &mut dyn FnMut(Happening),
    ) -> Result<AgentAnswer> {
        self.agent(script, None).ask(asked, hear)
    }

    pub fn agent(&self, script: &Arc<Scripted>, agent: Option<&str>) -> Agent<'static> {
        Agent {
            memory: Arc::clone(&self.memory),
            space: name(),
            agent: agent.map(str::to_owned),
            models: self.models.clone(),
            chat: Arc::clone(script) as Arc<dyn idetic_ops::model::Chat>,
            variable: &|_| None,
            grant: Default::default(),
        }
    }

    /// The kinds of all events, in order.
    pub fn kinds(&self) -> Vec<String> {
        let space = self.space();
        let tip = space.log().tip().expect("a tip").seq;
        (1..=tip).map(|seq| space.event(seq).expect("an event").header.kind).collect()
    }
}

pub fn name() -> SpaceName {
    SpaceName::parse("local/default").expect("a name")
}

/// Everything that a request puts before the model.
pub fn prompt(request: &idetic_ops::model::ChatRequest) -> String {
    use idetic_ops::model::ChatMessage;
    let text = |message: &ChatMessage| match message {
        ChatMessage::System(text) | ChatMessage::User(text) => text.clone(),
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => String::new(),
    };
    request.messages.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Whether a request asks for facts.
pub fn is_extraction(request: &idetic_ops::model::ChatRequest) -> bool {
    request.schema.is_some()
}
