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
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
};

/** What is known about a failure. */
export type AdviseAnswer = {
  /** Failures like it */
  failures: PastFailure[];
  /** What was done until a failure like it was gone, the likest first */
  fixes?: Fix[];
  /** Whether there is a note that is likely to solve it, or something that helped before */
  known: boolean;
  /** Notes that solved it, the surest first */
  notes: AdvisedNote[];
  /** What was done after them in the same traces */
  tried: Attempt[];
};

/** A note that is likely to solve a failure. */
export type AdvisedNote = {
  /** Why it is named */
  because: string;
  /** The events that say so */
  causes: string[];
  /** How sure it is after what was tried */
  confidence: "low" | "medium" | "high";
  /** How often it did not */
  failed: number;
  /** The same as a word */
  how_sure: "low" | "medium" | "high";
  /** The event that holds it */
  id: string;
  /** The id of the note */
  note: string;
  /** Which way the note came in */
  origin: string;
  /** The note to use instead */
  replaced_by?: string;
  /** The same from 0 to 1 */
  standing: number;
  /** How sure it says it is */
  stated?: string;
  /** How far it has come */
  status?: string;
  /** How sure it is that it solves this failure, from 0 to 1 */
  sure: number;
  /** Its text */
  text: string;
  /** Its title */
  title: string;
  /** How often it worked */
  worked: number;
};

/** What an agent answered. */
export type AgentAnswer = {
  /** The answer; none where it failed */
  answer: string | null;
  /** Tokens written by it */
  answer_tokens: number;
  /** The conversation; a new one where none was named */
  conversation_id: string;
  /** The episode it became */
  episode: string | null;
  /** Why there is no answer */
  error: ErrorBody | null;
  /** Facts that were taken from what was said */
  facts: Extracted[];
  /** The loop: every step of it is an event */
  loop_id: string;
  /** The model */
  model: string;
  /** What could not be done beside the answer */
  notices?: string[];
  /** Tokens read by the model */
  prompt_tokens: number;
  /** What was put before the model from memory */
  remembered: Remembered[];
};

/** A message of the agent service. */
export type AgentMessage = {
  /** The whole answer */
  answer?: string;
  /** The same, under its older name */
  chunk_type: "thought" | "action" | "observation" | "answer" | "explain" | "error";
  /** The text */
  content: string;
  /** Whether nothing follows */
  end_of_dialog: boolean;
  /** Whether this thought, observation or answer is complete */
  end_of_message: boolean;
  /** Why the agent gives no answer */
  error?: AgentMessageError;
  /** Names what is explained */
  explain_id?: string;
  /** Tokens read by the model, in the last message */
  in_token?: number;
  /** Names the message */
  message_id: string;
  /** What it holds */
  message_type: "thought" | "action" | "observation" | "answer" | "explain" | "error";
  /** The model, in the last message */
  model?: string;
  /** The whole observation */
  observation?: string;
  /** Tokens written by it, in the last message */
  out_token?: number;
  /** The whole thought */
  thought?: string;
};

/** Why the agent gives no answer. */
export type AgentMessageError = {
  /** The same */
  code: "agent-error";
  /** What happened */
  message: string;
  /** What kind of failure */
  type: "agent-error";
};

/** Something that happens while an agent works. */
export type AgentPart = {
  /** Whether more of it follows */
  more: boolean;
  /** What it is */
  part: "thought" | "action" | "observation" | "answer";
  /** The text, or the next piece of it */
  text: string;
};

/** An archive file. */
export type Archive = {
  /** Its size */
  bytes: number;
  /** How many of them have lost their content */
  erased: number;
  /** Its name in the space's folder */
  file: string;
  /** The number of its first event */
  first: number;
  /** The number of its last event */
  last: number;
};

/** Something that was done after a failure. */
export type Attempt = {
  /** The id of the event */
  id: string;
  /** What kind of thing it was */
  kind: string;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** How it went */
  status: Status | null;
  /** What it says */
  text: string;
  /** The workflow it was part of */
  trace_id: string;
  /** When it happened */
  ts: string;
};

/** Something that an agent does. */
export type Capability = {
  /** What went wrong, most often first */
  common_mistakes?: string[];
  /** How often it did not */
  failed_operations?: number;
  /** Ids of notes it learned from */
  learned_patterns?: string[];
  /** The tool it does it with */
  preferred_tool?: string;
  /** How good it is at it */
  skill_level: "novice" | "intermediate" | "advanced" | "expert";
  /** How often it worked */
  successful_operations?: number;
} & { [name: string]: unknown };

/** What became of facts, episodes and conversations. */
export type Consolidated = {
  /** Conversations that were ended by their silence */
  conversations_ended: number;
  /** Facts and episodes whose time was over */
  expired: number;
  /** Facts that were merged into others that say the same */
  facts_merged: number;
  /** Facts that were taken from them */
  facts_promoted: number;
  /** Facts and episodes that were the least relevant of too many */
  pruned: number;
};

/** What is put before a model. */
export type ContextAnswer = {
  /** Whether nothing that was recalled was good enough; rules stand all the same */
  abstained: boolean;
  /** How many it could have had */
  budget: number;
  /** The least budget that shows something, where this one shows nothing */
  least_budget?: number;
  /** How many pieces are good enough and did not fit */
  omitted: number;
  /** The user's standing rules that the text states, where there are any */
  rules?: StatedRule[];
  /** Where each numbered piece comes from */
  sources: Source[];
  /** The text; empty where no rule stands and nothing was good enough, or nothing fits */
  text: string;
  /** About how many tokens the text has */
  tokens: number;
};

/** How often work was handed over. */
export type ContextSwitches = {
  /** The last time work was handed over */
  last_handoff?: Handoff;
  /** How often */
  total: number;
} & { [name: string]: unknown };

/** A conversation. */
export type Conversation = {
  /** Which */
  conversation_id: string;
  /** How many invocations it has, also where fewer are shown */
  count: number;
  /** When it ended; none while it is open */
  ended: string | null;
  /** What it is for, where that was said */
  goal?: string;
  /** What was asked in it and what came of it, in order */
  invocations: InvocationSummary[];
  /** When it was last added to */
  last: string;
  /** What whoever began it or added to it wanted to keep beside it */
  metadata: JsonObject;
  /** Why it ended */
  reason?: "signal" | "timeout";
  /** When it began */
  started: string;
};

