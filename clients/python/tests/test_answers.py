"""Every field that an answer may have, in real answers that are held against the server's own description."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import httpx
import models
import pytest
from conftest import Server
from described import STREAM, Described
from test_every_route import document

from idetic import Idetic, IdeticError, Unauthorized, routes
from idetic.calls import Call, read_one

CONFIG = """
[model]
base_url = "{address}"
name = "scripted"

[embedding]
model = "endpoint"
base_url = "{address}"
name = "alike"
dimensions = 2
retries = 0

[quota]
facts = 1000
"""

# What no call of this test brings about.
UNMET = {
    ("AdvisedNote", "replaced_by"): "a note that was replaced is not advised",
    ("AgentMessage", "explain_id"): "of messages before the last, which alone is sent over HTTP",
    ("AgentMessage", "observation"): "of messages before the last",
    ("AgentMessage", "thought"): "of messages before the last",
    ("Fact", "deleted"): "a fact that was deleted is not shown",
    ("KeyMade", "revoked"): "a key that was just made",
    ("NoteSeen", "replaced_by"): "a note that was replaced is not recalled",
    ("ShownItem", "project"): "of what the hooks of a coding agent tell",
    ("ShownItem", "session"): "of what the hooks of a coding agent tell",
    ("ShownItem", "tokens"): "of what the hooks of a coding agent tell",
    ("StatusAnswer", "clock_ahead_ms"): "where the clock was set back",
    ("TraceStep", "erased"): "what was erased belongs to no workflow",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a language model and one that makes vectors."""
    with models.started() as address:
        server = Server.made(tmp_path_factory.mktemp("home"), CONFIG.format(address=address))
        yield server
        server.stop()


class Asking:
    """Clients whose answers are held against the description."""

    def __init__(self, server: Server, space: str) -> None:
        self.server, self.space = server, space
        self.described = Described(document(server))
        self.http = httpx.Client(event_hooks={"response": [self.described.take]}, timeout=60)
        self.memory = self.as_key(server.key)

    def as_key(self, key: str) -> Idetic:
        return Idetic(self.server.url, key=key, space=self.space, http=self.http, retries=0)

    def streamed(self, call: Call[Any], most: int | None = None, client: Idetic | None = None) -> None:
        """Shows the events of a stream."""
        try:
            for answer in islice((client or self.memory).stream(call), most):
                self.described.take_event(call.path, answer)
        except IdeticError as error:
            assert error.kind in ("unavailable", "invalid", "not_found", "check_failed"), error

    def refused(self, call: Call[Any], client: Idetic | None = None) -> IdeticError:
        with pytest.raises(IdeticError) as refused:
            (client or self.memory).send(call)
        return refused.value


def test_every_field_is_described_and_met(server: Server, space: str) -> None:
    asking = Asking(server, space)
    for ask in SECTIONS:
        ask(asking)
    described = asking.described
    assert not described.wrong
    assert {("log", STREAM), ("ask", STREAM), ("append", STREAM)} <= described.answered
    assert described.fields() - described.met <= UNMET.keys()


def events(asking: Asking) -> None:
    memory = asking.memory
    first = memory.remember("The build needs Node 20", author="ann")["id"]
    whole = {
        "kind": "tool_result",
        "status": "failure",
        "agent_id": "bot",
        "persona": "actor",
        "visibility": "internal",
        "author": "ann",
        "source": "shop",
        "trace_id": "t-1",
        "loop_id": "l-1",
        "conversation_id": "c-1",
        "scope": "billing",
        "summary": "timeout",
        "content": "timeout of the backend",
        "refs": ["file.rs"],
        "tags": ["slow"],
        "metadata": {"duration_ms": 5, "vip": True},
        "trust": "tool",
        "causes": [],
        "origin": "tool:WebFetch",
    }
    memory.append([whole, {"kind": "decision", "content": "We use Node 20", "causes": [first]}])
    memory.append([{"kind": "user_input", "content": "hello from the bot"}], agent="bot")
    list(memory.log())
    list(memory.log(page_size=1))
    list(memory.log(agent="bot"))
    memory.get(first)
    memory.get(first, agent="bot")
    list(memory.export())
    memory.recall(query="Node 20", explain=True)
    memory.recall(query="timeout of the backend", agent="bot", explain=True)
    memory.context("Node 20")
    memory.context("Node 20", budget=8)
    memory.context("Node 20", agent="bot")
    list(memory.trace())
    list(memory.trace(trace="t-1"))
    list(memory.loops(agent="bot"))
    list(memory.stm("timeout", agent="bot"))
    list(memory.ltm())
    list(memory.ltm(agent="bot"))
    list(memory.query(sql="SELECT seq, kind, author, 0.5 AS half FROM events"))
    list(memory.query(list=True))
    list(memory.ops())
    list(memory.ops(name="remember"))
    memory.stats()
    memory.status()
    memory.spaces()
    memory.metrics()
    asking.streamed(routes.log().first, 3)
    asking.streamed(routes.append([{"kind": "test", "content": "streamed"}]))
    for call in (routes.recall(query="Node 20"), routes.status(), routes.get(first)):
        asking.streamed(call)


