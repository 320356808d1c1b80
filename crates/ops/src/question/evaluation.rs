//! Evaluation: conversations whose questions come with their evidence, and how much of it recall finds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_core::{Record, SpaceName};
use idetic_memory::recall::{Models, Question, RecallOptions};
use idetic_memory::space::embedding::{EmbedBudget, Which};
use idetic_memory::{AsOf, Env, Error, Memory, Recalled, Result, Space};
use idetic_memory::{Scope, Viewpoint};
use serde::{Deserialize, Serialize};

/// How well questions were answered, by category.
#[derive(Debug, Clone, Serialize)]
pub struct Scores {
    /// The folder of conversations.
    pub set: String,
    /// Which category, or which of them together.
    pub category: String,
    /// How many questions.
    pub questions: usize,
    /// Mean share of the evidence among the first 5, 10, 20 and 50.
    pub r5: f64,
    /// See above.
    pub r10: f64,
    /// See above.
    pub r20: f64,
    /// See above.
    pub r50: f64,
    /// Share of questions with any evidence among the first 10.
    pub hit10: f64,
    /// Share of questions with all evidence among the first 10.
    pub all10: f64,
    /// Mean of one over the rank of the first evidence.
    pub mrr: f64,
    /// Discounted gain of the first 10.
    pub ndcg10: f64,
}

/// Hits asked for.
pub const HITS: usize = 50;
/// The category that is measured apart: its questions have no answer.
const ADVERSARIAL: &str = "adversarial";
/// Records appended at a time.
const BATCH_RECORDS: usize = 1000;

/// One question with its evidence.
#[derive(Debug, Deserialize)]
struct Asked {
    qid: serde_json::Value,
    query: String,
    gold: Vec<String>,
    unit: Unit,
    category: String,
    as_of: Option<AsOf>,
    at: Option<String>,
}

/// What the evidence names.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// `metadata.ref` of events.
    Ref,
    /// Conversations, ranked by their best hit.
    Conversation,
}

/// Sums over questions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sums {
    questions: usize,
    recall: [f64; 4],
    hit10: f64,
    all10: f64,
    mrr: f64,
    ndcg10: f64,
}

const CUTS: [usize; 4] = [5, 10, 20, 50];

/// The folders of conversations in a folder.
pub fn conversations(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.join("queries.jsonl").exists() {
        return Ok(vec![folder.to_owned()]);
    }
    let entries = std::fs::read_dir(folder).map_err(Error::io(format!("cannot read {}", folder.display())))?;
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.join("queries.jsonl").exists()).collect();
    found.sort();
    if found.is_empty() {
        return Err(Error::not_found(format!("there are no conversations in {}", folder.display()))
            .hint("name a folder with events.jsonl and queries.jsonl, or a folder of such folders"));
    }
    Ok(found)
}

/// A conversation in a space of its own, in a home that vanishes with it, and the questions about it. It is appended and
/// embedded once and can be asked in many manners.
pub struct Conversation {
    space: Arc<Space>,
    asked: Vec<Asked>,
    /// Dropped after the space that lies in it.
    _home: Scratch,
}

impl Conversation {
    /// Appends the events of a folder and gives them their vectors, unless there is no model.
    pub fn prepare(folder: &Path, scratch: &Path, env: &Env, models: &Models) -> Result<Self> {
        let home = Scratch::new(scratch, env)?;
        let space = Memory::open(&home.0, env.clone())?.space_or_new(&SpaceName::parse("local/eval")?)?;
        let mut records = Vec::new();
        for line in lines(&folder.join("events.jsonl"))? {
            records.push(Record::parse(line.as_bytes()).map_err(|e| Error::from(e).at(folder.display()))?);
        }
        for batch in records.chunks(BATCH_RECORDS) {
            space.append(batch.to_vec(), None)?;
        }
        if let Some(model) = &models.wanted {
            space.embed(model, None, Which::All, EmbedBudget::UNLIMITED, &mut |_, _| {})?;
        }
        let mut asked = Vec::new();
        for line in lines(&folder.join("queries.jsonl"))? {
            let question: Asked = serde_json::from_str(&line)
                .map_err(|e| Error::invalid(format!("{}: {e}", folder.join("queries.jsonl").display())))?;
            asked.push(question);
        }
        Ok(Self { space, asked, _home: home })
    }