/** A conversation was begun, added to or ended. */
export type ConversationChanged = {
  /** Which conversation; a new one where none was named */
  conversation_id: string;
  /** What became of it */
  done: "started" | "continued" | "added" | "ended" | "was ended";
  /** The episode it became */
  episode?: string;
  /** Always null: what goes wrong is an error */
  error: null;
  /** Always: what goes wrong is an error */
  success: true;
};

/** A conversation in a list. */
export type ConversationListItem = {
  /** Which */
  conversation_id: string;
  /** When it ended; none while it is open */
  ended: string | null;
  /** What it is for, where that was said */
  goal: string | null;
  /** How many invocations it has */
  invocations: number;
  /** When it was last added to */
  last: string;
  /** When it began */
  started: string;
};

/** A conversation that was looked up. */
export type ConversationShowAnswer = {
  /** A conversation */
  conversation: Conversation;
  /** Always null: what goes wrong is an error */
  error: null;
};

/** How far the vectors of a model cover the documents. */
export type Coverage = {
  /** Those that have vectors */
  embedded: number;
  /** Those that wait for their first try */
  pending: number;
  /** Those that are tried again because it failed */
  retry: number;
};

/** What the views hold. */
export type DigestAnswer = {
  /** Its hash */
  head: string;
  /** The number of the last event */
  seq: number;
  /** Each view */
  views: ViewDigest[];
};

/** Something was done. */
export type Done = {
  /** What, in a few words */
  done: string;
  /** How many events it concerned */
  events: number;
  /** The hash of the last event after it */
  head?: string;
};

/** What a dream did. */
export type DreamAnswer = {
  /** What became of facts, episodes and conversations */
  consolidated: Consolidated;
  /** How the documents stand with it now */
  coverage: Coverage | null;
  /** Documents that got their vectors */
  embedded: number;
  /** How many events the log had */
  events: number;
  /** Documents that failed */
  failed: number;
  /** Whether index files were joined */
  joined: boolean;
  /** The model that makes the vectors */
  model: string | null;
  /** The event that records it; none where nothing changed */
  recorded: string | null;
  /** Documents graded anew */
  regraded: number;
  /** Of those the ones that had failed before */
  retried: number;
  /** Why not everything could be done */
  unavailable?: string;
};

/** An episode. */
export type Episode = {
  /** The ids of the events it derives from */
  causes: string[];
  /** The conversation it happened in */
  conversation_id: string | null;
  /** Its vector, for the owner who asks for it */
  embedding: number[] | null;
  /** When it is forgotten by itself */
  expires?: string;
  /** What was attempted */
  goal: string;
  /** Its id */
  id: string;
  /** What is to be learned from it */
  lessons: string;
  /** What whoever stored it wanted to keep beside it */
  metadata: JsonObject | null;
  /** How it ended */
  outcome: string;
  /** How alike it is */
  score?: number;
  /** What was done, in order */
  steps: string[];
  /** Whether it worked, where that is known */
  success: boolean | null;
  /** When it happened */
  timestamp: string;
};

/** Episodes that were found. */
export type EpisodeRetrieveAnswer = {
  /** The best first */
  episodes: Episode[];
  /** Always null: what goes wrong is an error */
  error: null;
};

/** What became of an episode. */
export type EpisodeStored = {
  /** What became of it */
  done: "stored" | "deleted";
  /** Which */
  episode_id: string;
  /** Always null: what goes wrong is an error */
  error: null;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
};

/** Why a call was not carried out. */
export type ErrorAnswer = {
  /** What happened, and what to do */
  error: ErrorBody;
};

/** What happened, and what to do. */
export type ErrorBody = {
  /** The argument that is wrong, by its path, e.g. `tags[1]` */
  argument?: string;
  /** The same as `kind` */
  code: string;
  /** Of a conflict: the number at which the log was expected to end */
  expected?: number;
  /** Of a conflict: the number at which it ends */
  head?: number;
  /** What to do; may be empty */
  hint?: string;
  /** Of a conflict: the id that is taken */
  id?: string;
  /** What kind of failure */
  kind: "invalid" | "unauthorized" | "forbidden" | "not_found" | "conflict" | "too_many" | "check_failed" | "unavailable" | "fault";
  /** What happened */
  message: string;
  /** Of a conflict: the number of the event that has the id, or from which on the logs differ */
  seq?: number;
  /** The same as `kind` */
  type: string;
};

/** An event of the log. */
export type MemoryEvent = {
  /** The agent whose memory it is; it is shared without one */
  agent_id?: string;
  /** Who said or did it */
  author?: string;
  /** The ids of the events it derives from */
  causes?: string[];
  /** The whole text */
  content?: string;
  /** The conversation it is part of */
  conversation_id?: string;
  /** Here where its content was erased */
  erased?: true;
  /** From when on it is as if it had never been */
  expires_at?: string;
  /** Its hash; not where an agent is named */
  hash?: string;
  /** Its id */
  id: string;
  /** What kind of thing it was */
  kind: string;
  /** The loop it is part of */
  loop_id?: string;
  /** Anything else */
  metadata?: JsonObject;
  /** Which way it came in, where that was recorded */
  origin?: string;
  /** Which side of an agent */
  persona?: Persona;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** The hash of the event before it; not where an agent is named */
  prev_hash?: string;
  /** When it was written; not where an agent is named */
  recorded_at?: string;
  /** What it refers to */
  refs?: string[];
  /** The area it affects */
  scope?: string;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** The project or component it came from */
  source?: string;
  /** How something went */
  status?: Status;
  /** What happened, in one line */
  summary?: string;
  /** Its labels */
  tags?: string[];
  /** The workflow it is part of */
  trace_id?: string;
  /** How far it is trusted */
  trust?: Trust;
  /** When it happened */
  ts: string;
  /** Who may be shown it: anyone who may read the space, or the agent itself */
  visibility?: Visibility;
};

