/**
 * Every route of the server as a method.
 *
 * Written by generate.mjs from the server's OpenAPI document; do not edit.
 */

import type { CallOptions, ListOptions, WriteOptions } from "./calls.js";
import { keyValues } from "./calls.js";
import type { JsonInput } from "./json.js";
import type { Listing } from "./listing.js";
import type * as schemas from "./schemas.js";
import type { Transport } from "./transport.js";

/** Every route of the server. */
export abstract class Routes {
  /** What carries out the calls. */
  abstract readonly transport: Transport;

  /** The agent service of specification 002: the last message of an answer. */
  agent(question: string, args: schemas.AgentArguments = {}, options: CallOptions = {}): Promise<schemas.AgentMessage> {
    return this.transport.send({ path: "/api/v1/agent", arguments: { ...args, question } }, options);
  }

  /** The agent service of specification 002: the last message of an answer. */
  agentOfFlow(
    flow: string,
    question: string,
    args: schemas.AgentOfFlowArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.AgentMessage> {
    return this.transport.send(
      {
        path: `/api/v1/flow/${encodeURIComponent(flow)}/service/agent`,
        arguments: { ...args, question },
      },
      options,
    );
  }

  /** Counters of the server for Prometheus; needs the right to administer. */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.transport.send({ method: "GET", path: "/metrics", isRepeatable: true, reads: "text" }, options);
  }

  /**
   * Show what is known about a failure: similar failures, what was done then, and the notes that solved it.
   * @param error What went wrong, as the error says it
   */
  advise(error: string, args: schemas.AdviseArguments = {}, options: CallOptions = {}): Promise<schemas.AdviseAnswer> {
    return this.transport.send(
      {
        path: "/v1/advise",
        arguments: { ...args, limit: undefined, k: args.limit, error },
        isRepeatable: true,
      },
      options,
    );
  }

