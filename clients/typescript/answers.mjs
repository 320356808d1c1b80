/** Schemas of answers that the server's document leaves open; what the document describes itself is not looked up here. */

/** @typedef {{[name: string]: any}} Schema */

const integer = { type: "integer" };
const number = { type: "number" };
const flag = { type: "boolean" };
const open = { type: "object" };

/** A text. @param {string} description */
const text = (description) => ({ type: "string", description });
/** A schema with another description. @param {Schema} schema @param {string} description */
const said = (schema, description) => ({ ...schema, description });
/** One of these words. @param {string[]} words */
const word = (...words) => ({ enum: words });
/** @param {Schema} items */
const list = (items) => ({ type: "array", items });
/** Null where there is nothing. @param {Schema} schema */
const maybe = ({ description, ...schema }) => ({
  anyOf: [schema, { type: "null" }],
  ...(description && { description }),
});
/** @param {string} name */
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
/** @param {Schema} required @param {Schema} optional @param {string} description */
const object = (description, required, optional = {}) => ({
  type: "object",
  description,
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

const texts = (/** @type {string} */ description) => said(list({ type: "string" }), description);
const time = (/** @type {string} */ description) => text(`${description}, as an ISO time`);
const causes = texts("The ids of the events it derives from");
const nothing = said({ type: "null" }, "Never anything else: what goes wrong is an error");
const trust = said(word("user", "agent", "tool", "external"), "Where it comes from");
const metadata = said(open, "Anything else");
const vector = said(maybe(list(number)), "Its vector, for the owner who asks for it");
/** Where an event is in the log: one of both. */
const place = {
  seq: said(integer, "Its number in the log"),
  pos: said(integer, "Its number among what an agent sees, where an agent is named"),
};

const noteSeen = {
  note: text("Its id"),
  title: text("Its title"),
  confidence: said(word("low", "medium", "high"), "How sure it is after what was tried"),
  standing: said(number, "The same from 0 to 1"),
  worked: said(integer, "How often it worked"),
  failed: said(integer, "How often it did not"),
};
const noteSeenMore = {
  status: text("How far it has come"),
  stated: text("How sure it says it is"),
  replaced_by: text("The note to use instead"),
};
const noteLine = {
  ...noteSeen,
  created: maybe(time("When it was made")),
  updated: maybe(time("When it was last changed")),
  author: maybe(text("Who wrote this version")),
  source: maybe(text("Where it comes from")),
  type: maybe(text("What sort of note it is")),
  tags: texts("Its tags"),
  links: texts("The notes it leads to"),
  traces: texts("The traces it came from"),
  id: text("The event that holds it"),
  seq: said(integer, "The number of that event"),
};
const noteLineMore = { ...noteSeenMore, score: said(number, "What it was ranked by, where it was searched for") };

const definitions = {
  Ack: object("An event is on disk.", { id: text("Its id") }, place),
  Event: object(
    "An event of the log.",
    {
      id: text("Its id"),
      ts: time("When it happened"),
      kind: text("What kind of thing it was"),
    },
    {
      ...place,
      recorded_at: time("When it was written"),
      status: said(word("success", "failure", "pending", "timeout"), "The outcome"),
      agent_id: text("The agent whose memory it is"),
      persona: said(word("actor", "subconscious"), "Which side of the agent"),
      visibility: said(word("external", "internal"), "Who may be shown it"),
      author: text("Who said or did it"),
      source: text("The project or component it came from"),
      trace_id: text("The workflow it was part of"),
      loop_id: text("The loop it was part of"),
      conversation_id: text("The conversation it was part of"),
      scope: text("The area it affects"),
      summary: text("What happened, in one line"),
      content: text("What it says"),
      refs: texts("What it refers to"),
      tags: texts("Its labels"),
      metadata,
      trust,
      causes,
      origin: text("Which way it came in, where that was recorded"),
      erased: said({ const: true }, "Here where its content was erased"),
      hash: text("Its hash"),
      prev_hash: text("The hash of the event before it"),
    },
  ),
  NoteSeen: object("What is shown of a note wherever it is recalled.", noteSeen, noteSeenMore),
  Hit: object(
    "Something recalled.",
    {
      id: text("The id of the event"),
      score: said(number, "What the hits are ordered by"),
      text: text("What it says"),
      ts: time("When it happened"),
      kind: text("What kind of thing it was"),
      author: maybe(text("Who said or did it")),
      trust,
      origin: text("Which way it came in"),
      conversation_id: maybe(text("The conversation it was part of")),
      metadata: maybe(metadata),
      causes,
    },
    {
      ...place,
      source: text("The project or component it came from"),
      note: ref("NoteSeen"),
      parts: said({ type: "object", additionalProperties: number }, "What each part adds to the score, with `explain`"),
    },
  ),
  Source: object(
    "Where a piece of a context comes from.",
    {
      number: said(integer, "Its number in the text"),
      id: text("The id of the event"),
      causes,
      ts: time("When it happened"),
      trust,
      origin: text("Which way it came in"),
      score: said(number, "What it was ranked by"),
      cut: said(flag, "Whether it did not fit whole"),
    },
    place,
  ),
  FactConflict: object("A fact that possibly contradicts another.", {
    fact: text("Which"),
    content: text("What it says"),
    why: text("Why both may not be true"),
  }),
  Fact: object(
    "A fact.",
    {
      id: text("Its id"),
      content: text("What it says"),
      source: maybe(text("The conversation where it was learned")),
      timestamp: time("When it was learned"),
      embedding: vector,
      metadata: maybe(metadata),
      valid_from: time("From when it is true"),
      valid_until: maybe(time("Until when")),
      confidence: said(number, "How certain it is, from 0 to 1"),
      trust,
      sources: said(integer, "How many events state it"),
      causes,
    },
    {
      subject: text("Whom or what it is about"),
      attribute: text("What of it"),
      value: text("And what that is"),
      supersedes: text("The fact whose place it took"),
      superseded_by: text("The fact that took its place"),
      expires: time("When it is forgotten by itself"),
      origin: text("Which way the words came in that it rests on"),
      deleted: said(flag, "Whether it was taken away"),
      score: said(number, "How well it answers"),
      conflicts: said(list(ref("FactConflict")), "Other facts that it possibly contradicts"),
    },
  ),
  FactStored: object(
    "What became of a fact.",
    {
      fact_id: text("The fact: a new one, or the one that says the same"),
      done: said(word("stored", "joined", "updated", "ended", "reopened", "deleted"), "What became of it"),
      event: text("The id of the event"),
      error: nothing,
    },
    {
      ...place,
      supersedes: text("The fact whose place it took"),
      conflicts: said(list(ref("FactConflict")), "Other facts that it possibly contradicts"),
    },
  ),
  Episode: object(
    "An episode.",
    {
      id: text("Its id"),
      goal: text("What was attempted"),
      steps: texts("What was done, in order"),
      outcome: text("How it ended"),
      lessons: text("What is to be learned from it"),
      success: said(maybe(flag), "Whether it worked, where that is known"),
      timestamp: time("When it happened"),
      conversation_id: maybe(text("The conversation it happened in")),
      embedding: vector,
      metadata: maybe(metadata),
      causes,
    },
    {
      expires: time("When it is forgotten by itself"),
      score: said(number, "How alike it is"),
    },
  ),
  EpisodeStored: object(
    "What became of an episode.",
    { episode_id: text("Which"), done: word("stored", "deleted"), error: nothing },
    place,
  ),
  ConversationChanged: object(
    "A conversation was begun, added to or ended.",
    {
      success: said(flag, "Whether it was done"),
      conversation_id: text("Which conversation; a new one where none was named"),
      done: said(word("started", "continued", "added", "ended", "was ended"), "What became of it"),
      error: nothing,
    },
    { episode: text("The episode it became") },
  ),
  InvocationSummary: object(
    "One invocation of a conversation.",
    {
      query: text("What was asked"),
      summary: text("What the agent did"),
      result: text("How it ended"),
      timestamp: time("When"),
      event: text("The id of the event that says so"),
    },
    { metadata },
  ),
  Conversation: object(
    "A conversation.",
    {
      conversation_id: text("Which"),
      invocations: said(list(ref("InvocationSummary")), "What was asked in it and what came of it, in order"),
      started: time("When it began"),
      last: time("When it was last added to"),
      ended: maybe(time("When it ended; none while it is open")),
      count: said(integer, "How many invocations it has, also where fewer are shown"),
    },
    {
      goal: text("What it is for, where that was said"),
      reason: said(word("signal", "timeout"), "Why it ended"),
    },
  ),
  NoteSaved: object("A note was written.", {
    seq: said(maybe(integer), "The event's number; none where nothing had to be written"),
    id: text("The id of the event"),
    note: text("The id of the note"),
    done: text("What was done, in a word"),
  }),
  Note: object("A note in a list.", noteLine, noteLineMore),
};

/** By operation: one answer, or one of many. */
const answers = {
  append: ref("Ack"),
  remember: ref("Ack"),
  get: ref("Event"),
  log: ref("Event"),
  recall: object("What was recalled.", { hits: said(list(ref("Hit")), "The hits, the best first") }),
  context: object(
    "What is put before a model.",
    {
      text: text("The text; empty where nothing was good enough, or nothing fits"),
      abstained: said(flag, "Whether nothing was good enough"),
      omitted: said(integer, "How many pieces are good enough and did not fit"),
      tokens: said(integer, "About how many tokens the text has"),
      budget: said(integer, "How many it could have had"),
      sources: said(list(ref("Source")), "Where each numbered piece comes from"),
    },
    { least_budget: said(integer, "The least budget that shows something, where this one shows nothing") },
  ),
  fact_store: ref("FactStored"),
  fact_update: ref("FactStored"),
  fact_delete: ref("FactStored"),
  fact_get: ref("Fact"),
  fact_list: ref("Fact"),
  fact_retrieve: object("Facts that were found.", { facts: said(list(ref("Fact")), "The best first"), error: nothing }),
  fact_history: object(
    "One event in the history of a fact.",
    {
      fact_id: text("The fact"),
      done: said(word("stored", "joined", "updated", "ended", "reopened", "deleted"), "What happened to it"),
      content: maybe(text("What was said")),
      timestamp: time("When it was said"),
      valid_from: maybe(time("From when it was true")),
      valid_until: maybe(time("Until when")),
      event: text("The id of the event"),
      causes,
    },
    { ...place, reason: text("Why it was taken away") },
  ),
  fact_conflicts: object("Two facts that possibly contradict each other.", {
    fact: text("The one"),
    content: text("What it says"),
    other: text("The other"),
    other_content: text("What that says"),
    why: text("Why both may not be true"),
  }),
  episode_store: ref("EpisodeStored"),
  episode_delete: ref("EpisodeStored"),
  episode_get: ref("Episode"),
  episode_list: ref("Episode"),
  episode_retrieve: object("Episodes that were found.", {
    episodes: said(list(ref("Episode")), "The best first"),
    error: nothing,
  }),
  conversation_start: ref("ConversationChanged"),
  conversation_add: ref("ConversationChanged"),
  conversation_end: ref("ConversationChanged"),
  conversation_show: object("A conversation.", { conversation: ref("Conversation"), error: nothing }),
  conversation_list: object("A conversation in a list.", {
    conversation_id: text("Which"),
    goal: maybe(text("What it is for, where that was said")),
    invocations: said(integer, "How many invocations it has"),
    started: time("When it began"),
    last: time("When it was last added to"),
    ended: maybe(time("When it ended; none while it is open")),
  }),
  note_write: ref("NoteSaved"),
  note_edit: ref("NoteSaved"),
  note_link: ref("NoteSaved"),
  note_unlink: ref("NoteSaved"),
  note_deprecate: ref("NoteSaved"),
  note_delete: ref("NoteSaved"),
  note_list: ref("Note"),
  note_search: ref("Note"),
  note_outcome: ref("Note"),
  note_show: object(
    "A note as its file has it.",
    {
      ...noteLine,
      linked_from: texts("The notes that lead to it"),
      origin: text("Which way this version came in"),
      text: text("The whole text"),
    },
    noteLineMore,
  ),
  spaces: object("A space.", {
    space: text("Its name, as USER/COLLECTION"),
    events: said(maybe(integer), "How many events it has; none where it cannot be opened"),
  }),
};

export const ANSWERS = { definitions, answers };