/** An event to be appended. What is null is not said. */
export type EventRecord = {
  /** The agent whose memory it is; it is shared without one */
  agent_id?: string | null | undefined;
  /** Who said or did it */
  author?: string | null | undefined;
  /** The ids of the events it derives from */
  causes?: readonly string[] | null | undefined;
  /** The whole text */
  content?: string | null | undefined;
  /** The conversation it is part of */
  conversation_id?: string | null | undefined;
  /** From when on it is to be as if it had never been: a time, or 12h, 30d, 4w from now [default: never] */
  expires_at?: string | null | undefined;
  /** An id of your own [default: a new one] */
  id?: string | null | undefined;
  /** What kind of thing it is: `user_input`, `decision`, or one of your own such as `build.failed` */
  kind: string;
  /** The loop it is part of */
  loop_id?: string | null | undefined;
  /** Anything else */
  metadata?: JsonInput | null | undefined;
  /**
   * Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a
   * colon
   */
  origin?: string | null | undefined;
  /** Which side of the agent [default: actor] */
  persona?: Persona | null | undefined;
  /** What it refers to */
  refs?: readonly string[] | null | undefined;
  /** Kept as it is */
  schema_version?: string | number | null | undefined;
  /** The area it affects */
  scope?: string | null | undefined;
  /** The project or component it came from */
  source?: string | null | undefined;
  /** How it went */
  status?: Status | null | undefined;
  /** What happened, in one line */
  summary?: string | null | undefined;
  /** Its labels */
  tags?: readonly string[] | null | undefined;
  /** The workflow it is part of */
  trace_id?: string | null | undefined;
  /** How far it is to be trusted [default: as its kind implies] */
  trust?: Trust | null | undefined;
  /** When it happened [default: now] */
  ts?: string | null | undefined;
  /** Who may be shown it [default: external] */
  visibility?: Visibility | null | undefined;
};

/** An event as it is stored, with everything that its hash is made from. */
export type ExportedEvent = {
  /** What was said, as it was sent; not where it was erased */
  body?: JsonObject;
  /** What its hash says of the body */
  commitment: string;
  /** Its hash */
  hash: string;
  /** Its id */
  id: string;
  /** What kind of thing it was */
  kind: string;
  /** The hash of the event before it */
  prev_hash: string;
  /** When it was written */
  recorded_at: string;
  /** What the commitment is made with; not where its content was erased */
  salt?: string;
  /** Its number in the log */
  seq: number;
  /** The id of the space */
  space: string;
  /** The version of its form */
  v: number;
};

/** Something that was taken from what was said, or would be. */
export type Extracted = {
  /** What of it */
  attribute: string;
  /** The fact */
  content: string;
  /** What became of it; none where it was only looked for. With `compare`, whether it is known */
  done: "stored" | "joined" | "ended" | "in both" | "only now" | "only stored" | null;
  /** Here where it says that something is no longer true */
  ends?: true;
  /** The event that holds them */
  event: string;
  /** Which extraction: `rules`, or the model */
  extraction: string;
  /** The fact it became or ended; none where it was only looked for */
  fact_id: string | null;
  /** The words it comes from */
  quote: string;
  /** Whom or what it is about */
  subject: string;
  /** And what that is */
  value: string;
};

/** A fact. */
export type Fact = {
  /** What of it */
  attribute?: string;
  /** The ids of the events it derives from */
  causes: string[];
  /** How certain it is, from 0 to 1 */
  confidence: number;
  /** Other facts that it possibly contradicts */
  conflicts?: FactConflict[];
  /** What it says */
  content: string;
  /** Here where it was taken away */
  deleted?: true;
  /** Its vector, for the owner who asks for it */
  embedding: number[] | null;
  /** When it is forgotten by itself */
  expires?: string;
  /** Its id */
  id: string;
  /** What whoever stored it wanted to keep beside it */
  metadata: JsonObject | null;
  /** Which way the words came in that it rests on */
  origin?: string;
  /** How well it answers */
  score?: number;
  /** The conversation where it was learned */
  source: string | null;
  /** How many events state it */
  sources: number;
  /** Whom or what it is about */
  subject?: string;
  /** The fact that took its place */
  superseded_by?: string;
  /** The fact whose place it took */
  supersedes?: string;
  /** When it was learned */
  timestamp: string;
  /** How far it is trusted */
  trust: Trust;
  /** From when it is true */
  valid_from: string;
  /** Until when */
  valid_until: string | null;
  /** And what that is */
  value?: string;
};

/** A fact that possibly contradicts another. */
export type FactConflict = {
  /** What it says */
  content: string;
  /** Its id */
  fact: string;
  /** Why both may not be true */
  why: string;
};

/** Two facts that possibly contradict each other. */
export type FactConflictsItem = {
  /** What it says */
  content: string;
  /** The one */
  fact: string;
  /** The other */
  other: string;
  /** What that says */
  other_content: string;
  /** Why both may not be true */
  why: string;
};

/** One event in the history of a fact. */
export type FactHistoryItem = {
  /** The ids of the events it derives from */
  causes: string[];
  /** What was said */
  content: string | null;
  /** What happened to it */
  done: "stored" | "joined" | "updated" | "ended" | "reopened" | "deleted";
  /** The id of the event */
  event: string;
  /** The fact */
  fact_id: string;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Why it was taken away */
  reason?: string;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** When it was said */
  timestamp: string;
  /** From when it was true */
  valid_from: string | null;
  /** Until when */
  valid_until: string | null;
};

/** Facts that were found. */
export type FactRetrieveAnswer = {
  /** Always null: what goes wrong is an error */
  error: null;
  /** The best first */
  facts: Fact[];
};

/** What became of a fact. */
export type FactStored = {
  /** Other facts that it possibly contradicts */
  conflicts?: FactConflict[];
  /** What became of it */
  done: "stored" | "joined" | "updated" | "ended" | "reopened" | "deleted";
  /** Always null: what goes wrong is an error */
  error: null;
  /** The id of the event */
  event: string;
  /** The fact: a new one, or the one that says the same */
  fact_id: string;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** The fact whose place it took */
  supersedes?: string;
};

/** Failures that resemble each other. */
export type FailuresItem = {
  /** How many */
  count: number;
  /** What the last of them says */
  example: string;
  /** When the first of them happened */
  first: string;
  /** The id of the last of them */
  id: string;
  /** Their kinds */
  kinds: string[];
  /** When the last of them happened */
  last: string;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** Their traces, the latest first */
  traces: string[];
};

/** A file and its size. */
export type FileLine = {
  /** Its size */
  bytes: number;
  /** Its name */
  name: string;
};

/** What was done until something worked. */
export type Fix = {
  /** What the agent said of it when it was done */
  said?: string;
  /** The steps, in order: what was run or changed */
  steps: string[];
};

/** What was done in the A-MEM folder. */
export type FolderWork = {
  /** Months of events that were moved to the archive */
  archived_months: number;
  /** Notes that were moved to the archive */
  archived_notes: number;
  /** Files of events that were compressed */
  compressed: number;
  /** Files of the folder's own archive that were removed */
  dropped_archives: number;
  /** Files that are old and stay where they are */
  stayed: Stayed[];
  /** What is not as it should be in the folder */
  troubles: Trouble[];
};

/** A part of the graph in the language of another program. */
export type GraphDrawing = {
  /** Which language */
  format: "dot" | "mermaid" | "graphml";
  /** The text */
  text: string;
};

