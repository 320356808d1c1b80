//! `dream`: brings every derived layer up to the log, grades what matters, and records what it did.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use clap::Args;
use idetic_core::views::REGRADED;
use idetic_core::words::Persona;
use idetic_core::{Event, Fields, Record, limits};
use idetic_memory::space::embedding::{EmbedBudget, Embedded, Which};
use idetic_memory::{Result, Space};
use idetic_memory::{Scope, Viewpoint};
use idetic_search::{DEFAULT_IMPORTANCE, Lane, id_hash, importance_said};
use idetic_sync::purge::erase_expired;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::operation::operation;
use crate::{MaintenanceReport, OwnerContext};

operation! {
    name: "dream",
    about: "Bring every derived layer up to date with the log: fold, consolidate facts, embed, grade, merge files",
    example: "idetic dream",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Dream, run: run,
}

/// Under whose subconscious a dream is recorded.
const DREAMER: &str = "idetic";
/// What grades by citations come from, by which they are told from grades that somebody gave.
const GRADER: &str = "idetic.dream";
/// Events read at a time.
const PAGE_EVENTS: usize = 1000;
/// What being cited once, and each doubling after that, adds to an importance.
const CITATION_STEP: f32 = 0.1;
/// The highest importance that citations alone give.
const CITED_MAX: f32 = 0.9;
/// Most documents one event grades.
const GRADES_AT_ONCE: usize = 500;
/// Most bytes of their ids together: written as JSON, with the grades, they fit into one event's metadata.
const GRADED_IDS_MAX_BYTES: usize = limits::METADATA_MAX_BYTES / 4;

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Dream {}

fn run(cx: &mut OwnerContext, _: Dream) -> Result<()> {
    let space = cx.space()?;
    let models = cx.models()?;
    let head = space.horizon(None)?;
    if head > 0 {
        space.fresh(head, |_| Ok(()))?;
    }
    let memory = cx.shared_memory()?;
    let erased = erase_expired(&memory, &space, cx.progress)?;
    let policy = cx.config()?.agent.clone();
    let viewpoint = Viewpoint::new(Arc::clone(&space), Scope::Owner);
    let mut consolidated = viewpoint.consolidate(&models, &policy, cx.env.now(), cx.notice)?;
    consolidated.expired = erased.map_or(0, |erased| erased.count);
    let head = space.horizon(None)?;
    let regraded = regrade(&space, head)?;
    space.seal_documents(space.log().tip()?.seq, cx.progress)?;
    let embedded = match &models.wanted {
        Some(model) => space.embed(model, None, Which::All, EmbedBudget::UNLIMITED, cx.progress)?,
        None => Embedded::default(),
    };
    let model = models.wanted.as_ref().map(|model| (model.id().to_string(), model.dimensions()));
    let joined = space.join_files(model.as_ref().map(|(id, dimensions)| (id.as_str(), *dimensions)))?;
    let coverage = model.as_ref().map(|(id, _)| space.coverage(id, space.log().tip()?.seq)).transpose()?;
    let mut dreamt = MaintenanceReport {
        events: head,
        embedded: embedded.embedded,
        retried: embedded.retried,
        failed: embedded.failed,
        regraded,
        consolidated,
        joined,
        model: model.map(|(id, _)| id),
        coverage,
        unavailable: embedded.unavailable,
        recorded: None,
    };
    // Files joined are no change of what is remembered: only what was embedded or graded is recorded.
    if dreamt.embedded > 0 || dreamt.regraded > 0 || !dreamt.consolidated.is_nothing() {
        dreamt.recorded = Some(record(&space, cx, &dreamt)?);
    }
    let failed = dreamt.unavailable.clone();
    cx.answer(dreamt)?;
    match failed {
        Some(why) => Err(idetic_memory::Error::unavailable(format!("not everything could be embedded: {why}"))
            .hint("what is missing is found by words; run `idetic dream` again when the model is back")),
        None => Ok(()),
    }
}

/// Writes down what was done, where no actor sees it.
fn record(space: &Space, cx: &OwnerContext, dreamt: &MaintenanceReport) -> Result<String> {
    let loop_id = format!("dream-{:016x}", u64::from_le_bytes(cx.env.random()));
    let body = json!({
        "kind": "dream.completed",
        "agent_id": DREAMER,
        "persona": Persona::Subconscious.word(),
        "visibility": "internal",
        "loop_id": loop_id,
        "status": if dreamt.unavailable.is_some() { "failure" } else { "success" },
        "summary": format!("embedded {} documents, graded {}", dreamt.embedded, dreamt.regraded),
        "metadata": {
            "embedded": dreamt.embedded,
            "retried": dreamt.retried,
            "failed": dreamt.failed,
            "regraded": dreamt.regraded,
            "consolidated": dreamt.consolidated,
            "model": dreamt.model,
        },
    });
    let acks = space.append(vec![Record::parse(body.to_string().as_bytes())?], None)?;
    Ok(acks.into_iter().next().map(|ack| ack.id).unwrap_or_default())
}

