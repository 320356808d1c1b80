"""mem0's own client, as it is installed, against the server: every call that is offered, and refusals of the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count
from typing import Any

import pytest
from conftest import Server
from mem0 import AsyncMemoryClient, MemoryClient
from mem0.client.types import AddMemoryOptions, SearchMemoryOptions
from mem0.exceptions import MemoryError, MemoryNotFoundError, RateLimitError

USERS = count(1)


@pytest.fixture
def user() -> str:
    return f"user-{next(USERS)}@example.com"


@pytest.fixture
def mem0(server: Server) -> Iterator[MemoryClient]:
    yield MemoryClient(api_key=server.key, host=server.url)


def texts(found: dict[str, Any]) -> list[str]:
    return [own["memory"] for own in found["results"]]


def test_a_wrong_key_is_told_when_the_client_is_made(server: Server) -> None:
    with pytest.raises(ValueError, match="missing or invalid API key"):
        MemoryClient(api_key="idk_0_0", host=server.url)


def test_what_is_added_is_found_changed_and_erased(mem0: MemoryClient, user: str) -> None:
    said = [
        {"role": "user", "content": "I am a vegetarian and I hate coriander."},
        {"role": "assistant", "content": "I will remember that."},
    ]
    added = mem0.add(said, user_id=user, run_id="dinner", metadata={"topic": "food"})
    assert [own["event"] for own in added["results"]] == ["ADD", "ADD"]
    mem0.add("The train to Halle leaves at nine", user_id=user, infer=False)
    first = added["results"][0]["id"]

    found = mem0.search("what must not be in the meal?  coriander", filters={"user_id": user}, top_k=5)
    assert texts(found)[0] == "I am a vegetarian and I hate coriander."
    assert 0 < found["results"][0]["score"] < 1
    assert found["results"][0]["id"] == first
    memory = mem0.get(first)
    assert (memory["user_id"], memory["run_id"], memory["metadata"]) == (user, "dinner", {"topic": "food"})
    assert datetime.fromisoformat(memory["created_at"]).year > 2000

    assert mem0.update(first, text="I am a vegan.", metadata={"topic": "diet"})["memory"] == "I am a vegan."
    assert mem0.get(first)["memory"] == "I am a vegan."
    history = [(line["event"], line["old_memory"], line["new_memory"]) for line in mem0.history(first)]
    assert history == [
        ("ADD", None, "I am a vegetarian and I hate coriander."),
        ("UPDATE", "I am a vegetarian and I hate coriander.", "I am a vegan."),
    ]
    everything = mem0.get_all(filters={"AND": [{"user_id": user}]})
    assert everything["count"] == 3
    assert everything["results"][0]["id"] == first, "the newest first"
    page = mem0.get_all(filters={"user_id": user}, page=2, page_size=2)
    assert (len(page["results"]), page["next"]) == (1, None)

    mem0.delete(first)
    with pytest.raises(MemoryNotFoundError):
        mem0.get(first)
    assert mem0.get_all(filters={"user_id": user})["count"] == 2
    assert "deleted" in mem0.delete_all(user_id=user)["message"]
    assert mem0.get_all(filters={"user_id": user})["count"] == 0


def test_typed_options_and_filters_select(mem0: MemoryClient, user: str) -> None:
    for number, agent in enumerate(["red", "red", "blue"], start=1):
        options = AddMemoryOptions(filters={"user_id": user}, metadata={"n": number}, infer=False)
        mem0.add(f"marble {number}", options=options, agent_id=agent, app_id="box")
    chosen = SearchMemoryOptions(filters={"AND": [{"user_id": user}, {"n": {"gte": 2}}]}, top_k=10, rerank=True)
    assert sorted(texts(mem0.search("marble", options=chosen))) == ["marble 2", "marble 3"]
    for narrowed, expected in [
        ({"agent_id": "red"}, ["marble 1", "marble 2"]),
        ({"agent_id": {"in": ["blue"]}}, ["marble 3"]),
        ({"app_id": "*", "n": {"lt": 2}}, ["marble 1"]),
        ({"NOT": [{"agent_id": "red"}]}, ["marble 3"]),
        ({"OR": [{"n": 1}, {"n": 3}]}, ["marble 1", "marble 3"]),
    ]:
        found = mem0.get_all(filters={"AND": [{"user_id": user}, narrowed]})
        assert sorted(texts(found)) == expected, narrowed


def test_batches_and_entities(mem0: MemoryClient, user: str) -> None:
    ids = [mem0.add(f"note {n}", user_id=user, infer=False)["results"][0]["id"] for n in range(3)]
    mem0.batch_update([{"memory_id": ids[0], "text": "note zero"}, {"memory_id": ids[1], "metadata": {"n": 1}}])
    assert mem0.get(ids[0])["memory"] == "note zero"
    assert mem0.get(ids[1])["metadata"] == {"n": 1}
    mem0.batch_delete([{"memory_id": ids[0]}, {"memory_id": ids[2]}])
    assert texts(mem0.get_all(filters={"user_id": user})) == ["note 1"]
    own = [one for one in mem0.users()["results"] if one["name"] == user]
    assert [(one["type"], one["total_memories"]) for one in own] == [("user", 1)]
    mem0.delete_users(user_id=user)
    assert user not in [one["name"] for one in mem0.users()["results"]]


def test_a_memory_is_kept_until_its_expiration_date(mem0: MemoryClient, user: str) -> None:
    kept = mem0.add("the badge number is 4711", user_id=user, infer=False, expiration_date="2999-12-31")
    assert texts(mem0.get_all(filters={"user_id": user})) == ["the badge number is 4711"]
    mem0.update(kept["results"][0]["id"], text="the badge number is 4712")
    assert texts(mem0.get_all(filters={"user_id": user})) == ["the badge number is 4712"]
    with pytest.raises(MemoryError, match="in the past"):
        mem0.add("x", user_id=user, infer=False, expiration_date="2001-01-01")
    with pytest.raises(MemoryError, match="expiration_date is"):
        mem0.add("x", user_id=user, infer=False, expiration_date="tomorrow-ish")


def test_what_is_not_offered_is_told(mem0: MemoryClient, user: str) -> None:
    with pytest.raises(MemoryError, match="show_expired = true is not supported"):
        mem0.get_all(filters={"user_id": user}, show_expired=True)
    with pytest.raises(MemoryError, match="does not offer"):
        mem0.create_memory_export(schema="{}", user_id=user)
    with pytest.raises(MemoryError, match="does not offer"):
        mem0.feedback("x", feedback="POSITIVE")
    with pytest.raises(MemoryError, match="one user has to be named"):
        mem0.search("x", filters={"user_id": {"in": ["a", "b"]}})
    assert mem0.get_all(filters={"user_id": user})["count"] == 0


def test_a_key_of_one_user_reaches_no_other(server: Server, mem0: MemoryClient, user: str) -> None:
    theirs = mem0.add("a secret", user_id=user, infer=False)["results"][0]["id"]
    mine = MemoryClient(api_key=server.make_key("--user", "somebody"), host=server.url)
    attempts: list[Callable[[], Any]] = [
        lambda: mine.get(theirs),
        lambda: mine.update(theirs, text="mine"),
        lambda: mine.delete(theirs),
        lambda: mine.search("secret", filters={"user_id": user}),
        lambda: mine.add("x", user_id=user),
    ]
    for refused in attempts:
        with pytest.raises(MemoryNotFoundError):
            refused()
    assert mem0.get(theirs)["memory"] == "a secret"


def test_limits_are_told_as_limits(tmp_path_factory: pytest.TempPathFactory) -> None:
    limited = Server.made(tmp_path_factory.mktemp("limited"), "[server]\nrequests_per_second = 1\n")
    try:
        mem0 = MemoryClient(api_key=limited.key, host=limited.url)
        with pytest.raises(RateLimitError):
            for _ in range(20):
                mem0.users()
    finally:
        limited.stop()


def test_the_asynchronous_client(server: Server, user: str) -> None:
    async def work() -> None:
        async with AsyncMemoryClient(api_key=server.key, host=server.url) as mem0:
            await asyncio.gather(*(mem0.add(f"fact {n}", user_id=user, infer=False) for n in range(5)))
            found = await mem0.get_all(filters={"user_id": user})
            assert sorted(texts(found)) == [f"fact {n}" for n in range(5)]
            first = found["results"][0]["id"]
            await mem0.update(first, text="the new fact")
            assert (await mem0.get(first))["memory"] == "the new fact"
            assert texts(await mem0.search("the new fact", filters={"user_id": user}))[0] == "the new fact"
            assert len(await mem0.history(first)) == 2
            await mem0.delete(first)
            await mem0.delete_all(user_id=user)
            assert (await mem0.get_all(filters={"user_id": user}))["count"] == 0

    asyncio.run(work())
