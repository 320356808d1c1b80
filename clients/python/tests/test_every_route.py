"""Every route of the server's description, called with the method that was generated for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import models
import pytest
from conftest import Server
from described import Described

from generate import PACKAGE, Route, render, routes_of
from idetic import AsyncIdetic, Idetic, Invalid
from idetic.calls import Call, read_one


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a language model, so that agents answer too."""
    with models.started() as address:
        config = f'[model]\nbase_url = "{address}"\nname = "scripted"\n'
        server = Server.made(tmp_path_factory.mktemp("home"), config)
        yield server
        server.stop()


def document(server: Server) -> dict[str, Any]:
    answer = httpx.get(f"{server.url}/openapi.json", headers={"Authorization": f"Bearer {server.key}"})
    described: dict[str, Any] = answer.raise_for_status().json()
    return described


def in_order(server: Server) -> list[Route]:
    """The routes; a session begins before and ends after everything else."""
    return sorted(
        routes_of(document(server)), key=lambda route: {"session_start": 0, "session_end": 2}.get(route.name, 1)
    )


def test_the_generated_files_are_what_the_server_says(server: Server) -> None:
    for name, text in render(document(server)).items():
        assert (PACKAGE / name).read_text() == text, f"{name} is old: run generate.py on the server's /openapi.json"


def arguments(client: Idetic) -> dict[str, dict[str, Any]]:
    """Fills a space with one of each thing, and says what each route is asked; nothing where it needs nothing."""
    told = {"kind": "tool_result", "status": "failure", "content": "timeout of the backend", "trace_id": "t-1"}
    event = client.append([told])[0]["id"]
    for name in ("kept", "linked", "unlinked", "left", "gone"):
        client.note_write(f"The note {name}", id=name, content=f"What {name} says", force=True)
    client.note_link("kept", "unlinked")
    facts = [client.fact_store(text)["fact_id"] for text in ("Ann lives in Brno", "Bob has a boat")]
    episodes = [client.episode_store(goal)["episode_id"] for goal in ("Mend the build", "Paint the fence")]
    rule = client.remember("Knock before you enter", tags=["rule"], trust="user")["id"]
    talks = [client.conversation_start()["conversation_id"] for _ in range(2)]
    spare = client.key_create(f"of {talks[0]}", scope="read")["id"]
    return {
        "agent": {"question": "Where does Ann live?", "user": "test"},
        "agent_of_flow": {"flow": "a flow/with a slash", "question": "Where does Ann live?"},
        "advise": {"error": "timeout of the backend"},
        "append": {"events": [{"kind": "user_input", "content": "hello"}]},
        "ask": {"question": "Where does Ann live?"},
        "context": {"query": "Where does Ann live?"},
        "conversation_add": {"id": talks[0], "query": "Where does Ann live?", "result": "In Brno."},
        "conversation_end": {"conversation": talks[1]},
        "conversation_show": {"conversation": talks[0]},
        "do": {"task": "Say where Ann lives"},
        "episode_delete": {"episode": episodes[1]},
        "episode_get": {"episode": episodes[0]},
        "episode_retrieve": {"query": "build"},
        "episode_store": {"goal": "Walk the dog"},
        "fact_delete": {"fact": facts[1]},
        "fact_get": {"fact": facts[0]},
        "fact_history": {"fact": facts[0]},
        "fact_retrieve": {"query": "Ann"},
        "fact_store": {"text": "Eve plays chess"},
        "fact_update": {"fact": facts[0], "text": "Ann lives in Prague"},
        "get": {"event": event},
        "history": {"id": event},
        "update": {"id": event, "text": "timeout of the backend, twice", "metadata": {"times": 2}},
        "key_create": {"name": f"after {talks[0]}", "scope": "read", "expires": "1d"},
        "key_revoke": {"key": spare},
        "learn": {"feedback": "Answer in one sentence"},
        "note_delete": {"note": "gone"},
        "note_deprecate": {"note": "left", "by": "kept", "reason": "said better there"},
        "note_edit": {"note": "kept", "append": "More of it"},
        "note_history": {"note": "kept"},
        "note_link": {"note": "kept", "other": "linked"},
        "note_outcome": {"note": "kept", "worked": True},
        "note_related": {"note": "kept"},
        "note_show": {"note": "kept"},
        "note_unlink": {"note": "kept", "other": "unlinked"},
        "note_write": {"title": "Quite another thing", "content": "Whales sing"},
        "otlp_traces": {"body": {"resourceSpans": []}},
        "profile_prefer": {"agent": "bot", "key": "language", "value": "English"},
        "profile_show": {"agent": "bot"},
        "purge": {"event": event, "dry_run": True},
        "forget": {"id": event, "dry_run": True},
        "session_preview": {"budget": 500},
        "quarantine": {"list": True},
        "query": {"sql": "SELECT count(*) AS n FROM events"},
        "recall": {"query": "Where does Ann live?"},
        "remember": {"text": "The build needs Node 20"},
        "rule_end": {"id": f"{rule}@0"},
        "retain": {"dry_run": True, "older_than": "1d"},
        "session_start": {"agent": "bot"},
        "session_note": {"words": ["mood", "good"]},
        "stm": {"query": "backend"},
    }


