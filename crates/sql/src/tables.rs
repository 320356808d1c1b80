//! The tables that may be asked. docs/queries.md says what each column means.

use idetic_core::views::{BLOCK_EVENTS, SESSION_TRACES, SessionTraces, VIEWS, operation};
use idetic_core::{Event, Time};
use idetic_memory::{Result, Space};
use idetic_store::{Datum, Given, Offered, Select, alive, end_of, expired};

/// A table: its name, its columns with what they hold, and where they come from.
struct Table {
    name: &'static str,
    columns: &'static [(&'static str, &'static str)],
    from: &'static str,
}

/// Events read at a time.
const PAGE_EVENTS: usize = 256;

/// The goal of a conversation.
const GOAL: &str = "main.conversation_goals WHERE conversation_goals.agent = conversations.agent \
                    AND conversation_goals.persona = conversations.persona \
                    AND conversation_goals.conversation = conversations.conversation AND {alive}";

/// What `--all` leaves away: an agent's other side.
const SHOWN: &str = "persona IS NOT 'subconscious'";

const TABLES: &[Table] = &[
    Table {
        name: "events",
        columns: &[
            ("seq", "born"),
            ("id", "id"),
            ("ts", "iso(ts)"),
            ("timestamp", "iso(ts)"),
            ("recorded_at", "said(born, 'recorded_at')"),
            ("kind", "kind"),
            ("event_type", "kind"),
            ("status", "status"),
            ("agent", "agent"),
            ("persona", "persona"),
            ("author", "author"),
            ("source", "source"),
            ("trace_id", "trace"),
            ("loop_id", "\"loop\""),
            ("conversation_id", "conversation"),
            ("duration_ms", "CAST(duration_ms AS INTEGER)"),
            ("scope", "said(born, 'scope')"),
            ("summary", "said(born, 'summary')"),
            ("content", "said(born, 'content')"),
            ("tags", "said(born, 'tags')"),
            ("refs", "said(born, 'refs')"),
            ("causes", "said(born, 'causes')"),
            ("metadata", "said(born, 'metadata')"),
            ("visibility", "said(born, 'visibility')"),
            ("trust", "trust"),
            ("origin", "said(born, 'origin')"),
        ],
        from: "main.timeline WHERE {alive} AND {shown}",
    },
    Table {
        name: "event_tags",
        columns: &[("seq", "tagged.born"), ("tag", "tagged.tag")],
        from: "main.tags AS tagged JOIN main.timeline AS event ON event.born = tagged.born \
               WHERE tagged.born <= {at} AND event.{shown} {kept}",
    },
    Table {
        name: "traces",
        columns: &[
            ("trace_id", "trace"),
            ("agent", "nullif(agent, '')"),
            ("persona", "nullif(persona, '')"),
            ("events", "CAST(events AS INTEGER)"),
            ("failures", "CAST(failures AS INTEGER)"),
            ("started", "iso(first_ts)"),
            ("ended", "iso(last_ts)"),
            ("total_ms", "(last_ts - first_ts) / 1000"),
            ("first_failure", "first_failure"),
            ("last_seq", "last_seq"),
        ],
        from: "main.traces WHERE {alive} AND {shown}",
    },
    Table {
        name: "loops",
        columns: &[
            ("loop_id", "\"loop\""),
            ("agent", "nullif(agent, '')"),
            ("persona", "nullif(persona, '')"),
            ("events", "CAST(events AS INTEGER)"),
            ("started", "iso(first_ts)"),
            ("ended", "iso(last_ts)"),
            ("last_seq", "last_seq"),
        ],
        from: "main.loops WHERE {alive} AND {shown}",
    },
    Table {
        name: "notes",
        columns: &[
            ("id", "note"),
            ("title", "title"),
            ("status", "status"),
            ("confidence", "confidence"),
            ("created", "created"),
            ("updated", "updated"),
            ("author", "author"),
            ("source", "source"),
            ("type", "type"),
            ("tags", "tags"),
            ("links", "links"),
            ("traces", "traces"),
            ("replaced_by", "replaced_by"),
            ("path", "path"),
            ("event", "event"),
            ("seq", "seq"),
            ("content", "said(seq, 'content')"),
        ],
        from: "main.notes WHERE {alive} AND NOT deleted",
    },
    Table {
        name: "facts",
        columns: &[
            ("id", "fact"),
            ("agent", "nullif(agent, '')"),
            ("persona", "nullif(persona, '')"),
            ("content", "text"),
            ("subject", "nullif(subject, '')"),
            ("attribute", "nullif(attribute, '')"),
            ("value", "nullif(value, '')"),
            ("valid_from", "iso(valid_from)"),
            ("valid_until", "iso(valid_until)"),
            ("learned", "iso(learned)"),
            ("confidence", "confidence / 1000.0"),
            ("trust", "trust"),
            ("sources", "CAST(sources AS INTEGER)"),
            ("supersedes", "previous"),
            ("superseded_by", "superseded_by"),
            ("conversation_id", "conversation"),
            ("event", "event"),
            ("seq", "seq"),
        ],
        from: "main.facts WHERE {alive} AND NOT deleted AND {shown}",
    },
    Table {
        name: "episodes",
        columns: &[
            ("id", "episode"),
            ("agent", "nullif(agent, '')"),
            ("persona", "nullif(persona, '')"),
            ("goal", "goal"),
            ("outcome", "outcome"),
            ("success", "success"),
            ("ts", "iso(ts)"),
            ("conversation_id", "conversation"),
            ("expires", "iso({end})"),
            ("seq", "seq"),
        ],
        from: "main.episodes WHERE {alive} AND NOT deleted AND {shown}",
    },
    Table {
        name: "conversations",
        columns: &[
            ("id", "conversation"),
            ("agent", "nullif(agent, '')"),
            ("persona", "nullif(persona, '')"),
            ("goal", "{goal}"),
            ("started", "iso(started)"),
            ("last", "iso(last)"),
            ("invocations", "CAST(invocations AS INTEGER)"),
            ("ended", "iso(ended)"),
            ("reason", "reason"),
            ("seq", "seq"),
        ],
        from: "main.conversations WHERE {alive} AND {shown}",
    },
    Table {
        name: "links",
        columns: &[("source", "note"), ("target", "value")],
        from: "main.notes, json_each(links) WHERE {alive} AND NOT deleted",
    },
    Table {
        name: "tags",
        columns: &[("tag", "value"), ("note", "note")],
        from: "main.notes, json_each(tags) WHERE {alive} AND NOT deleted",
    },
    Table {
        name: "outcomes",
        columns: &[("note", "note"), ("worked", "worked"), ("failed", "failed"), ("last_seq", "last_seq")],
        from: "main.outcomes WHERE {alive}",
    },
    Table {
        name: "nodes",
        columns: &[
            ("node", "node"),
            ("type", "\"type\""),
            ("status", "status"),
            ("created", "created"),
            ("last", "\"last\""),
            ("attributes", "attributes"),
            ("tested", "tested"),
            ("seq", "born"),
        ],
        from: "main.nodes WHERE {alive}",
    },
    Table {
        name: "edges",
        columns: &[
            ("source", "\"from\""),
            ("target", "\"to\""),
            ("relation", "relation"),
            ("created", "created"),
            ("attributes", "attributes"),
        ],
        from: "main.edges WHERE {alive} AND NOT gone",
    },
    Table {
        name: "changelog",
        columns: &[
            ("event", "event"),
            ("number", "number"),
            ("seq", "seq"),
            ("type", "\"type\""),
            ("ts", "iso(ts)"),
            ("scope", "scope"),
            ("answered", "answered"),
        ],
        from: "main.entries WHERE {alive}",
    },
    Table {
        name: "profiles",
        columns: &[
            ("agent", "agent"),
            ("sessions", "sessions"),
            ("version", "version"),
            ("last_active", "iso(last_active)"),
            ("switches", "switches"),
            ("handoff_to", "handoff_to"),
            ("handoff_ts", "iso(handoff_ts)"),
            ("handoff_trace", "handoff_trace"),
        ],
        from: "main.agents WHERE {alive}",
    },
    Table {
        name: "capabilities",
        columns: &[
            ("agent", "agent"),
            ("capability", "capability"),
            ("tool", "nullif(tool, '')"),
            ("successes", "sum(successes)"),
            ("failures", "sum(failures)"),
        ],
        from: "(SELECT agent, capability, tool, successes, failures FROM main.capabilities WHERE block < {block} \
               UNION ALL SELECT * FROM \"{secret} done\") GROUP BY agent, capability, tool",
    },
];