/** An edge of the graph. */
export type GraphEdge = {
  /** What else is known of it: names with their values; a free text has an empty name */
  attributes: ([string, string])[];
  /** The event that made it */
  created: string | null;
  /** The number in the changelog of that event */
  created_evt: string | null;
  /** Where it begins */
  from: string;
  /** What it says */
  relation: "depends_on" | "blocks" | "implements" | "tests" | "documents" | "contains" | "precedes" | "related_to" | "part_of" | "references" | "states";
  /** Where it ends */
  to: string;
};

/** A node of the graph. */
export type GraphNode = {
  /** What else is known of it: names with their values; a free text has an empty name */
  attributes: ([string, string])[];
  /** The event that made it */
  created: string | null;
  /** The number in the changelog of the event that made it */
  created_evt: string | null;
  /** How many steps away it is from what was asked about */
  distance?: number;
  /** The event that last concerned it */
  last: string | null;
  /** The number in the changelog of the event that last concerned it */
  last_evt: string | null;
  /** Its name */
  node: string;
  /** The number of the event that last changed it */
  seq: number;
  /** How it stands */
  status: "active" | "blocked" | "completed" | "deprecated" | "planned";
  /** The last event that tested it */
  tested: string | null;
  /** What it is */
  type: "component" | "task" | "dependency" | "decision" | "document" | "milestone" | "skill" | "pack" | "file" | "entity";
};

/** A part of the graph. */
export type GraphPart = {
  /** The number of the last event that it is made from */
  as_of: number;
  /** Its edges */
  edges: GraphEdge[];
  /** Its nodes */
  nodes: GraphNode[];
};

/** The last time work was handed over. */
export type Handoff = {
  /** When, as written */
  timestamp: string;
  /** To whom or what */
  to: string;
  /** In which trace */
  trace_id?: string;
};

/** Something recalled. */
export type Hit = {
  /** Who said or did it */
  author: string | null;
  /** The ids of the events it derives from */
  causes: string[];
  /** The conversation it was part of */
  conversation_id: string | null;
  /** The id of the event */
  id: string;
  /** What kind of thing it was */
  kind: string;
  /** Anything else */
  metadata: JsonObject | null;
  /** Which note it is, where it is one */
  note?: NoteSeen;
  /**
   * Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a
   * colon
   */
  origin: string;
  /** What each part adds to the score, with `explain` */
  parts?: { [name: string]: number };
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** What the hits are ordered by */
  score: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** The project or component it came from */
  source?: string;
  /** The space it is from, where several were asked */
  space?: string;
  /** What it says */
  text: string;
  /** How far it is trusted */
  trust: Trust;
  /** When it happened */
  ts: string;
};

/** One invocation of a conversation. */
export type InvocationSummary = {
  /** The id of the event that says so */
  event: string;
  /** What else was kept */
  metadata?: JsonObject;
  /** What was asked */
  query: string;
  /** How it ended */
  result: string;
  /** What the agent did */
  summary: string;
  /** When */
  timestamp: string;
};

/** An API key, without its secret. */
export type KeyLine = {
  /** The agent it is held to */
  agent?: string;
  /** The collection it is held to */
  collection?: string;
  /** When it was made */
  created: string;
  /** From when on it is refused */
  expires?: string;
  /** What it is called in lists and logs */
  id: string;
  /** What it is for */
  name: string;
  /** The side of that agent */
  persona?: Persona;
  /** When it was revoked */
  revoked?: string;
  /** What it allows */
  rights: "read" | "write" | "admin";
  /** The most that what it writes is trusted */
  trust?: Trust;
  /** The user it is held to */
  user?: string;
};

/** A new API key; its text is shown this once. */
export type KeyMade = {
  /** The agent it is held to */
  agent?: string;
  /** The collection it is held to */
  collection?: string;
  /** When it was made */
  created: string;
  /** From when on it is refused */
  expires?: string;
  /** What it is called in lists and logs */
  id: string;
  /** The key itself */
  key: string;
  /** What it is for */
  name: string;
  /** The side of that agent */
  persona?: Persona;
  /** When it was revoked */
  revoked?: string;
  /** What it allows */
  rights: "read" | "write" | "admin";
  /** The most that what it writes is trusted */
  trust?: Trust;
  /** The user it is held to */
  user?: string;
};

/** What an agent learned. */
export type LearnAnswer = {
  /** Which agent */
  agent: string;
  /** The event that says so; none where it knew that */
  event: string | null;
  /** The note it works by from now on */
  note: string;
};

/** A loop as short-term memory holds it. */
export type Loop = {
  /** When its last event happened */
  ended: string;
  /** What it counts as: of the kinds of its events the one that weighs most */
  kind: string;
  /** Which loop */
  loop_id: string;
  /** The ids of its events, in order */
  ltm: string[];
  /** When it began */
  started: string;
  /** One line for each of its last events */
  summary: string;
  /** Who may be shown it: anyone who may read the space, or the agent itself */
  visibility: Visibility;
};

/** An entry of long-term memory: there is one for each event. */
export type LtmItem = {
  /** The name of the lane it belongs to */
  collection: string;
  /** The id of the event */
  id: string;
  /** How much it matters, from 0 to 1 */
  importance: number;
  /** What kind of thing it was */
  kind: string;
  /** The loop it was part of */
  loop_id: string | null;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** Whether it has its vectors; `quiet` for what never has any, `off` where no model is configured */
  status: "pending" | "embedded" | "retry" | "quiet" | "off";
  /** Its summary, or its text */
  summary: string;
  /** When it happened */
  ts: string;
  /** Why it is tried again */
  why?: string;
};

/** A note in a list. */
export type Note = {
  /** Who wrote this version */
  author: string | null;
  /** How sure it is after what was tried */
  confidence: "low" | "medium" | "high";
  /** When it was made, as it says */
  created: string | null;
  /** How often it did not */
  failed: number;
  /** The event that holds it */
  id: string;
  /** The notes it leads to */
  links: string[];
  /** The id of the note */
  note: string;
  /** The note to use instead */
  replaced_by?: string;
  /** What it was ranked by, where it was searched for */
  score?: number;
  /** The number of that event */
  seq: number;
  /** Where it comes from */
  source: string | null;
  /** The same from 0 to 1 */
  standing: number;
  /** How sure it says it is */
  stated?: string;
  /** How far it has come */
  status?: string;
  /** Its tags */
  tags: string[];
  /** Its title */
  title: string;
  /** The traces it came from */
  traces: string[];
  /** What sort of note it is */
  type: string | null;
  /** When it was last changed, as it says */
  updated: string | null;
  /** How often it worked */
  worked: number;
};