  /**
   * Append records, one JSON object per line, and acknowledge each once it is on disk.
   * @param events The records, appended as one batch
   */
  append(
    events: readonly schemas.EventRecord[],
    args: schemas.AppendArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.Ack[]> {
    return this.transport.items({ path: "/v1/append", arguments: { ...args, events }, isWrite: true }, options);
  }

  /**
   * Ask an agent that remembers: facts, episodes and the conversation are put before the model.
   * @param question The question
   */
  ask(question: string, args: schemas.AskArguments = {}, options: WriteOptions = {}): Promise<schemas.AgentAnswer> {
    return this.transport.send({ path: "/v1/ask", arguments: { ...args, question }, isWrite: true }, options);
  }

  /**
   * Pack what answers a question into a token budget, fenced and cited; nothing if nothing is good enough.
   * @param query The question
   */
  context(
    query: string,
    args: schemas.ContextArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.ContextAnswer> {
    return this.transport.send({ path: "/v1/context", arguments: { ...args, query }, isRepeatable: true }, options);
  }

  /**
   * Add an invocation to a conversation, or start one with it: what was asked, done and answered.
   * @param query What was asked
   */
  conversationAdd(
    query?: string,
    args: schemas.ConversationAddArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.ConversationChanged> {
    return this.transport.send({ path: "/v1/conversation/add", arguments: { ...args, query }, isWrite: true }, options);
  }

  /**
   * End a conversation: facts are promoted, and one with a single goal becomes an episode.
   * @param conversation The conversation's id
   */
  conversationEnd(
    conversation: string,
    args: schemas.ConversationEndArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.ConversationEndItem[]> {
    return this.transport.items(
      {
        path: "/v1/conversation/end",
        arguments: { ...args, conversation },
        isWrite: true,
      },
      options,
    );
  }

  /** List the conversations, the latest first. */
  conversationList(
    args: schemas.ConversationListArguments = {},
    options: ListOptions = {},
  ): Listing<schemas.ConversationListItem> {
    return this.transport.list({ path: "/v1/conversation/list", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Show a conversation in order; one that has been idle for too long is ended.
   * @param conversation The conversation's id
   */
  conversationShow(
    conversation: string,
    args: schemas.ConversationShowArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.ConversationShowAnswer> {
    return this.transport.send(
      {
        path: "/v1/conversation/show",
        arguments: { ...args, conversation },
        isWrite: true,
      },
      options,
    );
  }

  /** Start a conversation; an id is generated and returned if none is given. */
  conversationStart(
    args: schemas.ConversationStartArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.ConversationChanged> {
    return this.transport.send({ path: "/v1/conversation/start", arguments: args, isWrite: true }, options);
  }

  /** Print a hash of every view: the same for the same log on any machine. */
  digest(args: schemas.DigestArguments = {}, options: CallOptions = {}): Promise<schemas.DigestAnswer> {
    return this.transport.send({ path: "/v1/digest", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Give an agent a task: one loop of thought and action, kept as an episode.
   * @param task The task
   */
  do(task: string, args: schemas.DoArguments = {}, options: WriteOptions = {}): Promise<schemas.AgentAnswer> {
    return this.transport.send({ path: "/v1/do", arguments: { ...args, task }, isWrite: true }, options);
  }

  /** Bring every derived layer up to date with the log: fold, consolidate facts, embed, grade, merge files. */
  dream(options: WriteOptions = {}): Promise<schemas.DreamAnswer> {
    return this.transport.send({ path: "/v1/dream", arguments: {}, isWrite: true }, options);
  }

  /**
   * Delete an episode: it is no longer retrieved.
   * @param episode The episode's id
   */
  episodeDelete(
    episode: string,
    args: schemas.EpisodeDeleteArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.EpisodeStored> {
    return this.transport.send({ path: "/v1/episode/delete", arguments: { ...args, episode }, isWrite: true }, options);
  }

  /**
   * Show an episode.
   * @param episode The episode's id
   */
  episodeGet(
    episode: string,
    args: schemas.EpisodeGetArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.Episode> {
    return this.transport.send(
      {
        path: "/v1/episode/get",
        arguments: { ...args, episode },
        isRepeatable: true,
      },
      options,
    );
  }

  /** List the episodes, the latest first. */
  episodeList(args: schemas.EpisodeListArguments = {}, options: ListOptions = {}): Listing<schemas.Episode> {
    return this.transport.list({ path: "/v1/episode/list", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Find the episodes most like a goal, the successful and recent ones first.
   * @param query The goal
   */
  episodeRetrieve(
    query?: string,
    args: schemas.EpisodeRetrieveArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.EpisodeRetrieveAnswer> {
    return this.transport.send(
      {
        path: "/v1/episode/retrieve",
        arguments: { ...args, limit: undefined, top_k: args.limit, query },
        isRepeatable: true,
      },
      options,
    );
  }

  /**
   * Store an episode: a goal, the steps taken, the outcome, the lessons.
   * @param goal What was attempted
   */
  episodeStore(
    goal: string,
    args: schemas.EpisodeStoreArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.EpisodeStored> {
    return this.transport.send({ path: "/v1/episode/store", arguments: { ...args, goal }, isWrite: true }, options);
  }

  /** Write every event with its hashes as JSONL to standard output. */
  export(args: schemas.ExportArguments = {}, options: ListOptions = {}): Listing<schemas.ExportedEvent> {
    return this.transport.list({ path: "/v1/export", arguments: args, isRepeatable: true }, options);
  }

  /** Take facts from what was said, by rules or with a model; each quotes the words it comes from. */
  extract(args: schemas.ExtractArguments = {}, options: WriteOptions = {}): Promise<schemas.Extracted[]> {
    return this.transport.items({ path: "/v1/extract", arguments: args, isWrite: true }, options);
  }

  /** List facts that possibly contradict each other: both are kept until somebody decides. */
  factConflicts(
    args: schemas.FactConflictsArguments = {},
    options: ListOptions = {},
  ): Listing<schemas.FactConflictsItem> {
    return this.transport.list({ path: "/v1/fact/conflicts", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Delete a fact: it is no longer retrieved; `purge --fact` also erases what it said.
   * @param fact The fact's id
   */
  factDelete(
    fact: string,
    args: schemas.FactDeleteArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.FactStored> {
    return this.transport.send({ path: "/v1/fact/delete", arguments: { ...args, fact }, isWrite: true }, options);
  }

  /**
   * Show a fact: what it says, when it is true, what it cites and possibly contradicts.
   * @param fact The fact's id, or that of an event that states it
   */
  factGet(fact: string, args: schemas.FactGetArguments = {}, options: CallOptions = {}): Promise<schemas.Fact> {
    return this.transport.send({ path: "/v1/fact/get", arguments: { ...args, fact }, isRepeatable: true }, options);
  }

  /**
   * Show the history of a fact: its sources and wordings, and the values before and after it.
   * @param fact The fact's id
   */
  factHistory(
    fact: string,
    args: schemas.FactHistoryArguments = {},
    options: ListOptions = {},
  ): Listing<schemas.FactHistoryItem> {
    return this.transport.list({ path: "/v1/fact/history", arguments: { ...args, fact }, isRepeatable: true }, options);
  }

  /** List the facts that are true, the latest first. */
  factList(args: schemas.FactListArguments = {}, options: ListOptions = {}): Listing<schemas.Fact> {
    return this.transport.list({ path: "/v1/fact/list", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Find the facts that answer a question: those that are true now, or at another moment.
   * @param query The question
   */
  factRetrieve(
    query?: string,
    args: schemas.FactRetrieveArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.FactRetrieveAnswer> {
    return this.transport.send(
      {
        path: "/v1/fact/retrieve",
        arguments: { ...args, limit: undefined, top_k: args.limit, query },
        isRepeatable: true,
      },
      options,
    );
  }

  /**
   * Store a fact; duplicates are merged, and a new value of an attribute supersedes the old one.
   * @param text What is true, in one sentence
   */
  factStore(
    text: string,
    args: schemas.FactStoreArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.FactStored> {
    return this.transport.send({ path: "/v1/fact/store", arguments: { ...args, text }, isWrite: true }, options);
  }

  /**
   * Correct a fact, or say from when and until when it is true; the old wording stays in its history.
   * @param fact The fact's id
   */
  factUpdate(
    fact: string,
    args: schemas.FactUpdateArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.FactStored> {
    return this.transport.send(
      {
        path: "/v1/fact/update",
        arguments: { ...args, metadata: undefined, meta: keyValues(args.metadata), fact },
        isWrite: true,
      },
      options,
    );
  }

  /** List what failed or timed out lately, similar failures together. */
  failures(args: schemas.FailuresArguments = {}, options: ListOptions = {}): Listing<schemas.FailuresItem> {
    return this.transport.list({ path: "/v1/failures", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Permanently erase one memory, its versions and everything derived from it; a receipt says how many events it was.
   */
  forget(args: schemas.ForgetArguments = {}, options: WriteOptions = {}): Promise<schemas.Purged> {
    return this.transport.send({ path: "/v1/forget", arguments: args, isWrite: true }, options);
  }

  /**
   * Show one event by its id or its seq.
   * @param event The id, or the seq (the position, with --agent)
   */
  get(event: string, args: schemas.GetArguments = {}, options: CallOptions = {}): Promise<schemas.MemoryEvent> {
    return this.transport.send({ path: "/v1/get", arguments: { ...args, event }, isRepeatable: true }, options);
  }

  /** Show the graph of the project, or query it: what blocks, what depends, what is untested or unconnected. */
  graph(args: schemas.GraphArguments = {}, options: CallOptions = {}): Promise<schemas.GraphAnswer> {
    return this.transport.send({ path: "/v1/graph", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Show every version of a memory, the oldest first; any of their ids names it.
   * @param id The memory, by the id or number of any of its versions
   */
  history(id: string, args: schemas.HistoryArguments = {}, options: ListOptions = {}): Listing<schemas.MemoryEvent> {
    return this.transport.list({ path: "/v1/history", arguments: { ...args, id }, isRepeatable: true }, options);
  }

  /**
   * Create an API key for the server; it is shown once and only its hash is stored.
   * @param name What it is for
   */
  keyCreate(name: string, args: schemas.KeyCreateArguments = {}, options: CallOptions = {}): Promise<schemas.KeyMade> {
    return this.transport.send({ path: "/v1/key/create", arguments: { ...args, name } }, options);
  }

  /** List the server's API keys: what each allows, and whether it is valid. */
  keyList(args: schemas.KeyListArguments = {}, options: CallOptions = {}): Promise<schemas.KeyLine[]> {
    return this.transport.items({ path: "/v1/key/list", arguments: args }, options);
  }

  /**
   * Revoke an API key of the server: it is refused from now on.
   * @param key Its id or its name
   */
  keyRevoke(key: string, options: CallOptions = {}): Promise<schemas.Done> {
    return this.transport.send({ path: "/v1/key/revoke", arguments: { key } }, options);
  }

  /**
   * Teach an agent from feedback: one note that it follows from now on, within its tuning policy.
   * @param feedback What should be done differently, or again
   */
  learn(feedback: string, args: schemas.LearnArguments = {}, options: WriteOptions = {}): Promise<schemas.LearnAnswer> {
    return this.transport.send({ path: "/v1/learn", arguments: { ...args, feedback }, isWrite: true }, options);
  }

  /** Show the events in order, filtered. */
  log(args: schemas.LogArguments = {}, options: ListOptions = {}): Listing<schemas.MemoryEvent> {
    return this.transport.list({ path: "/v1/log", arguments: args, isRepeatable: true }, options);
  }

  /** The same as `log`. */
  list(args: schemas.LogArguments = {}, options: ListOptions = {}): Listing<schemas.MemoryEvent> {
    return this.log(args, options);
  }

  /** List the last loops of an agent, the latest first, as short-term memory holds them. */
  loops(args: schemas.LoopsArguments = {}, options: ListOptions = {}): Listing<schemas.Loop> {
    return this.transport.list({ path: "/v1/loops", arguments: args, isRepeatable: true }, options);
  }

  /** List long-term memory: one entry for each event, with its importance and whether it is embedded. */
  ltm(args: schemas.LtmArguments = {}, options: ListOptions = {}): Listing<schemas.LtmItem> {
    return this.transport.list({ path: "/v1/ltm", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Delete a note; its history stays in the log.
   * @param note The note
   */
  noteDelete(
    note: string,
    args: schemas.NoteDeleteArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.NoteSaved> {
    return this.transport.send({ path: "/v1/note/delete", arguments: { ...args, note }, isWrite: true }, options);
  }

  /**
   * Deprecate a note: say which one to use instead, and why.
   * @param by The note to use instead
   * @param note The note
   * @param reason Why
   */
  noteDeprecate(
    by: string,
    note: string,
    reason: string,
    args: schemas.NoteDeprecateArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.NoteSaved> {
    return this.transport.send(
      {
        path: "/v1/note/deprecate",
        arguments: { ...args, by, note, reason },
        isWrite: true,
      },
      options,
    );
  }

  /**
   * Change a note; what is not changed stays as it was written.
   * @param note The note
   */
  noteEdit(note: string, args: schemas.NoteEditArguments = {}, options: WriteOptions = {}): Promise<schemas.NoteSaved> {
    return this.transport.send({ path: "/v1/note/edit", arguments: { ...args, note }, isWrite: true }, options);
  }

  /**
   * List every version of a note, the latest first.
   * @param note The note
   */
  noteHistory(
    note: string,
    args: schemas.NoteHistoryArguments = {},
    options: ListOptions = {},
  ): Listing<schemas.NoteHistoryItem> {
    return this.transport.list({ path: "/v1/note/history", arguments: { ...args, note }, isRepeatable: true }, options);
  }

  /**
   * Link a note to another.
   * @param note The note to link from
   * @param other The note to link to
   */
  noteLink(
    note: string,
    other: string,
    args: schemas.NoteLinkArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.NoteSaved> {
    return this.transport.send({ path: "/v1/note/link", arguments: { ...args, note, other }, isWrite: true }, options);
  }

  /** List the notes, those last changed first. */
  noteList(args: schemas.NoteListArguments = {}, options: ListOptions = {}): Listing<schemas.Note> {
    return this.transport.list({ path: "/v1/note/list", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Record whether what a note says worked: its confidence rises or falls.
   * @param note The note
   */
  noteOutcome(
    note: string,
    args: schemas.NoteOutcomeArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.Note> {
    return this.transport.send({ path: "/v1/note/outcome", arguments: { ...args, note }, isWrite: true }, options);
  }

  /**
   * List the notes linked to a note in either direction, the nearest first.
   * @param note The note
   */
  noteRelated(
    note: string,
    args: schemas.NoteRelatedArguments = {},
    options: ListOptions = {},
  ): Listing<schemas.NoteRelatedItem> {
    return this.transport.list({ path: "/v1/note/related", arguments: { ...args, note }, isRepeatable: true }, options);
  }

  /**
   * Search the notes by words, by meaning, by tags, status and confidence.
   * @param query What to look for; without it, every note that matches the flags
   */
  noteSearch(query?: string, args: schemas.NoteSearchArguments = {}, options: ListOptions = {}): Listing<schemas.Note> {
    return this.transport.list(
      {
        path: "/v1/note/search",
        arguments: { ...args, limit: undefined, k: args.limit, query },
        isRepeatable: true,
      },
      options,
    );
  }

  /**
   * Show a whole note, with its confidence after what was tried.
   * @param note The note
   */
  noteShow(
    note: string,
    args: schemas.NoteShowArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.NoteShowAnswer> {
    return this.transport.send({ path: "/v1/note/show", arguments: { ...args, note }, isRepeatable: true }, options);
  }

  /** List the notes that have not changed for a long time, the oldest first. */
  noteStale(args: schemas.NoteStaleArguments = {}, options: ListOptions = {}): Listing<schemas.Note> {
    return this.transport.list({ path: "/v1/note/stale", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Remove the link from a note to another.
   * @param note The note to remove the link from
   * @param other The note it links to
   */
  noteUnlink(
    note: string,
    other: string,
    args: schemas.NoteUnlinkArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.NoteSaved> {
    return this.transport.send(
      {
        path: "/v1/note/unlink",
        arguments: { ...args, note, other },
        isWrite: true,
      },
      options,
    );
  }

  /** Check the notes: required fields, broken links, tags. */
  noteValidate(args: schemas.NoteValidateArguments = {}, options: ListOptions = {}): Listing<schemas.NoteValidateItem> {
    return this.transport.list({ path: "/v1/note/validate", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Write a note, unless there is one that says the same.
   * @param title What it is about, in one line
   */
  noteWrite(
    title: string,
    args: schemas.NoteWriteArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.NoteSaved> {
    return this.transport.send({ path: "/v1/note/write", arguments: { ...args, title }, isWrite: true }, options);
  }

  /** List the operations, or show one with the JSON schema of its arguments. */
  ops(args: schemas.OpsArguments = {}, options: ListOptions = {}): Listing<schemas.OpsItem> {
    return this.transport.list({ path: "/v1/ops", arguments: args, isRepeatable: true }, options);
  }

  /** List the known agents, with their sessions and how often they succeeded or failed. */
  profileList(args: schemas.ProfileListArguments = {}, options: ListOptions = {}): Listing<schemas.ProfileListItem> {
    return this.transport.list({ path: "/v1/profile/list", arguments: args, isRepeatable: true }, options);
  }

  /**
   * Set or remove a preference of an agent; it applies to every later session.
   * @param agent The agent
   * @param key The name of the preference
   */
  profilePrefer(
    agent: string,
    key: string,
    args: schemas.ProfilePreferArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.Done> {
    return this.transport.send(
      {
        path: "/v1/profile/prefer",
        arguments: { ...args, agent, key },
        isWrite: true,
      },
      options,
    );
  }

  /**
   * Show what an agent can do, prefers and has learned, derived from the log.
   * @param agent The agent
   */
  profileShow(
    agent: string,
    args: schemas.ProfileShowArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.Profile> {
    return this.transport.send(
      {
        path: "/v1/profile/show",
        arguments: { ...args, agent },
        isRepeatable: true,
      },
      options,
    );
  }

  /** Permanently erase the content of events and everything derived from it; a receipt says how many. */
  purge(args: schemas.PurgeArguments = {}, options: WriteOptions = {}): Promise<schemas.Purged[]> {
    return this.transport.items({ path: "/v1/purge", arguments: args, isWrite: true }, options);
  }

  /** Hide matching events, and everything derived from them, from every answer until they are released. */
  quarantine(args: schemas.QuarantineArguments = {}, options: WriteOptions = {}): Promise<schemas.QuarantineItem[]> {
    return this.transport.items({ path: "/v1/quarantine", arguments: args, isWrite: true }, options);
  }

  /** Query with SQL: a saved query by its name, or one SELECT; read-only, with a limit on time and rows. */
  query(args: schemas.QueryArguments = {}, options: ListOptions = {}): Listing<schemas.QueryItem> {
    return this.transport.list({ path: "/v1/query", arguments: args, isRepeatable: true }, options);
  }

  /** Fold the whole log into new views and replace the old ones. */
  rebuild(options: WriteOptions = {}): Promise<schemas.Done> {
    return this.transport.send({ path: "/v1/rebuild", arguments: {}, isWrite: true }, options);
  }

  /**
   * Recall the events that answer a question, by words and by meaning.
   * @param query The question
   */
  recall(query?: string, args: schemas.RecallArguments = {}, options: CallOptions = {}): Promise<schemas.RecallAnswer> {
    return this.transport.send(
      {
        path: "/v1/recall",
        arguments: { ...args, limit: undefined, k: args.limit, query },
        isRepeatable: true,
      },
      options,
    );
  }

  /** Re-embed every document with the configured model, beside the old vectors, and switch when all are done. */
  reembed(args: schemas.ReembedArguments = {}, options: WriteOptions = {}): Promise<schemas.Done> {
    return this.transport.send({ path: "/v1/reembed", arguments: args, isWrite: true }, options);
  }

  /**
   * Remember a text as one event.
   * @param text The text
   */
  remember(text: string, args: schemas.RememberArguments = {}, options: WriteOptions = {}): Promise<schemas.Ack> {
    return this.transport.send({ path: "/v1/remember", arguments: { ...args, text }, isWrite: true }, options);
  }

  /** Move old events to compressed archive files that are still read; with --drop, erase their content. */
  retain(args: schemas.RetainArguments = {}, options: WriteOptions = {}): Promise<schemas.RetainAnswer> {
    return this.transport.send({ path: "/v1/retain", arguments: args, isWrite: true }, options);
  }

  /**
   * End a rule, a decision or a to-do: no session is told it any more; the words stay in the log.
   * @param id Its id as `rule list` shows it, the beginning of that, or the #number that sessions are told
   */
  ruleEnd(id: string, options: WriteOptions = {}): Promise<schemas.Rule> {
    return this.transport.send({ path: "/v1/rule/end", arguments: { id }, isWrite: true }, options);
  }

  /** List the rules, decisions and to-dos that stand, in the user's own words: what a session is told first. */
  ruleList(args: schemas.RuleListArguments = {}, options: ListOptions = {}): Listing<schemas.Rule> {
    return this.transport.list({ path: "/v1/rule/list", arguments: args, isRepeatable: true }, options);
  }

  /** End a session: its events stay in the log, its scratch values are gone. */
  sessionEnd(args: schemas.SessionEndArguments = {}, options: WriteOptions = {}): Promise<schemas.SessionEndAnswer> {
    return this.transport.send({ path: "/v1/session/end", arguments: args, isWrite: true }, options);
  }

  /**
   * Keep a value or a text until the session ends; it is not written to any log or index.
   * @param words A text; or a key and its value, which is JSON or else text
   */
  sessionNote(
    words: readonly string[],
    args: schemas.SessionNoteArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.Done> {
    return this.transport.send({ path: "/v1/session/note", arguments: { ...args, words }, isWrite: true }, options);
  }

  /** Show what the next session of a coding agent would be told when it starts, and the events it comes from. */
  sessionPreview(
    args: schemas.SessionPreviewArguments = {},
    options: CallOptions = {},
  ): Promise<schemas.SessionPreviewAnswer> {
    return this.transport.send({ path: "/v1/session/preview", arguments: args, isRepeatable: true }, options);
  }

  /** Show what an open session holds: its events so far, its scratch values, how long it has been open. */
  sessionShow(args: schemas.SessionShowArguments = {}, options: CallOptions = {}): Promise<schemas.SessionShowAnswer> {
    return this.transport.send({ path: "/v1/session/show", arguments: args, isRepeatable: true }, options);
  }

  /** Start a session of an agent: what is written in it shares one trace, and scratch values last until it ends. */
  sessionStart(
    args: schemas.SessionStartArguments = {},
    options: WriteOptions = {},
  ): Promise<schemas.SessionStartAnswer> {
    return this.transport.send({ path: "/v1/session/start", arguments: args, isWrite: true }, options);
  }

  /** Show what agents were told: at the start of a session, while they worked, and when they asked. */
  shown(args: schemas.ShownArguments = {}, options: ListOptions = {}): Listing<schemas.ShownItem> {
    return this.transport.list({ path: "/v1/shown", arguments: args, isRepeatable: true }, options);
  }

  /** List the spaces of the home. */
  spaces(options: WriteOptions = {}): Promise<schemas.SpacesItem[]> {
    return this.transport.items({ path: "/v1/spaces", arguments: {}, isWrite: true }, options);
  }

  /** Count events by kind, status, source, agent and day, with their mean duration. */
  stats(args: schemas.StatsArguments = {}, options: CallOptions = {}): Promise<schemas.StatsAnswer> {
    return this.transport.send({ path: "/v1/stats", arguments: args, isRepeatable: true }, options);
  }

  /** Show the state of the space: events, head, views, quota, files. */
  status(options: CallOptions = {}): Promise<schemas.StatusAnswer> {
    return this.transport.send({ path: "/v1/status", arguments: {}, isRepeatable: true }, options);
  }

  /**
   * Search short-term memory: the last loops, by fuzzy similarity and recency.
   * @param query What to look for
   */
  stm(query: string, args: schemas.StmArguments = {}, options: ListOptions = {}): Listing<schemas.StmItem> {
    return this.transport.list(
      {
        path: "/v1/stm",
        arguments: { ...args, limit: undefined, top_k: args.limit, query },
        isRepeatable: true,
      },
      options,
    );
  }

  /** Show a workflow step by step with its failure and its slowest step, or list the recent ones. */
  trace(args: schemas.TraceArguments = {}, options: ListOptions = {}): Listing<schemas.TraceItem> {
    return this.transport.list({ path: "/v1/trace", arguments: args, isRepeatable: true }, options);
  }

  /** OTLP/HTTP: the spans of an agent become events. */
  otlpTraces(body: JsonInput, options: CallOptions = {}): Promise<schemas.OtlpTracesAnswer> {
    return this.transport.send({ path: "/v1/traces", arguments: body }, options);
  }

  /**
   * Give a memory a new text, metadata or tags; the old version stays in its `history`.
   * @param id The memory, by its id or number
   */
  update(id: string, args: schemas.UpdateArguments = {}, options: WriteOptions = {}): Promise<schemas.Ack> {
    return this.transport.send({ path: "/v1/update", arguments: { ...args, id }, isWrite: true }, options);
  }

  /** Show the usage of language models: calls, tokens and cost by model and operation. */
  usage(args: schemas.UsageArguments = {}, options: ListOptions = {}): Listing<schemas.UsageItem> {
    return this.transport.list({ path: "/v1/usage", arguments: args, isRepeatable: true }, options);
  }

  /** Check every event, the head, and every row of the views; exit 1 and name the first problem if there is one. */
  verify(args: schemas.VerifyArguments = {}, options: CallOptions = {}): Promise<schemas.VerifyAnswer> {
    return this.transport.send({ path: "/v1/verify", arguments: args, isRepeatable: true }, options);
  }
}
