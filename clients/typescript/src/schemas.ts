/**
 * What routes take and what they answer.
 *
 * Written by generate.mjs from the server's OpenAPI document; do not edit.
 */

import type { JsonInput, JsonObject } from "./json.js";

/** An event is on disk. */
export type Ack = {
  /** Its id */
  id: string;
  /** Its number in the log */
  seq?: number;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
};

/** Where a piece of a context comes from. */
export type Source = {
  /** Its number in the text */
  number: number;
  /** The id of the event */
  id: string;
  /** The ids of the events it derives from */
  causes: string[];
  /** When it happened, as an ISO time */
  ts: string;
  /** Where it comes from */
  trust: "user" | "agent" | "tool" | "external";
  /** Which way it came in */
  origin: string;
  /** What it was ranked by */
  score: number;
  /** Whether it did not fit whole */
  cut: boolean;
  /** Its number in the log */
  seq?: number;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
};

/** A conversation was begun, added to or ended. */
export type ConversationChanged = {
  /** Whether it was done */
  success: boolean;
  /** Which conversation; a new one where none was named */
  conversation_id: string;
  /** What became of it */
  done: "started" | "continued" | "added" | "ended" | "was ended";
  /** Never anything else: what goes wrong is an error */
  error: null;
  /** The episode it became */
  episode?: string;
};

/** A conversation. */
export type Conversation = {
  /** Which */
  conversation_id: string;
  /** What was asked in it and what came of it, in order */
  invocations: InvocationSummary[];
  /** When it began, as an ISO time */
  started: string;
  /** When it was last added to, as an ISO time */
  last: string;
  /** When it ended; none while it is open, as an ISO time */
  ended: string | null;
  /** How many invocations it has, also where fewer are shown */
  count: number;
  /** What it is for, where that was said */
  goal?: string;
  /** Why it ended */
  reason?: "signal" | "timeout";
};

/** One invocation of a conversation. */
export type InvocationSummary = {
  /** What was asked */
  query: string;
  /** What the agent did */
  summary: string;
  /** How it ended */
  result: string;
  /** When, as an ISO time */
  timestamp: string;
  /** The id of the event that says so */
  event: string;
  /** Anything else */
  metadata?: JsonObject;
};

/** What became of an episode. */
export type EpisodeStored = {
  /** Which */
  episode_id: string;
  done: "stored" | "deleted";
  /** Never anything else: what goes wrong is an error */
  error: null;
  /** Its number in the log */
  seq?: number;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
};

/** An episode. */
export type Episode = {
  /** Its id */
  id: string;
  /** What was attempted */
  goal: string;
  /** What was done, in order */
  steps: string[];
  /** How it ended */
  outcome: string;
  /** What is to be learned from it */
  lessons: string;
  /** Whether it worked, where that is known */
  success: boolean | null;
  /** When it happened, as an ISO time */
  timestamp: string;
  /** The conversation it happened in */
  conversation_id: string | null;
  /** Its vector, for the owner who asks for it */
  embedding: number[] | null;
  /** Anything else */
  metadata: JsonObject | null;
  /** The ids of the events it derives from */
  causes: string[];
  /** When it is forgotten by itself, as an ISO time */
  expires?: string;
  /** How alike it is */
  score?: number;
};

/** What became of a fact. */
export type FactStored = {
  /** The fact: a new one, or the one that says the same */
  fact_id: string;
  /** What became of it */
  done: "stored" | "joined" | "updated" | "ended" | "reopened" | "deleted";
  /** The id of the event */
  event: string;
  /** Never anything else: what goes wrong is an error */
  error: null;
  /** Its number in the log */
  seq?: number;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** The fact whose place it took */
  supersedes?: string;
  /** Other facts that it possibly contradicts */
  conflicts?: FactConflict[];
};

/** A fact that possibly contradicts another. */
export type FactConflict = {
  /** Which */
  fact: string;
  /** What it says */
  content: string;
  /** Why both may not be true */
  why: string;
};

/** A fact. */
export type Fact = {
  /** Its id */
  id: string;
  /** What it says */
  content: string;
  /** The conversation where it was learned */
  source: string | null;
  /** When it was learned, as an ISO time */
  timestamp: string;
  /** Its vector, for the owner who asks for it */
  embedding: number[] | null;
  /** Anything else */
  metadata: JsonObject | null;
  /** From when it is true, as an ISO time */
  valid_from: string;
  /** Until when, as an ISO time */
  valid_until: string | null;
  /** How certain it is, from 0 to 1 */
  confidence: number;
  /** Where it comes from */
  trust: "user" | "agent" | "tool" | "external";
  /** How many events state it */
  sources: number;
  /** The ids of the events it derives from */
  causes: string[];
  /** Whom or what it is about */
  subject?: string;
  /** What of it */
  attribute?: string;
  /** And what that is */
  value?: string;
  /** The fact whose place it took */
  supersedes?: string;
  /** The fact that took its place */
  superseded_by?: string;
  /** When it is forgotten by itself, as an ISO time */
  expires?: string;
  /** Which way the words came in that it rests on */
  origin?: string;
  /** Whether it was taken away */
  deleted?: boolean;
  /** How well it answers */
  score?: number;
  /** Other facts that it possibly contradicts */
  conflicts?: FactConflict[];
};

