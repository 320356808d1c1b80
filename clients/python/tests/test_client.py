"""What the client itself does: answers, pages, errors, retries, spaces, streams; waiting and awaited alike."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path

import httpx
import pytest
from conftest import Server

from idetic import (
    AsyncIdetic,
    Conflict,
    Forbidden,
    Idetic,
    IdeticError,
    Invalid,
    NotFound,
    TooMany,
    Unauthorized,
    Unavailable,
    routes,
)
from idetic.sse import Parser


def test_what_is_remembered_is_recalled(client: Idetic) -> None:
    ack = client.remember("The build needs Node 20", tags=["build"])
    hits = client.recall(query="which Node does the build need?", limit=3)["hits"]
    assert hits[0]["id"] == ack["id"]
    assert client.get(ack["id"])["content"] == "The build needs Node 20"


def test_a_limit_has_one_name_and_its_older_ones(client: Idetic) -> None:
    for n in range(4):
        client.remember(f"The lamp of house {n} is green")
    found = [client.recall(query="which lamp is green?", limit=2), client.recall(query="which lamp is green?", k=3)]
    assert [len(answer["hits"]) for answer in found] == [2, 3]
    client.fact_store("Ann lives in Brno")
    client.fact_store("Bob has a boat in Brno")
    facts = [client.fact_retrieve(query="Brno", limit=1), client.fact_retrieve(query="Brno", top_k=1)]
    assert [len(answer["facts"]) for answer in facts] == [1, 1]


async def test_awaited_it_is_the_same(aclient: AsyncIdetic) -> None:
    acks = await aclient.append([{"kind": "user_input", "content": f"line {n}"} for n in range(5)])
    assert [ack["seq"] for ack in acks] == [1, 2, 3, 4, 5]
    said = [event["content"] async for event in aclient.log(page_size=2)]
    assert said == [f"line {n}" for n in range(5)]


def test_a_list_is_asked_for_page_by_page(server: Server, space: str) -> None:
    asked: list[str] = []
    http = httpx.Client(event_hooks={"request": [lambda request: asked.append(request.url.path)]})
    client = Idetic(server.url, key=server.key, space=space, http=http)
    client.append([{"kind": "user_input", "content": str(n)} for n in range(25)])
    listing = client.log(page_size=10)
    assert asked.count("/v1/log") == 0, "nothing is asked for before it is needed"
    first = [next(listing)["content"] for _ in range(10)]
    assert asked.count("/v1/log") == 1
    assert first + [event["content"] for event in listing] == [str(n) for n in range(25)]
    assert asked.count("/v1/log") == 3


def test_a_list_without_numbers_is_paged_too(client: Idetic) -> None:
    for n in range(7):
        client.fact_store(f"Fact number {n} of this list is about the letter {chr(97 + n)}")
    assert len(list(client.fact_list(page_size=3))) == 7


def test_errors_say_what_happened_and_what_to_do(server: Server, client: Idetic) -> None:
    client.remember("something")
    with pytest.raises(Invalid) as invalid:
        client.append([{"kind": "no such kind", "content": "x"}])
    assert invalid.value.status == 400 and invalid.value.kind == "invalid"
    assert "kind" in invalid.value.message and invalid.value.hint
    with pytest.raises(NotFound) as missing:
        client.get("no-such-event")
    assert (missing.value.status, missing.value.kind) == (404, "not_found")
    with pytest.raises(Conflict):
        client.append([{"kind": "user_input", "content": "x"}], expect=77)
    with pytest.raises(Unauthorized):
        Idetic(server.url, key="idk_0_0").spaces()
    reader = Idetic(server.url, key=server.make_key("--scope", "read"))
    with pytest.raises(Forbidden):
        reader.remember("not allowed")


def test_the_key_and_the_address_come_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDETIC_KEY", server.key)
    monkeypatch.setenv("IDETIC_URL", server.url)
    assert Idetic(space="test/environment").remember("found")["seq"] == 1


def test_spaces_are_apart(client: Idetic) -> None:
    other = client.in_space("test/other-space")
    client.remember("only here")
    other.remember("only there")
    assert [event["content"] for event in client.log()] == ["only here"]
    assert [event["content"] for event in other.log()] == ["only there"]


class Flaky(httpx.BaseTransport):
    """Carries requests to the server and loses the first answers."""

    def __init__(self, lost: int) -> None:
        self.lost, self.inner, self.keys = lost, httpx.HTTPTransport(), list[str]()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key", ""))
        response = self.inner.handle_request(request)
        if self.lost == 0:
            return response
        self.lost -= 1
        response.read()
        raise httpx.ReadError("the answer was lost", request=request)


def test_a_write_whose_answer_is_lost_is_sent_again_and_carried_out_once(
    server: Server, client: Idetic, space: str
) -> None:
    transport = Flaky(lost=2)
    flaky = Idetic(server.url, key=server.key, space=space, http=httpx.Client(transport=transport))
    flaky.append([{"kind": "user_input", "content": "one"}, {"kind": "user_input", "content": "two"}])
    transport.lost = 1
    flaky.fact_store("The sky over Brno is blue")
    assert len(transport.keys) == 5 and len(set(transport.keys)) == 2
    assert len(list(client.log(kind="user_input"))) == 2
    assert len(list(client.fact_list())) == 1


def test_in_the_end_it_gives_up() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        client = Idetic(f"http://127.0.0.1:{nobody.getsockname()[1]}", key="k", retries=1)
        with pytest.raises(Unavailable) as unavailable:
            client.remember("x")
    assert unavailable.value.status is None and unavailable.value.hint


def test_whoever_asks_too_often_waits_as_long_as_the_server_says(tmp_path: Path) -> None:
    own = Server.made(tmp_path, "[server]\nrequests_per_second = 2\n")
    with Idetic(own.url, key=own.key) as client:
        for n in range(6):
            client.remember(f"number {n}")
        assert len(list(client.log())) == 6
    hasty = Idetic(own.url, key=own.key, retries=0)
    with pytest.raises(TooMany) as refused:
        for _ in range(40):
            hasty.spaces()
    assert refused.value.status == 429
    own.stop()


def test_a_named_call_is_answered_as_before(client: Idetic) -> None:
    first = client.remember("once", idempotency_key="a name")
    assert client.remember("once", idempotency_key="a name") == first
    with pytest.raises(Conflict):
        client.remember("something else", idempotency_key="a name")


AWKWARD = "a line\u2028another\u0085third \x1e end\r\nnext 😀"


def test_a_log_is_followed(client: Idetic) -> None:
    client.remember("before")
    events = client.follow(kind="memory.remembered")
    assert next(events)["content"] == "before"
    later = threading.Timer(0.3, lambda: client.remember(AWKWARD))
    later.start()
    assert next(events)["content"] == AWKWARD
    later.join()


async def test_a_log_is_followed_awaited(aclient: AsyncIdetic) -> None:
    await aclient.remember("before")
    events = aclient.follow()
    assert (await anext(events))["content"] == "before"
    later = asyncio.create_task(aclient.remember(AWKWARD))
    assert (await anext(events))["content"] == AWKWARD
    await later


def test_following_goes_on_where_it_was_when_the_server_comes_back(tmp_path: Path) -> None:
    own = Server.made(tmp_path)
    client = Idetic(own.url, key=own.key, retries=20)
    client.remember("one")
    events = client.follow()
    assert next(events)["content"] == "one"

    def restart() -> None:
        own.stop()
        own.start(own.url.removeprefix("http://"))
        client.remember("two")

    again = threading.Thread(target=restart)
    again.start()
    assert next(events)["content"] == "two", "neither lost nor told twice"
    again.join()
    events.close()  # type: ignore[attr-defined]
    own.stop()


def test_a_refusal_ends_a_stream(client: Idetic) -> None:
    client.remember("x")
    with pytest.raises(Invalid):
        next(client.follow(limit=3))
    with pytest.raises(NotFound):
        list(client.stream(routes.get("no-such-event")))


def test_how_far_a_long_call_is_is_no_answer(server: Server, client: Idetic, space: str) -> None:
    client.remember("x")
    assert ["ok" in answer for answer in client.stream(routes.verify())] == [True]

    async def awaited() -> list[bool]:
        async with AsyncIdetic(server.url, key=server.key, space=space) as memory:
            return ["ok" in answer async for answer in memory.stream(routes.verify())]

    assert asyncio.run(awaited()) == [True]


def test_events_are_found_however_the_bytes_are_cut() -> None:
    whole = b': a comment\n\nid: 7\ndata: {"a":\ndata: 1}\n\nevent: done\r\ndata: {}\r\n\r\nid: 8\n\n'
    for cut in range(len(whole)):
        parser = Parser()
        sent = parser.feed(whole[:cut]) + parser.feed(whole[cut:])
        assert [(event.name, event.data, event.id) for event in sent] == [
            ("message", '{"a":\n1}', "7"),
            ("done", "{}", None),
        ]


def test_every_error_is_one_of_ours(client: Idetic) -> None:
    with pytest.raises(IdeticError):
        client.in_space("not a space").remember("x")