/** Something that a check of a note found. */
export type NoteFinding = {
  /** What was found */
  found: string;
  /** The id of the note */
  note: string;
  /** Whether it must be repaired; else it is worth a look */
  wrong: boolean;
};

/** A version of a note. */
export type NoteHistoryItem = {
  /** Who wrote it */
  author: string | null;
  /** How sure it said it was */
  confidence: string | null;
  /** Whether it was taken away */
  deleted: boolean;
  /** What changed since the version before: lines behind `-` and `+` */
  diff?: string[];
  /** The event that holds it */
  id: string;
  /** The id of the note */
  note: string;
  /**
   * Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a
   * colon
   */
  origin: string;
  /** When it was written */
  recorded_at: string;
  /** The number of that event */
  seq: number;
  /** How far it had come */
  status: string | null;
  /** Its title */
  title: string;
};

/** A note that another leads to. */
export type NoteRelatedItem = {
  /** Whether a link leads to it and there is no such note */
  dangling: boolean;
  /** How many links away */
  distance: number;
  /** The id of the note */
  note: string;
  /** Its title; none where there is no such note */
  title: string | null;
  /** The note on the way to it */
  via: string;
};

/** A note was written. */
export type NoteSaved = {
  /** What was done */
  done: "written" | "changed" | "unchanged" | "deleted";
  /** The id of the event */
  id: string;
  /** The id of the note */
  note: string;
  /** The number of the event; none where nothing had to be written */
  seq: number | null;
};

/** What is shown of a note wherever it is recalled. */
export type NoteSeen = {
  /** How sure it is after what was tried */
  confidence: "low" | "medium" | "high";
  /** How often it did not */
  failed: number;
  /** The id of the note */
  note: string;
  /** The note to use instead */
  replaced_by?: string;
  /** The same from 0 to 1 */
  standing: number;
  /** How sure it says it is */
  stated?: string;
  /** How far it has come */
  status?: string;
  /** Its title */
  title: string;
  /** How often it worked */
  worked: number;
};

/** A note as its file has it. */
export type NoteShowAnswer = {
  /** Who wrote this version */
  author: string | null;
  /** How sure it is after what was tried */
  confidence: "low" | "medium" | "high";
  /** When it was made, as it says */
  created: string | null;
  /** How often it did not */
  failed: number;
  /** The event that holds it */
  id: string;
  /** The notes that lead to it */
  linked_from: string[];
  /** The notes it leads to */
  links: string[];
  /** The id of the note */
  note: string;
  /** Which way this version came in */
  origin: string;
  /** The note to use instead */
  replaced_by?: string;
  /** The number of that event */
  seq: number;
  /** Where it comes from */
  source: string | null;
  /** The same from 0 to 1 */
  standing: number;
  /** How sure it says it is */
  stated?: string;
  /** How far it has come */
  status?: string;
  /** Its tags */
  tags: string[];
  /** The whole text */
  text: string;
  /** Its title */
  title: string;
  /** The traces it came from */
  traces: string[];
  /** What sort of note it is */
  type: string | null;
  /** When it was last changed, as it says */
  updated: string | null;
  /** How often it worked */
  worked: number;
};

/** An operation. */
export type OpsItem = {
  /** What it does */
  about: string;
  /** The JSON Schema of its arguments, where one operation is named */
  arguments?: JsonObject;
  /** Whether it can lose something */
  destructive: boolean;
  /** Its name */
  name: string;
  /** The right it needs */
  rights: "read" | "write" | "admin";
};

/** What was not taken of an export. */
export type OtlpPartialSuccess = {
  /** Why */
  errorMessage: string;
  /** How many spans were not taken: a number as a text */
  rejectedSpans: string;
};

/** An export was taken; empty where all of it was. */
export type OtlpTracesAnswer = {
  /** What was not taken of an export */
  partialSuccess?: OtlpPartialSuccess;
};

/** A failure like the one that was asked about. */
export type PastFailure = {
  /** How alike, from 0 to 1 */
  alike: number;
  /** The id of the event */
  id: string;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** What it says */
  text: string;
  /** The workflow it was part of */
  trace_id: string | null;
  /** When it happened */
  ts: string;
};

/** Which side of an agent. */
export type Persona = "actor" | "subconscious";

/** Something a check found. */
export type Problem = {
  /** What is wrong */
  message: string;
  /** The number of the first event concerned */
  seq: number | null;
};

/** What an agent can do, prefers and has learned. */
export type Profile = {
  /** Who */
  agent_name: string;
  /** Which model */
  agent_version: string;
  /** What it does */
  capabilities: { [name: string]: Capability };
  /** How often work was handed over */
  context_switches?: ContextSwitches;
  /** When it last did something, as written */
  last_active: string;
  /** What it prefers */
  preferences: JsonObject;
  /** The version of this form */
  schema_version: string;
  /** How many sessions it had */
  session_count: number;
} & { [name: string]: unknown };

/** An agent in a list. */
export type ProfileListItem = {
  /** Who */
  agent_name: string;
  /** Which model */
  agent_version: string;
  /** How many things it does */
  capabilities: number;
  /** How often it did not */
  failed_operations: number;
  /** When it last did something, as written */
  last_active: string;
  /** How many sessions it had */
  session_count: number;
  /** How often that went well */
  successful_operations: number;
};

/** What was purged, or would be. */
export type Purged = {
  /** Whether it was done, or only looked at */
  applied: boolean;
  /** How many events' content goes */
  count: number;
  /** The first of them, in the order of the log */
  events: PurgedEvent[];
  /** Files outside of the log that were rewritten or removed */
  files: string[];
  /** Files that still say it and are not this program's to change */
  left: Stayed[];
  /** The event that says how many went, once they have */
  receipt: string | null;
  /** The space */
  space: string;
  /** Places that may have it and were not looked into */
  warnings: string[];
};

/** An event whose content goes. */
export type PurgedEvent = {
  /** Who said it, or whose it is */
  author?: string;
  /** The part of it that is shown: `content`, `metadata.note` */
  field?: string;
  /** Its id */
  id: string;
  /** What kind of thing it was */
  kind: string;
  /** The words that were searched for with what stands around them; else its beginning */
  passage?: string;
  /** Its number */
  seq: number;
  /** When it happened; not once it has gone */
  ts?: string;
  /** Why it goes: it was asked for, or derived from one that goes */
  why: string;
};