/** An event of the log. */
export type MemoryEvent = {
  /** Its id */
  id: string;
  /** When it happened, as an ISO time */
  ts: string;
  /** What kind of thing it was */
  kind: string;
  /** Its number in the log */
  seq?: number;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** When it was written, as an ISO time */
  recorded_at?: string;
  /** The outcome */
  status?: "success" | "failure" | "pending" | "timeout";
  /** The agent whose memory it is */
  agent_id?: string;
  /** Which side of the agent */
  persona?: "actor" | "subconscious";
  /** Who may be shown it */
  visibility?: "external" | "internal";
  /** Who said or did it */
  author?: string;
  /** The project or component it came from */
  source?: string;
  /** The workflow it was part of */
  trace_id?: string;
  /** The loop it was part of */
  loop_id?: string;
  /** The conversation it was part of */
  conversation_id?: string;
  /** The area it affects */
  scope?: string;
  /** What happened, in one line */
  summary?: string;
  /** What it says */
  content?: string;
  /** What it refers to */
  refs?: string[];
  /** Its labels */
  tags?: string[];
  /** Anything else */
  metadata?: JsonObject;
  /** Where it comes from */
  trust?: "user" | "agent" | "tool" | "external";
  /** The ids of the events it derives from */
  causes?: string[];
  /** Which way it came in, where that was recorded */
  origin?: string;
  /** Here where its content was erased */
  erased?: true;
  /** Its hash */
  hash?: string;
  /** The hash of the event before it */
  prev_hash?: string;
};

/** A note was written. */
export type NoteSaved = {
  /** The event's number; none where nothing had to be written */
  seq: number | null;
  /** The id of the event */
  id: string;
  /** The id of the note */
  note: string;
  /** What was done, in a word */
  done: string;
};

/** A note in a list. */
export type Note = {
  /** Its id */
  note: string;
  /** Its title */
  title: string;
  /** How sure it is after what was tried */
  confidence: "low" | "medium" | "high";
  /** The same from 0 to 1 */
  standing: number;
  /** How often it worked */
  worked: number;
  /** How often it did not */
  failed: number;
  /** When it was made, as an ISO time */
  created: string | null;
  /** When it was last changed, as an ISO time */
  updated: string | null;
  /** Who wrote this version */
  author: string | null;
  /** Where it comes from */
  source: string | null;
  /** What sort of note it is */
  type: string | null;
  /** Its tags */
  tags: string[];
  /** The notes it leads to */
  links: string[];
  /** The traces it came from */
  traces: string[];
  /** The event that holds it */
  id: string;
  /** The number of that event */
  seq: number;
  /** How far it has come */
  status?: string;
  /** How sure it says it is */
  stated?: string;
  /** The note to use instead */
  replaced_by?: string;
  /** What it was ranked by, where it was searched for */
  score?: number;
};

/** Something recalled. */
export type Hit = {
  /** The id of the event */
  id: string;
  /** What the hits are ordered by */
  score: number;
  /** What it says */
  text: string;
  /** When it happened, as an ISO time */
  ts: string;
  /** What kind of thing it was */
  kind: string;
  /** Who said or did it */
  author: string | null;
  /** Where it comes from */
  trust: "user" | "agent" | "tool" | "external";
  /** Which way it came in */
  origin: string;
  /** The conversation it was part of */
  conversation_id: string | null;
  /** Anything else */
  metadata: JsonObject | null;
  /** The ids of the events it derives from */
  causes: string[];
  /** Its number in the log */
  seq?: number;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** The project or component it came from */
  source?: string;
  note?: NoteSeen;
  /** What each part adds to the score, with `explain` */
  parts?: { [name: string]: number };
};

/** What is shown of a note wherever it is recalled. */
export type NoteSeen = {
  /** Its id */
  note: string;
  /** Its title */
  title: string;
  /** How sure it is after what was tried */
  confidence: "low" | "medium" | "high";
  /** The same from 0 to 1 */
  standing: number;
  /** How often it worked */
  worked: number;
  /** How often it did not */
  failed: number;
  /** How far it has come */
  status?: string;
  /** How sure it says it is */
  stated?: string;
  /** The note to use instead */
  replaced_by?: string;
};

export type ErrorAnswer = {
  error: {
    /** what to do */
    hint?: string;
    kind: string;
    /** what happened */
    message: string;
  };
};

/** What must hold of the events in question, as JSON. */
export type ContextFilterArgument = JsonObject;

/** An invocation as one object. */
export type ConversationAddSummary = {
  /** What was asked */
  query: string;
  /** How it ended */
  result?: string;
  /** What the agent did */
  summary?: string;
  /** When */
  timestamp?: string | null;
};

/** A vector that somebody has already, as a JSON array. */
export type EpisodeRetrieveVector = number[];

/** What must hold of the events in question, as JSON. */
export type FactListFilterArgument = JsonObject;

/** What must hold of the events in question, as JSON. */
export type FactRetrieveFilterArgument = JsonObject;

/** A vector that somebody has already, as a JSON array. */
export type FactRetrieveVector = number[];

/** What must hold of the events in question, as JSON. */
export type LogFilterArgument = JsonObject;

/** What must hold of the events in question, as JSON. */
export type NoteListFilterArgument = JsonObject;

