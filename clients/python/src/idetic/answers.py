"""What the server answers.

Written by generate.py from the server's OpenAPI document; do not edit.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict, final

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired


@final
class Ack(TypedDict):
    """An event is on disk."""

    id: str
    """Its id"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""


@final
class AdviseAnswer(TypedDict):
    """What is known about a failure."""

    failures: list[PastFailure]
    """Failures like it"""
    fixes: NotRequired[list[Fix]]
    """What was done until a failure like it was gone, the likest first"""
    known: bool
    """Whether there is a note that is likely to solve it, or something that helped before"""
    notes: list[AdvisedNote]
    """Notes that solved it, the surest first"""
    tried: list[Attempt]
    """What was done after them in the same traces"""


@final
class AdvisedNote(TypedDict):
    """A note that is likely to solve a failure."""

    because: str
    """Why it is named"""
    causes: list[str]
    """The events that say so"""
    confidence: Literal['low', 'medium', 'high']
    """How sure it is after what was tried"""
    failed: int
    """How often it did not"""
    how_sure: Literal['low', 'medium', 'high']
    """The same as a word"""
    id: str
    """The event that holds it"""
    note: str
    """The id of the note"""
    origin: str
    """Which way the note came in"""
    replaced_by: NotRequired[str]
    """The note to use instead"""
    standing: float
    """The same from 0 to 1"""
    stated: NotRequired[str]
    """How sure it says it is"""
    status: NotRequired[str]
    """How far it has come"""
    sure: float
    """How sure it is that it solves this failure, from 0 to 1"""
    text: str
    """Its text"""
    title: str
    """Its title"""
    worked: int
    """How often it worked"""


@final
class AgentAnswer(TypedDict):
    """What an agent answered."""

    answer: str | None
    """The answer; none where it failed"""
    answer_tokens: int
    """Tokens written by it"""
    conversation_id: str
    """The conversation; a new one where none was named"""
    episode: str | None
    """The episode it became"""
    error: ErrorBody | None
    """Why there is no answer"""
    facts: list[Extracted]
    """Facts that were taken from what was said"""
    loop_id: str
    """The loop: every step of it is an event"""
    model: str
    """The model"""
    notices: NotRequired[list[str]]
    """What could not be done beside the answer"""
    prompt_tokens: int
    """Tokens read by the model"""
    remembered: list[Remembered]
    """What was put before the model from memory"""


@final
class AgentMessage(TypedDict):
    """A message of the agent service."""

    answer: NotRequired[str]
    """The whole answer"""
    chunk_type: Literal['thought', 'action', 'observation', 'answer', 'explain', 'error']
    """The same, under its older name"""
    content: str
    """The text"""
    end_of_dialog: bool
    """Whether nothing follows"""
    end_of_message: bool
    """Whether this thought, observation or answer is complete"""
    error: NotRequired[AgentMessageError]
    """Why the agent gives no answer"""
    explain_id: NotRequired[str]
    """Names what is explained"""
    in_token: NotRequired[int]
    """Tokens read by the model, in the last message"""
    message_id: str
    """Names the message"""
    message_type: Literal['thought', 'action', 'observation', 'answer', 'explain', 'error']
    """What it holds"""
    model: NotRequired[str]
    """The model, in the last message"""
    observation: NotRequired[str]
    """The whole observation"""
    out_token: NotRequired[int]
    """Tokens written by it, in the last message"""
    thought: NotRequired[str]
    """The whole thought"""


@final
class AgentMessageError(TypedDict):
    """Why the agent gives no answer."""

    code: Literal['agent-error']
    """The same"""
    message: str
    """What happened"""
    type: Literal['agent-error']
    """What kind of failure"""


@final
class AgentPart(TypedDict):
    """Something that happens while an agent works."""

    more: bool
    """Whether more of it follows"""
    part: Literal['thought', 'action', 'observation', 'answer']
    """What it is"""
    text: str
    """The text, or the next piece of it"""


@final
class Archive(TypedDict):
    """An archive file."""

    bytes: int
    """Its size"""
    erased: int
    """How many of them have lost their content"""
    file: str
    """Its name in the space's folder"""
    first: int
    """The number of its first event"""
    last: int
    """The number of its last event"""


@final
class Attempt(TypedDict):
    """Something that was done after a failure."""

    id: str
    """The id of the event"""
    kind: str
    """What kind of thing it was"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    status: Status | None
    """How it went"""
    text: str
    """What it says"""
    trace_id: str
    """The workflow it was part of"""
    ts: str
    """When it happened"""


@final
class Capability(TypedDict):
    """Something that an agent does."""

    common_mistakes: NotRequired[list[str]]
    """What went wrong, most often first"""
    failed_operations: NotRequired[int]
    """How often it did not"""
    learned_patterns: NotRequired[list[str]]
    """Ids of notes it learned from"""
    preferred_tool: NotRequired[str]
    """The tool it does it with"""
    skill_level: Literal['novice', 'intermediate', 'advanced', 'expert']
    """How good it is at it"""
    successful_operations: NotRequired[int]
    """How often it worked"""


@final
class Consolidated(TypedDict):
    """What became of facts, episodes and conversations."""

    conversations_ended: int
    """Conversations that were ended by their silence"""
    expired: int
    """Facts and episodes whose time was over"""
    facts_merged: int
    """Facts that were merged into others that say the same"""
    facts_promoted: int
    """Facts that were taken from them"""
    pruned: int
    """Facts and episodes that were the least relevant of too many"""


@final
class ContextAnswer(TypedDict):
    """What is put before a model."""

    abstained: bool
    """Whether nothing that was recalled was good enough; rules stand all the same"""
    budget: int
    """How many it could have had"""
    least_budget: NotRequired[int]
    """The least budget that shows something, where this one shows nothing"""
    omitted: int
    """How many pieces are good enough and did not fit"""
    rules: NotRequired[list[StatedRule]]
    """The user's standing rules that the text states, where there are any"""
    sources: list[Source]
    """Where each numbered piece comes from"""
    text: str
    """The text; empty where no rule stands and nothing was good enough, or nothing fits"""
    tokens: int
    """About how many tokens the text has"""