def agents(asking: Asking) -> None:
    memory = asking.memory
    done = {"kind": "backend.tool_executed", "agent_id": "bot", "trace_id": "t-1", "metadata": {"tool_name": "make"}}
    over = {"kind": "gateway.context_switch", "agent_id": "bot", "trace_id": "t-1", "metadata": {"to_project": "other"}}
    memory.append([done | {"status": "success"}, done | {"status": "failure", "content": "no space left"}, over])
    memory.profile_prefer("bot", "language", value="English")
    memory.note_write("How to make it", id="make", content="Call make", author="bot", traces=["t-1"], force=True)
    memory.profile_show("bot")
    list(memory.profile_list())
    memory.remember("Never push to main", tags=["rule"], trust="user", source="github.com/acme/shop")
    memory.remember("Always use type hints", tags=["rule"], trust="user")
    assert [rule["text"] for rule in memory.context("Node 20")["rules"]] == ["Always use type hints"]
    memory.context("Node 20", agent="bot")
    rules = list(memory.rule_list(all_projects=True))
    memory.session_preview(project="github.com/acme/shop")
    memory.rule_end(rules[0]["id"])
    own = asking.as_key(asking.server.make_key("--agent", "bot", "--space", asking.space))
    own.recall(query="Node 20")
    list(own.shown())


def notes(asking: Asking) -> None:
    memory = asking.memory
    memory.note_write(
        "Timeouts of the backend",
        id="timeouts",
        content="Restart the backend",
        status="validated",
        confidence="high",
        author="ann",
        source="shop",
        type="solution",
        tags=["slow"],
        traces=["t-1"],
        links=["missing"],
        force=True,
    )
    memory.note_write("A newer note", id="newer", content="Whales sing", links=["timeouts"], force=True)
    memory.note_write("An older note", id="older", content="Whales whistle", force=True)
    memory.note_write("Restart the backend", id="restart", content="timeout of the backend", traces=["t-1"], force=True)
    memory.note_outcome("restart", worked=True, trace="t-1")
    asking.streamed(routes.note_validate().first)
    memory.note_unlink("timeouts", "missing")
    memory.note_link("timeouts", "newer")
    memory.note_edit("timeouts", append="Then wait", author="ann")
    memory.note_edit("timeouts", title="Timeouts of the backend")
    memory.note_deprecate(note="older", by="newer", reason="said better there")
    memory.note_deprecate(note="restart", by="timeouts", reason="said better there")
    memory.note_outcome("timeouts", worked=True, trace="t-1")
    memory.note_show("timeouts")
    memory.note_show("older")
    list(memory.note_list())
    list(memory.note_search(query="backend", any=True))
    list(memory.note_history("timeouts", diff=True))
    list(memory.note_related("timeouts", depth=2))
    list(memory.note_stale(days=0))
    list(memory.note_validate(note="newer"))
    for query in ("Timeouts of the backend", "Whales whistle"):
        memory.recall(query=query, explain=True)
    call = {"conversation_id": "c-2", "trace_id": "t-2"}
    failed = "error[E0433]: failed to resolve: use of undeclared crate or module `serde`"
    memory.append(
        [
            {"id": "call-1", "kind": "tool_call", "content": "cargo build", **call},
            {"kind": "tool_result", "status": "failure", "content": failed, "causes": ["call-1"], **call},
            {"id": "call-2", "kind": "tool_call", "content": "cargo add serde", **call},
            {"kind": "tool_result", "status": "success", "content": "Adding serde", "causes": ["call-2"], **call},
            {"id": "call-3", "kind": "tool_call", "content": "cargo build", **call},
            {"kind": "tool_result", "status": "success", "content": "Finished", "causes": ["call-3"], **call},
            {"kind": "actor_output", "content": "Adding the crate serde solved it", **call},
        ]
    )
    memory.advise(failed)
    memory.advise("timeout of the backend")
    memory.advise("timeout of the backend", agent="bot")
    list(memory.failures())
    list(memory.failures(agent="bot"))
    memory.note_delete("newer")