/// The documents of one lane that were cited, and how they are graded now.
#[derive(Default)]
struct Citations {
    counts: HashMap<String, u32>,
    /// Those whose importance was said, by themselves or by somebody who graded them: that is not for us to change.
    said: HashSet<String>,
    exists: HashMap<String, u64>,
}

/// Grades documents by how often later events of their own lane cite them. Each lane is graded by what it holds alone, and
/// told in an event of its own, so that no lane's grades depend on another's.
fn regrade(space: &Space, head: u64) -> Result<u64> {
    let mut lanes: BTreeMap<Lane, Citations> = BTreeMap::new();
    let mut next = 1;
    while next <= head {
        let count = usize::try_from(head - next + 1).unwrap_or(PAGE_EVENTS).min(PAGE_EVENTS);
        for stored in space.page(next, count)? {
            let event = Event::read(&stored)?;
            let Some(fields) = &event.fields else { continue };
            let lane = lanes.entry(Lane::of(fields)).or_default();
            if event.header.kind == REGRADED {
                if fields.source.as_deref() != Some(GRADER) {
                    lane.said.extend(graded_ids(fields));
                }
                continue;
            }
            for cited in fields.causes.iter().chain(&fields.refs) {
                *lane.counts.entry(cited.clone()).or_default() += 1;
            }
            if importance_said(fields).is_some() {
                lane.said.insert(event.header.id.clone());
            }
            let seq = event.seq();
            lane.exists.insert(event.header.id, seq);
        }
        next += count as u64;
    }
    let changes = space.changes(head)?;
    let mut graded = 0;
    for (lane, citations) in lanes {
        let before = changes.get(&lane.name());
        let mut grades: BTreeMap<String, f32> = BTreeMap::new();
        for (id, count) in &citations.counts {
            let Some(seq) = citations.exists.get(id).filter(|_| !citations.said.contains(id)) else { continue };
            let grade = by_citations(*count);
            let known = before.and_then(|c| c.importance(id_hash(id), *seq)).unwrap_or(DEFAULT_IMPORTANCE);
            if (grade - known).abs() > f32::EPSILON * 4.0 {
                grades.insert(id.clone(), grade);
            }
        }
        graded += grades.len() as u64;
        tell(space, &lane, grades)?;
    }
    Ok(graded)
}

/// The documents that an event grades.
fn graded_ids(fields: &Fields) -> Vec<String> {
    #[derive(Deserialize)]
    struct Grades {
        grades: BTreeMap<String, IgnoredAny>,
    }
    let said = fields.metadata.as_ref().and_then(|metadata| serde_json::from_str::<Grades>(metadata.get()).ok());
    said.map(|said| said.grades.into_keys().collect()).unwrap_or_default()
}

fn by_citations(count: u32) -> f32 {
    let steps = (count + 1).ilog2() as f32;
    // In thousandths, as they are kept.
    ((DEFAULT_IMPORTANCE + CITATION_STEP * steps).min(CITED_MAX) * 1000.0).round() / 1000.0
}

/// How many of some grades fit into one event.
fn at_once(grades: &[(String, f32)]) -> usize {
    let mut bytes = 0;
    let fits = |(id, _): &&(String, f32)| {
        bytes += id.len();
        bytes <= GRADED_IDS_MAX_BYTES
    };
    grades.iter().take(GRADES_AT_ONCE).take_while(fits).count().max(1)
}

/// Appends the grades of one lane's documents to that lane, caused by those documents alone.
fn tell(space: &Space, lane: &Lane, grades: BTreeMap<String, f32>) -> Result<()> {
    let all: Vec<(String, f32)> = grades.into_iter().collect();
    let mut rest = &all[..];
    while !rest.is_empty() {
        let (some, later) = rest.split_at(at_once(rest));
        rest = later;
        let ids: Vec<&String> = some.iter().map(|(id, _)| id).collect();
        let exact = |grade: f32| (f64::from(grade) * 1000.0).round() / 1000.0;
        let grades: BTreeMap<&String, f64> = some.iter().map(|(id, grade)| (id, exact(*grade))).collect();
        let mut body = json!({
            "kind": REGRADED,
            "source": GRADER,
            "summary": format!("graded {} by how often they are cited", some.len()),
            "causes": ids,
            "metadata": { "grades": grades },
        });
        if let Lane::Of(agent, persona) = lane {
            body["agent_id"] = json!(agent);
            body["persona"] = json!(persona.word());
        }
        space.append(vec![Record::parse(body.to_string().as_bytes())?], None)?;
    }
    Ok(())
}