@final
class ContextSwitches(TypedDict):
    """How often work was handed over."""

    last_handoff: NotRequired[Handoff]
    """The last time work was handed over"""
    total: int
    """How often"""


@final
class Conversation(TypedDict):
    """A conversation."""

    conversation_id: str
    """Which"""
    count: int
    """How many invocations it has, also where fewer are shown"""
    ended: str | None
    """When it ended; none while it is open"""
    goal: NotRequired[str]
    """What it is for, where that was said"""
    invocations: list[InvocationSummary]
    """What was asked in it and what came of it, in order"""
    last: str
    """When it was last added to"""
    metadata: dict[str, Any]
    """What whoever began it or added to it wanted to keep beside it"""
    reason: NotRequired[Literal['signal', 'timeout']]
    """Why it ended"""
    started: str
    """When it began"""


@final
class ConversationChanged(TypedDict):
    """A conversation was begun, added to or ended."""

    conversation_id: str
    """Which conversation; a new one where none was named"""
    done: Literal['started', 'continued', 'added', 'ended', 'was ended']
    """What became of it"""
    episode: NotRequired[str]
    """The episode it became"""
    error: None
    """Always null: what goes wrong is an error"""
    success: Literal[True]
    """Always: what goes wrong is an error"""


@final
class ConversationListItem(TypedDict):
    """A conversation in a list."""

    conversation_id: str
    """Which"""
    ended: str | None
    """When it ended; none while it is open"""
    goal: str | None
    """What it is for, where that was said"""
    invocations: int
    """How many invocations it has"""
    last: str
    """When it was last added to"""
    started: str
    """When it began"""


@final
class ConversationShowAnswer(TypedDict):
    """A conversation that was looked up."""

    conversation: Conversation
    """A conversation"""
    error: None
    """Always null: what goes wrong is an error"""


@final
class Coverage(TypedDict):
    """How far the vectors of a model cover the documents."""

    embedded: int
    """Those that have vectors"""
    pending: int
    """Those that wait for their first try"""
    retry: int
    """Those that are tried again because it failed"""


@final
class DigestAnswer(TypedDict):
    """What the views hold."""

    head: str
    """Its hash"""
    seq: int
    """The number of the last event"""
    views: list[ViewDigest]
    """Each view"""


@final
class Done(TypedDict):
    """Something was done."""

    done: str
    """What, in a few words"""
    events: int
    """How many events it concerned"""
    head: NotRequired[str]
    """The hash of the last event after it"""


@final
class DreamAnswer(TypedDict):
    """What a dream did."""

    consolidated: Consolidated
    """What became of facts, episodes and conversations"""
    coverage: Coverage | None
    """How the documents stand with it now"""
    embedded: int
    """Documents that got their vectors"""
    events: int
    """How many events the log had"""
    failed: int
    """Documents that failed"""
    joined: bool
    """Whether index files were joined"""
    model: str | None
    """The model that makes the vectors"""
    recorded: str | None
    """The event that records it; none where nothing changed"""
    regraded: int
    """Documents graded anew"""
    retried: int
    """Of those the ones that had failed before"""
    unavailable: NotRequired[str]
    """Why not everything could be done"""


@final
class Episode(TypedDict):
    """An episode."""

    causes: list[str]
    """The ids of the events it derives from"""
    conversation_id: str | None
    """The conversation it happened in"""
    embedding: list[float] | None
    """Its vector, for the owner who asks for it"""
    expires: NotRequired[str]
    """When it is forgotten by itself"""
    goal: str
    """What was attempted"""
    id: str
    """Its id"""
    lessons: str
    """What is to be learned from it"""
    metadata: dict[str, Any] | None
    """What whoever stored it wanted to keep beside it"""
    outcome: str
    """How it ended"""
    score: NotRequired[float]
    """How alike it is"""
    steps: list[str]
    """What was done, in order"""
    success: bool | None
    """Whether it worked, where that is known"""
    timestamp: str
    """When it happened"""


@final
class EpisodeRetrieveAnswer(TypedDict):
    """Episodes that were found."""

    episodes: list[Episode]
    """The best first"""
    error: None
    """Always null: what goes wrong is an error"""