/** What was put into quarantine, let out of it, or would be. */
export type QuarantineItem = {
  /** How many events it concerns */
  count: number;
  /** What was done */
  done: "previewed" | "hidden" | "released" | "listed";
  /** The events, with what each says; none in a list */
  events: QuarantinedEvent[];
  /** What it is called, once it is done */
  id?: string;
  /** Why, as said */
  reason?: string;
  /** Since when */
  since?: string;
  /** The space */
  space: string;
};

/** An event in quarantine. */
export type QuarantinedEvent = {
  /** Its id */
  id: string;
  /** What kind of thing it was */
  kind: string;
  /**
   * Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a
   * colon
   */
  origin: string;
  /** Its number */
  seq: number;
  /** The beginning of what it says */
  text: string;
  /** Why: it was asked for, or derived from one that was */
  why: string;
};

/** A query that is kept, in a list of them. */
export type QueryLine = {
  /** What it finds */
  about: string;
  /** Where it is kept */
  from: string;
  /** Its name */
  name: string;
  /** Its parameters, with the values they have when none are given */
  parameters: string[];
};

/** What a query found. */
export type QueryRows = {
  /** The names of the columns, each once */
  columns: string[];
  /** Whether there are more */
  cut: boolean;
  /** The rows: a value for each column */
  rows: ({ [name: string]: string | number | null })[];
};

/** How much of a limit is used. */
export type QuotaLine = {
  /** How much there may be; none without limit */
  limit: number | null;
  /** How much there is */
  used: number;
  /** Of what */
  what: "facts" | "episodes" | "events" | "bytes" | "tokens";
};

/** What was recalled. */
export type RecallAnswer = {
  /** The best first */
  hits: Hit[];
};

/** Something that was put before a model from memory. */
export type Remembered = {
  /** The events it comes from */
  causes: string[];
  /** Its id */
  id: string;
  /** What it says */
  text: string;
  /** What it is */
  what: "fact" | "episode" | "said" | "conversation";
};

/** What was done for the sake of retention, or would be. */
export type RetainAnswer = {
  /** Whether it was done, or only looked at */
  applied: boolean;
  /** Events that move from the log's database to archive files */
  archived: number;
  /** The archive files, with those of earlier times */
  archives: Archive[];
  /** Bytes of the log's database, before and after */
  database_bytes: [number, number];
  /** Events whose content is given up */
  dropped: number;
  /** What was done in the A-MEM folder */
  folder: FolderWork;
  /** Of the events that are old, those that keep it */
  kept: number;
  /** What happened and was written before this moment is old; none where nothing ever is */
  older_than: string | null;
};

/** A rule, a decision or a to-do that stands, or stood until now. */
export type Rule = {
  /** What `rule end` takes */
  id: string;
  /** What it is */
  kind: "rule" | "decision" | "todo";
  /** The project it was said in */
  project?: string;
  /** Whether it surely is one; what is not is told only where there is room */
  sure: boolean;
  /** The user's words */
  text: string;
  /** When it was said */
  ts: string;
};

/** A session ended. */
export type SessionEndAnswer = {
  /** Whose it was */
  agent_name: string;
  /** How long it was */
  duration_minutes: number;
  /** The id of that event */
  id: string;
  /** What was done in it */
  operations_count: number;
  /** The number of the event that ended it */
  seq: number;
  /** The session */
  session: string;
};

/** What the next session would be told when it starts. */
export type SessionPreviewAnswer = {
  /** How many it could have */
  budget: number;
  /** The events that its lines come from, in order */
  ids: string[];
  /** The project; empty where none is meant */
  project: string;
  /** The text; empty where there is nothing to tell */
  text: string;
  /** About how many tokens it has */
  tokens: number;
};

/** What a session holds. */
export type SessionShowAnswer = {
  /** Whose it is */
  agent_name: string;
  /** Which model */
  agent_version: string | null;
  /** How long ago that is */
  duration_ms: number;
  /** Its scratch texts */
  notes: string[];
  /** What was done in it so far */
  operations_count: number;
  /** The session: the trace its events belong to */
  session: string;
  /** When it began */
  started: string;
  /** Its events so far, step by step */
  trace: Trace | null;
  /** Its scratch values */
  values: JsonObject;
};

/** A session began. */
export type SessionStartAnswer = {
  /** Whose it is */
  agent_name: string;
  /** What a shell must be told so that everything below belongs to the session */
  export: string;
  /** The id of that event */
  id: string;
  /** The number of the event that began it */
  seq: number;
  /** The session: the trace its events belong to */
  session: string;
  /** When it began */
  started: string;
};

/** An event that an agent was shown. */
export type ShownEvent = {
  /** Its id */
  id: string;
  /** Where it came from: `user`, `agent`, `tool`, … */
  origin: string;
  /** Its place, from 1 on */
  rank: number;
  /** What it says, in one line */
  text: string;
};

/** What an agent was told at one moment. */
export type ShownItem = {
  /** The events that were shown, in their order */
  events: ShownEvent[];
  /** The event that says so */
  id: string;
  /** `start`, `prompt`, `failure`, `edit` or `recall` */
  moment?: string;
  /** The project */
  project?: string;
  /** The session */
  session?: string;
  /** How many tokens it had */
  tokens?: number;
  /** When */
  ts: string;
};

/** Where a piece of a context comes from. */
export type Source = {
  /** The ids of the events it derives from */
  causes: string[];
  /** Whether it did not fit whole */
  cut: boolean;
  /** The id of the event */
  id: string;
  /** Its number in the text */
  number: number;
  /**
   * Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a
   * colon
   */
  origin: string;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** What it was ranked by */
  score: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** The space it is from, where several were asked */
  space?: string;
  /** How far it is trusted */
  trust: Trust;
  /** When it happened */
  ts: string;
};

/** A space. */
export type SpacesItem = {
  /** How many events it has; none where it cannot be opened */
  events: number | null;
  /** Its name, as USER/COLLECTION */
  space: string;
};

/** How many events have a value, and how long they took. */
export type StatLine = {
  /** How many */
  count: number;
  /** The mean of those that say how long they took */
  mean_duration_ms: number | null;
  /** The value */
  value: string;
};

/** A rule that a context states. */
export type StatedRule = {
  /** The id of the event that says it */
  id: string;
  /** Its number among what an agent sees, where an agent is named */
  pos?: number;
  /** Its number in the log, for whoever reads the whole space */
  seq?: number;
  /** The rule */
  text: string;
  /** When it was said */
  ts: string;
};