    /// Asks every question and adds what came of it to the sums of its category.
    pub fn ask(
        &self,
        models: &Models,
        options: &RecallOptions,
        categories: &mut BTreeMap<String, Sums>,
        notice: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let mut next = self.asked.iter().map(|a| Question {
            qid: Some(a.qid.clone()),
            query: a.query.clone(),
            k: None,
            as_of: a.as_of.clone(),
            at: a.at.clone(),
            vector: None,
            last: None,
            line: None,
        });
        let mut answers = self.asked.iter();
        let mut answered = |_: &Question, recalled: Result<Recalled>| {
            let recalled = recalled?;
            if let Some(question) = answers.next().filter(|question| !question.gold.is_empty()) {
                categories.entry(question.category.clone()).or_default().count(question, &recalled);
            }
            Ok(())
        };
        let viewpoint = Viewpoint::new(Arc::clone(&self.space), Scope::Owner);
        viewpoint.recall(models, options, &mut || Ok(next.next()), &mut answered, notice)
    }
}

fn lines(file: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(file).map_err(Error::io(format!("cannot read {}", file.display())))?;
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

impl Sums {
    fn count(&mut self, question: &Asked, recalled: &Recalled) {
        let ranking = ranking(question.unit, recalled);
        let gold = &question.gold;
        let is_gold = |name: &String| gold.contains(name);
        let among = |k: usize| ranking.iter().take(k).filter(|name| is_gold(name)).count() as f64;
        let all = gold.len() as f64;
        self.questions += 1;
        for (sum, k) in self.recall.iter_mut().zip(CUTS) {
            *sum += among(k) / all;
        }
        self.hit10 += f64::from(u8::from(among(10) > 0.0));
        self.all10 += f64::from(u8::from(among(10) >= all));
        self.mrr += ranking.iter().position(is_gold).map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0));
        let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let gain: f64 =
            ranking.iter().take(10).enumerate().filter(|(_, name)| is_gold(name)).map(|(r, _)| discount(r)).sum();
        let ideal: f64 = (0..gold.len().min(10)).map(discount).sum();
        self.ndcg10 += gain / ideal;
    }

    /// The means, in hundredths.
    pub fn scores(&self, set: &str, category: &str) -> Scores {
        let mean = |sum: f64| (1000.0 * sum / self.questions.max(1) as f64).round() / 10.0;
        Scores {
            set: set.to_owned(),
            category: category.to_owned(),
            questions: self.questions,
            r5: mean(self.recall[0]),
            r10: mean(self.recall[1]),
            r20: mean(self.recall[2]),
            r50: mean(self.recall[3]),
            hit10: mean(self.hit10),
            all10: mean(self.all10),
            mrr: mean(self.mrr),
            ndcg10: mean(self.ndcg10),
        }
    }

    fn add(&mut self, other: &Self) {
        self.questions += other.questions;
        self.recall.iter_mut().zip(other.recall).for_each(|(sum, more)| *sum += more);
        self.hit10 += other.hit10;
        self.all10 += other.all10;
        self.mrr += other.mrr;
        self.ndcg10 += other.ndcg10;
    }
}

/// What was found, in order, each once.
fn ranking(unit: Unit, recalled: &Recalled) -> Vec<String> {
    #[derive(Deserialize)]
    struct Named {
        r#ref: Option<String>,
    }
    let mut names: Vec<String> = Vec::new();
    for hit in &recalled.hits {
        let name = match unit {
            Unit::Conversation => hit.conversation_id.clone(),
            Unit::Ref => {
                let named = hit.metadata.as_ref().and_then(|m| serde_json::from_str::<Named>(m.get()).ok());
                named.and_then(|named| named.r#ref)
            }
        };
        names.extend(name.filter(|name| !names.contains(name)));
    }
    names
}

/// All questions but those without an answer.
pub fn pooled(categories: &BTreeMap<String, Sums>) -> Sums {
    let mut pooled = Sums::default();
    categories.iter().filter(|(category, _)| *category != ADVERSARIAL).for_each(|(_, sums)| pooled.add(sums));
    pooled
}

/// A home that vanishes with its last user.
struct Scratch(PathBuf);

impl Scratch {
    fn new(inside: &Path, env: &Env) -> Result<Self> {
        let folder = inside.join(format!("idetic-eval-{:016x}", u64::from_le_bytes(env.random())));
        Memory::init(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