@final
class EpisodeStored(TypedDict):
    """What became of an episode."""

    done: Literal['stored', 'deleted']
    """What became of it"""
    episode_id: str
    """Which"""
    error: None
    """Always null: what goes wrong is an error"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""


@final
class ErrorBody(TypedDict):
    """What happened, and what to do."""

    argument: NotRequired[str]
    """The argument that is wrong, by its path, e.g. `tags[1]`"""
    code: str
    """The same as `kind`"""
    expected: NotRequired[int]
    """Of a conflict: the number at which the log was expected to end"""
    head: NotRequired[int]
    """Of a conflict: the number at which it ends"""
    hint: NotRequired[str]
    """What to do; may be empty"""
    id: NotRequired[str]
    """Of a conflict: the id that is taken"""
    kind: Literal['invalid', 'unauthorized', 'forbidden', 'not_found', 'conflict', 'too_many', 'check_failed', 'unavailable', 'fault']
    """What kind of failure"""
    message: str
    """What happened"""
    seq: NotRequired[int]
    """Of a conflict: the number of the event that has the id, or from which on the logs differ"""
    type: str
    """The same as `kind`"""


@final
class Event(TypedDict):
    """An event of the log."""

    agent_id: NotRequired[str]
    """The agent whose memory it is; it is shared without one"""
    author: NotRequired[str]
    """Who said or did it"""
    causes: NotRequired[list[str]]
    """The ids of the events it derives from"""
    content: NotRequired[str]
    """The whole text"""
    conversation_id: NotRequired[str]
    """The conversation it is part of"""
    erased: NotRequired[Literal[True]]
    """Here where its content was erased"""
    expires_at: NotRequired[str]
    """From when on it is as if it had never been"""
    hash: NotRequired[str]
    """Its hash; not where an agent is named"""
    id: str
    """Its id"""
    kind: str
    """What kind of thing it was"""
    loop_id: NotRequired[str]
    """The loop it is part of"""
    metadata: NotRequired[dict[str, Any]]
    """Anything else"""
    origin: NotRequired[str]
    """Which way it came in, where that was recorded"""
    persona: NotRequired[Persona]
    """Which side of an agent"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    prev_hash: NotRequired[str]
    """The hash of the event before it; not where an agent is named"""
    recorded_at: NotRequired[str]
    """When it was written; not where an agent is named"""
    refs: NotRequired[list[str]]
    """What it refers to"""
    scope: NotRequired[str]
    """The area it affects"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    source: NotRequired[str]
    """The project or component it came from"""
    status: NotRequired[Status]
    """How something went"""
    summary: NotRequired[str]
    """What happened, in one line"""
    tags: NotRequired[list[str]]
    """Its labels"""
    trace_id: NotRequired[str]
    """The workflow it is part of"""
    trust: NotRequired[Trust]
    """How far it is trusted"""
    ts: str
    """When it happened"""
    visibility: NotRequired[Visibility]
    """Who may be shown it: anyone who may read the space, or the agent itself"""


@final
class ExportedEvent(TypedDict):
    """An event as it is stored, with everything that its hash is made from."""

    body: NotRequired[dict[str, Any]]
    """What was said, as it was sent; not where it was erased"""
    commitment: str
    """What its hash says of the body"""
    hash: str
    """Its hash"""
    id: str
    """Its id"""
    kind: str
    """What kind of thing it was"""
    prev_hash: str
    """The hash of the event before it"""
    recorded_at: str
    """When it was written"""
    salt: NotRequired[str]
    """What the commitment is made with; not where its content was erased"""
    seq: int
    """Its number in the log"""
    space: str
    """The id of the space"""
    v: int
    """The version of its form"""


@final
class Extracted(TypedDict):
    """Something that was taken from what was said, or would be."""

    attribute: str
    """What of it"""
    content: str
    """The fact"""
    done: Literal['stored', 'joined', 'ended', 'in both', 'only now', 'only stored', None]
    """What became of it; none where it was only looked for. With `compare`, whether it is known"""
    ends: NotRequired[Literal[True]]
    """Here where it says that something is no longer true"""
    event: str
    """The event that holds them"""
    extraction: str
    """Which extraction: `rules`, or the model"""
    fact_id: str | None
    """The fact it became or ended; none where it was only looked for"""
    quote: str
    """The words it comes from"""
    subject: str
    """Whom or what it is about"""
    value: str
    """And what that is"""


@final
class Fact(TypedDict):
    """A fact."""

    attribute: NotRequired[str]
    """What of it"""
    causes: list[str]
    """The ids of the events it derives from"""
    confidence: float
    """How certain it is, from 0 to 1"""
    conflicts: NotRequired[list[FactConflict]]
    """Other facts that it possibly contradicts"""
    content: str
    """What it says"""
    deleted: NotRequired[Literal[True]]
    """Here where it was taken away"""
    embedding: list[float] | None
    """Its vector, for the owner who asks for it"""
    expires: NotRequired[str]
    """When it is forgotten by itself"""
    id: str
    """Its id"""
    metadata: dict[str, Any] | None
    """What whoever stored it wanted to keep beside it"""
    origin: NotRequired[str]
    """Which way the words came in that it rests on"""
    score: NotRequired[float]
    """How well it answers"""
    source: str | None
    """The conversation where it was learned"""
    sources: int
    """How many events state it"""
    subject: NotRequired[str]
    """Whom or what it is about"""
    superseded_by: NotRequired[str]
    """The fact that took its place"""
    supersedes: NotRequired[str]
    """The fact whose place it took"""
    timestamp: str
    """When it was learned"""
    trust: Trust
    """How far it is trusted"""
    valid_from: str
    """From when it is true"""
    valid_until: str | None
    """Until when"""
    value: NotRequired[str]
    """And what that is"""


@final
class FactConflict(TypedDict):
    """A fact that possibly contradicts another."""

    content: str
    """What it says"""
    fact: str
    """Its id"""
    why: str
    """Why both may not be true"""


@final
class FactConflictsItem(TypedDict):
    """Two facts that possibly contradict each other."""

    content: str
    """What it says"""
    fact: str
    """The one"""
    other: str
    """The other"""
    other_content: str
    """What that says"""
    why: str
    """Why both may not be true"""


@final
class FactHistoryItem(TypedDict):
    """One event in the history of a fact."""

    causes: list[str]
    """The ids of the events it derives from"""
    content: str | None
    """What was said"""
    done: Literal['stored', 'joined', 'updated', 'ended', 'reopened', 'deleted']
    """What happened to it"""
    event: str
    """The id of the event"""
    fact_id: str
    """The fact"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    reason: NotRequired[str]
    """Why it was taken away"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    timestamp: str
    """When it was said"""
    valid_from: str | None
    """From when it was true"""
    valid_until: str | None
    """Until when"""


@final
class FactRetrieveAnswer(TypedDict):
    """Facts that were found."""

    error: None
    """Always null: what goes wrong is an error"""
    facts: list[Fact]
    """The best first"""


@final
class FactStored(TypedDict):
    """What became of a fact."""

    conflicts: NotRequired[list[FactConflict]]
    """Other facts that it possibly contradicts"""
    done: Literal['stored', 'joined', 'updated', 'ended', 'reopened', 'deleted']
    """What became of it"""
    error: None
    """Always null: what goes wrong is an error"""
    event: str
    """The id of the event"""
    fact_id: str
    """The fact: a new one, or the one that says the same"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    supersedes: NotRequired[str]
    """The fact whose place it took"""


