//! `recall`: the events that answer a question, by words and by meaning.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use clap::Args;
use idetic_core::{Time, kind, limits};
use idetic_memory::as_of::AsOf;
use idetic_memory::recall::{Question, RecallOptions};
use idetic_memory::viewpoint::Viewpoint;
use idetic_memory::{Error, Kind, Recalled, Result, Unanswered};
use idetic_search::{Filters, Mode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::Context;
use crate::arguments::{FilterArgument, ProjectChoice};
use crate::lines::{Line, Lines};
use crate::operation::operation;
use crate::question::several;

operation! {
    name: "recall",
    about: "Recall the events that answer a question, by words and by meaning",
    example: "idetic recall \"which Node version does the build need?\" -k 5",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Recall, run: run,
    new_space: |cx| cx.answer(Recalled { qid: None, hits: Vec::new() }),
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Recall {
    /// The question
    #[arg(value_name = "QUERY", required_unless_present = "queries")]
    query: Option<String>,
    /// How many hits, at most 1000 [default: 10]
    #[arg(short, long, visible_alias = "limit", value_name = "N")]
    #[serde(alias = "limit")]
    k: Option<usize>,
    /// As this agent sees it: its own memory and what is shared
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    persona: Option<String>,
    /// Only this kind; those about the memory itself (dream.* and the like) are found only this way
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Only by this author
    #[arg(long, value_name = "WHO")]
    author: Option<String>,
    /// Only of this conversation
    #[arg(long, value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// These collections of the user instead of the one in use, ranked together: work,home; at most 16
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "queries")]
    spaces: Vec<String>,
    #[command(flatten)]
    #[serde(flatten)]
    project: ProjectChoice,
    /// Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    #[arg(long, value_name = "JSON")]
    filter: Option<FilterArgument>,
    /// Only what happened at or after a time: ISO, or an age such as 2h or 7d
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what happened at or before a time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// As the space was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    /// When the question is asked, for "last week" and the like [default: when the last event happened]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Search mode: hybrid, lexical or vector [default: hybrid]
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Show what each score is made of
    #[arg(long)]
    explain: bool,
    /// Only hits with at least this score
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    min_score: Option<f64>,
    /// Many questions from a file or - for standard input: one {"qid","query","k"?,"as_of"?,"at"?} per line
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["query", "as_of", "at"])]
    #[serde(skip)]
    queries: Option<PathBuf>,
}

fn run(cx: &mut Context, args: Recall) -> Result<()> {
    let options = RecallOptions { projects: args.project.scope(cx), ..options(&args, cx.env.now())? };
    let who = cx.who(args.agent.as_ref(), args.persona.as_ref())?;
    if !args.spaces.is_empty() {
        let spaces = several::viewpoints(cx, &args.spaces, &who, args.as_of.as_ref())?;
        let Recall { query, k, as_of, at, .. } = args;
        let question = Question { query: query.unwrap_or_default(), k, as_of, at, ..Question::default() };
        question.check()?;
        let models = cx.models_if_any();
        let recalled = several::recall(cx, &spaces, &models, options, question)?;
        return cx.answer(recalled);
    }
    let viewpoint = cx.viewpoint(&who)?;
    if let Some(file) = &args.queries {
        return many(cx, &viewpoint, &options, file);
    }
    let Recall { query, k, as_of, at, .. } = args;
    let question = Question { query: query.unwrap_or_default(), k, as_of, at, ..Question::default() };
    question.check()?;
    let models = cx.models_if_any();
    let recalled = viewpoint.recall_one(&models, &options, &question, cx.notice)?;
    if cx.is_agents() {
        // What it was shown is kept, by ids alone; that it cannot be is no reason not to answer.
        let _ = viewpoint.keep_shown("recall", &recalled, cx.trace_id.as_deref());
    }
    cx.answer(recalled)
}