/// The names of the tables.
pub fn names() -> Vec<&'static str> {
    TABLES.iter().map(|table| table.name).collect()
}

/// The columns of the tables that a statement names, for whoever mistyped one.
pub fn columns_named_in(sql: &str) -> String {
    let sql = sql.to_lowercase();
    let said: Vec<String> = TABLES
        .iter()
        .filter(|table| sql.contains(table.name))
        .map(|table| {
            let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
            format!("{} has {}", table.name, columns.join(", "))
        })
        .collect();
    if said.is_empty() { format!("tables: {}", names().join(", ")) } else { said.join("; ") }
}

/// The tables as of a seq, without what had expired by `now`.
pub fn offered(at: u64, now: Option<Time>, all: bool) -> Vec<Offered> {
    let shown = if all { "born > 0" } else { SHOWN };
    let (seq, now) = (at.to_string(), now.map(|now| now.0.to_string()));
    let kept = now.as_ref().map(|now| format!("AND tagged.born NOT IN ({})", expired(&seq, now))).unwrap_or_default();
    let fill = |text: &str| {
        let stands = read_by(text).map(|table| alive(table, &seq, now.as_deref())).unwrap_or_default();
        text.replace("{alive}", &stands)
            .replace("{kept}", &kept)
            .replace("{shown}", shown)
            .replace("{block}", &(at / BLOCK_EVENTS).to_string())
            .replace("{at}", &seq)
    };
    // Not as it was stored: a later event may have set, prolonged or taken away its end.
    let end = end_of("episodes.seq", &seq);
    let goal = format!("(SELECT goal FROM {})", fill(GOAL));
    let offer = |table: &Table| {
        let column = |from: &str| from.replace("{end}", &end).replace("{goal}", &goal);
        let columns: Vec<String> =
            table.columns.iter().map(|(name, from)| format!("{} AS \"{name}\"", column(from))).collect();
        Offered { name: table.name, select: format!("SELECT {} FROM {}", columns.join(", "), fill(table.from)) }
    };
    TABLES.iter().map(offer).collect()
}