@final
class FailuresItem(TypedDict):
    """Failures that resemble each other."""

    count: int
    """How many"""
    example: str
    """What the last of them says"""
    first: str
    """When the first of them happened"""
    id: str
    """The id of the last of them"""
    kinds: list[str]
    """Their kinds"""
    last: str
    """When the last of them happened"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    traces: list[str]
    """Their traces, the latest first"""


@final
class FileLine(TypedDict):
    """A file and its size."""

    bytes: int
    """Its size"""
    name: str
    """Its name"""


@final
class Fix(TypedDict):
    """What was done until something worked."""

    said: NotRequired[str]
    """What the agent said of it when it was done"""
    steps: list[str]
    """The steps, in order: what was run or changed"""


@final
class FolderWork(TypedDict):
    """What was done in the A-MEM folder."""

    archived_months: int
    """Months of events that were moved to the archive"""
    archived_notes: int
    """Notes that were moved to the archive"""
    compressed: int
    """Files of events that were compressed"""
    dropped_archives: int
    """Files of the folder's own archive that were removed"""
    stayed: list[Stayed]
    """Files that are old and stay where they are"""
    troubles: list[Trouble]
    """What is not as it should be in the folder"""


@final
class GraphDrawing(TypedDict):
    """A part of the graph in the language of another program."""

    format: Literal['dot', 'mermaid', 'graphml']
    """Which language"""
    text: str
    """The text"""


GraphEdge = TypedDict(
    "GraphEdge",
    {
        "attributes": "list[list[str]]",
        "created": "str | None",
        "created_evt": "str | None",
        "from": "str",
        "relation": "Literal['depends_on', 'blocks', 'implements', 'tests', 'documents', 'contains', 'precedes', 'related_to', 'part_of', 'references', 'states']",
        "to": "str",
    },
)
"""An edge of the graph."""


@final
class GraphNode(TypedDict):
    """A node of the graph."""

    attributes: list[list[str]]
    """What else is known of it: names with their values; a free text has an empty name"""
    created: str | None
    """The event that made it"""
    created_evt: str | None
    """The number in the changelog of the event that made it"""
    distance: NotRequired[int]
    """How many steps away it is from what was asked about"""
    last: str | None
    """The event that last concerned it"""
    last_evt: str | None
    """The number in the changelog of the event that last concerned it"""
    node: str
    """Its name"""
    seq: int
    """The number of the event that last changed it"""
    status: Literal['active', 'blocked', 'completed', 'deprecated', 'planned']
    """How it stands"""
    tested: str | None
    """The last event that tested it"""
    type: Literal['component', 'task', 'dependency', 'decision', 'document', 'milestone', 'skill', 'pack', 'file', 'entity']
    """What it is"""


@final
class GraphPart(TypedDict):
    """A part of the graph."""

    as_of: int
    """The number of the last event that it is made from"""
    edges: list[GraphEdge]
    """Its edges"""
    nodes: list[GraphNode]
    """Its nodes"""


@final
class Handoff(TypedDict):
    """The last time work was handed over."""

    timestamp: str
    """When, as written"""
    to: str
    """To whom or what"""
    trace_id: NotRequired[str]
    """In which trace"""


@final
class Hit(TypedDict):
    """Something recalled."""

    author: str | None
    """Who said or did it"""
    causes: list[str]
    """The ids of the events it derives from"""
    conversation_id: str | None
    """The conversation it was part of"""
    id: str
    """The id of the event"""
    kind: str
    """What kind of thing it was"""
    metadata: dict[str, Any] | None
    """Anything else"""
    note: NotRequired[NoteSeen]
    """Which note it is, where it is one"""
    origin: str
    """Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a colon"""
    parts: NotRequired[dict[str, float]]
    """What each part adds to the score, with `explain`"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    score: float
    """What the hits are ordered by"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    source: NotRequired[str]
    """The project or component it came from"""
    space: NotRequired[str]
    """The space it is from, where several were asked"""
    text: str
    """What it says"""
    trust: Trust
    """How far it is trusted"""
    ts: str
    """When it happened"""


@final
class InvocationSummary(TypedDict):
    """One invocation of a conversation."""

    event: str
    """The id of the event that says so"""
    metadata: NotRequired[dict[str, Any]]
    """What else was kept"""
    query: str
    """What was asked"""
    result: str
    """How it ended"""
    summary: str
    """What the agent did"""
    timestamp: str
    """When"""


@final
class KeyLine(TypedDict):
    """An API key, without its secret."""

    agent: NotRequired[str]
    """The agent it is held to"""
    collection: NotRequired[str]
    """The collection it is held to"""
    created: str
    """When it was made"""
    expires: NotRequired[str]
    """From when on it is refused"""
    id: str
    """What it is called in lists and logs"""
    name: str
    """What it is for"""
    persona: NotRequired[Persona]
    """The side of that agent"""
    revoked: NotRequired[str]
    """When it was revoked"""
    rights: Literal['read', 'write', 'admin']
    """What it allows"""
    trust: NotRequired[Trust]
    """The most that what it writes is trusted"""
    user: NotRequired[str]
    """The user it is held to"""