def facts(asking: Asking) -> None:
    memory = asking.memory
    first = memory.fact_store(
        "Ann lives in Brno",
        subject="Ann",
        attribute="home",
        value="Brno",
        source="c-1",
        metadata={"vip": True},
        ttl_days=9,
        until="2999-01-01T00:00:00Z",
    )["fact_id"]
    memory.fact_update(first, text="Ann lives in Prague", value="Prague")
    memory.fact_store("Ann lives in Oslo", subject="Ann", attribute="home", value="Oslo")
    memory.fact_store("Ann lives in Rome", subject="Ann", attribute="home", value="Rome")
    memory.fact_store("Bob has a boat", agent="bot")
    memory.fact_store("Bob is a vegetarian")
    memory.fact_store("Bob is not a vegetarian")
    gone = memory.fact_store("Eve plays chess")["fact_id"]
    memory.fact_delete(gone, reason="she does not")
    list(memory.fact_list(all=True))
    list(memory.fact_history(gone))
    list(memory.fact_history(first))
    for conflict in memory.fact_conflicts():
        memory.fact_get(conflict["fact"])
    memory.fact_get(first)
    memory.fact_retrieve(query="Where does Ann live?", embeddings=True, all=True)
    memory.fact_retrieve(query="boat", agent="bot")
    list(memory.fact_history(memory.fact_retrieve(query="boat", agent="bot")["facts"][0]["id"], agent="bot"))


def episodes(asking: Asking) -> None:
    memory = asking.memory
    kept = memory.episode_store(
        "Mend the build",
        steps=["look", "mend"],
        outcome="it builds",
        lessons="look first",
        status="success",
        conversation="c-1",
        metadata={"vip": True},
        ttl_days=9,
    )["episode_id"]
    gone = memory.episode_store("Paint the fence", agent="bot")["episode_id"]
    memory.episode_get(kept)
    list(memory.episode_list())
    memory.episode_retrieve(query="build", embeddings=True)
    memory.episode_delete(gone, agent="bot")


def conversations(asking: Asking) -> None:
    memory = asking.memory
    talk = memory.conversation_start(goal="Plan the party")["conversation_id"]
    said = {"query": "Where do I live?", "summary": "looked", "result": "In Brno.", "timestamp": "2026-01-01T00:00:00Z"}
    memory.conversation_add(id=talk, invocation_summary=said)
    memory.append([{"kind": "user_input", "content": "My name is Ann. I live in Oslo.", "conversation_id": talk}])
    memory.append([{"kind": "user_input", "content": "I no longer live in Oslo.", "conversation_id": talk}])
    told = {"query": "And Bob?", "summary": "", "result": "In Rome.", "given": {"vip": True}}
    memory.append([{"kind": "conversation.invocation", "conversation_id": talk, "metadata": told}])
    list(memory.conversation_list())
    memory.extract(conversation=talk, dry_run=True)
    memory.conversation_end(talk)
    memory.conversation_end(talk)
    memory.extract(conversation=talk, compare=True)
    memory.conversation_show(talk)
    list(memory.conversation_list())


def graph(asking: Asking) -> None:
    memory = asking.memory
    numbered = {"_md": {"number": 7, "identity": "ab12", "date_only": False}}
    memory.append(
        [
            {"kind": "create", "scope": "shop", "metadata": {"entity": "auth", "type": "component", "colour": "red"}},
            {"kind": "create", "scope": "shop", "metadata": {"entity": "web", "depends_on": ["auth"], **numbered}},
            {"kind": "test", "scope": "shop", "metadata": {"target": "auth", "result": "PASSED", "coverage": "85%"}},
        ]
    )
    memory.graph()
    memory.graph(node="web", depth=2)
    for format in ("json", "dot", "mermaid", "graphml"):
        memory.graph(format=format)


def sessions(asking: Asking) -> None:
    memory = asking.memory
    session = memory.session_start(agent="bot", version="1")["session"]
    memory.session_note(["mood", "good"])
    memory.session_note(["look at the build"])
    memory.append([{"kind": "test", "status": "failure", "trace_id": session, "agent_id": "bot"}])
    memory.session_show()
    memory.session_end()


