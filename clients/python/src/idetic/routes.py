"""Every route of the server as a function that makes the call.

Written by generate.py from the server's OpenAPI document; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from . import answers
from .calls import Call, Paged, once, once_many, one, paged, text, write, write_many


def agent(question: str, **more: Any) -> Call[answers.AgentMessage]:
    """The agent service of specification 002: the last message of an answer."""
    arguments = {
        "question": question,
        **more,
    }
    return once("/api/v1/agent", arguments)


def agent_of_flow(flow: str, question: str, **more: Any) -> Call[answers.AgentMessage]:
    """The agent service of specification 002: the last message of an answer."""
    arguments = {
        "question": question,
        **more,
    }
    return once(f"/api/v1/flow/{quote(flow, safe='')}/service/agent", arguments)


def metrics() -> Call[str]:
    """Counters of the server for Prometheus; needs the right to administer."""
    return text("/metrics")


def advise(
    error: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    limit: int | None = None,
    persona: str | None = None,
    k: int | None = None,
) -> Call[answers.AdviseAnswer]:
    """Show what is known about a failure: similar failures, what was done then, and the notes that solved it.

    error: What went wrong, as the error says it
    agent: As this agent sees it: its own memory and what is shared
    as_of: As the space was at a seq (a position, with --agent) or a time
    limit: How many notes and failures at most [default: 5]; also `k`
    persona: Which side of the agent: actor or subconscious [default: actor]
    """
    arguments = {
        "error": error,
        "agent": agent,
        "as_of": as_of,
        "k": k if limit is None else limit,
        "persona": persona,
    }
    return one("/v1/advise", arguments)


def append(
    events: Sequence[Mapping[str, Any]],
    *,
    agent: str | None = None,
    expect: int | None = None,
    keep_going: bool | None = None,
    persona: str | None = None,
    idempotency_key: str | None = None,
) -> Call[list[answers.Ack]]:
    """Append records, one JSON object per line, and acknowledge each once it is on disk.

    events: The records, appended as one batch
    agent: Append as this agent: the records are its own
    expect: Refuse when the head is no longer at this seq (position, with --agent)
    keep_going: Append the good lines and report each bad one
    persona: Which side of the agent: actor or subconscious [default: actor]
    """
    arguments = {
        "events": events,
        "agent": agent,
        "expect": expect,
        "keep_going": keep_going,
        "persona": persona,
    }
    return write_many("/v1/append", arguments, idempotency_key)


def ask(
    question: str,
    *,
    agent: str | None = None,
    author: str | None = None,
    conversation: str | None = None,
    groups: Sequence[str] | None = None,
    no_memory: bool | None = None,
    state: str | None = None,
    verbose: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.AgentAnswer]:
    """Ask an agent that remembers: facts, episodes and the conversation are put before the model.

    question: The question
    agent: The agent that is asked; without one it uses what the space shares
    author: Who asks
    conversation: The conversation it belongs to [default: a new one]
    groups: A group whose tools are offered; may be repeated [default: default]
    no_memory: Neither look anything up nor keep anything
    state: The state that decides which tools are offered
    verbose: Show each thought, action and observation, and what was remembered and why
    """
    arguments = {
        "question": question,
        "agent": agent,
        "author": author,
        "conversation": conversation,
        "groups": groups,
        "no_memory": no_memory,
        "state": state,
        "verbose": verbose,
    }
    return write("/v1/ask", arguments, idempotency_key)


def context(
    query: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    at: str | None = None,
    budget: int | None = None,
    filter: Mapping[str, Any] | None = None,
    mode: str | None = None,
    persona: str | None = None,
    spaces: Sequence[str] | None = None,
) -> Call[answers.ContextAnswer]:
    """Pack what answers a question into a token budget, fenced and cited; nothing if nothing is good enough.

    query: The question
    agent: As this agent sees it: its own memory and what is shared
    as_of: As the space was at a seq (a position, with --agent) or a time
    at: When the question is asked, for "last week" and the like [default: when the last event happened]
    budget: About how many tokens the text may have [default: 1000]
    filter: Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}
    mode: Search mode: hybrid, lexical or vector [default: hybrid]
    persona: Which side of the agent: actor or subconscious [default: actor]
    spaces: These collections of the user instead of the one in use, ranked together: work,home; at most 16
    """
    arguments = {
        "query": query,
        "agent": agent,
        "as_of": as_of,
        "at": at,
        "budget": budget,
        "filter": filter,
        "mode": mode,
        "persona": persona,
        "spaces": spaces,
    }
    return one("/v1/context", arguments)


def conversation_add(
    *,
    agent: str | None = None,
    at: str | None = None,
    causes: Sequence[str] | None = None,
    collection: str | None = None,
    id: str | None = None,
    invocation_summary: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    persona: str | None = None,
    query: str | None = None,
    result: str | None = None,
    summary: str | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.ConversationChanged]:
    """Add an invocation to a conversation, or start one with it: what was asked, done and answered.

    agent: The agent whose memory it is; without one it is shared in the space
    at: When: an ISO time, or an age such as 2h
    causes: The id of an event it summarizes; may be repeated
    collection: The collection
    id: The conversation [default: a new one]
    invocation_summary: The invocation as one object, as specification 002 sends it
    metadata: Anything else to keep with the conversation, as one JSON object
    persona: Which side of the agent: actor or subconscious [default: actor]
    query: What was asked
    result: How it ended
    summary: What the agent did
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "at": at,
        "causes": causes,
        "collection": collection,
        "id": id,
        "invocation_summary": invocation_summary,
        "metadata": metadata,
        "persona": persona,
        "query": query,
        "result": result,
        "summary": summary,
        "user": user,
    }
    return write("/v1/conversation/add", arguments, idempotency_key)


def conversation_end(
    conversation: str,
    *,
    agent: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[list[answers.ConversationChanged | answers.Extracted]]:
    """End a conversation: facts are promoted, and one with a single goal becomes an episode.

    conversation: The conversation's id
    agent: The agent whose memory it is; without one it is shared in the space
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "conversation": conversation,
        "agent": agent,
        "collection": collection,
        "persona": persona,
        "user": user,
    }
    return write_many("/v1/conversation/end", arguments, idempotency_key)


def conversation_list(
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    limit: int | None = None,
    open: bool | None = None,
    persona: str | None = None,
    user: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.ConversationListItem]:
    """List the conversations, the latest first.

    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    limit: How many, at most 10000 [default: 100]
    open: Only those that have not ended
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "limit": limit,
        "open": open,
        "persona": persona,
        "user": user,
    }
    return paged("/v1/conversation/list", arguments, page_size)


def conversation_show(
    conversation: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    last: int | None = None,
    persona: str | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.ConversationShowAnswer]:
    """Show a conversation in order; one that has been idle for too long is ended.

    conversation: The conversation's id
    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    last: How many of the latest invocations
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "conversation": conversation,
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "last": last,
        "persona": persona,
        "user": user,
    }
    return write("/v1/conversation/show", arguments, idempotency_key)


def conversation_start(
    *,
    agent: str | None = None,
    collection: str | None = None,
    conversation: str | None = None,
    goal: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    persona: str | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.ConversationChanged]:
    """Start a conversation; an id is generated and returned if none is given.

    agent: The agent whose memory it is; without one it is shared in the space
    collection: The collection
    conversation: Its id [default: a new one]
    goal: What it is for
    metadata: Anything else to keep with it, as one JSON object
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "collection": collection,
        "conversation": conversation,
        "goal": goal,
        "metadata": metadata,
        "persona": persona,
        "user": user,
    }
    return write("/v1/conversation/start", arguments, idempotency_key)