@final
class KeyMade(TypedDict):
    """A new API key; its text is shown this once."""

    agent: NotRequired[str]
    """The agent it is held to"""
    collection: NotRequired[str]
    """The collection it is held to"""
    created: str
    """When it was made"""
    expires: NotRequired[str]
    """From when on it is refused"""
    id: str
    """What it is called in lists and logs"""
    key: str
    """The key itself"""
    name: str
    """What it is for"""
    persona: NotRequired[Persona]
    """The side of that agent"""
    revoked: NotRequired[str]
    """When it was revoked"""
    rights: Literal['read', 'write', 'admin']
    """What it allows"""
    trust: NotRequired[Trust]
    """The most that what it writes is trusted"""
    user: NotRequired[str]
    """The user it is held to"""


@final
class LearnAnswer(TypedDict):
    """What an agent learned."""

    agent: str
    """Which agent"""
    event: str | None
    """The event that says so; none where it knew that"""
    note: str
    """The note it works by from now on"""


@final
class Loop(TypedDict):
    """A loop as short-term memory holds it."""

    ended: str
    """When its last event happened"""
    kind: str
    """What it counts as: of the kinds of its events the one that weighs most"""
    loop_id: str
    """Which loop"""
    ltm: list[str]
    """The ids of its events, in order"""
    started: str
    """When it began"""
    summary: str
    """One line for each of its last events"""
    visibility: Visibility
    """Who may be shown it: anyone who may read the space, or the agent itself"""


@final
class LtmItem(TypedDict):
    """An entry of long-term memory: there is one for each event."""

    collection: str
    """The name of the lane it belongs to"""
    id: str
    """The id of the event"""
    importance: float
    """How much it matters, from 0 to 1"""
    kind: str
    """What kind of thing it was"""
    loop_id: str | None
    """The loop it was part of"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    status: Literal['pending', 'embedded', 'retry', 'quiet', 'off']
    """Whether it has its vectors; `quiet` for what never has any, `off` where no model is configured"""
    summary: str
    """Its summary, or its text"""
    ts: str
    """When it happened"""
    why: NotRequired[str]
    """Why it is tried again"""


@final
class Note(TypedDict):
    """A note in a list."""

    author: str | None
    """Who wrote this version"""
    confidence: Literal['low', 'medium', 'high']
    """How sure it is after what was tried"""
    created: str | None
    """When it was made, as it says"""
    failed: int
    """How often it did not"""
    id: str
    """The event that holds it"""
    links: list[str]
    """The notes it leads to"""
    note: str
    """The id of the note"""
    replaced_by: NotRequired[str]
    """The note to use instead"""
    score: NotRequired[float]
    """What it was ranked by, where it was searched for"""
    seq: int
    """The number of that event"""
    source: str | None
    """Where it comes from"""
    standing: float
    """The same from 0 to 1"""
    stated: NotRequired[str]
    """How sure it says it is"""
    status: NotRequired[str]
    """How far it has come"""
    tags: list[str]
    """Its tags"""
    title: str
    """Its title"""
    traces: list[str]
    """The traces it came from"""
    type: str | None
    """What sort of note it is"""
    updated: str | None
    """When it was last changed, as it says"""
    worked: int
    """How often it worked"""


@final
class NoteFinding(TypedDict):
    """Something that a check of a note found."""

    found: str
    """What was found"""
    note: str
    """The id of the note"""
    wrong: bool
    """Whether it must be repaired; else it is worth a look"""


@final
class NoteHistoryItem(TypedDict):
    """A version of a note."""

    author: str | None
    """Who wrote it"""
    confidence: str | None
    """How sure it said it was"""
    deleted: bool
    """Whether it was taken away"""
    diff: NotRequired[list[str]]
    """What changed since the version before: lines behind `-` and `+`"""
    id: str
    """The event that holds it"""
    note: str
    """The id of the note"""
    origin: str
    """Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a colon"""
    recorded_at: str
    """When it was written"""
    seq: int
    """The number of that event"""
    status: str | None
    """How far it had come"""
    title: str
    """Its title"""


@final
class NoteRelatedItem(TypedDict):
    """A note that another leads to."""

    dangling: bool
    """Whether a link leads to it and there is no such note"""
    distance: int
    """How many links away"""
    note: str
    """The id of the note"""
    title: str | None
    """Its title; none where there is no such note"""
    via: str
    """The note on the way to it"""


@final
class NoteSaved(TypedDict):
    """A note was written."""

    done: Literal['written', 'changed', 'unchanged', 'deleted']
    """What was done"""
    id: str
    """The id of the event"""
    note: str
    """The id of the note"""
    seq: int | None
    """The number of the event; none where nothing had to be written"""


@final
class NoteSeen(TypedDict):
    """What is shown of a note wherever it is recalled."""

    confidence: Literal['low', 'medium', 'high']
    """How sure it is after what was tried"""
    failed: int
    """How often it did not"""
    note: str
    """The id of the note"""
    replaced_by: NotRequired[str]
    """The note to use instead"""
    standing: float
    """The same from 0 to 1"""
    stated: NotRequired[str]
    """How sure it says it is"""
    status: NotRequired[str]
    """How far it has come"""
    title: str
    """Its title"""
    worked: int
    """How often it worked"""


@final
class NoteShowAnswer(TypedDict):
    """A note as its file has it."""

    author: str | None
    """Who wrote this version"""
    confidence: Literal['low', 'medium', 'high']
    """How sure it is after what was tried"""
    created: str | None
    """When it was made, as it says"""
    failed: int
    """How often it did not"""
    id: str
    """The event that holds it"""
    linked_from: list[str]
    """The notes that lead to it"""
    links: list[str]
    """The notes it leads to"""
    note: str
    """The id of the note"""
    origin: str
    """Which way this version came in"""
    replaced_by: NotRequired[str]
    """The note to use instead"""
    seq: int
    """The number of that event"""
    source: str | None
    """Where it comes from"""
    standing: float
    """The same from 0 to 1"""
    stated: NotRequired[str]
    """How sure it says it is"""
    status: NotRequired[str]
    """How far it has come"""
    tags: list[str]
    """Its tags"""
    text: str
    """The whole text"""
    title: str
    """Its title"""
    traces: list[str]
    """The traces it came from"""
    type: str | None
    """What sort of note it is"""
    updated: str | None
    """When it was last changed, as it says"""
    worked: int
    """How often it worked"""


@final
class OpsItem(TypedDict):
    """An operation."""

    about: str
    """What it does"""
    arguments: NotRequired[dict[str, Any]]
    """The JSON Schema of its arguments, where one operation is named"""
    destructive: bool
    """Whether it can lose something"""
    name: str
    """Its name"""
    rights: Literal['read', 'write', 'admin']
    """The right it needs"""


@final
class OtlpPartialSuccess(TypedDict):
    """What was not taken of an export."""

    errorMessage: str
    """Why"""
    rejectedSpans: str
    """How many spans were not taken: a number as a text"""


@final
class OtlpTracesAnswer(TypedDict):
    """An export was taken; empty where all of it was."""

    partialSuccess: NotRequired[OtlpPartialSuccess]
    """What was not taken of an export"""


@final
class PastFailure(TypedDict):
    """A failure like the one that was asked about."""

    alike: float
    """How alike, from 0 to 1"""
    id: str
    """The id of the event"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    text: str
    """What it says"""
    trace_id: str | None
    """The workflow it was part of"""
    ts: str
    """When it happened"""