/** Counts of events. */
export type StatsAnswer = {
  /** The number of the last event that was counted */
  as_of: number;
  /** By agent */
  by_agent: StatLine[];
  /** By day, in order */
  by_day: StatLine[];
  /** By kind, the most frequent first */
  by_kind: StatLine[];
  /** By source */
  by_source: StatLine[];
  /** By status */
  by_status: StatLine[];
  /** All that were counted */
  events: number;
};

/** How something went. */
export type Status = "success" | "failure" | "pending" | "timeout";

/** How a space stands. */
export type StatusAnswer = {
  /** By how many milliseconds the last event is ahead of the clock, where it is */
  clock_ahead_ms?: number;
  /** How its documents stand with it */
  coverage: Coverage | null;
  /** How many events it has */
  events: number;
  /** The files it is kept in */
  files: FileLine[];
  /** The hash of the last: note it down to prove later that nothing was cut */
  head: string;
  /** The home; whoever is held to a part of it is not told */
  home?: string;
  /** How the home was found */
  home_found_by?: string;
  /** When the last was written */
  last_recorded_at: string | null;
  /** Whether anything is remembered for its user */
  memory: "on" | "off";
  /** The model that makes its vectors */
  model: string | null;
  /** What is used of what it may hold */
  quota: QuotaLine[];
  /** The space */
  space: string;
  /** The id its chain starts from */
  space_id: string;
  /** How far each view has come */
  views: ViewLine[];
};

/** A file that stays though it is old, or still says what was purged. */
export type Stayed = {
  /** The file */
  file: string;
  /** Why */
  reason: string;
};

/** A loop that was found in short-term memory. */
export type StmItem = {
  /** What its kind and visibility multiply the score by */
  boost: number;
  /** When its last event happened */
  ended: string;
  /** What it counts as: of the kinds of its events the one that weighs most */
  kind: string;
  /** Which loop */
  loop_id: string;
  /** The ids of its events, in order */
  ltm: string[];
  /** How alike question and summary are, from 0 to 100 */
  ratio: number;
  /** 1 for now, half after each half-life */
  recency: number;
  /** What they are ordered by */
  score: number;
  /** When it began */
  started: string;
  /** One line for each of its last events */
  summary: string;
  /** Who may be shown it: anyone who may read the space, or the agent itself */
  visibility: Visibility;
};

/** One workflow, step by step. */
export type Trace = {
  /** The number of the step that took longest */
  bottleneck: number | null;
  /** When its last step happened */
  ended: string;
  /** The number of the first step that failed or timed out */
  first_failure: number | null;
  /** When its first step happened */
  started: string;
  /** The steps, in the order they happened */
  steps: TraceStep[];
  /** Milliseconds from the first step to the last */
  total_ms: number;
  /** Which workflow */
  trace_id: string;
};

/** A workflow in a list. */
export type TraceLine = {
  /** When its last event happened */
  ended: string;
  /** How many events it has */
  events: number;
  /** How many of them failed or timed out */
  failures: number;
  /** When it began */
  started: string;
  /** Milliseconds from one to the other */
  total_ms: number;
  /** Which workflow */
  trace_id: string;
};

/** One step of a workflow: an event, and how long it took. */
export type TraceStep = {
  /** The agent whose memory it is; it is shared without one */
  agent_id?: string;
  /** Who said or did it */
  author?: string;
  /** The ids of the events it derives from */
  causes?: string[];
  /** The whole text */
  content?: string;
  /** The conversation it is part of */
  conversation_id?: string;
  /** How long it took: as it says itself, or since the step before */
  duration_ms: number;
  /** Here where its content was erased */
  erased?: true;
  /** From when on it is as if it had never been */
  expires_at?: string;
  /** Its hash */
  hash: string;
  /** Its id */
  id: string;
  /** What kind of thing it was */
  kind: string;
  /** The loop it is part of */
  loop_id?: string;
  /** Whether it says so itself */
  measured: boolean;
  /** Anything else */
  metadata?: JsonObject;
  /** Which way it came in, where that was recorded */
  origin?: string;
  /** Which side of an agent */
  persona?: Persona;
  /** The hash of the event before it */
  prev_hash: string;
  /** When it was written */
  recorded_at: string;
  /** What it refers to */
  refs?: string[];
  /** The area it affects */
  scope?: string;
  /** Its number in the log */
  seq: number;
  /** The project or component it came from */
  source?: string;
  /** How something went */
  status?: Status;
  /** What happened, in one line */
  summary?: string;
  /** Its labels */
  tags?: string[];
  /** The workflow it is part of */
  trace_id?: string;
  /** How far it is trusted */
  trust?: Trust;
  /** When it happened */
  ts: string;
  /** Who may be shown it: anyone who may read the space, or the agent itself */
  visibility?: Visibility;
};

/** Something in a file that is not as it should be. */
export type Trouble = {
  /** The file, from the folder */
  file: string;
  /** What kind of trouble */
  kind: "violation" | "conflict" | "unread" | "remark";
  /** The line, counted from 1; 0 where the whole file is meant */
  line: number;
  /** What is wrong */
  reason: string;
  /** The beginning of what stands there */
  text?: string;
  /** How often; the line is that of the first */
  times: number;
};

/** Who said it: a person, an agent, a tool, or somebody outside. */
export type Trust = "user" | "agent" | "tool" | "external";

/** What was used of a language model by one operation. */
export type UsageItem = {
  /** Tokens written by it */
  answer_tokens: number;
  /** How often it was asked */
  calls: number;
  /** What that cost, by the configured prices */
  cost: number;
  /** How often in vain */
  failed: number;
  /** The model */
  model: string;
  /** For what */
  operation: string;
  /** Tokens read by the model */
  prompt_tokens: number;
};

/** What a check of a log found. */
export type VerifyAnswer = {
  /** How many of them are in archive files */
  archived: number;
  /** How many of those had their content dropped */
  dropped: number;
  /** How many of them were erased */
  erased: number;
  /** How many events were checked */
  events: number;
  /** The number of the first event that is not sound */
  first_bad_seq: number | null;
  /** The hash of the last event that is sound */
  head: string;
  /** Whether all is well */
  ok: boolean;
  /** What was found */
  problems: Problem[];
};

/** What one view holds. */
export type ViewDigest = {
  /** The hash of all of them */
  digest: string;
  /** How many rows */
  rows: number;
  /** The version of its rules */
  version: number;
  /** The view */
  view: string;
};

/** A view and how far it has come. */
export type ViewLine = {
  /** How many are still to come; the next reader does it */
  behind: number;
  /** The last event that is in it */
  seq: number;
  /** The view */
  view: string;
};