def digest(*, as_of: str | None = None, vectors: bool | None = None) -> Call[answers.DigestAnswer]:
    """Print a hash of every view: the same for the same log on any machine.

    as_of: As the space was at a seq or a time
    vectors: Also which model has embedded how many documents, which does not follow from the log alone
    """
    arguments = {
        "as_of": as_of,
        "vectors": vectors,
    }
    return one("/v1/digest", arguments)


def do(
    task: str,
    *,
    agent: str | None = None,
    conversation: str | None = None,
    verbose: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.AgentAnswer]:
    """Give an agent a task: one loop of thought and action, kept as an episode.

    task: The task
    agent: The agent that does it
    conversation: The conversation it belongs to [default: a new one]
    verbose: Show each thought, action and observation, and what was remembered and why
    """
    arguments = {
        "task": task,
        "agent": agent,
        "conversation": conversation,
        "verbose": verbose,
    }
    return write("/v1/do", arguments, idempotency_key)


def dream(*, idempotency_key: str | None = None) -> Call[answers.DreamAnswer]:
    """Bring every derived layer up to date with the log: fold, consolidate facts, embed, grade, merge files."""
    return write("/v1/dream", {}, idempotency_key)


def episode_delete(
    episode: str,
    *,
    agent: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    reason: str | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.EpisodeStored]:
    """Delete an episode: it is no longer retrieved.

    episode: The episode's id
    agent: The agent whose memory it is; without one it is shared in the space
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    reason: Why
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "episode": episode,
        "agent": agent,
        "collection": collection,
        "persona": persona,
        "reason": reason,
        "user": user,
    }
    return write("/v1/episode/delete", arguments, idempotency_key)


def episode_get(
    episode: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    user: str | None = None,
) -> Call[answers.Episode]:
    """Show an episode.

    episode: The episode's id
    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "episode": episode,
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "persona": persona,
        "user": user,
    }
    return one("/v1/episode/get", arguments)


def episode_list(
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    limit: int | None = None,
    persona: str | None = None,
    user: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.Episode]:
    """List the episodes, the latest first.

    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    limit: How many, at most 10000 [default: 100]
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "limit": limit,
        "persona": persona,
        "user": user,
    }
    return paged("/v1/episode/list", arguments, page_size)


def episode_retrieve(
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    embedding: Sequence[float] | None = None,
    embedding_model: str | None = None,
    embeddings: bool | None = None,
    persona: str | None = None,
    query: str | None = None,
    state: str | None = None,
    limit: int | None = None,
    user: str | None = None,
    top_k: int | None = None,
) -> Call[answers.EpisodeRetrieveAnswer]:
    """Find the episodes most like a goal, the successful and recent ones first.

    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    embedding: The question as a vector: a JSON array
    embedding_model: The model that made it [default: the one in use]
    embeddings: Show the vector of each result, to the owner only
    persona: Which side of the agent: actor or subconscious [default: actor]
    query: The goal
    state: The current situation: counts in addition to the goal
    limit: How many, at most 100 [default: 3]; also `top_k`
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "embedding": embedding,
        "embedding_model": embedding_model,
        "embeddings": embeddings,
        "persona": persona,
        "query": query,
        "state": state,
        "top_k": top_k if limit is None else limit,
        "user": user,
    }
    return one("/v1/episode/retrieve", arguments)


def episode_store(
    goal: str,
    *,
    agent: str | None = None,
    at: str | None = None,
    causes: Sequence[str] | None = None,
    collection: str | None = None,
    conversation: str | None = None,
    expires_at: str | None = None,
    lessons: str | None = None,
    meta: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    outcome: str | None = None,
    persona: str | None = None,
    status: str | None = None,
    steps: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    ttl_days: int | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.EpisodeStored]:
    """Store an episode: a goal, the steps taken, the outcome, the lessons.

    goal: What was attempted
    agent: The agent whose memory it is; without one it is shared in the space
    at: When it happened: an ISO time, or an age such as 2h
    causes: The id of an event it was derived from; may be repeated
    collection: The collection
    conversation: The conversation it happened in
    expires_at: From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now
    lessons: What was learned from it
    meta: Additional metadata, as key=value; may be repeated
    metadata: Additional metadata as an object
    outcome: How it ended
    persona: Which side of the agent: actor or subconscious [default: actor]
    status: Whether it worked: success or failure
    steps: A key action; may be repeated, in order
    tags: A label; may be repeated
    ttl_days: Forget it automatically after this many days [default: agent-mem.episode-expiry-days]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "goal": goal,
        "agent": agent,
        "at": at,
        "causes": causes,
        "collection": collection,
        "conversation": conversation,
        "expires_at": expires_at,
        "lessons": lessons,
        "meta": meta,
        "metadata": metadata,
        "outcome": outcome,
        "persona": persona,
        "status": status,
        "steps": steps,
        "tags": tags,
        "ttl_days": ttl_days,
        "user": user,
    }
    return write("/v1/episode/store", arguments, idempotency_key)


def export(
    *,
    as_of: str | None = None,
    from_: int | None = None,
    page_size: int | None = None,
) -> Paged[answers.ExportedEvent]:
    """Write every event with its hashes as JSONL to standard output.

    as_of: As the space was at a seq or a time
    from_: Begin at this seq, to continue an earlier export
    """
    arguments = {
        "as_of": as_of,
        "from": from_,
    }
    return paged("/v1/export", arguments, page_size)


def extract(
    *,
    agent: str | None = None,
    compare: bool | None = None,
    conversation: str | None = None,
    dry_run: bool | None = None,
    model: bool | None = None,
    replay: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[list[answers.Extracted]]:
    """Take facts from what was said, by rules or with a model; each quotes the words it comes from.

    agent: The agent whose memory it is; without one what the space shares
    compare: Compare with the facts that were stored from the same words, and store nothing
    conversation: Only from this conversation [default: everything people said, by rules]
    dry_run: Show what would be stored, and store nothing
    model: Ask the configured model as well
    replay: Make the facts again from the models' recorded answers, without asking any
    """
    arguments = {
        "agent": agent,
        "compare": compare,
        "conversation": conversation,
        "dry_run": dry_run,
        "model": model,
        "replay": replay,
    }
    return write_many("/v1/extract", arguments, idempotency_key)


def fact_conflicts(
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    user: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.FactConflictsItem]:
    """List facts that possibly contradict each other: both are kept until somebody decides.

    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "persona": persona,
        "user": user,
    }
    return paged("/v1/fact/conflicts", arguments, page_size)


def fact_delete(
    fact: str,
    *,
    agent: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    reason: str | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.FactStored]:
    """Delete a fact: it is no longer retrieved; `purge --fact` also erases what it said.

    fact: The fact's id
    agent: The agent whose memory it is; without one it is shared in the space
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    reason: Why
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "fact": fact,
        "agent": agent,
        "collection": collection,
        "persona": persona,
        "reason": reason,
        "user": user,
    }
    return write("/v1/fact/delete", arguments, idempotency_key)


def fact_get(
    fact: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    user: str | None = None,
) -> Call[answers.Fact]:
    """Show a fact: what it says, when it is true, what it cites and possibly contradicts.

    fact: The fact's id, or that of an event that states it
    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "fact": fact,
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "persona": persona,
        "user": user,
    }
    return one("/v1/fact/get", arguments)