Persona = Literal['actor', 'subconscious']
"""Which side of an agent."""


@final
class Problem(TypedDict):
    """Something a check found."""

    message: str
    """What is wrong"""
    seq: int | None
    """The number of the first event concerned"""


@final
class Profile(TypedDict):
    """What an agent can do, prefers and has learned."""

    agent_name: str
    """Who"""
    agent_version: str
    """Which model"""
    capabilities: dict[str, Capability]
    """What it does"""
    context_switches: NotRequired[ContextSwitches]
    """How often work was handed over"""
    last_active: str
    """When it last did something, as written"""
    preferences: dict[str, Any]
    """What it prefers"""
    schema_version: str
    """The version of this form"""
    session_count: int
    """How many sessions it had"""


@final
class ProfileListItem(TypedDict):
    """An agent in a list."""

    agent_name: str
    """Who"""
    agent_version: str
    """Which model"""
    capabilities: int
    """How many things it does"""
    failed_operations: int
    """How often it did not"""
    last_active: str
    """When it last did something, as written"""
    session_count: int
    """How many sessions it had"""
    successful_operations: int
    """How often that went well"""


@final
class Purged(TypedDict):
    """What was purged, or would be."""

    applied: bool
    """Whether it was done, or only looked at"""
    count: int
    """How many events' content goes"""
    events: list[PurgedEvent]
    """The first of them, in the order of the log"""
    files: list[str]
    """Files outside of the log that were rewritten or removed"""
    left: list[Stayed]
    """Files that still say it and are not this program's to change"""
    receipt: str | None
    """The event that says how many went, once they have"""
    space: str
    """The space"""
    warnings: list[str]
    """Places that may have it and were not looked into"""


@final
class PurgedEvent(TypedDict):
    """An event whose content goes."""

    author: NotRequired[str]
    """Who said it, or whose it is"""
    field: NotRequired[str]
    """The part of it that is shown: `content`, `metadata.note`"""
    id: str
    """Its id"""
    kind: str
    """What kind of thing it was"""
    passage: NotRequired[str]
    """The words that were searched for with what stands around them; else its beginning"""
    seq: int
    """Its number"""
    ts: NotRequired[str]
    """When it happened; not once it has gone"""
    why: str
    """Why it goes: it was asked for, or derived from one that goes"""


@final
class QuarantineItem(TypedDict):
    """What was put into quarantine, let out of it, or would be."""

    count: int
    """How many events it concerns"""
    done: Literal['previewed', 'hidden', 'released', 'listed']
    """What was done"""
    events: list[QuarantinedEvent]
    """The events, with what each says; none in a list"""
    id: NotRequired[str]
    """What it is called, once it is done"""
    reason: NotRequired[str]
    """Why, as said"""
    since: NotRequired[str]
    """Since when"""
    space: str
    """The space"""


@final
class QuarantinedEvent(TypedDict):
    """An event in quarantine."""

    id: str
    """Its id"""
    kind: str
    """What kind of thing it was"""
    origin: str
    """Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a colon"""
    seq: int
    """Its number"""
    text: str
    """The beginning of what it says"""
    why: str
    """Why: it was asked for, or derived from one that was"""


QueryLine = TypedDict(
    "QueryLine",
    {
        "about": "str",
        "from": "str",
        "name": "str",
        "parameters": "list[str]",
    },
)
"""A query that is kept, in a list of them."""


@final
class QueryRows(TypedDict):
    """What a query found."""

    columns: list[str]
    """The names of the columns, each once"""
    cut: bool
    """Whether there are more"""
    rows: list[dict[str, str | float | None]]
    """The rows: a value for each column"""


@final
class QuotaLine(TypedDict):
    """How much of a limit is used."""

    limit: int | None
    """How much there may be; none without limit"""
    used: int
    """How much there is"""
    what: Literal['facts', 'episodes', 'events', 'bytes', 'tokens']
    """Of what"""


@final
class RecallAnswer(TypedDict):
    """What was recalled."""

    hits: list[Hit]
    """The best first"""


@final
class Remembered(TypedDict):
    """Something that was put before a model from memory."""

    causes: list[str]
    """The events it comes from"""
    id: str
    """Its id"""
    text: str
    """What it says"""
    what: Literal['fact', 'episode', 'said', 'conversation']
    """What it is"""


