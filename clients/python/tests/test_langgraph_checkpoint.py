"""LangGraph's own conformance tests and real graphs with our checkpointer, and ours beside LangGraph's own."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypedDict

import pytest
from conftest import NUMBERS, Server
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from idetic import Forbidden, Idetic
from idetic.langgraph_checkpoint import IdeticSaver


async def test_langgraphs_conformance_tests_pass(server: Server) -> None:
    @checkpointer_test(name="IdeticSaver")
    async def saver() -> AsyncIterator[BaseCheckpointSaver[str]]:
        with Idetic(server.url, key=server.key, space=f"test/conformance-{next(NUMBERS)}") as client:
            yield IdeticSaver(client)

    report = await validate(saver)
    failures = [failure for result in report.results.values() for failure in result.failures or []]
    assert failures == [] and report.passed_all_base()
    passed = {name: result.tests_passed for name, result in report.results.items() if result.passed}
    assert passed.keys() == {"put", "put_writes", "get_tuple", "list", "delete_thread", "copy_thread"}
    assert sum(passed.values()) >= 55, passed


class State(TypedDict):
    messages: Annotated[list[Any], add_messages]
    approved: str
    picture: bytes


def build(saver: BaseCheckpointSaver[str]) -> Any:
    def draft(state: State) -> dict[str, Any]:
        return {"messages": [("ai", f"a draft for: {state['messages'][-1].content}")]}

    def review(state: State) -> dict[str, Any]:
        return {"approved": interrupt({"draft": state["messages"][-1].content})}

    def publish(state: State) -> dict[str, Any]:
        return {"messages": [("ai", f"published, because {state['approved']}")]}

    builder = StateGraph(State)
    for node in (draft, review, publish):
        builder.add_node(node.__name__, node)
    builder.add_edge(START, "draft")
    builder.add_edge("draft", "review")
    builder.add_edge("review", "publish")
    builder.add_edge("publish", END)
    return builder.compile(checkpointer=saver)


def test_a_graph_stops_and_goes_on_elsewhere(server: Server, client: Idetic, space: str) -> None:
    # It cannot be compressed, and in base64 it looks like secrets all over.
    picture = os.urandom(700_000)
    thread: Any = {"configurable": {"thread_id": "t1"}}
    asked: Any = {"messages": [("user", "a poem; the password is hunter2")], "picture": picture}
    stopped = build(IdeticSaver(client)).invoke(asked, thread)
    assert stopped["__interrupt__"][0].value == {"draft": "a draft for: a poem; the password is hunter2"}
    # Another program, which knows the thread by its name alone.
    with Idetic(server.url, key=server.key, space=space) as elsewhere:
        graph = build(IdeticSaver(elsewhere))
        assert graph.get_state(thread).next == ("review",)
        done = graph.invoke(Command(resume="it rhymes"), thread)
        assert done["messages"][-1].content == "published, because it rhymes"
        assert done["picture"] == picture
        # Back to before the review: another draft, another answer, and the first way is still there.
        before = next(step for step in graph.get_state_history(thread) if step.next == ("review",))
        fork = graph.update_state(before.config, {"messages": [("ai", "a better draft")]}, as_node="draft")
        assert graph.invoke(None, fork)["__interrupt__"][0].value == {"draft": "a better draft"}
        graph.invoke(Command(resume="it is short"), thread)
        ends = [step for step in graph.get_state_history(thread) if step.next == ()]
        said = [step.values["messages"][-1].content for step in ends]
        assert said == ["published, because it is short", "published, because it rhymes"]
        assert all(step.values["picture"] == picture for step in ends)
    assert client.recall(query="poem draft published", limit=10)["hits"] == [], "nobody is reminded of checkpoints"


async def test_a_graph_runs_awaited_and_a_thread_is_erased(client: Idetic) -> None:
    graph = build(IdeticSaver(client))
    for name in ("t1", "t2"):
        await graph.ainvoke({"messages": [("user", f"a song of {name}")]}, {"configurable": {"thread_id": name}})
    assert len([step async for step in graph.aget_state_history({"configurable": {"thread_id": "t1"}})]) == 3
    await graph.checkpointer.adelete_thread("t1")
    await graph.checkpointer.adelete_thread("there is no such thread")
    assert (await graph.aget_state({"configurable": {"thread_id": "t1"}})).values == {}
    assert (await graph.aget_state({"configurable": {"thread_id": "t2"}})).next == ("review",)
    left = {event["metadata"]["thread"] for event in client.log(source="langgraph-checkpoints")}
    assert left == {"t2"}


def joined(state: list[str], writes: list[list[str]]) -> list[str]:
    return [*(state or []), *(text for write in writes for text in write)]


class Lines(TypedDict):
    lines: Annotated[list[str], DeltaChannel(joined, snapshot_frequency=3)]


def test_channels_that_keep_changes_alone_are_put_together_again(client: Idetic) -> None:
    def graph(saver: BaseCheckpointSaver[str]) -> Any:
        builder = StateGraph(Lines)
        builder.add_node("answer", lambda state: {"lines": [f"answer {len(state['lines'])}"]})
        builder.add_edge(START, "answer")
        builder.add_edge("answer", END)
        return builder.compile(checkpointer=saver)

    thread: Any = {"configurable": {"thread_id": "t"}}
    savers = [IdeticSaver(client), InMemorySaver()]
    said = [[graph(saver).invoke({"lines": [f"line {n}"]}, thread)["lines"] for n in range(4)] for saver in savers]
    assert said[0] == said[1] and len(said[0][-1]) == 8


def test_an_agents_threads_are_its_own_and_not_its_to_erase(server: Server, space: str) -> None:
    ann, bob = (
        IdeticSaver(Idetic(server.url, key=server.make_key("--agent", agent), space=space)) for agent in ("ann", "bob")
    )
    build(ann).invoke({"messages": [("user", "a riddle")]}, {"configurable": {"thread_id": "t"}})
    assert ann.get_tuple({"configurable": {"thread_id": "t"}}) is not None
    assert bob.get_tuple({"configurable": {"thread_id": "t"}}) is None and list(bob.list(None)) == []
    with pytest.raises(Forbidden):
        ann.delete_thread("t")


def test_one_thread_among_many_is_read_without_the_others(client: Idetic, monkeypatch: pytest.MonkeyPatch) -> None:
    saver = IdeticSaver(client)
    for thread in range(12):
        fill(saver, f"thread {thread}", 6)
    seen = 0
    log = saver._client.log

    def counted(**asked: Any) -> Any:
        nonlocal seen
        for event in log(**asked):
            seen += 1
            yield event

    monkeypatch.setattr(client, "log", counted, raising=False)
    assert saver.get_tuple({"configurable": {"thread_id": "thread 7"}}) is not None
    # The checkpoint, its value and the one write.
    assert seen == 3
    seen = 0
    found = list(saver.list({"configurable": {"thread_id": "thread 7"}}, filter={"step": 4, "tags": ["a", 4]}))
    assert [one.metadata.get("step") for one in found] == [4] and seen == 3


def test_what_is_said_of_a_checkpoint_may_be_long(client: Idetic) -> None:
    saver, long = IdeticSaver(client), os.urandom(600_000).hex()
    config: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    said: Any = {"source": "input", "step": -1, "long": long}
    saved = saver.put(config, empty_checkpoint(), said, {})
    found = saver.get_tuple(saved)
    assert found is not None and found.metadata.get("long") == long
    assert [one.config for one in saver.list(config, filter={"long": long})] == [saved]


def fill(saver: BaseCheckpointSaver[str], thread: str, steps: int, namespace: str = "") -> None:
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
    for step in range(steps):
        version = saver.get_next_version(None, None)
        checkpoint = empty_checkpoint() | {"channel_values": {"n": step}, "channel_versions": {"n": version}}
        said: Any = {"source": "loop", "step": step, "tags": ["a", step], "a.b": step % 3}
        config = saver.put(config, checkpoint, said, {"n": version})
        saver.put_writes(config, [("n", step + 1)], f"task {step}")


def plain(one: CheckpointTuple) -> Any:
    """A checkpoint without the names that differ between two savers."""
    return (one.config["configurable"]["thread_id"], one.checkpoint["channel_values"], one.metadata, one.pending_writes)


def test_random_questions_are_answered_as_by_langgraphs_own_saver(client: Idetic) -> None:
    rng = random.Random(5)
    own, theirs = IdeticSaver(client), InMemorySaver()
    places = [("t1", ""), ("t1", "inner"), ("t2", "")]
    for place in places * 2:
        for saver in (own, theirs):
            fill(saver, place[0], 7, place[1])
    filters: list[Any] = [
        None,
        {"step": 3},
        {"source": "loop", "step": 1},
        {"tags": ["a", 2]},
        {"a.b": 1},
        {"no": None},
    ]
    for _ in range(25):
        thread, namespace = rng.choice(places)
        config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
        mine, other = list(own.list(config)), list(theirs.list(config))
        wanted, limit = rng.choice(filters), rng.choice([None, 0, 1, 5, 100])
        at = rng.choice([None, *range(len(mine))])
        got, expected = (
            list(saver.list(config, filter=wanted, before=None if at is None else all[at].config, limit=limit))
            for saver, all in ((own, mine), (theirs, other))
        )
        assert [plain(one) for one in got] == [plain(one) for one in expected], (wanted, limit, at)
        assert plain(own.get_tuple(config)) == plain(theirs.get_tuple(config))  # type: ignore[arg-type]
        if at is not None:
            one = own.get_tuple(mine[at].config)
            assert one is not None and one == mine[at]
    everything = sorted(repr(plain(one)) for one in own.list(None))
    assert everything == sorted(repr(plain(one)) for one in theirs.list(None)) and len(everything) == 42
