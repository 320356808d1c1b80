"""LangGraph's own objects with our store, and our store beside LangGraph's own."""

from __future__ import annotations

import random
from datetime import datetime, timedelta, timezone
from typing import Any, TypedDict

import pytest
from conftest import Server
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from idetic import Idetic
from idetic.langgraph import IdeticStore


def test_put_get_update_delete(client: Idetic) -> None:
    store = IdeticStore(client)
    assert store.get(("users", "ann"), "prefs") is None, "nothing is there before the space is"
    store.put(("users", "ann"), "prefs", {"theme": "dark", "n": 1})
    first = store.get(("users", "ann"), "prefs")
    assert first is not None
    assert (first.namespace, first.key, first.value) == (("users", "ann"), "prefs", {"theme": "dark", "n": 1})
    store.put(("users", "ann"), "prefs", {"theme": "light"})
    second = store.get(("users", "ann"), "prefs")
    assert second is not None and second.value == {"theme": "light"}
    assert second.created_at == first.created_at and second.updated_at > first.updated_at
    store.delete(("users", "ann"), "prefs")
    assert store.get(("users", "ann"), "prefs") is None
    kinds = [event["kind"] for event in client.log()]
    assert kinds == ["langgraph.written", "langgraph.written", "langgraph.deleted"], "nothing is lost"