@final
class RetainAnswer(TypedDict):
    """What was done for the sake of retention, or would be."""

    applied: bool
    """Whether it was done, or only looked at"""
    archived: int
    """Events that move from the log's database to archive files"""
    archives: list[Archive]
    """The archive files, with those of earlier times"""
    database_bytes: list[int]
    """Bytes of the log's database, before and after"""
    dropped: int
    """Events whose content is given up"""
    folder: FolderWork
    """What was done in the A-MEM folder"""
    kept: int
    """Of the events that are old, those that keep it"""
    older_than: str | None
    """What happened and was written before this moment is old; none where nothing ever is"""


@final
class Rule(TypedDict):
    """A rule, a decision or a to-do that stands, or stood until now."""

    id: str
    """What `rule end` takes"""
    kind: Literal['rule', 'decision', 'todo']
    """What it is"""
    project: NotRequired[str]
    """The project it was said in"""
    sure: bool
    """Whether it surely is one; what is not is told only where there is room"""
    text: str
    """The user's words"""
    ts: str
    """When it was said"""


@final
class SessionEndAnswer(TypedDict):
    """A session ended."""

    agent_name: str
    """Whose it was"""
    duration_minutes: float
    """How long it was"""
    id: str
    """The id of that event"""
    operations_count: int
    """What was done in it"""
    seq: int
    """The number of the event that ended it"""
    session: str
    """The session"""


@final
class SessionPreviewAnswer(TypedDict):
    """What the next session would be told when it starts."""

    budget: int
    """How many it could have"""
    ids: list[str]
    """The events that its lines come from, in order"""
    project: str
    """The project; empty where none is meant"""
    text: str
    """The text; empty where there is nothing to tell"""
    tokens: int
    """About how many tokens it has"""


@final
class SessionShowAnswer(TypedDict):
    """What a session holds."""

    agent_name: str
    """Whose it is"""
    agent_version: str | None
    """Which model"""
    duration_ms: int
    """How long ago that is"""
    notes: list[str]
    """Its scratch texts"""
    operations_count: int
    """What was done in it so far"""
    session: str
    """The session: the trace its events belong to"""
    started: str
    """When it began"""
    trace: Trace | None
    """Its events so far, step by step"""
    values: dict[str, Any]
    """Its scratch values"""


@final
class SessionStartAnswer(TypedDict):
    """A session began."""

    agent_name: str
    """Whose it is"""
    export: str
    """What a shell must be told so that everything below belongs to the session"""
    id: str
    """The id of that event"""
    seq: int
    """The number of the event that began it"""
    session: str
    """The session: the trace its events belong to"""
    started: str
    """When it began"""


@final
class ShownEvent(TypedDict):
    """An event that an agent was shown."""

    id: str
    """Its id"""
    origin: str
    """Where it came from: `user`, `agent`, `tool`, …"""
    rank: int
    """Its place, from 1 on"""
    text: str
    """What it says, in one line"""


@final
class ShownItem(TypedDict):
    """What an agent was told at one moment."""

    events: list[ShownEvent]
    """The events that were shown, in their order"""
    id: str
    """The event that says so"""
    moment: NotRequired[str]
    """`start`, `prompt`, `failure`, `edit` or `recall`"""
    project: NotRequired[str]
    """The project"""
    session: NotRequired[str]
    """The session"""
    tokens: NotRequired[int]
    """How many tokens it had"""
    ts: str
    """When"""


@final
class Source(TypedDict):
    """Where a piece of a context comes from."""

    causes: list[str]
    """The ids of the events it derives from"""
    cut: bool
    """Whether it did not fit whole"""
    id: str
    """The id of the event"""
    number: int
    """Its number in the text"""
    origin: str
    """Which way it came in: `user`, `agent`, `tool`, `file`, `web`, `import` or `outside`, perhaps with more behind a colon"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    score: float
    """What it was ranked by"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    space: NotRequired[str]
    """The space it is from, where several were asked"""
    trust: Trust
    """How far it is trusted"""
    ts: str
    """When it happened"""


@final
class SpacesItem(TypedDict):
    """A space."""

    events: int | None
    """How many events it has; none where it cannot be opened"""
    space: str
    """Its name, as USER/COLLECTION"""


@final
class StatLine(TypedDict):
    """How many events have a value, and how long they took."""

    count: int
    """How many"""
    mean_duration_ms: int | None
    """The mean of those that say how long they took"""
    value: str
    """The value"""


@final
class StatedRule(TypedDict):
    """A rule that a context states."""

    id: str
    """The id of the event that says it"""
    pos: NotRequired[int]
    """Its number among what an agent sees, where an agent is named"""
    seq: NotRequired[int]
    """Its number in the log, for whoever reads the whole space"""
    text: str
    """The rule"""
    ts: str
    """When it was said"""


@final
class StatsAnswer(TypedDict):
    """Counts of events."""

    as_of: int
    """The number of the last event that was counted"""
    by_agent: list[StatLine]
    """By agent"""
    by_day: list[StatLine]
    """By day, in order"""
    by_kind: list[StatLine]
    """By kind, the most frequent first"""
    by_source: list[StatLine]
    """By source"""
    by_status: list[StatLine]
    """By status"""
    events: int
    """All that were counted"""


Status = Literal['success', 'failure', 'pending', 'timeout']
"""How something went."""


@final
class StatusAnswer(TypedDict):
    """How a space stands."""

    clock_ahead_ms: NotRequired[int]
    """By how many milliseconds the last event is ahead of the clock, where it is"""
    coverage: Coverage | None
    """How its documents stand with it"""
    events: int
    """How many events it has"""
    files: list[FileLine]
    """The files it is kept in"""
    head: str
    """The hash of the last: note it down to prove later that nothing was cut"""
    home: NotRequired[str]
    """The home; whoever is held to a part of it is not told"""
    home_found_by: NotRequired[str]
    """How the home was found"""
    last_recorded_at: str | None
    """When the last was written"""
    memory: Literal['on', 'off']
    """Whether anything is remembered for its user"""
    model: str | None
    """The model that makes its vectors"""
    quota: list[QuotaLine]
    """What is used of what it may hold"""
    space: str
    """The space"""
    space_id: str
    """The id its chain starts from"""
    views: list[ViewLine]
    """How far each view has come"""