/// Answers a stream of questions. One that is wrong gets an answer that says so, and the others theirs.
fn many(cx: &mut Context, viewpoint: &Viewpoint, options: &RecallOptions, file: &Path) -> Result<()> {
    let models = cx.models_if_any();
    let mut lines = Lines::read(input(cx, file)?, limits::QUESTION_MAX_BYTES);
    let mut ready = Vec::new().into_iter();
    let Context { reply, notice, .. } = cx;
    let (reply, asked, wrong) = (RefCell::new(reply), Cell::new(0_u64), Cell::new(0_u64));
    let refuse = |qid: Option<Value>, error: Error| {
        wrong.set(wrong.get() + 1);
        (reply.borrow_mut())(Unanswered { qid, error }.into())
    };
    let mut next = || loop {
        if ready.len() == 0 {
            ready = lines.batch()?.into_iter();
        }
        let Some(line) = ready.next() else { return Ok(None) };
        asked.set(asked.get() + 1);
        match question(&line) {
            Ok(question) => return Ok(Some(question)),
            Err(error) => refuse(qid(&line), error)?,
        }
    };
    let mut answer = |question: &Question, recalled: Result<Recalled>| match recalled {
        Ok(recalled) => (reply.borrow_mut())(recalled.into()),
        Err(error) => {
            refuse(question.qid.clone(), error.at(format_args!("line {}", question.line.unwrap_or_default())))
        }
    };
    viewpoint.recall(&models, options, &mut next, &mut answer, notice)?;
    match (wrong.get(), asked.get()) {
        (0, _) => Ok(()),
        (wrong, of) => Err(Error::new(Kind::CheckFailed, format!("{wrong} of {of} questions could not be answered"))
            .hint("fix the lines that have errors and ask them again")),
    }
}

/// The question in a line.
fn question(line: &Line) -> Result<Question> {
    let wrong = |why: String| {
        Error::invalid(format!("line {}: {why}", line.number))
            .hint("a line is {\"qid\": …, \"query\": \"…\"} and optionally k, as_of, at")
    };
    let bytes = line.bytes.as_ref().map_err(|length| wrong(format!("it is {length} bytes long")))?;
    let read: Question = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    Ok(Question { line: Some(line.number), ..read })
}

/// What a question is called, though the rest of its line is wrong.
fn qid(line: &Line) -> Option<Value> {
    let said: Value = serde_json::from_slice(line.bytes.as_ref().ok()?).ok()?;
    said.get("qid").cloned()
}

fn input(cx: &mut Context, file: &Path) -> Result<Box<dyn std::io::Read + Send>> {
    if file == Path::new("-") {
        return cx.input.take().ok_or_else(|| Error::invalid("there is no input to read"));
    }
    let opened = std::fs::File::open(file).map_err(Error::io(format!("cannot read {}", file.display())))?;
    Ok(Box::new(opened))
}

fn options(args: &Recall, now: Time) -> Result<RecallOptions> {
    if let Some(least) = args.min_score.filter(|least| !least.is_finite()) {
        return Err(Error::invalid(format!("min-score {least} is not a number")).hint("use a score such as 2.5"));
    }
    let moment = |text: &String| Time::parse_or_age(text, now);
    Ok(RecallOptions {
        mode: mode(args.mode.as_deref())?,
        k: args.k,
        filters: Filters {
            kind: args.kind.as_deref().map(kind::parse).transpose()?.map(|k| k.into_owned()),
            author: args.author.clone(),
            conversation: args.conversation.clone(),
            since: args.since.as_ref().map(moment).transpose()?,
            until: args.until.as_ref().map(moment).transpose()?,
            only: None,
        },
        filter: FilterArgument::condition(args.filter.as_ref(), now)?,
        explain: args.explain,
        min_score: args.min_score,
        ..RecallOptions::default()
    })
}

/// The word for what to go by.
pub(super) fn mode(word: Option<&str>) -> Result<Mode> {
    match word {
        None | Some("hybrid") => Ok(Mode::Hybrid),
        Some("lexical") => Ok(Mode::Lexical),
        Some("vector") => Ok(Mode::Vector),
        Some(other) => {
            Err(Error::invalid(format!("mode '{other}' is not known")).hint("mode is one of: hybrid, lexical, vector"))
        }
    }
}