/** What must hold of the events in question, as JSON. */
export type NoteSearchFilterArgument = JsonObject;

/** What must hold of the events in question, as JSON. */
export type RecallFilterArgument = JsonObject;

/** One JSON object. */
export type RememberObject = JsonObject;

/** What `agent` takes by name. */
export interface AgentArguments {
  [name: string]: unknown;
}

/** What `agentOfFlow` takes by name. */
export interface AgentOfFlowArguments {
  [name: string]: unknown;
}

/** What `advise` takes by name. */
export interface AdviseArguments {
  /** As this agent sees it: its own memory and what is shared */
  agent?: string | undefined;
  /** As the space was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** How many notes and failures at most [default: 5] */
  limit?: number | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
}

/** What `append` takes by name. */
export interface AppendArguments {
  /** Append as this agent: the records are its own */
  agent?: string | undefined;
  /** Refuse when the head is no longer at this seq (position, with --agent) */
  expect?: number | undefined;
  /** Append the good lines and report each bad one */
  keep_going?: boolean | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
}

/** What `ask` takes by name. */
export interface AskArguments {
  /** The agent that is asked; without one it uses what the space shares */
  agent?: string | undefined;
  /** Who asks */
  author?: string | undefined;
  /** The conversation it belongs to [default: a new one] */
  conversation?: string | undefined;
  /** A group whose tools are offered; may be repeated [default: default] */
  groups?: readonly string[] | undefined;
  /** Neither look anything up nor keep anything */
  no_memory?: boolean | undefined;
  /** The state that decides which tools are offered */
  state?: string | undefined;
  /** Show each thought, action and observation, and what was remembered and why */
  verbose?: boolean | undefined;
}

/** What `context` takes by name. */
export interface ContextArguments {
  /** As this agent sees it: its own memory and what is shared */
  agent?: string | undefined;
  /** As the space was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** When the question is asked, for "last week" and the like [default: when the last event happened] */
  at?: string | undefined;
  /** About how many tokens the text may have [default: 1000] */
  budget?: number | undefined;
  /** Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"} */
  filter?: ContextFilterArgument | undefined;
  /** Search mode: hybrid, lexical or vector [default: hybrid] */
  mode?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
}

/** The answer of `context`. */
export type ContextAnswer = {
  /** The text; empty where nothing was good enough, or nothing fits */
  text: string;
  /** Whether nothing was good enough */
  abstained: boolean;
  /** How many pieces are good enough and did not fit */
  omitted: number;
  /** About how many tokens the text has */
  tokens: number;
  /** How many it could have had */
  budget: number;
  /** Where each numbered piece comes from */
  sources: Source[];
  /** The least budget that shows something, where this one shows nothing */
  least_budget?: number;
};

/** What `conversationAdd` takes by name. */
export interface ConversationAddArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** When: an ISO time, or an age such as 2h */
  at?: string | undefined;
  /** The id of an event it summarizes; may be repeated */
  causes?: readonly string[] | undefined;
  /** The collection */
  collection?: string | undefined;
  /** The conversation [default: a new one] */
  id?: string | undefined;
  /** The invocation as one object, as specification 002 sends it */
  invocation_summary?: ConversationAddSummary | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** How it ended */
  result?: string | undefined;
  /** What the agent did */
  summary?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `conversationEnd` takes by name. */
export interface ConversationEndArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `conversationList` takes by name. */
export interface ConversationListArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** How many, at most 10000 [default: 100] */
  limit?: number | undefined;
  /** Only those that have not ended */
  open?: boolean | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** One answer of `conversationList`. */
export type ConversationListItem = {
  /** Which */
  conversation_id: string;
  /** What it is for, where that was said */
  goal: string | null;
  /** How many invocations it has */
  invocations: number;
  /** When it began, as an ISO time */
  started: string;
  /** When it was last added to, as an ISO time */
  last: string;
  /** When it ended; none while it is open, as an ISO time */
  ended: string | null;
};

/** What `conversationShow` takes by name. */
export interface ConversationShowArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** How many of the latest invocations */
  last?: number | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** The answer of `conversationShow`. */
export type ConversationShowAnswer = {
  conversation: Conversation;
  /** Never anything else: what goes wrong is an error */
  error: null;
};

/** What `conversationStart` takes by name. */
export interface ConversationStartArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Its id [default: a new one] */
  conversation?: string | undefined;
  /** What it is for */
  goal?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `digest` takes by name. */
export interface DigestArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Also which model has embedded how many documents, which does not follow from the log alone */
  vectors?: boolean | undefined;
}

/** What `do` takes by name. */
export interface DoArguments {
  /** The agent that does it */
  agent?: string | undefined;
  /** The conversation it belongs to [default: a new one] */
  conversation?: string | undefined;
  /** Show each thought, action and observation, and what was remembered and why */
  verbose?: boolean | undefined;
}

/** What `episodeDelete` takes by name. */
export interface EpisodeDeleteArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Why */
  reason?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `episodeGet` takes by name. */
export interface EpisodeGetArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `episodeList` takes by name. */
export interface EpisodeListArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** How many, at most 10000 [default: 100] */
  limit?: number | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `episodeRetrieve` takes by name. */