/// The table of the views that a definition reads first.
fn read_by(from: &str) -> Option<&'static idetic_core::views::Table> {
    let name = from.strip_prefix("main.")?.split([' ', ',']).next()?;
    VIEWS.iter().flat_map(|view| view.tables).find(|table| table.name == name).copied()
}

/// What agents did in the block of events that sums do not cover yet. Read only where it is asked for.
pub fn given(space: &Space, at: u64, sql: &str) -> Result<Vec<Given>> {
    let mut rows = Vec::new();
    let covered = at - at % BLOCK_EVENTS;
    if sql.to_lowercase().contains("capabilities") {
        let gone = space.expired(at)?;
        let begun = space.select(&Select::from(&SESSION_TRACES, at))?;
        let traces = SessionTraces::read(begun.iter().map(|row| (row.born, &row.values[..])));
        let mut next = covered + 1;
        while next <= at {
            let page = usize::try_from(at - next + 1).unwrap_or(PAGE_EVENTS).min(PAGE_EVENTS);
            for stored in space.page(next, page)? {
                next = stored.header.seq + 1;
                if gone.contains(&stored.header.seq) {
                    continue;
                }
                let Some(done) = operation(&Event::read(&stored)?, &traces) else { continue };
                let texts = [done.agent, done.capability, done.tool].map(Datum::Text);
                let counts = [i64::from(done.succeeded), i64::from(!done.succeeded)].map(Datum::Int);
                rows.push(texts.into_iter().chain(counts).collect());
            }
        }
    }
    Ok(vec![Given { name: "done", columns: &["agent", "capability", "tool", "successes", "failures"], rows }])
}