@final
class Stayed(TypedDict):
    """A file that stays though it is old, or still says what was purged."""

    file: str
    """The file"""
    reason: str
    """Why"""


@final
class StmItem(TypedDict):
    """A loop that was found in short-term memory."""

    boost: float
    """What its kind and visibility multiply the score by"""
    ended: str
    """When its last event happened"""
    kind: str
    """What it counts as: of the kinds of its events the one that weighs most"""
    loop_id: str
    """Which loop"""
    ltm: list[str]
    """The ids of its events, in order"""
    ratio: float
    """How alike question and summary are, from 0 to 100"""
    recency: float
    """1 for now, half after each half-life"""
    score: float
    """What they are ordered by"""
    started: str
    """When it began"""
    summary: str
    """One line for each of its last events"""
    visibility: Visibility
    """Who may be shown it: anyone who may read the space, or the agent itself"""


@final
class Trace(TypedDict):
    """One workflow, step by step."""

    bottleneck: int | None
    """The number of the step that took longest"""
    ended: str
    """When its last step happened"""
    first_failure: int | None
    """The number of the first step that failed or timed out"""
    started: str
    """When its first step happened"""
    steps: list[TraceStep]
    """The steps, in the order they happened"""
    total_ms: int
    """Milliseconds from the first step to the last"""
    trace_id: str
    """Which workflow"""


@final
class TraceLine(TypedDict):
    """A workflow in a list."""

    ended: str
    """When its last event happened"""
    events: int
    """How many events it has"""
    failures: int
    """How many of them failed or timed out"""
    started: str
    """When it began"""
    total_ms: int
    """Milliseconds from one to the other"""
    trace_id: str
    """Which workflow"""


@final
class TraceStep(TypedDict):
    """One step of a workflow: an event, and how long it took."""

    agent_id: NotRequired[str]
    """The agent whose memory it is; it is shared without one"""
    author: NotRequired[str]
    """Who said or did it"""
    causes: NotRequired[list[str]]
    """The ids of the events it derives from"""
    content: NotRequired[str]
    """The whole text"""
    conversation_id: NotRequired[str]
    """The conversation it is part of"""
    duration_ms: int
    """How long it took: as it says itself, or since the step before"""
    erased: NotRequired[Literal[True]]
    """Here where its content was erased"""
    expires_at: NotRequired[str]
    """From when on it is as if it had never been"""
    hash: str
    """Its hash"""
    id: str
    """Its id"""
    kind: str
    """What kind of thing it was"""
    loop_id: NotRequired[str]
    """The loop it is part of"""
    measured: bool
    """Whether it says so itself"""
    metadata: NotRequired[dict[str, Any]]
    """Anything else"""
    origin: NotRequired[str]
    """Which way it came in, where that was recorded"""
    persona: NotRequired[Persona]
    """Which side of an agent"""
    prev_hash: str
    """The hash of the event before it"""
    recorded_at: str
    """When it was written"""
    refs: NotRequired[list[str]]
    """What it refers to"""
    scope: NotRequired[str]
    """The area it affects"""
    seq: int
    """Its number in the log"""
    source: NotRequired[str]
    """The project or component it came from"""
    status: NotRequired[Status]
    """How something went"""
    summary: NotRequired[str]
    """What happened, in one line"""
    tags: NotRequired[list[str]]
    """Its labels"""
    trace_id: NotRequired[str]
    """The workflow it is part of"""
    trust: NotRequired[Trust]
    """How far it is trusted"""
    ts: str
    """When it happened"""
    visibility: NotRequired[Visibility]
    """Who may be shown it: anyone who may read the space, or the agent itself"""


@final
class Trouble(TypedDict):
    """Something in a file that is not as it should be."""

    file: str
    """The file, from the folder"""
    kind: Literal['violation', 'conflict', 'unread', 'remark']
    """What kind of trouble"""
    line: int
    """The line, counted from 1; 0 where the whole file is meant"""
    reason: str
    """What is wrong"""
    text: NotRequired[str]
    """The beginning of what stands there"""
    times: int
    """How often; the line is that of the first"""


Trust = Literal['user', 'agent', 'tool', 'external']
"""Who said it: a person, an agent, a tool, or somebody outside."""


@final
class UsageItem(TypedDict):
    """What was used of a language model by one operation."""

    answer_tokens: int
    """Tokens written by it"""
    calls: int
    """How often it was asked"""
    cost: float
    """What that cost, by the configured prices"""
    failed: int
    """How often in vain"""
    model: str
    """The model"""
    operation: str
    """For what"""
    prompt_tokens: int
    """Tokens read by the model"""


@final
class VerifyAnswer(TypedDict):
    """What a check of a log found."""

    archived: int
    """How many of them are in archive files"""
    dropped: int
    """How many of those had their content dropped"""
    erased: int
    """How many of them were erased"""
    events: int
    """How many events were checked"""
    first_bad_seq: int | None
    """The number of the first event that is not sound"""
    head: str
    """The hash of the last event that is sound"""
    ok: bool
    """Whether all is well"""
    problems: list[Problem]
    """What was found"""


@final
class ViewDigest(TypedDict):
    """What one view holds."""

    digest: str
    """The hash of all of them"""
    rows: int
    """How many rows"""
    version: int
    """The version of its rules"""
    view: str
    """The view"""


@final
class ViewLine(TypedDict):
    """A view and how far it has come."""

    behind: int
    """How many are still to come; the next reader does it"""
    seq: int
    """The last event that is in it"""
    view: str
    """The view"""


Visibility = Literal['external', 'internal']
"""Who may be shown it: anyone who may read the space, or the agent itself."""