export interface EpisodeRetrieveArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** The question as a vector: a JSON array */
  embedding?: EpisodeRetrieveVector | undefined;
  /** The model that made it */
  embedding_model?: string | undefined;
  /** Show the vector of each result, to the owner only */
  embeddings?: boolean | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The current situation: counts in addition to the goal */
  state?: string | undefined;
  /** How many, at most 100 [default: 3] */
  limit?: number | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** The answer of `episodeRetrieve`. */
export type EpisodeRetrieveAnswer = {
  /** The best first */
  episodes: Episode[];
  /** Never anything else: what goes wrong is an error */
  error: null;
};

/** What `episodeStore` takes by name. */
export interface EpisodeStoreArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** When it happened: an ISO time, or an age such as 2h */
  at?: string | undefined;
  /** The id of an event it was derived from; may be repeated */
  causes?: readonly string[] | undefined;
  /** The collection */
  collection?: string | undefined;
  /** The conversation it happened in */
  conversation?: string | undefined;
  /** What was learned from it */
  lessons?: string | undefined;
  /** Additional metadata as an object */
  metadata?: JsonInput | undefined;
  /** How it ended */
  outcome?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Whether it worked: success or failure */
  status?: string | undefined;
  /** A key action; may be repeated, in order */
  steps?: readonly string[] | undefined;
  /** A label; may be repeated */
  tags?: readonly string[] | undefined;
  /** Forget it automatically after this many days [default: agent-mem.episode-expiry-days] */
  ttl_days?: number | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `export` takes by name. */
export interface ExportArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Begin at this seq, to continue an earlier export */
  from?: number | undefined;
}

/** What `extract` takes by name. */
export interface ExtractArguments {
  /** The agent whose memory it is; without one what the space shares */
  agent?: string | undefined;
  /** Compare with the facts that were stored from the same words, and store nothing */
  compare?: boolean | undefined;
  /** Only from this conversation [default: everything people said, by rules] */
  conversation?: string | undefined;
  /** Show what would be stored, and store nothing */
  dry_run?: boolean | undefined;
  /** Ask the configured model as well */
  model?: boolean | undefined;
  /** Make the facts again from the models' recorded answers, without asking any */
  replay?: boolean | undefined;
}

/** What `factConflicts` takes by name. */
export interface FactConflictsArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** One answer of `factConflicts`. */
export type FactConflictsItem = {
  /** The one */
  fact: string;
  /** What it says */
  content: string;
  /** The other */
  other: string;
  /** What that says */
  other_content: string;
  /** Why both may not be true */
  why: string;
};

/** What `factDelete` takes by name. */
export interface FactDeleteArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Why */
  reason?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `factGet` takes by name. */
export interface FactGetArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `factHistory` takes by name. */
export interface FactHistoryArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** One answer of `factHistory`. */
export type FactHistoryItem = {
  /** The fact */
  fact_id: string;
  /** What happened to it */
  done: "stored" | "joined" | "updated" | "ended" | "reopened" | "deleted";
  /** What was said */
  content: string | null;
  /** When it was said, as an ISO time */
  timestamp: string;
  /** From when it was true, as an ISO time */
  valid_from: string | null;
  /** Until when, as an ISO time */
  valid_until: string | null;
  /** The id of the event */
  event: string;
  /** The ids of the events it derives from */
  causes: string[];
  /** Its number in the log */
  seq?: number;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Why it was taken away */
  reason?: string;
};

/** What `factList` takes by name. */
export interface FactListArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** Also those that are no longer, or not yet, true */
  all?: boolean | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** Those that are true at this moment: an ISO time, or an age such as 2h [default: now] */
  at?: string | undefined;
  /** Only of this attribute */
  attribute?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md */
  filter?: FactListFilterArgument | undefined;
  /** How many, at most 10000 [default: 100] */
  limit?: number | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Only learned in this conversation */
  source?: string | undefined;
  /** Only about this subject */
  subject?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `factRetrieve` takes by name. */
export interface FactRetrieveArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** Also those that are no longer, or not yet, true */
  all?: boolean | undefined;
  /** As the memory was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** Those that are true at this moment: an ISO time, or an age such as 2h [default: now] */
  at?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** The question as a vector: a JSON array */
  embedding?: FactRetrieveVector | undefined;
  /** The model that made it */
  embedding_model?: string | undefined;
  /** Show the vector of each result, to the owner only */
  embeddings?: boolean | undefined;
  /** Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md */
  filter?: FactRetrieveFilterArgument | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** How many, at most 100 [default: 5] */
  limit?: number | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** The answer of `factRetrieve`. */
export type FactRetrieveAnswer = {
  /** The best first */
  facts: Fact[];
  /** Never anything else: what goes wrong is an error */
  error: null;
};

/** What `factStore` takes by name. */
export interface FactStoreArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** From when it is true: an ISO time, or an age such as 2h [default: now] */
  at?: string | undefined;
  /** The attribute, e.g. lives_in */
  attribute?: string | undefined;
  /** Who said it */
  author?: string | undefined;
  /** The id of an event it was derived from; may be repeated */
  causes?: readonly string[] | undefined;
  /** The collection */
  collection?: string | undefined;
  /** How certain it is, from 0 to 1 [default: by its origin] */
  confidence?: number | undefined;
  /** The attribute can have many values at a time: none supersedes another */
  many?: boolean | undefined;
  /** Additional metadata as an object */
  metadata?: JsonInput | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The conversation where it was learned */
  source?: string | undefined;
  /** Who or what it is about [default: taken from the sentence, where it is plain] */
  subject?: string | undefined;
  /** A label; may be repeated */
  tags?: readonly string[] | undefined;
  /** Forget it automatically after this many days [default: agent-mem.fact-expiry-days] */
  ttl_days?: number | undefined;
  /** Until when it is true */
  until?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
  /** The value of the attribute */
  value?: string | undefined;
}