def fact_history(
    fact: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    user: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.FactHistoryItem]:
    """Show the history of a fact: its sources and wordings, and the values before and after it.

    fact: The fact's id
    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the memory was at a seq (a position, with --agent) or a time
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "fact": fact,
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "persona": persona,
        "user": user,
    }
    return paged("/v1/fact/history", arguments, page_size)


def fact_list(
    *,
    agent: str | None = None,
    all: bool | None = None,
    as_of: str | None = None,
    at: str | None = None,
    attribute: str | None = None,
    collection: str | None = None,
    filter: Mapping[str, Any] | None = None,
    limit: int | None = None,
    persona: str | None = None,
    source: str | None = None,
    subject: str | None = None,
    user: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.Fact]:
    """List the facts that are true, the latest first.

    agent: The agent whose memory it is; without one it is shared in the space
    all: Also those that are no longer, or not yet, true
    as_of: As the memory was at a seq (a position, with --agent) or a time
    at: Those that are true at this moment: an ISO time, or an age such as 2h [default: now]
    attribute: Only of this attribute
    collection: The collection
    filter: Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    limit: How many, at most 10000 [default: 100]
    persona: Which side of the agent: actor or subconscious [default: actor]
    source: Only learned in this conversation
    subject: Only about this subject
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "all": all,
        "as_of": as_of,
        "at": at,
        "attribute": attribute,
        "collection": collection,
        "filter": filter,
        "limit": limit,
        "persona": persona,
        "source": source,
        "subject": subject,
        "user": user,
    }
    return paged("/v1/fact/list", arguments, page_size)


def fact_retrieve(
    *,
    agent: str | None = None,
    all: bool | None = None,
    as_of: str | None = None,
    at: str | None = None,
    collection: str | None = None,
    embedding: Sequence[float] | None = None,
    embedding_model: str | None = None,
    embeddings: bool | None = None,
    filter: Mapping[str, Any] | None = None,
    persona: str | None = None,
    query: str | None = None,
    limit: int | None = None,
    user: str | None = None,
    top_k: int | None = None,
) -> Call[answers.FactRetrieveAnswer]:
    """Find the facts that answer a question: those that are true now, or at another moment.

    agent: The agent whose memory it is; without one it is shared in the space
    all: Also those that are no longer, or not yet, true
    as_of: As the memory was at a seq (a position, with --agent) or a time
    at: Those that are true at this moment: an ISO time, or an age such as 2h [default: now]
    collection: The collection
    embedding: The question as a vector: a JSON array
    embedding_model: The model that made it [default: the one in use]
    embeddings: Show the vector of each result, to the owner only
    filter: Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    persona: Which side of the agent: actor or subconscious [default: actor]
    query: The question
    limit: How many, at most 100 [default: 5]; also `top_k`
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "agent": agent,
        "all": all,
        "as_of": as_of,
        "at": at,
        "collection": collection,
        "embedding": embedding,
        "embedding_model": embedding_model,
        "embeddings": embeddings,
        "filter": filter,
        "persona": persona,
        "query": query,
        "top_k": top_k if limit is None else limit,
        "user": user,
    }
    return one("/v1/fact/retrieve", arguments)


def fact_store(
    text: str,
    *,
    agent: str | None = None,
    at: str | None = None,
    attribute: str | None = None,
    author: str | None = None,
    causes: Sequence[str] | None = None,
    collection: str | None = None,
    confidence: float | None = None,
    expires_at: str | None = None,
    many: bool | None = None,
    meta: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    persona: str | None = None,
    source: str | None = None,
    subject: str | None = None,
    tags: Sequence[str] | None = None,
    ttl_days: int | None = None,
    until: str | None = None,
    user: str | None = None,
    value: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.FactStored]:
    """Store a fact; duplicates are merged, and a new value of an attribute supersedes the old one.

    text: What is true, in one sentence
    agent: The agent whose memory it is; without one it is shared in the space
    at: From when it is true: an ISO time, or an age such as 2h [default: now]
    attribute: The attribute, e.g. lives_in
    author: Who said it
    causes: The id of an event it was derived from; may be repeated
    collection: The collection
    confidence: How certain it is, from 0 to 1 [default: by its origin]
    expires_at: From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now
    many: The attribute can have many values at a time: none supersedes another
    meta: Additional metadata, as key=value; may be repeated
    metadata: Additional metadata as an object
    persona: Which side of the agent: actor or subconscious [default: actor]
    source: The conversation where it was learned
    subject: Who or what it is about [default: taken from the sentence, where it is plain]
    tags: A label; may be repeated
    ttl_days: Forget it automatically after this many days [default: agent-mem.fact-expiry-days]
    until: Until when it is true
    user: The user, if a request names one with the collection [default: the space in use]
    value: The value of the attribute
    """
    arguments = {
        "text": text,
        "agent": agent,
        "at": at,
        "attribute": attribute,
        "author": author,
        "causes": causes,
        "collection": collection,
        "confidence": confidence,
        "expires_at": expires_at,
        "many": many,
        "meta": meta,
        "metadata": metadata,
        "persona": persona,
        "source": source,
        "subject": subject,
        "tags": tags,
        "ttl_days": ttl_days,
        "until": until,
        "user": user,
        "value": value,
    }
    return write("/v1/fact/store", arguments, idempotency_key)


def fact_update(
    fact: str,
    *,
    agent: str | None = None,
    at: str | None = None,
    attribute: str | None = None,
    collection: str | None = None,
    meta: Sequence[str] | None = None,
    persona: str | None = None,
    subject: str | None = None,
    text: str | None = None,
    until: str | None = None,
    user: str | None = None,
    value: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.FactStored]:
    """Correct a fact, or say from when and until when it is true; the old wording stays in its history.

    fact: The fact's id
    agent: The agent whose memory it is; without one it is shared in the space
    at: From when it is true: an ISO time, or an age such as 2h
    attribute: The attribute
    collection: The collection
    meta: Additional metadata, as key=value; may be repeated
    persona: Which side of the agent: actor or subconscious [default: actor]
    subject: Who or what it is about
    text: What it should say
    until: Until when it is true; `never` if it has no end
    user: The user, if a request names one with the collection [default: the space in use]
    value: The value of the attribute
    """
    arguments = {
        "fact": fact,
        "agent": agent,
        "at": at,
        "attribute": attribute,
        "collection": collection,
        "meta": meta,
        "persona": persona,
        "subject": subject,
        "text": text,
        "until": until,
        "user": user,
        "value": value,
    }
    return write("/v1/fact/update", arguments, idempotency_key)


def failures(
    *,
    agent: str | None = None,
    as_of: str | None = None,
    days: int | None = None,
    persona: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.FailuresItem]:
    """List what failed or timed out lately, similar failures together.

    agent: As this agent sees it: its own memory and what is shared
    as_of: As the space was at a seq (a position, with --agent) or a time
    days: How many days back [default: 7]
    persona: Which side of the agent: actor or subconscious [default: actor]
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
        "days": days,
        "persona": persona,
    }
    return paged("/v1/failures", arguments, page_size)