def test_search_recalls_what_is_meant_and_only_what_stands(client: Idetic) -> None:
    store = IdeticStore(client)
    store.put(("notes",), "tea", {"text": "Ann drinks green tea every morning"})
    store.put(("notes",), "car", {"text": "The car needs new tyres"})
    store.put(("notes",), "old", {"text": "Ann drinks black tea"})
    store.put(("notes",), "old", {"text": "The garden fence is painted white"})
    store.put(("notes",), "gone", {"text": "tea tea tea"})
    store.delete(("notes",), "gone")
    store.put(("notes",), "hidden", {"text": "a secret tea"}, index=False)
    store.put(("other",), "tea", {"text": "tea elsewhere"})
    found = store.search(("notes",), query="what tea does Ann drink?")
    assert found[0].key == "tea" and found[0].score is not None
    assert {item.key for item in found} == {"tea", "car", "old", "hidden"}
    assert [item.score for item in found if item.key == "hidden"] == [None]
    scores = [item.score for item in found if item.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert len(store.search(("notes",), query="tea", limit=1)) == 1
    recalled = " ".join(hit["text"] for hit in client.recall(query="tea", limit=20)["hits"])
    assert "green tea" in recalled and "black tea" not in recalled and "tea tea" not in recalled


def test_a_namespace_is_ranked_by_itself_among_many_others(client: Idetic, monkeypatch: pytest.MonkeyPatch) -> None:
    store = IdeticStore(client)
    # All of them answer better than anything in the namespace that is asked for.
    others = [PutOp(("users", f"u{n % 50}"), f"k{n}", {"text": f"green tea, tea {n}, tea"}) for n in range(1500)]
    store.batch(others)
    texts = ["drinks tea at noon", "drives a car", "reads a book", "owns a boat", "lives in Brno"]
    store.batch([PutOp(("users", "ann"), f"k{n}", {"text": text}) for n, text in enumerate(texts)])
    monkeypatch.setattr(IdeticStore, "_within", None)
    found = store.search(("users", "ann"), query="green tea", limit=3)
    assert found[0].value == {"text": "drinks tea at noon"} and len(found) == 3
    assert {item.namespace for item in found} == {("users", "ann")} and all(item.score is not None for item in found)
    page = store.search(("users", "ann"), query="green tea", limit=2, offset=1)
    assert [item.key for item in page] == [item.key for item in found[1:]]


def test_only_the_fields_that_are_named_are_searched(client: Idetic) -> None:
    store = IdeticStore(client, fields=["text"])
    store.put(("n",), "one", {"text": "a red car", "note": "tea"})
    store.put(("n",), "two", {"text": "a cup of tea", "note": "car"})
    store.put(("n",), "all", {"text": "boat", "parts": [{"name": "oar"}, {"name": "anchor"}]}, index=["parts[*].name"])
    store.put(("n",), "none", {"text": "tea tea tea"}, index=False)
    assert [item.key for item in store.search(("n",), query="tea", limit=1)] == ["two"]
    assert [item.key for item in store.search(("n",), query="anchor", limit=1)] == ["all"]
    values = {item.key: (item.value, item.score is None) for item in store.search(("n",), query="tea")}
    assert values["none"] == ({"text": "tea tea tea"}, True) and values["one"][0] == {
        "text": "a red car",
        "note": "tea",
    }
    texts = {event["content"] for event in client.log()}
    assert texts == {"a red car", "a cup of tea", "oar\nanchor", ""}


def test_what_has_expired_is_not_there_and_reading_prolongs(client: Idetic, monkeypatch: pytest.MonkeyPatch) -> None:
    store = IdeticStore(client, ttl={"default_ttl": 60})
    now = datetime.now(timezone.utc)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return now

    monkeypatch.setattr("idetic.langgraph.datetime", Clock)
    store.put(("n",), "tea", {"text": "green tea"})
    store.put(("n",), "short", {"text": "black tea"}, ttl=10)
    store.put(("n",), "lasting", {"text": "herbal tea"}, ttl=None)
    now += timedelta(minutes=9)
    assert store.get(("n",), "short", refresh_ttl=False) is not None
    assert store.get(("n",), "tea") is not None, "prolonged to 69 minutes"
    now += timedelta(minutes=2)
    assert store.get(("n",), "short") is None
    assert {item.key for item in store.search(("n",))} == {"tea", "lasting"}
    assert {item.key for item in store.search(("n",), query="tea")} == {"tea", "lasting"}
    now += timedelta(minutes=55)
    assert [item.key for item in store.search(("n",), query="green tea", limit=1)] == ["tea"]
    now += timedelta(minutes=61)
    assert [item.key for item in store.search(())] == ["lasting"]
    assert store.sweep_ttl() == 2 and store.sweep_ttl() == 0
    assert {event["kind"] for event in client.log(limit=2)} == {"langgraph.deleted"}


def test_equal_values_are_found_wherever_they_are(client: Idetic) -> None:
    store = IdeticStore(client)
    for user in ("ann", "bob"):
        store.put(("users", user), "drink", {"text": "likes a cup of green tea in the morning"})
        store.put(("users", user), "car", {"text": "drives an old red car to the office"})
    for user in ("ann", "bob"):
        found = store.search(("users", user), query="green tea")
        assert found[0].key == "drink" and found[0].score is not None


def test_stores_of_different_names_are_apart(client: Idetic) -> None:
    one, two = IdeticStore(client, "one"), IdeticStore(client, "two")
    one.put(("a",), "k", {"v": 1})
    assert two.get(("a",), "k") is None and two.search(()) == []


def test_agents_with_keys_of_their_own_have_stores_of_their_own(server: Server, space: str) -> None:
    ann, bob = (
        IdeticStore(Idetic(server.url, key=server.make_key("--agent", agent), space=space)) for agent in ("ann", "bob")
    )
    ann.put(("notes",), "k", {"text": "the treasure is below the old oak"})
    assert bob.get(("notes",), "k") is None and bob.search((), query="treasure") == []
    bob.put(("notes",), "k", {"text": "nothing is below the oak"})
    ann.put(("notes",), "k", {"text": "the treasure was moved to the cellar"})
    found = ann.search(("notes",), query="where is the treasure?")
    assert [item.value["text"] for item in found] == ["the treasure was moved to the cellar"]
    ann.delete(("notes",), "k")
    assert ann.get(("notes",), "k") is None and bob.get(("notes",), "k") is not None


class State(TypedDict):
    question: str
    answer: str


def build(store: IdeticStore) -> Any:
    def learn(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        runtime.store.put(("learned", "ann"), "last", {"question": state["question"]})
        return {}

    def answer(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        found = runtime.store.get(("learned", "ann"), "last")
        assert found is not None
        return {"answer": f"you asked: {found.value['question']}"}

    builder = StateGraph(State)
    builder.add_node("learn", learn)
    builder.add_node("answer", answer)
    builder.add_edge(START, "learn")
    builder.add_edge("learn", "answer")
    builder.add_edge("answer", END)
    return builder.compile(store=store)


def test_a_graph_remembers_across_runs_and_processes(server: Server, client: Idetic, space: str) -> None:
    asked = build(IdeticStore(client)).invoke({"question": "where is Brno?", "answer": ""})
    assert asked["answer"] == "you asked: where is Brno?"
    elsewhere = IdeticStore(Idetic(server.url, key=server.key, space=space))
    found = elsewhere.search(("learned",))
    assert [item.value for item in found] == [{"question": "where is Brno?"}]


async def test_a_graph_runs_awaited(client: Idetic) -> None:
    store = IdeticStore(client)

    async def node(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        await runtime.store.aput(("a",), "k", {"question": state["question"]})
        found = await runtime.store.aget(("a",), "k")
        assert found is not None
        return {"answer": found.value["question"]}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    graph = builder.compile(store=store)
    assert (await graph.ainvoke({"question": "q", "answer": ""}))["answer"] == "q"
    assert [item.key for item in await store.asearch(("a",))] == ["k"]
    assert await store.alist_namespaces() == [("a",)]


LABELS = ["users", "ann", "bob", "é😀", 'a"b', "x y", "within", "*"]


def plain(result: Any) -> Any:
    """A result without its times."""
    if isinstance(result, list):
        return [plain(one) for one in result]
    return result if result is None or isinstance(result, tuple) else (result.namespace, result.key, result.value)


def test_random_batches_answer_as_langgraphs_own_store(client: Idetic) -> None:
    rng = random.Random(7)
    own, theirs = IdeticStore(client), InMemoryStore()

    def namespace(least: int = 1) -> tuple[str, ...]:
        return tuple(rng.choice(LABELS) for _ in range(rng.randint(least, 3)))

    def operation() -> Op:
        match rng.randrange(8):
            case 0 | 1 | 2:
                return PutOp(
                    namespace(),
                    rng.choice("abc"),
                    {"n": rng.randrange(5), "s": rng.choice(LABELS), "l": [1, {"x": None}]},
                )
            case 3:
                return PutOp(namespace(), rng.choice("abc"), None)
            case 4:
                return GetOp(namespace(), rng.choice("abc"))
            case 5:
                conditions = [
                    None,
                    {"n": rng.randrange(5)},
                    {"n": {"$gte": 1, "$lt": 4}},
                    {"s": {"$ne": "ann"}},
                    {"l": [1, {"x": None}]},
                ]
                return SearchOp(namespace(0), rng.choice(conditions), limit=10_000)
            case _:
                paths = tuple(
                    MatchCondition(rng.choice(["prefix", "suffix"]), namespace()) for _ in range(rng.randrange(2))
                )
                return ListNamespacesOp(paths or None, rng.choice([None, 1, 2]), rng.randint(1, 20), rng.randrange(2))

    compared = 0
    for _ in range(60):
        batch = [operation() for _ in range(rng.randint(1, 6))]
        # Theirs keeps namespaces that nothing is in any more: asked for, a copy of what stands is asked.
        copy = InMemoryStore()
        copy.batch([PutOp(item.namespace, item.key, item.value) for item in theirs.search((), limit=10_000)])
        expected = [copy.batch([op])[0] if isinstance(op, ListNamespacesOp) else None for op in batch]
        answers = theirs.batch(batch)
        expected = [
            special if isinstance(op, ListNamespacesOp) else answer
            for op, special, answer in zip(batch, expected, answers, strict=True)
        ]
        got = own.batch(batch)
        for op, one, other in zip(batch, got, expected, strict=True):
            if isinstance(op, SearchOp):
                # Theirs lists by namespace, ours as the items came.
                assert sorted(map(repr, plain(one))) == sorted(map(repr, plain(other))), op
            else:
                assert plain(one) == plain(other), op
            compared += 1
    assert compared > 150
    whole = plain(own.search((), limit=10_000))
    assert len(whole) > 5 and sorted(map(repr, whole)) == sorted(map(repr, plain(theirs.search((), limit=10_000))))
    assert plain(own.search((), limit=3, offset=2)) == whole[2:5]