/** What `factUpdate` takes by name. */
export interface FactUpdateArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** From when it is true: an ISO time, or an age such as 2h */
  at?: string | undefined;
  /** The attribute */
  attribute?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Anything else, under names of your own */
  metadata?: JsonInput | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Who or what it is about */
  subject?: string | undefined;
  /** What it should say */
  text?: string | undefined;
  /** Until when it is true; `never` if it has no end */
  until?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
  /** The value of the attribute */
  value?: string | undefined;
}

/** What `failures` takes by name. */
export interface FailuresArguments {
  /** As this agent sees it: its own memory and what is shared */
  agent?: string | undefined;
  /** As the space was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** How many days back [default: 7] */
  days?: number | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
}

/** What `forget` takes by name. */
export interface ForgetArguments {
  /** Everything of a conversation */
  conversation?: string | undefined;
  /** List each event that would go, with the reason */
  dry_run?: boolean | undefined;
  /** The memory, by its id or number */
  id?: string | undefined;
  /** Everything in the space that contains this text, in upper or lower case and across line breaks */
  matching?: string | undefined;
  /** Why, for the receipt; it is kept, so it must not contain what is erased */
  reason?: string | undefined;
  /** Erase without asking; needed for more than one memory, and by agents */
  yes?: boolean | undefined;
}

/** What `get` takes by name. */
export interface GetArguments {
  /** As this agent sees it: its own memory and what is shared */
  agent?: string | undefined;
  /** As the space was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
}

/** What `graph` takes by name. */
export interface GraphArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** What blocks this node */
  blocks?: string | undefined;
  /** With --blocks and --depends-on: by any number of steps */
  deep?: boolean | undefined;
  /** What depends on this node */
  depends_on?: string | undefined;
  /** How many steps around the node [default: 1] */
  depth?: number | undefined;
  /** Output format: text, json, dot, mermaid, graphml [default: text] */
  format?: string | undefined;
  /** Only this node and what is around it */
  node?: string | undefined;
  /** The nodes without edges */
  orphans?: boolean | undefined;
  /** A shortest path between two nodes, in either direction of the edges */
  path?: readonly string[] | undefined;
  /** The nodes that were last changed, the latest first */
  recent?: number | undefined;
  /** Only nodes with this status: active, blocked, completed, deprecated, planned */
  status?: string | undefined;
  /** Only nodes of this type: component, task, dependency, decision, document, milestone, skill, pack, file */
  type?: string | undefined;
  /** The components that no test ever touched */
  untested?: boolean | undefined;
}

/** What `learn` takes by name. */
export interface LearnArguments {
  /** The agent that learns */
  agent?: string | undefined;
  /** Use the feedback as the note, word for word, even if a model is configured */
  verbatim?: boolean | undefined;
}

/** What `log` takes by name. */
export interface LogArguments {
  /** Only after this seq (a position, with --view), the oldest first: to continue where a page ended */
  after?: number | undefined;
  /** Only this agent's */
  agent?: string | undefined;
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Only by this author */
  author?: string | undefined;
  /** Only of this conversation */
  conversation?: string | undefined;
  /** Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md */
  filter?: LogFilterArgument | undefined;
  /** Only with this id */
  id?: string | undefined;
  /** Only this kind */
  kind?: string | undefined;
  /** How many of the latest matches; 0 for all [default: all, in a terminal 50] */
  limit?: number | undefined;
  /** Only of this loop */
  loop?: string | undefined;
  /** Only this side of the agent: actor or subconscious */
  persona?: string | undefined;
  /** Only referring to this; if repeated, to all of them */
  refs?: readonly string[] | undefined;
  /** The newest first */
  reverse?: boolean | undefined;
  /** Only what happened at or after a time: ISO, or an age such as 2h or 7d */
  since?: string | undefined;
  /** Only from this source */
  source?: string | undefined;
  /** Only this status: success, failure, pending or timeout */
  status?: string | undefined;
  /** Only with this tag; if repeated, with all of them */
  tags?: readonly string[] | undefined;
  /** Only of this workflow */
  trace?: string | undefined;
  /** Only what happened at or before a time */
  until?: string | undefined;
  /** As that side of the agent sees the log: its own events and what is shared, under its own numbers */
  view?: boolean | undefined;
}