def forget(
    *,
    conversation: str | None = None,
    dry_run: bool | None = None,
    filter: Mapping[str, Any] | None = None,
    id: str | None = None,
    matching: str | None = None,
    reason: str | None = None,
    yes: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.Purged]:
    """Permanently erase one memory, its versions and everything derived from it; a receipt says how many events it was.

    conversation: Everything of a conversation
    dry_run: List each event that would go, with the reason
    filter: Every memory that this holds of, as JSON: {"metadata.customer": "acme"}; docs/filters.md
    id: The memory, by its id or number
    matching: Everything in the space that contains this text, in any spelling (docs/purge.md)
    reason: Why, for the receipt; it is kept, so it must not contain what is erased
    yes: Erase without asking; needed for more than one memory, and by agents
    """
    arguments = {
        "conversation": conversation,
        "dry_run": dry_run,
        "filter": filter,
        "id": id,
        "matching": matching,
        "reason": reason,
        "yes": yes,
    }
    return write("/v1/forget", arguments, idempotency_key)


def get(
    event: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    persona: str | None = None,
) -> Call[answers.Event]:
    """Show one event by its id or its seq.

    event: The id, or the seq (the position, with --agent)
    agent: As this agent sees it: its own memory and what is shared
    as_of: As the space was at a seq (a position, with --agent) or a time
    persona: Which side of the agent: actor or subconscious [default: actor]
    """
    arguments = {
        "event": event,
        "agent": agent,
        "as_of": as_of,
        "persona": persona,
    }
    return one("/v1/get", arguments)


def graph(
    *,
    as_of: str | None = None,
    blocks: str | None = None,
    deep: bool | None = None,
    depends_on: str | None = None,
    depth: int | None = None,
    format: str | None = None,
    node: str | None = None,
    orphans: bool | None = None,
    path: Sequence[str] | None = None,
    recent: int | None = None,
    status: str | None = None,
    type: str | None = None,
    untested: bool | None = None,
) -> Call[answers.GraphPart | answers.GraphDrawing]:
    """Show the graph of the project, or query it: what blocks, what depends, what is untested or unconnected.

    as_of: As the space was at a seq or a time
    blocks: What blocks this node
    deep: With --blocks and --depends-on: by any number of steps
    depends_on: What depends on this node
    depth: How many steps around the node [default: 1]
    format: Output format: text, json, dot, mermaid, graphml [default: text]
    node: Only this node and what is around it
    orphans: The nodes without edges
    path: A shortest path between two nodes, in either direction of the edges
    recent: The nodes that were last changed, the latest first
    status: Only nodes with this status: active, blocked, completed, deprecated, planned
    type: Only nodes of this type: component, task, dependency, decision, document, milestone, skill, pack, file
    untested: The components that no test ever touched
    """
    arguments = {
        "as_of": as_of,
        "blocks": blocks,
        "deep": deep,
        "depends_on": depends_on,
        "depth": depth,
        "format": format,
        "node": node,
        "orphans": orphans,
        "path": path,
        "recent": recent,
        "status": status,
        "type": type,
        "untested": untested,
    }
    return one("/v1/graph", arguments)


def history(
    id: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    collection: str | None = None,
    persona: str | None = None,
    user: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.Event]:
    """Show every version of a memory, the oldest first; any of their ids names it.

    id: The memory, by the id or number of any of its versions
    agent: The agent whose memory it is; without one it is shared in the space
    as_of: As the space was at a seq (a position, with --agent) or a time
    collection: The collection
    persona: Which side of the agent: actor or subconscious [default: actor]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "id": id,
        "agent": agent,
        "as_of": as_of,
        "collection": collection,
        "persona": persona,
        "user": user,
    }
    return paged("/v1/history", arguments, page_size)


def key_create(
    name: str,
    *,
    admin: bool | None = None,
    agent: str | None = None,
    collection: str | None = None,
    expires: str | None = None,
    persona: str | None = None,
    scope: str | None = None,
    trust: str | None = None,
    user: str | None = None,
) -> Call[answers.KeyMade]:
    """Create an API key for the server; it is shown once and only its hash is stored.

    name: What it is for
    admin: Allow everything, including keys for others
    agent: Only as this agent sees it: its own memory and what is shared
    collection: Only this collection
    expires: When it expires: an ISO time, or a time from now such as 12h or 90d [default: never]
    persona: Which side of the agent: actor or subconscious [default: actor]
    scope: What it allows: read, write or admin [default: write]
    trust: Trust what it writes no more than this: user, agent, tool or external [default: user]
    user: Only this user's spaces
    """
    arguments = {
        "name": name,
        "admin": admin,
        "agent": agent,
        "collection": collection,
        "expires": expires,
        "persona": persona,
        "scope": scope,
        "trust": trust,
        "user": user,
    }
    return once("/v1/key/create", arguments)


def key_list(*, all: bool | None = None) -> Call[list[answers.KeyLine]]:
    """List the server's API keys: what each allows, and whether it is valid.

    all: Include those that were revoked or have expired
    """
    arguments = {
        "all": all,
    }
    return once_many("/v1/key/list", arguments)


def key_revoke(key: str) -> Call[answers.Done]:
    """Revoke an API key of the server: it is refused from now on.

    key: Its id or its name
    """
    arguments = {
        "key": key,
    }
    return once("/v1/key/revoke", arguments)


def learn(
    feedback: str,
    *,
    agent: str | None = None,
    verbatim: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.LearnAnswer]:
    """Teach an agent from feedback: one note that it follows from now on, within its tuning policy.

    feedback: What should be done differently, or again
    agent: The agent that learns
    verbatim: Use the feedback as the note, word for word, even if a model is configured
    """
    arguments = {
        "feedback": feedback,
        "agent": agent,
        "verbatim": verbatim,
    }
    return write("/v1/learn", arguments, idempotency_key)


def log(
    *,
    after: int | None = None,
    agent: str | None = None,
    as_of: str | None = None,
    author: str | None = None,
    conversation: str | None = None,
    filter: Mapping[str, Any] | None = None,
    id: str | None = None,
    kind: str | None = None,
    limit: int | None = None,
    loop: str | None = None,
    persona: str | None = None,
    refs: Sequence[str] | None = None,
    reverse: bool | None = None,
    since: str | None = None,
    source: str | None = None,
    status: str | None = None,
    tags: Sequence[str] | None = None,
    trace: str | None = None,
    until: str | None = None,
    view: bool | None = None,
    page_size: int | None = None,
) -> Paged[answers.Event]:
    """Show the events in order, filtered.

    after: Only after this seq (a position, with --view), the oldest first: to continue where a page ended
    agent: Only this agent's
    as_of: As the space was at a seq or a time
    author: Only by this author
    conversation: Only of this conversation
    filter: Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    id: Only with this id
    kind: Only this kind
    limit: How many of the latest matches; 0 for all [default: all, in a terminal 50]
    loop: Only of this loop
    persona: Only this side of the agent: actor or subconscious
    refs: Only referring to this; if repeated, to all of them
    reverse: The newest first
    since: Only what happened at or after a time: ISO, or an age such as 2h or 7d
    source: Only from this source
    status: Only this status: success, failure, pending or timeout
    tags: Only with this tag; if repeated, with all of them
    trace: Only of this workflow
    until: Only what happened at or before a time
    view: As that side of the agent sees the log: its own events and what is shared, under its own numbers
    """
    arguments = {
        "after": after,
        "agent": agent,
        "as_of": as_of,
        "author": author,
        "conversation": conversation,
        "filter": filter,
        "id": id,
        "kind": kind,
        "limit": limit,
        "loop": loop,
        "persona": persona,
        "refs": refs,
        "reverse": reverse,
        "since": since,
        "source": source,
        "status": status,
        "tags": tags,
        "trace": trace,
        "until": until,
        "view": view,
    }
    return paged("/v1/log", arguments, page_size)


def loops(
    *,
    agent: str | None = None,
    as_of: str | None = None,
    limit: int | None = None,
    persona: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.Loop]:
    """List the last loops of an agent, the latest first, as short-term memory holds them.

    agent: Whose loops; without one, those that are shared
    as_of: As the space was at a seq or a time
    limit: How many [default: the window of the agent's identity]
    persona: Which side of the agent: actor or subconscious [default: actor]
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
        "limit": limit,
        "persona": persona,
    }
    return paged("/v1/loops", arguments, page_size)