def check(route: Route, answer: Any, request: httpx.Request) -> None:
    """An answer of the form that the description promises, from the route that it describes."""
    sent = route.path.replace("{flow}", "a%20flow%2Fwith%20a%20slash")
    assert (request.method.lower(), request.url.raw_path.decode().partition("?")[0]) == (route.method, sent)
    expected = str if route.is_text else list if route.is_many else dict
    assert isinstance(answer, expected), (route.name, answer)


def test_every_route_is_answered(server: Server, space: str) -> None:
    requests: list[httpx.Request] = []
    described = Described(document(server))
    http = httpx.Client(event_hooks={"request": [requests.append], "response": [described.take]}, timeout=60)
    client = Idetic(server.url, key=server.key, space=space, http=http)
    asked, routes = arguments(client), in_order(server)
    assert asked.keys() <= {route.name for route in routes}
    for route in routes:
        answer = getattr(client, route.name)(**asked.get(route.name, {}))
        check(route, list(answer) if route.is_paged else answer, requests[-1])
    assert not described.wrong
    assert {name for name, _ in described.answered} == {route.name.removesuffix("_") for route in routes}
    assert len(routes) >= 74, f"{len(routes)} routes were answered"


async def test_every_route_is_answered_awaited(server: Server, space: str) -> None:
    requests: list[httpx.Request] = []

    async def keep(request: httpx.Request) -> None:
        requests.append(request)

    with Idetic(server.url, key=server.key, space=space) as waiting:
        asked = arguments(waiting)
    described = Described(document(server))
    hooks: dict[str, list[Any]] = {"request": [keep], "response": [described.take_awaited]}
    async with httpx.AsyncClient(event_hooks=hooks, timeout=60) as http:
        client = AsyncIdetic(server.url, key=server.key, space=space, http=http)
        for route in in_order(server):
            answer = getattr(client, route.name)(**asked.get(route.name, {}))
            answer = [item async for item in answer] if route.is_paged else await answer
            check(route, answer, requests[-1])
    assert not described.wrong


def test_every_operation_refuses_in_one_form_what_it_does_not_know(server: Server, space: str) -> None:
    client = Idetic(server.url, key=server.key, space=space)
    client.remember("something")
    operations = [route for route in routes_of(document(server)) if route.takes == "named" and route.body is not None]
    assert len(operations) > 60
    for route in operations:
        with pytest.raises(Invalid) as refused:
            client.send(Call(route.path, {"no_such_argument": 1}, read_one))
        assert refused.value.kind == "invalid" and "arguments" in refused.value.message, route.name