/** What `loops` takes by name. */
export interface LoopsArguments {
  /** Whose loops; without one, those that are shared */
  agent?: string | undefined;
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** How many [default: the window of the agent's identity] */
  limit?: number | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
}

/** What `ltm` takes by name. */
export interface LtmArguments {
  /** As this agent sees it: its own memory and what is shared */
  agent?: string | undefined;
  /** As the space was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** How many of the latest; 0 for all [default: 50] */
  limit?: number | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Only with this status: pending, embedded, retry, quiet or off */
  status?: string | undefined;
}

/** What `noteDelete` takes by name. */
export interface NoteDeleteArguments {
  /** Who deletes it */
  author?: string | undefined;
}

/** What `noteDeprecate` takes by name. */
export interface NoteDeprecateArguments {
  /** Who says so */
  author?: string | undefined;
}

/** What `noteEdit` takes by name. */
export interface NoteEditArguments {
  /** Text to add at its end */
  append?: string | undefined;
  /** Who changes it */
  author?: string | undefined;
  /** Its confidence: low, medium or high */
  confidence?: string | undefined;
  /** Its new text, in Markdown; - for standard input */
  content?: string | undefined;
  /** Refuse when the note is no longer the version that this seq holds */
  expect?: number | undefined;
  /** Where it comes from */
  source?: string | undefined;
  /** Its status: draft, validated, deprecated, or a word of your own */
  status?: string | undefined;
  /** A label to add; may be repeated */
  tags?: readonly string[] | undefined;
  /** Its title */
  title?: string | undefined;
  /** A trace that led to it; may be repeated */
  traces?: readonly string[] | undefined;
  /** What sort of note it is */
  type?: string | undefined;
  /** A label to remove; may be repeated */
  untags?: readonly string[] | undefined;
}

/** What `noteHistory` takes by name. */
export interface NoteHistoryArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Show what each version changed */
  diff?: boolean | undefined;
}

/** What `noteLink` takes by name. */
export interface NoteLinkArguments {
  /** Who changes it */
  author?: string | undefined;
}

/** What `noteList` takes by name. */
export interface NoteListArguments {
  /** Any one of the tags is enough */
  any?: boolean | undefined;
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Only written by this author */
  author?: string | undefined;
  /** Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md */
  filter?: NoteListFilterArgument | undefined;
  /** Only with this status */
  status?: string | undefined;
  /** Only with this tag; if repeated, with all of them */
  tags?: readonly string[] | undefined;
}

/** What `noteOutcome` takes by name. */
export interface NoteOutcomeArguments {
  /** Who tried it */
  author?: string | undefined;
  /** It did not work */
  failed?: boolean | undefined;
  /** The trace in which it was tried */
  trace?: string | undefined;
  /** It worked */
  worked?: boolean | undefined;
}

/** What `noteRelated` takes by name. */
export interface NoteRelatedArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** How many links away at most [default: 2] */
  depth?: number | undefined;
}

/** What `noteSearch` takes by name. */
export interface NoteSearchArguments {
  /** Any one of the tags is enough */
  any?: boolean | undefined;
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Only notes with this confidence: low, medium or high */
  confidence?: string | undefined;
  /** Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md */
  filter?: NoteSearchFilterArgument | undefined;
  /** How many at most [default: 10] */
  limit?: number | undefined;
  /** Search mode: text or meaning [default: both] */
  mode?: string | undefined;
  /** Only with this status */
  status?: string | undefined;
  /** Only with this tag; if repeated, with all of them */
  tags?: readonly string[] | undefined;
}

/** What `noteShow` takes by name. */
export interface NoteShowArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
}

/** The answer of `noteShow`. */
export type NoteShowAnswer = {
  /** Its id */
  note: string;
  /** Its title */
  title: string;
  /** How sure it is after what was tried */
  confidence: "low" | "medium" | "high";
  /** The same from 0 to 1 */
  standing: number;
  /** How often it worked */
  worked: number;
  /** How often it did not */
  failed: number;
  /** When it was made, as an ISO time */
  created: string | null;
  /** When it was last changed, as an ISO time */
  updated: string | null;
  /** Who wrote this version */
  author: string | null;
  /** Where it comes from */
  source: string | null;
  /** What sort of note it is */
  type: string | null;
  /** Its tags */
  tags: string[];
  /** The notes it leads to */
  links: string[];
  /** The traces it came from */
  traces: string[];
  /** The event that holds it */
  id: string;
  /** The number of that event */
  seq: number;
  /** The notes that lead to it */
  linked_from: string[];
  /** Which way this version came in */
  origin: string;
  /** The whole text */
  text: string;
  /** How far it has come */
  status?: string;
  /** How sure it says it is */
  stated?: string;
  /** The note to use instead */
  replaced_by?: string;
  /** What it was ranked by, where it was searched for */
  score?: number;
};

/** What `noteStale` takes by name. */
export interface NoteStaleArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Not changed for this many days [default: 90] */
  days?: number | undefined;
}

/** What `noteUnlink` takes by name. */
export interface NoteUnlinkArguments {
  /** Who changes it */
  author?: string | undefined;
}

/** What `noteValidate` takes by name. */
export interface NoteValidateArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Only this note */
  note?: string | undefined;
}