def ltm(
    *,
    agent: str | None = None,
    as_of: str | None = None,
    limit: int | None = None,
    persona: str | None = None,
    status: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.LtmItem]:
    """List long-term memory: one entry for each event, with its importance and whether it is embedded.

    agent: As this agent sees it: its own memory and what is shared
    as_of: As the space was at a seq (a position, with --agent) or a time
    limit: How many of the latest; 0 for all [default: 50]
    persona: Which side of the agent: actor or subconscious [default: actor]
    status: Only with this status: pending, embedded, retry, quiet or off
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
        "limit": limit,
        "persona": persona,
        "status": status,
    }
    return paged("/v1/ltm", arguments, page_size)


def note_delete(note: str, *, author: str | None = None, idempotency_key: str | None = None) -> Call[answers.NoteSaved]:
    """Delete a note; its history stays in the log.

    note: The note
    author: Who deletes it
    """
    arguments = {
        "note": note,
        "author": author,
    }
    return write("/v1/note/delete", arguments, idempotency_key)


def note_deprecate(
    by: str,
    note: str,
    reason: str,
    *,
    author: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.NoteSaved]:
    """Deprecate a note: say which one to use instead, and why.

    by: The note to use instead
    note: The note
    reason: Why
    author: Who says so
    """
    arguments = {
        "by": by,
        "note": note,
        "reason": reason,
        "author": author,
    }
    return write("/v1/note/deprecate", arguments, idempotency_key)


def note_edit(
    note: str,
    *,
    append: str | None = None,
    author: str | None = None,
    confidence: str | None = None,
    content: str | None = None,
    expect: int | None = None,
    source: str | None = None,
    status: str | None = None,
    tags: Sequence[str] | None = None,
    title: str | None = None,
    traces: Sequence[str] | None = None,
    type: str | None = None,
    untags: Sequence[str] | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.NoteSaved]:
    """Change a note; what is not changed stays as it was written.

    note: The note
    append: Text to add at its end
    author: Who changes it
    confidence: Its confidence: low, medium or high
    content: Its new text, in Markdown; - for standard input
    expect: Refuse when the note is no longer the version that this seq holds
    source: Where it comes from
    status: Its status: draft, validated, deprecated, or a word of your own
    tags: A label to add; may be repeated
    title: Its title
    traces: A trace that led to it; may be repeated
    type: What sort of note it is
    untags: A label to remove; may be repeated
    """
    arguments = {
        "note": note,
        "append": append,
        "author": author,
        "confidence": confidence,
        "content": content,
        "expect": expect,
        "source": source,
        "status": status,
        "tags": tags,
        "title": title,
        "traces": traces,
        "type": type,
        "untags": untags,
    }
    return write("/v1/note/edit", arguments, idempotency_key)


def note_history(
    note: str,
    *,
    as_of: str | None = None,
    diff: bool | None = None,
    page_size: int | None = None,
) -> Paged[answers.NoteHistoryItem]:
    """List every version of a note, the latest first.

    note: The note
    as_of: As the space was at a seq or a time
    diff: Show what each version changed
    """
    arguments = {
        "note": note,
        "as_of": as_of,
        "diff": diff,
    }
    return paged("/v1/note/history", arguments, page_size)


def note_link(
    note: str,
    other: str,
    *,
    author: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.NoteSaved]:
    """Link a note to another.

    note: The note to link from
    other: The note to link to
    author: Who changes it
    """
    arguments = {
        "note": note,
        "other": other,
        "author": author,
    }
    return write("/v1/note/link", arguments, idempotency_key)


def note_list(
    *,
    any: bool | None = None,
    as_of: str | None = None,
    author: str | None = None,
    filter: Mapping[str, Any] | None = None,
    status: str | None = None,
    tags: Sequence[str] | None = None,
    page_size: int | None = None,
) -> Paged[answers.Note]:
    """List the notes, those last changed first.

    any: Any one of the tags is enough
    as_of: As the space was at a seq or a time
    author: Only written by this author
    filter: Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    status: Only with this status
    tags: Only with this tag; if repeated, with all of them
    """
    arguments = {
        "any": any,
        "as_of": as_of,
        "author": author,
        "filter": filter,
        "status": status,
        "tags": tags,
    }
    return paged("/v1/note/list", arguments, page_size)


def note_outcome(
    note: str,
    *,
    author: str | None = None,
    failed: bool | None = None,
    trace: str | None = None,
    worked: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.Note]:
    """Record whether what a note says worked: its confidence rises or falls.

    note: The note
    author: Who tried it
    failed: It did not work
    trace: The trace in which it was tried
    worked: It worked
    """
    arguments = {
        "note": note,
        "author": author,
        "failed": failed,
        "trace": trace,
        "worked": worked,
    }
    return write("/v1/note/outcome", arguments, idempotency_key)


def note_related(
    note: str,
    *,
    as_of: str | None = None,
    depth: int | None = None,
    page_size: int | None = None,
) -> Paged[answers.NoteRelatedItem]:
    """List the notes linked to a note in either direction, the nearest first.

    note: The note
    as_of: As the space was at a seq or a time
    depth: How many links away at most [default: 2]
    """
    arguments = {
        "note": note,
        "as_of": as_of,
        "depth": depth,
    }
    return paged("/v1/note/related", arguments, page_size)


def note_search(
    *,
    any: bool | None = None,
    as_of: str | None = None,
    confidence: str | None = None,
    filter: Mapping[str, Any] | None = None,
    limit: int | None = None,
    mode: str | None = None,
    query: str | None = None,
    status: str | None = None,
    tags: Sequence[str] | None = None,
    k: int | None = None,
    page_size: int | None = None,
) -> Paged[answers.Note]:
    """Search the notes by words, by meaning, by tags, status and confidence.

    any: Any one of the tags is enough
    as_of: As the space was at a seq or a time
    confidence: Only notes with this confidence: low, medium or high
    filter: Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    limit: How many at most [default: 10]; also `k`
    mode: Search mode: text or meaning [default: both]
    query: What to look for; without it, every note that matches the flags
    status: Only with this status
    tags: Only with this tag; if repeated, with all of them
    """
    arguments = {
        "any": any,
        "as_of": as_of,
        "confidence": confidence,
        "filter": filter,
        "k": k if limit is None else limit,
        "mode": mode,
        "query": query,
        "status": status,
        "tags": tags,
    }
    return paged("/v1/note/search", arguments, page_size)


def note_show(note: str, *, as_of: str | None = None) -> Call[answers.NoteShowAnswer]:
    """Show a whole note, with its confidence after what was tried.

    note: The note
    as_of: As the space was at a seq or a time
    """
    arguments = {
        "note": note,
        "as_of": as_of,
    }
    return one("/v1/note/show", arguments)


def note_stale(
    *,
    as_of: str | None = None,
    days: int | None = None,
    page_size: int | None = None,
) -> Paged[answers.Note]:
    """List the notes that have not changed for a long time, the oldest first.

    as_of: As the space was at a seq or a time
    days: Not changed for this many days [default: 90]
    """
    arguments = {
        "as_of": as_of,
        "days": days,
    }
    return paged("/v1/note/stale", arguments, page_size)


def note_unlink(
    note: str,
    other: str,
    *,
    author: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.NoteSaved]:
    """Remove the link from a note to another.

    note: The note to remove the link from
    other: The note it links to
    author: Who changes it
    """
    arguments = {
        "note": note,
        "other": other,
        "author": author,
    }
    return write("/v1/note/unlink", arguments, idempotency_key)


def note_validate(
    *,
    as_of: str | None = None,
    note: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.NoteFinding | answers.Done]:
    """Check the notes: required fields, broken links, tags.

    as_of: As the space was at a seq or a time
    note: Only this note
    """
    arguments = {
        "as_of": as_of,
        "note": note,
    }
    return paged("/v1/note/validate", arguments, page_size)


def note_write(
    title: str,
    *,
    author: str | None = None,
    confidence: str | None = None,
    content: str | None = None,
    expires_at: str | None = None,
    force: bool | None = None,
    id: str | None = None,
    links: Sequence[str] | None = None,
    source: str | None = None,
    status: str | None = None,
    tags: Sequence[str] | None = None,
    traces: Sequence[str] | None = None,
    trust: str | None = None,
    type: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.NoteSaved]:
    """Write a note, unless there is one that says the same.

    title: What it is about, in one line
    author: Who writes it
    confidence: Its confidence: low, medium or high
    content: What it says, in Markdown [default: read from standard input]
    expires_at: From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now [default:
        never]
    force: Write it even if another note says the same
    id: Its id: lower-case letters, digits and hyphens [default: made from the title]
    links: A note it links to; may be repeated
    source: Where it comes from: agent-learning, human-curated, external or research
    status: Its status: draft, validated, or a word of your own
    tags: A label; may be repeated
    traces: A trace that led to it; may be repeated
    trust: The trust it takes to change it: agent, or user for a note that no agent and no file may change
        [default: agent]
    type: What sort of note it is, e.g. troubleshooting
    """
    arguments = {
        "title": title,
        "author": author,
        "confidence": confidence,
        "content": content,
        "expires_at": expires_at,
        "force": force,
        "id": id,
        "links": links,
        "source": source,
        "status": status,
        "tags": tags,
        "traces": traces,
        "trust": trust,
        "type": type,
    }
    return write("/v1/note/write", arguments, idempotency_key)


def ops(*, name: str | None = None, page_size: int | None = None) -> Paged[answers.OpsItem]:
    """List the operations, or show one with the JSON schema of its arguments.

    name: The operation to show
    """
    arguments = {
        "name": name,
    }
    return paged("/v1/ops", arguments, page_size)


def profile_list(*, as_of: str | None = None, page_size: int | None = None) -> Paged[answers.ProfileListItem]:
    """List the known agents, with their sessions and how often they succeeded or failed.

    as_of: As the space was at a seq or a time
    """
    arguments = {
        "as_of": as_of,
    }
    return paged("/v1/profile/list", arguments, page_size)


def profile_prefer(
    agent: str,
    key: str,
    *,
    unset: bool | None = None,
    value: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.Done]:
    """Set or remove a preference of an agent; it applies to every later session.

    agent: The agent
    key: The name of the preference
    unset: Remove it
    value: Its value: JSON, or else text
    """
    arguments = {
        "agent": agent,
        "key": key,
        "unset": unset,
        "value": value,
    }
    return write("/v1/profile/prefer", arguments, idempotency_key)


def profile_show(agent: str, *, as_of: str | None = None) -> Call[answers.Profile]:
    """Show what an agent can do, prefers and has learned, derived from the log.

    agent: The agent
    as_of: As the space was at a seq or a time
    """
    arguments = {
        "agent": agent,
        "as_of": as_of,
    }
    return one("/v1/profile/show", arguments)


def purge(
    *,
    conversation: str | None = None,
    dry_run: bool | None = None,
    event: str | None = None,
    everything: bool | None = None,
    fact: str | None = None,
    filter: Mapping[str, Any] | None = None,
    matching: str | None = None,
    reason: str | None = None,
    resume: bool | None = None,
    user: str | None = None,
    yes: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[list[answers.Purged]]:
    """Permanently erase the content of events and everything derived from it; a receipt says how many.

    conversation: Everything of a conversation
    dry_run: List each event that would go, with the reason
    event: One event, by its id or number
    everything: Everything in the space
    fact: A fact: the event of that id, and those whose metadata says that they are about it
    filter: Every event that this holds of, as JSON: {"metadata.customer": "acme"}; docs/filters.md
    matching: Everything in the space that contains this text, in any spelling (docs/purge.md)
    reason: Why, for the receipt; it is kept, so it must not contain what is erased
    resume: Finish a purge that was stopped; every other purge of the space does so first
    user: Everything in every collection of a user
    yes: Erase them
    """
    arguments = {
        "conversation": conversation,
        "dry_run": dry_run,
        "event": event,
        "everything": everything,
        "fact": fact,
        "filter": filter,
        "matching": matching,
        "reason": reason,
        "resume": resume,
        "user": user,
        "yes": yes,
    }
    return write_many("/v1/purge", arguments, idempotency_key)


def quarantine(
    *,
    agent: str | None = None,
    conversation: str | None = None,
    event: str | None = None,
    list: bool | None = None,
    matching: str | None = None,
    origin: str | None = None,
    reason: str | None = None,
    release: str | None = None,
    since: str | None = None,
    until: str | None = None,
    yes: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[list[answers.QuarantineItem]]:
    """Hide matching events, and everything derived from them, from every answer until they are released.

    agent: What an agent said, did or wrote
    conversation: Everything of a conversation
    event: One event, by its id or number
    list: List every quarantine in force
    matching: What contains this text, in any spelling (docs/purge.md)
    origin: What has this origin: user, agent, tool, file, web or import, or a more specific one such as
        tool:WebFetch
    reason: Why, for the record
    release: Release the events of a quarantine
    since: What was written at or after a moment: an ISO time, or an age such as 2h
    until: What was written before a moment
    yes: Hide it; without this the events are only shown
    """
    arguments = {
        "agent": agent,
        "conversation": conversation,
        "event": event,
        "list": list,
        "matching": matching,
        "origin": origin,
        "reason": reason,
        "release": release,
        "since": since,
        "until": until,
        "yes": yes,
    }
    return write_many("/v1/quarantine", arguments, idempotency_key)


def query(
    *,
    all: bool | None = None,
    as_of: str | None = None,
    csv: bool | None = None,
    limit: int | None = None,
    list: bool | None = None,
    name: str | None = None,
    parameters: Sequence[str] | None = None,
    sql: str | None = None,
    timeout: int | None = None,
    page_size: int | None = None,
) -> Paged[answers.QueryRows | answers.QueryLine]:
    """Query with SQL: a saved query by its name, or one SELECT; read-only, with a limit on time and rows.

    all: Include what the subconscious of agents keeps to itself
    as_of: As the space was at a seq or a time
    csv: Print as comma-separated values
    limit: Maximum number of rows; 0 for as many as fit into memory
    list: List the saved queries
    name: The name of a saved query; without one and without --sql they are listed
    parameters: The values of the query's parameters
    sql: A statement: one SELECT over events, event_tags, traces, loops, facts, episodes, conversations, notes,
        links, tags, outcomes, nodes, edges, changelog, profiles, capabilities
    timeout: Maximum number of seconds
    """
    arguments = {
        "all": all,
        "as_of": as_of,
        "csv": csv,
        "limit": limit,
        "list": list,
        "name": name,
        "parameters": parameters,
        "sql": sql,
        "timeout": timeout,
    }
    return paged("/v1/query", arguments, page_size)


def rebuild(*, idempotency_key: str | None = None) -> Call[answers.Done]:
    """Fold the whole log into new views and replace the old ones."""
    return write("/v1/rebuild", {}, idempotency_key)


def recall(
    *,
    agent: str | None = None,
    all_projects: bool | None = None,
    as_of: str | None = None,
    at: str | None = None,
    author: str | None = None,
    conversation: str | None = None,
    explain: bool | None = None,
    filter: Mapping[str, Any] | None = None,
    limit: int | None = None,
    kind: str | None = None,
    min_score: float | None = None,
    mode: str | None = None,
    persona: str | None = None,
    project: str | None = None,
    query: str | None = None,
    since: str | None = None,
    spaces: Sequence[str] | None = None,
    until: str | None = None,
    k: int | None = None,
) -> Call[answers.RecallAnswer]:
    """Recall the events that answer a question, by words and by meaning.

    agent: As this agent sees it: its own memory and what is shared
    all_projects: Of all projects alike [default: those of the project worked in come first]
    as_of: As the space was at a seq (a position, with --agent) or a time
    at: When the question is asked, for "last week" and the like [default: when the last event happened]
    author: Only by this author
    conversation: Only of this conversation
    explain: Show what each score is made of
    filter: Only what this holds of, as JSON: {"metadata.vip": true, "tags": "billing"}; docs/filters.md
    limit: How many hits, at most 1000 [default: 10]; also `k`
    kind: Only this kind; those about the memory itself (dream.* and the like) are found only this way
    min_score: Only hits with at least this score
    mode: Search mode: hybrid, lexical or vector [default: hybrid]
    persona: Which side of the agent: actor or subconscious [default: actor]
    project: Only of this project, and what belongs to none: its name, or the last part of it
    query: The question
    since: Only what happened at or after a time: ISO, or an age such as 2h or 7d
    spaces: These collections of the user instead of the one in use, ranked together: work,home; at most 16
    until: Only what happened at or before a time
    """
    arguments = {
        "agent": agent,
        "all_projects": all_projects,
        "as_of": as_of,
        "at": at,
        "author": author,
        "conversation": conversation,
        "explain": explain,
        "filter": filter,
        "k": k if limit is None else limit,
        "kind": kind,
        "min_score": min_score,
        "mode": mode,
        "persona": persona,
        "project": project,
        "query": query,
        "since": since,
        "spaces": spaces,
        "until": until,
    }
    return one("/v1/recall", arguments)


def reembed(
    *,
    afresh: bool | None = None,
    keep: bool | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.Done]:
    """Re-embed every document with the configured model, beside the old vectors, and switch when all are done.

    afresh: Discard this model's own vectors first and compute them all again
    keep: Keep the vectors of other models as well
    """
    arguments = {
        "afresh": afresh,
        "keep": keep,
    }
    return write("/v1/reembed", arguments, idempotency_key)


def remember(
    text: str,
    *,
    agent: str | None = None,
    at: str | None = None,
    author: str | None = None,
    causes: Sequence[str] | None = None,
    conversation: str | None = None,
    expect: int | None = None,
    expires_at: str | None = None,
    id: str | None = None,
    kind: str | None = None,
    loop: str | None = None,
    meta: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    persona: str | None = None,
    refs: Sequence[str] | None = None,
    scope: str | None = None,
    source: str | None = None,
    status: str | None = None,
    summary: str | None = None,
    tags: Sequence[str] | None = None,
    trace: str | None = None,
    trust: str | None = None,
    visibility: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.Ack]:
    """Remember a text as one event.

    text: The text
    agent: The agent whose memory it is; without one it is shared in the space
    at: When it happened: an ISO time, or an age such as 2h
    author: Who said or did it
    causes: The id of an event it was derived from; may be repeated
    conversation: The conversation it is part of
    expect: Refuse when the head is no longer at this seq
    expires_at: From when on it is as if it had never been: an ISO time, or 12h, 30d, 4w from now [default:
        never]
    id: An id of your own: the same id with the same content is remembered once
    kind: What kind of thing it is [default: memory.remembered]
    loop: The loop it is part of
    meta: Anything else, as key=value; a value that is JSON is kept as such; may be repeated
    metadata: The same as one JSON object
    persona: Which side of the agent: actor or subconscious
    refs: Something it refers to; may be repeated
    scope: The area it affects
    source: The project or component it came from
    status: The outcome: success, failure, pending or timeout
    summary: What happened, in one line
    tags: A label; may be repeated
    trace: The workflow it is part of [default: CHORA_TRACE_ID]
    trust: Where it comes from: user, agent, tool or external
    visibility: Who may be shown it: external or internal
    """
    arguments = {
        "text": text,
        "agent": agent,
        "at": at,
        "author": author,
        "causes": causes,
        "conversation": conversation,
        "expect": expect,
        "expires_at": expires_at,
        "id": id,
        "kind": kind,
        "loop": loop,
        "meta": meta,
        "metadata": metadata,
        "persona": persona,
        "refs": refs,
        "scope": scope,
        "source": source,
        "status": status,
        "summary": summary,
        "tags": tags,
        "trace": trace,
        "trust": trust,
        "visibility": visibility,
    }
    return write("/v1/remember", arguments, idempotency_key)


def retain(
    *,
    apply: bool | None = None,
    drop: bool | None = None,
    dry_run: bool | None = None,
    older_than: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.RetainAnswer]:
    """Move old events to compressed archive files that are still read; with --drop, erase their content.

    apply: Do it
    drop: Remove the content of what is archived for good, also from the A-MEM folder and its archive; numbers,
        ids, kinds and hashes stay, and the texts of current notes. Copies elsewhere (git, backups) are not
        reached
    dry_run: Show what would be done
    older_than: What is old: 6m (months), 1y, 90d, or a date [default: retention.archive_after_months]. In the
        A-MEM folder it is the months that ended before; those are compressed after
        retention.compress_files_after_months all the same
    """
    arguments = {
        "apply": apply,
        "drop": drop,
        "dry_run": dry_run,
        "older_than": older_than,
    }
    return write("/v1/retain", arguments, idempotency_key)


def rule_end(id: str, *, idempotency_key: str | None = None) -> Call[answers.Rule]:
    """End a rule, a decision or a to-do: no session is told it any more; the words stay in the log.

    id: Its id as `rule list` shows it, the beginning of that, or the #number that sessions are told
    """
    arguments = {
        "id": id,
    }
    return write("/v1/rule/end", arguments, idempotency_key)


def rule_list(
    *,
    all_projects: bool | None = None,
    as_of: str | None = None,
    project: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.Rule]:
    """List the rules, decisions and to-dos that stand, in the user's own words: what a session is told first.

    all_projects: Of all projects alike [default: those of the project worked in come first]
    as_of: What stood when the memory was at a seq (a position, with a key of an agent) or a time
    project: Only of this project, and what belongs to none: its name, or the last part of it
    """
    arguments = {
        "all_projects": all_projects,
        "as_of": as_of,
        "project": project,
    }
    return paged("/v1/rule/list", arguments, page_size)


def session_end(*, session: str | None = None, idempotency_key: str | None = None) -> Call[answers.SessionEndAnswer]:
    """End a session: its events stay in the log, its scratch values are gone.

    session: Which session [default: CHORA_TRACE_ID, else the only one that is open]
    """
    arguments = {
        "session": session,
    }
    return write("/v1/session/end", arguments, idempotency_key)


def session_note(
    words: Sequence[str],
    *,
    session: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.Done]:
    """Keep a value or a text until the session ends; it is not written to any log or index.

    words: A text; or a key and its value, which is JSON or else text
    session: Which session [default: CHORA_TRACE_ID, else the only one that is open]
    """
    arguments = {
        "words": words,
        "session": session,
    }
    return write("/v1/session/note", arguments, idempotency_key)


def session_preview(
    *,
    as_of: str | None = None,
    budget: int | None = None,
    project: str | None = None,
) -> Call[answers.SessionPreviewAnswer]:
    """Show what the next session of a coding agent would be told when it starts, and the events it comes from.

    as_of: What a session would have been told when the memory was at a seq (a position, with a key of an agent)
        or a time
    budget: About how many tokens the text may have [default: 800]
    project: The project, by its whole name [default: the one that is worked in]
    """
    arguments = {
        "as_of": as_of,
        "budget": budget,
        "project": project,
    }
    return one("/v1/session/preview", arguments)


def session_show(*, session: str | None = None) -> Call[answers.SessionShowAnswer]:
    """Show what an open session holds: its events so far, its scratch values, how long it has been open.

    session: Which session [default: CHORA_TRACE_ID, else the only one that is open]
    """
    arguments = {
        "session": session,
    }
    return one("/v1/session/show", arguments)


def session_start(
    *,
    agent: str | None = None,
    trace: str | None = None,
    version: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.SessionStartAnswer]:
    """Start a session of an agent: what is written in it shares one trace, and scratch values last until it ends.

    agent: Whose session it is [default: the author in config.toml, else "agent"]
    trace: The trace its events belong to [default: CHORA_TRACE_ID, else a new one]
    version: The agent's version or model
    """
    arguments = {
        "agent": agent,
        "trace": trace,
        "version": version,
    }
    return write("/v1/session/start", arguments, idempotency_key)


def shown(
    *,
    as_of: str | None = None,
    limit: int | None = None,
    session: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.ShownItem]:
    """Show what agents were told: at the start of a session, while they worked, and when they asked.

    as_of: What they had been told when the memory was at a seq (a position, with a key of an agent) or a time
    limit: How many, the latest; at most 1000 [default: 50]
    session: Only of this session: its id, or the beginning of that
    """
    arguments = {
        "as_of": as_of,
        "limit": limit,
        "session": session,
    }
    return paged("/v1/shown", arguments, page_size)


def spaces(*, idempotency_key: str | None = None) -> Call[list[answers.SpacesItem]]:
    """List the spaces of the home."""
    return write_many("/v1/spaces", {}, idempotency_key)


def stats(*, as_of: str | None = None, since: str | None = None, until: str | None = None) -> Call[answers.StatsAnswer]:
    """Count events by kind, status, source, agent and day, with their mean duration.

    as_of: As the space was at a seq or a time
    since: Only what happened at or after a time: ISO, or an age such as 2h or 7d
    until: Only what happened at or before a time
    """
    arguments = {
        "as_of": as_of,
        "since": since,
        "until": until,
    }
    return one("/v1/stats", arguments)


def status() -> Call[answers.StatusAnswer]:
    """Show the state of the space: events, head, views, quota, files."""
    return one("/v1/status", {})


def stm(
    query: str,
    *,
    agent: str | None = None,
    as_of: str | None = None,
    at: str | None = None,
    persona: str | None = None,
    threshold: float | None = None,
    limit: int | None = None,
    top_k: int | None = None,
    page_size: int | None = None,
) -> Paged[answers.StmItem]:
    """Search short-term memory: the last loops, by fuzzy similarity and recency.

    query: What to look for
    agent: Whose loops; without one, those that are shared
    as_of: As the space was at a seq or a time
    at: The moment that ages are counted from: an ISO time [default: when the last event was written]
    persona: Which side of the agent: actor or subconscious [default: actor]
    threshold: The lowest ratio that counts, 0 to 100 [default: the identity's]
    limit: How many to return [default: the identity's top_k]; also `top_k`
    """
    arguments = {
        "query": query,
        "agent": agent,
        "as_of": as_of,
        "at": at,
        "persona": persona,
        "threshold": threshold,
        "top_k": top_k if limit is None else limit,
    }
    return paged("/v1/stm", arguments, page_size)


def trace(
    *,
    as_of: str | None = None,
    limit: int | None = None,
    trace: str | None = None,
    page_size: int | None = None,
) -> Paged[answers.Trace | answers.TraceLine]:
    """Show a workflow step by step with its failure and its slowest step, or list the recent ones.

    as_of: As the space was at a seq or a time
    limit: How many to list
    trace: The workflow; without one, the recent ones are listed
    """
    arguments = {
        "as_of": as_of,
        "limit": limit,
        "trace": trace,
    }
    return paged("/v1/trace", arguments, page_size)


def otlp_traces(body: Mapping[str, Any]) -> Call[answers.OtlpTracesAnswer]:
    """OTLP/HTTP: the spans of an agent become events."""
    return once("/v1/traces", body)


def update(
    id: str,
    *,
    agent: str | None = None,
    collection: str | None = None,
    expires_at: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    persona: str | None = None,
    tags: Sequence[str] | None = None,
    text: str | None = None,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Call[answers.Ack]:
    """Give a memory a new text, metadata or tags; the old version stays in its `history`.

    id: The memory, by its id or number
    agent: The agent whose memory it is; without one it is shared in the space
    collection: The collection
    expires_at: Until when it is kept: an ISO time, or 12h, 30d, 4w from now; `never` takes an end away
        [default: as before]
    metadata: Keys to set in its metadata, as one JSON object; null removes a key
    persona: Which side of the agent: actor or subconscious [default: actor]
    tags: Its labels from now on [default: as before]; may be repeated
    text: What it says from now on [default: as before]
    user: The user, if a request names one with the collection [default: the space in use]
    """
    arguments = {
        "id": id,
        "agent": agent,
        "collection": collection,
        "expires_at": expires_at,
        "metadata": metadata,
        "persona": persona,
        "tags": tags,
        "text": text,
        "user": user,
    }
    return write("/v1/update", arguments, idempotency_key)


def usage(*, since: str | None = None, page_size: int | None = None) -> Paged[answers.UsageItem]:
    """Show the usage of language models: calls, tokens and cost by model and operation.

    since: Only since a time: ISO, or an age such as 7d
    """
    arguments = {
        "since": since,
    }
    return paged("/v1/usage", arguments, page_size)


def verify(*, head: str | None = None) -> Call[answers.VerifyAnswer]:
    """Check every event, the head, and every row of the views; exit 1 and name the first problem if there is one.

    head: A head noted down earlier, as `status` prints it: the log must contain it, so that truncation is
        noticed
    """
    arguments = {
        "head": head,
    }
    return one("/v1/verify", arguments)