def models_used(asking: Asking) -> None:
    memory = asking.memory
    memory.reembed()
    memory.ask("Where does Ann live?", verbose=True)
    memory.do("Say where Ann lives")
    asking.streamed(routes.ask("Where does Ann live?", verbose=True))
    asking.streamed(routes.ask(f"Say something {models.UNSPEAKABLE}"))
    memory.agent("Where does Ann live?")
    memory.agent_of_flow("default", f"Say something {models.UNSPEAKABLE}")
    memory.learn("Answer in one sentence", verbatim=True)
    memory.learn("Answer in one sentence", verbatim=True)
    list(memory.usage())
    memory.remember(f"This is {models.UNSPEAKABLE}")
    memory.dream()
    list(memory.ltm())
    memory.status()


def without_models(asking: Asking) -> None:
    config = CONFIG.format(address="http://127.0.0.1:9/v1")
    server = Server.made(asking.server.home.with_name("without"), config)
    memory = Idetic(server.url, key=server.key, http=asking.http)
    memory.remember("nothing makes vectors of this")
    asking.streamed(routes.dream(), client=memory)
    server.stop()


def refusals(asking: Asking) -> None:
    memory = asking.memory
    memory.remember("once", id="own-id")
    assert asking.refused(routes.remember("twice", id="own-id")).status == 409
    assert asking.refused(routes.append([{"kind": "test"}], expect=1)).status == 409
    assert asking.refused(routes.get("no-such-event")).status == 404
    assert asking.refused(Call("/v1/get", {"no_such_argument": 1}, read_one)).status == 400
    assert isinstance(asking.refused(routes.status(), asking.as_key("idk_0_0")), Unauthorized)
    reader = asking.as_key(asking.server.make_key("--scope", "read"))
    assert asking.refused(routes.remember("x"), reader).status == 403
    spans = [{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": "chat"}]
    memory.otlp_traces({"resourceSpans": [{"scopeSpans": [{"spans": [*spans, {"traceId": "none", "name": "lost"}]}]}]})


def upkeep(asking: Asking) -> None:
    memory = asking.memory
    key = memory.key_create(
        "held",
        scope="read",
        expires="30d",
        user="test",
        collection="shop",
        agent="bot",
        persona="actor",
        trust="agent",
    )
    memory.key_revoke(key["id"])
    memory.key_list(all=True)
    ending = memory.remember("gone next year", expires_at="2100-01-01", trace="t-4")["id"]
    memory.get(ending)
    list(memory.trace(trace="t-4"))
    memory.recall(query="next year", spaces=[asking.space])
    memory.context("what is gone next year?", spaces=[asking.space])
    memory.verify()
    asking.streamed(routes.verify(head="0" * 64))
    memory.digest()
    memory.rebuild()
    cause = memory.remember("something", trace="t-3")["id"]
    hidden = memory.remember("a secret of the shop", author="ann", trace="t-3", causes=[cause])["id"]
    list(memory.trace(trace="t-3"))
    memory.quarantine(event=hidden)
    memory.quarantine(event=hidden, yes=True, reason="unsure")
    held = memory.quarantine(list=True)
    memory.quarantine(release=held[0]["id"])
    memory.purge(matching="secret of the shop", dry_run=True)
    memory.purge(matching="secret of the shop", yes=True)
    memory.get(hidden)
    list(memory.trace(trace="t-3"))
    list(memory.export())
    memory.forget(id=memory.remember("forget me")["id"])
    old = [{"kind": "test", "content": f"old {number}"} for number in range(20)]
    memory.append(old)
    memory.retain(dry_run=True)
    memory.retain(apply=True, older_than="0d")


def folder(asking: Asking) -> None:
    """An A-MEM folder that has something which cannot be read."""
    memory, folder = asking.memory.in_space("test/folder"), asking.server.home.with_name("folder")
    memory.remember("something")
    asking.server.run("--home", str(asking.server.home), "--space", "test/folder", "amem", "init", str(folder))
    month = folder / "events" / "2020-01"
    month.mkdir()
    (month / "events.jsonl").write_text("not JSON\n")
    asking.streamed(routes.retain(apply=True, older_than="1d"), client=memory)


SECTIONS = (
    events,
    agents,
    notes,
    facts,
    episodes,
    conversations,
    graph,
    sessions,
    models_used,
    without_models,
    refusals,
    upkeep,
    folder,
)