/** What `noteWrite` takes by name. */
export interface NoteWriteArguments {
  /** Who writes it */
  author?: string | undefined;
  /** Its confidence: low, medium or high */
  confidence?: string | undefined;
  /** What it says, in Markdown [default: read from standard input] */
  content?: string | undefined;
  /** Write it even if another note says the same */
  force?: boolean | undefined;
  /** Its id: lower-case letters, digits and hyphens [default: made from the title] */
  id?: string | undefined;
  /** A note it links to; may be repeated */
  links?: readonly string[] | undefined;
  /** Where it comes from: agent-learning, human-curated, external or research */
  source?: string | undefined;
  /** Its status: draft, validated, or a word of your own */
  status?: string | undefined;
  /** A label; may be repeated */
  tags?: readonly string[] | undefined;
  /** A trace that led to it; may be repeated */
  traces?: readonly string[] | undefined;
  /**
   * The trust it takes to change it: agent, or user for a note that no agent and no file may change [default: agent]
   */
  trust?: string | undefined;
  /** What sort of note it is, e.g. troubleshooting */
  type?: string | undefined;
}

/** What `ops` takes by name. */
export interface OpsArguments {
  /** The operation to show */
  name?: string | undefined;
}

/** What `profileList` takes by name. */
export interface ProfileListArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
}

/** What `profilePrefer` takes by name. */
export interface ProfilePreferArguments {
  /** Remove it */
  unset?: boolean | undefined;
  /** Its value: JSON, or else text */
  value?: string | undefined;
}

/** What `profileShow` takes by name. */
export interface ProfileShowArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
}

/** What `purge` takes by name. */
export interface PurgeArguments {
  /** Everything of a conversation */
  conversation?: string | undefined;
  /** List each event that would go, with the reason */
  dry_run?: boolean | undefined;
  /** One event, by its id or number */
  event?: string | undefined;
  /** A fact: the event of that id, and those whose metadata says that they are about it */
  fact?: string | undefined;
  /** Everything in the space that contains this text, in upper or lower case and across line breaks */
  matching?: string | undefined;
  /** Why, for the receipt; it is kept, so it must not contain what is erased */
  reason?: string | undefined;
  /** Finish a purge that was stopped; every other purge of the space does so first */
  resume?: boolean | undefined;
  /** Everything in every collection of a user */
  user?: string | undefined;
  /** Erase them */
  yes?: boolean | undefined;
}

/** What `quarantine` takes by name. */
export interface QuarantineArguments {
  /** What an agent said, did or wrote */
  agent?: string | undefined;
  /** Everything of a conversation */
  conversation?: string | undefined;
  /** One event, by its id or number */
  event?: string | undefined;
  /** List every quarantine in force */
  list?: boolean | undefined;
  /** What contains this text, in upper or lower case */
  matching?: string | undefined;
  /** What has this origin: user, agent, tool, file, web or import, or a more specific one such as tool:WebFetch */
  origin?: string | undefined;
  /** Why, for the record */
  reason?: string | undefined;
  /** Release the events of a quarantine */
  release?: string | undefined;
  /** What was written at or after a moment: an ISO time, or an age such as 2h */
  since?: string | undefined;
  /** What was written before a moment */
  until?: string | undefined;
  /** Hide it; without this the events are only shown */
  yes?: boolean | undefined;
}

/** What `query` takes by name. */
export interface QueryArguments {
  /** Include what the subconscious of agents keeps to itself */
  all?: boolean | undefined;
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Print as comma-separated values */
  csv?: boolean | undefined;
  /** Maximum number of rows; 0 for as many as fit into memory */
  limit?: number | undefined;
  /** List the saved queries */
  list?: boolean | undefined;
  /** The name of a saved query; without one and without --sql they are listed */
  name?: string | undefined;
  /** The values of the query's parameters */
  parameters?: readonly string[] | undefined;
  /**
   * A statement: one SELECT over events, event_tags, traces, loops, facts, episodes, conversations, notes, links, tags,
   * outcomes, nodes, edges, changelog, profiles, capabilities
   */
  sql?: string | undefined;
  /** Maximum number of seconds */
  timeout?: number | undefined;
}

/** What `recall` takes by name. */
export interface RecallArguments {
  /** As this agent sees it: its own memory and what is shared */
  agent?: string | undefined;
  /** Of all projects alike [default: those of the project worked in come first] */
  all_projects?: boolean | undefined;
  /** As the space was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** When the question is asked, for "last week" and the like [default: when the last event happened] */
  at?: string | undefined;
  /** Only by this author */
  author?: string | undefined;
  /** Only of this conversation */
  conversation?: string | undefined;
  /** Show what each score is made of */
  explain?: boolean | undefined;
  /** Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md */
  filter?: RecallFilterArgument | undefined;
  /** How many hits, at most 1000 [default: 10] */
  limit?: number | undefined;
  /** Only this kind; those about the memory itself (dream.* and the like) are found only this way */
  kind?: string | undefined;
  /** Only hits with at least this score */
  min_score?: number | undefined;
  /** Search mode: hybrid, lexical or vector [default: hybrid] */
  mode?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Only of this project, and what belongs to none: its name, or the last part of it */
  project?: string | undefined;
  /** Only what happened at or after a time: ISO, or an age such as 2h or 7d */
  since?: string | undefined;
  /** Only what happened at or before a time */
  until?: string | undefined;
}

/** The answer of `recall`. */
export type RecallAnswer = {
  /** The hits, the best first */
  hits: Hit[];
};

/** What `reembed` takes by name. */
export interface ReembedArguments {
  /** Discard this model's own vectors first and compute them all again */
  afresh?: boolean | undefined;
  /** Keep the vectors of other models as well */
  keep?: boolean | undefined;
}