/** Who may be shown it: anyone who may read the space, or the agent itself. */
export type Visibility = "external" | "internal";

/** What must hold of the events in question, as JSON. */
export type ContextFilterArgument = JsonInput;

/** One JSON object. */
export type ConversationAddObject = JsonInput;

/** An invocation as one object. */
export type ConversationAddSummary = {
  /** Anything else to keep with it */
  metadata?: ConversationAddObject | null | undefined;
  /** What was asked */
  query: string;
  /** How it ended */
  result?: string | undefined;
  /** What the agent did */
  summary?: string | undefined;
  /** When */
  timestamp?: string | null | undefined;
};

/** One JSON object. */
export type ConversationStartObject = JsonInput;

/** A vector that somebody has already, as a JSON array. */
export type EpisodeRetrieveVector = readonly number[];

/** What must hold of the events in question, as JSON. */
export type FactListFilterArgument = JsonInput;

/** What must hold of the events in question, as JSON. */
export type FactRetrieveFilterArgument = JsonInput;

/** A vector that somebody has already, as a JSON array. */
export type FactRetrieveVector = readonly number[];

/** What must hold of the events in question, as JSON. */
export type ForgetFilterArgument = JsonInput;

/** What must hold of the events in question, as JSON. */
export type LogFilterArgument = JsonInput;

/** What must hold of the events in question, as JSON. */
export type NoteListFilterArgument = JsonInput;

/** What must hold of the events in question, as JSON. */
export type NoteSearchFilterArgument = JsonInput;

/** What must hold of the events in question, as JSON. */
export type PurgeFilterArgument = JsonInput;

/** What must hold of the events in question, as JSON. */
export type RecallFilterArgument = JsonInput;

/** One JSON object. */
export type RememberObject = JsonInput;

/** One JSON object. */
export type UpdateObject = JsonInput;

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
  /** These collections of the user instead of the one in use, ranked together: work,home; at most 16 */
  spaces?: readonly string[] | undefined;
}

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
  /** Anything else to keep with the conversation, as one JSON object */
  metadata?: ConversationAddObject | undefined;
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

/** One answer of `conversationEnd`. */
export type ConversationEndItem = ConversationChanged | Extracted;

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
  /** Anything else to keep with it, as one JSON object */
  metadata?: ConversationStartObject | undefined;
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
  /** The model that made it [default: the one in use] */
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
  /** From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now */
  expires_at?: string | undefined;
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
  /** The model that made it [default: the one in use] */
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
  /** From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now */
  expires_at?: string | undefined;
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
  /** Every memory that this holds of, as JSON: {"metadata.customer": "acme"}; docs/filters.md */
  filter?: ForgetFilterArgument | undefined;
  /** The memory, by its id or number */
  id?: string | undefined;
  /** Everything in the space that contains this text, in any spelling (docs/purge.md) */
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

/** The answer of `graph`. */
export type GraphAnswer = GraphPart | GraphDrawing;

/** What `history` takes by name. */
export interface HistoryArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** As the space was at a seq (a position, with --agent) or a time */
  as_of?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
}

/** What `keyCreate` takes by name. */
export interface KeyCreateArguments {
  /** Allow everything, including keys for others */
  admin?: boolean | undefined;
  /** Only as this agent sees it: its own memory and what is shared */
  agent?: string | undefined;
  /** Only this collection */
  collection?: string | undefined;
  /** When it expires: an ISO time, or a time from now such as 12h or 90d [default: never] */
  expires?: string | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** What it allows: read, write or admin [default: write] */
  scope?: string | undefined;
  /** Trust what it writes no more than this: user, agent, tool or external [default: user] */
  trust?: string | undefined;
  /** Only this user's spaces */
  user?: string | undefined;
}

/** What `keyList` takes by name. */
export interface KeyListArguments {
  /** Include those that were revoked or have expired */
  all?: boolean | undefined;
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

/** One answer of `noteValidate`. */
export type NoteValidateItem = NoteFinding | Done;

/** What `noteWrite` takes by name. */
export interface NoteWriteArguments {
  /** Who writes it */
  author?: string | undefined;
  /** Its confidence: low, medium or high */
  confidence?: string | undefined;
  /** What it says, in Markdown [default: read from standard input] */
  content?: string | undefined;
  /** From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now [default: never] */
  expires_at?: string | undefined;
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
  /** Everything in the space */
  everything?: boolean | undefined;
  /** A fact: the event of that id, and those whose metadata says that they are about it */
  fact?: string | undefined;
  /** Every event that this holds of, as JSON: {"metadata.customer": "acme"}; docs/filters.md */
  filter?: PurgeFilterArgument | undefined;
  /** Everything in the space that contains this text, in any spelling (docs/purge.md) */
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
  /** What contains this text, in any spelling (docs/purge.md) */
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

/** One answer of `query`. */
export type QueryItem = QueryRows | QueryLine;

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
  /** These collections of the user instead of the one in use, ranked together: work,home; at most 16 */
  spaces?: readonly string[] | undefined;
  /** Only what happened at or before a time */
  until?: string | undefined;
}

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
  /** From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now [default: never] */
  expires_at?: string | undefined;
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
  /** What stood when the memory was at a seq (a position, with a key of an agent) or a time */
  as_of?: string | undefined;
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
  /** What a session would have been told when the memory was at a seq (a position, with a key of an agent) or a time */
  as_of?: string | undefined;
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
  /** What they had been told when the memory was at a seq (a position, with a key of an agent) or a time */
  as_of?: string | undefined;
  /** How many, the latest; at most 1000 [default: 50] */
  limit?: number | undefined;
  /** Only of this session: its id, or the beginning of that */
  session?: string | undefined;
}

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

/** One answer of `trace`. */
export type TraceItem = Trace | TraceLine;

/** What `update` takes by name. */
export interface UpdateArguments {
  /** The agent whose memory it is; without one it is shared in the space */
  agent?: string | undefined;
  /** The collection */
  collection?: string | undefined;
  /** Until when it is kept: an ISO time, or 12h, 30d, 4w from now; `never` takes an end away [default: as before] */
  expires_at?: string | undefined;
  /** Keys to set in its metadata, as one JSON object; null removes a key */
  metadata?: UpdateObject | undefined;
  /** Which side of the agent: actor or subconscious [default: actor] */
  persona?: string | undefined;
  /** Its labels from now on [default: as before]; may be repeated */
  tags?: readonly string[] | undefined;
  /** What it says from now on [default: as before] */
  text?: string | undefined;
  /** The user, if a request names one with the collection [default: the space in use] */
  user?: string | undefined;
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
