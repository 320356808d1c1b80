//! A home with two users and two agents, each with a secret that none of the others may ever be shown.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Instant;

use idetic_ops::core::{SpaceName, Time};
use idetic_ops::{Env, Grant, Memory, Models, OwnerContext, Reply, Rights};
use idetic_server::{OperationCall, Principal, Refusal, Service, Settings};
use serde_json::{Value, json};

use crate::{issuer, scratch};

/// The space that is asked, and the one of somebody else.
pub const OWN: &str = "ann/default";
pub const FOREIGN: &str = "bob/default";
/// The agent that asks, and the one beside it.
pub const AGENT: &str = "reader";
/// Until when tokens are good: for ever.
const FOR_EVER: Time = Time(i64::MAX);
/// How far the clock moves each time it is read: so that limits on time are the same however fast the machine is.
const TICK_MICROS: i64 = 2_000;
/// Settings: writers are stopped by a quota before a home grows large, and tokens of one issuer are taken.
const CONFIG: &str = "[quota]\nevents = 400\n\n[server]\noauth_issuer = \"https://issuer.example\"\n\
    oauth_audience = \"https://memory.example/mcp\"\noauth_keys_file = \"jwks.json\"\n";

/// A home that is open.
pub struct Home {
    /// Its folder.
    pub folder: PathBuf,
    /// The memory behind a server.
    pub service: Arc<Service>,
    /// What nobody but its owner may be shown: another user's words, another agent's.
    pub secrets: [String; 2],
}

impl Home {
    /// A home with some of everything in it.
    pub fn new() -> Self {
        let folder = scratch::folder("home");
        Memory::init(&folder).expect("a home");
        std::fs::write(folder.join("config.toml"), CONFIG).expect("its settings");
        std::fs::write(folder.join("jwks.json"), issuer::public_keys()).expect("the keys of an issuer");
        let memory = Arc::new(Memory::open(&folder, env()).expect("the home opens"));
        let settings = Settings {
            models: Models::default(),
            chat: None,
            variable: |_| None,
            clock: Instant::now,
            without_key: None,
            sign_in_token: None,
            version: "fuzz",
        };
        let service = Arc::new(Service::new(memory, settings).expect("a service"));
        let secrets = [secret("bob"), secret("writer")];
        let home = Self { folder, service, secrets };
        home.fill();
        home
    }

    fn fill(&self) {
        let [of_bob, of_writer] = &self.secrets;
        let owner = Principal::local(Grant::default());
        let own = json!({"events": [
            {"id": "e1", "kind": "user_input", "content": "Ann likes green tea.", "author": "Ann", "conversation_id": "c1"},
            {"id": "e2", "kind": "tool_call", "agent_id": AGENT, "content": "looked into the cupboard", "trace_id": "t1", "status": "failure"},
            {"id": "e3", "kind": "user_input", "agent_id": "writer", "content": format!("the word is {of_writer}"), "author": of_writer, "conversation_id": of_writer, "trace_id": of_writer, "tags": [of_writer]},
            {"id": "e4", "kind": "subconscious_output", "agent_id": AGENT, "persona": "subconscious", "content": "is it worth it?", "causes": ["e2"]},
        ]});
        self.answers(&owner, "append", Some(OWN), &own.to_string()).expect("events");
        let foreign = json!({"events": [{"id": "f1", "kind": "user_input", "content": format!("the word is {of_bob}"), "author": of_bob}]});
        self.answers(&owner, "append", Some(FOREIGN), &foreign.to_string()).expect("events of somebody else");
        for (operation, arguments) in [
            ("remember", json!({"text": "The library opens at nine.", "agent": AGENT})),
            ("fact store", json!({"subject": "Ann", "attribute": "drink", "value": "tea"})),
            ("fact store", json!({"subject": "writer", "attribute": "word", "value": of_writer, "agent": "writer"})),
            ("episode store", json!({"title": "A talk", "text": "Ann and Bob talked about tea."})),
            ("note write", json!({"id": "tea", "title": "Tea", "text": "Green tea is steeped for two minutes."})),
        ] {
            // Not every kind of memory takes these very arguments in every version; what is there is enough.
            let _ = self.answers(&owner, operation, Some(OWN), &arguments.to_string());
        }
        let _ = self.answers(&owner, "recall", Some(OWN), "{\"query\":\"tea\"}");
    }

    /// Calls an operation and gives its answers as JSON, or why there are none.
    pub fn answers(
        &self,
        who: &Principal,
        operation: &str,
        space: Option<&str>,
        arguments: &str,
    ) -> Result<String, String> {
        let operation = Service::operation(operation).expect("an operation of the table");
        let asking = OperationCall {
            who,
            operation,
            space,
            arguments,
            trace: None,
            idempotency: None,
            streaming: false,
            turn: None,
            progress: None,
        };
        let mut answers = String::new();
        let mut take = |reply: Reply| {
            answers.push_str(&serde_json::to_string(&reply).expect("an answer is JSON"));
            answers.push('\n');
            Ok(())
        };
        let mut notices = String::new();
        let called = self.service.call(&asking, &mut take, &mut |notice| notices.push_str(notice));
        answers.push_str(&notices);
        match called {
            Ok(()) => Ok(answers),
            Err(Refusal::Forbidden) => Err(answers),
            Err(Refusal::Failed(error)) => Err(format!("{answers}{error:?}")),
        }
    }

    /// Runs an operation that only the program itself may, such as making a key.
    pub fn operate(&self, name: &str, space: &str, arguments: &Value) -> Result<Vec<Value>, idetic_ops::Error> {
        let mut answers = Vec::new();
        let mut reply = |reply: Reply| {
            answers.push(serde_json::to_value(&reply).expect("an answer is JSON"));
            Ok(())
        };
        let (mut progress, mut notice) = (|_, _| {}, |_: &str| {});
        let space = SpaceName::parse(space).expect("a name");
        let mut context = OwnerContext::within(&self.service.memory, space, &mut reply, &mut progress, &mut notice);
        let operation = idetic_ops::find(name).expect("an operation of the table");
        (operation.from_json)(&mut context, &arguments.to_string())?;
        drop(context);
        Ok(answers)
    }

    /// The text of a new key.
    pub fn key(&self, arguments: &Value) -> String {
        let made = self.operate("key create", OWN, arguments).expect("a key");
        made[0]["key"].as_str().expect("its text").to_owned()
    }

    /// Whether an answer holds what it must not, unless whoever asked said it first.
    pub fn check(&self, asked: &[u8], answer: &str, secrets: &[String]) {
        for secret in secrets {
            let said = asked.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(said || !answer.contains(secret.as_str()), "an answer holds what is another's: {answer}");
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Somebody of a user, held to an agent or not.
pub fn principal(rights: Rights, agent: Option<&str>) -> Principal {
    let grant = Grant { user: Some("ann".to_owned()), agent: agent.map(str::to_owned), ..Grant::default() };
    Principal::of_token("fuzz".to_owned(), rights, grant, FOR_EVER)
}

/// A word that no input can know: another one in every process.
fn secret(of: &str) -> String {
    format!("canary{of}{:016x}", RandomState::new().hash_one(of))
}

/// A clock that moves when it is read, and chance that is the same every time.
fn env() -> Env {
    let (clock, count) = (AtomicI64::new(1_700_000_000_000_000), AtomicU64::new(1));
    let now = move || Time(clock.fetch_add(TICK_MICROS, Ordering::Relaxed));
    Env::new(now, move |bytes| {
        for byte in bytes {
            let state = count.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            *byte = (mixed >> 56) as u8;
        }
    })
}