/** What `remember` takes by name. */
export interface RememberArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** When it happened: an ISO time, or an age such as 2h */
  at?: string | undefined;
  /** Who said or did it */
  author?: string | undefined;
  /** The id of an event it was derived from; may be repeated */
  causes?: readonly string[] | undefined;
  /** The conversation it is part of */
  conversation?: string | undefined;
  /** Refuse when the head is no longer at this seq */
  expect?: number | undefined;
  /** An id of your own: the same id with the same content is remembered once */
  id?: string | undefined;
  /** What kind of thing it is [default: memory.remembered] */
  kind?: string | undefined;
  /** The loop it is part of */
  loop?: string | undefined;
  /** The same as one JSON object */
  metadata?: RememberObject | undefined;
  /** Which side of the agent: actor or subconscious */
  persona?: string | undefined;
  /** Something it refers to; may be repeated */
  refs?: readonly string[] | undefined;
  /** The area it affects */
  scope?: string | undefined;
  /** The project or component it came from */
  source?: string | undefined;
  /** The outcome: success, failure, pending or timeout */
  status?: string | undefined;
  /** What happened, in one line */
  summary?: string | undefined;
  /** A label; may be repeated */
  tags?: readonly string[] | undefined;
  /** The workflow it is part of [default: CHORA_TRACE_ID] */
  trace?: string | undefined;
  /** Where it comes from: user, agent, tool or external */
  trust?: string | undefined;
  /** Who may be shown it: external or internal */
  visibility?: string | undefined;
}

/** What `retain` takes by name. */
export interface RetainArguments {
  /** Do it */
  apply?: boolean | undefined;
  /**
   * Remove the content of what is archived for good, also from the A-MEM folder and its archive; numbers, ids, kinds
   * and hashes stay, and the texts of current notes. Copies elsewhere (git, backups) are not reached
   */
  drop?: boolean | undefined;
  /** Show what would be done */
  dry_run?: boolean | undefined;
  /**
   * What is old: 6m (months), 1y, 90d, or a date [default: retention.archive_after_months]. In the A-MEM folder it is
   * the months that ended before; those are compressed after retention.compress_files_after_months all the same
   */
  older_than?: string | undefined;
}

/** What `ruleList` takes by name. */
export interface RuleListArguments {
  /** Of all projects alike [default: those of the project worked in come first] */
  all_projects?: boolean | undefined;
  /** Only of this project, and what belongs to none: its name, or the last part of it */
  project?: string | undefined;
}

/** What `sessionEnd` takes by name. */
export interface SessionEndArguments {
  /** Which session [default: CHORA_TRACE_ID, else the only one that is open] */
  session?: string | undefined;
}

/** What `sessionNote` takes by name. */
export interface SessionNoteArguments {
  /** Which session [default: CHORA_TRACE_ID, else the only one that is open] */
  session?: string | undefined;
}

/** What `sessionPreview` takes by name. */
export interface SessionPreviewArguments {
  /** About how many tokens the text may have [default: 800] */
  budget?: number | undefined;
  /** The project, by its whole name [default: the one that is worked in] */
  project?: string | undefined;
}

/** What `sessionShow` takes by name. */
export interface SessionShowArguments {
  /** Which session [default: CHORA_TRACE_ID, else the only one that is open] */
  session?: string | undefined;
}

/** What `sessionStart` takes by name. */
export interface SessionStartArguments {
  /** Whose session it is [default: the author in config.toml, else "agent"] */
  agent?: string | undefined;
  /** The trace its events belong to [default: CHORA_TRACE_ID, else a new one] */
  trace?: string | undefined;
  /** The agent's version or model */
  version?: string | undefined;
}

/** What `shown` takes by name. */
export interface ShownArguments {
  /** How many, the latest; at most 1000 [default: 50] */
  limit?: number | undefined;
  /** Only of this session: its id, or the beginning of that */
  session?: string | undefined;
}

/** One answer of `spaces`. */
export type SpacesItem = {
  /** Its name, as USER/COLLECTION */
  space: string;
  /** How many events it has; none where it cannot be opened */
  events: number | null;
};

/** What `stats` takes by name. */
export interface StatsArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** Only what happened at or after a time: ISO, or an age such as 2h or 7d */
  since?: string | undefined;
  /** Only what happened at or before a time */
  until?: string | undefined;
}

/** What `stm` takes by name. */
export interface StmArguments {
  /** Whose loops; without one, those that are shared */
  agent?: string | undefined;
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** The moment that ages are counted from: an ISO time [default: when the last event was written] */
  at?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The lowest ratio that counts, 0 to 100 [default: the identity's] */
  threshold?: number | undefined;
  /** How many to return [default: the identity's top_k] */
  limit?: number | undefined;
}

/** What `trace` takes by name. */
export interface TraceArguments {
  /** As the space was at a seq or a time */
  as_of?: string | undefined;
  /** How many to list */
  limit?: number | undefined;
  /** The workflow; without one, the recent ones are listed */
  trace?: string | undefined;
}

/** What `usage` takes by name. */
export interface UsageArguments {
  /** Only since a time: ISO, or an age such as 7d */
  since?: string | undefined;
}

/** What `verify` takes by name. */
export interface VerifyArguments {
  /** A head noted down earlier, as `status` prints it: the log must contain it, so that truncation is noticed */
  head?: string | undefined;
}
