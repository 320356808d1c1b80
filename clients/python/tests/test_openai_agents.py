"""The Agents SDK's own runner with our session, and our session beside the SDK's own."""

from __future__ import annotations

import asyncio
import base64
import os
import random
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from agents import (
    Agent,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    SQLiteSession,
    TResponseInputItem,
    Usage,
    function_tool,
)
from agents.items import TResponseStreamEvent
from agents.memory import Session, SessionSettings
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from idetic import AsyncIdetic
from idetic.openai_agents import IdeticSession


def message(text: str) -> ResponseOutputMessage:
    said = ResponseOutputText(annotations=[], text=text, type="output_text", logprobs=[])
    return ResponseOutputMessage(id="m", content=[said], role="assistant", status="completed", type="message")


def tool_call(call: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(arguments='{"city": "Brno"}', call_id=call, name="weather", type="function_call")


class Scripted(Model):
    """A model that answers as it was told and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), list[list[Any]]()

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **more: Any) -> ModelResponse:
        self.asked.append(list(input) if isinstance(input, list) else [input])
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **more: Any) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError


@function_tool
def weather(city: str) -> str:
    """How the weather is."""
    return f"it rains in {city}"


QUIET = RunConfig(tracing_disabled=True)


async def test_an_agent_remembers_its_session_across_runs(aclient: AsyncIdetic) -> None:
    model = Scripted(tool_call("c1"), message("It rains in Brno."), message("You asked about Brno."))
    agent = Agent(name="helper", model=model, tools=[weather])
    session = IdeticSession("ann-1", aclient)
    assert isinstance(session, Session)
    first = await Runner.run(agent, "How is the weather in Brno?", session=session, run_config=QUIET)
    assert first.final_output == "It rains in Brno."
    # Another run, with a session made anew: everything is there.
    second = await Runner.run(agent, "What did I ask?", session=IdeticSession("ann-1", aclient), run_config=QUIET)
    assert second.final_output == "You asked about Brno."
    kinds = [item.get("type") or item.get("role") for item in model.asked[-1]]
    assert kinds == ["user", "function_call", "function_call_output", "message", "user"]
    # In the log it is a conversation like any other.
    log = [(event["kind"], event["content"]) async for event in aclient.log(conversation="ann-1")]
    assert log == [
        ("user_input", "How is the weather in Brno?"),
        ("tool_call", 'weather {"city": "Brno"}'),
        ("tool_result", "it rains in Brno"),
        ("actor_output", "It rains in Brno."),
        ("user_input", "What did I ask?"),
        ("actor_output", "You asked about Brno."),
    ]
    hits = (await aclient.recall(query="rain in Brno", limit=2))["hits"]
    assert any("rains in Brno" in hit["text"] for hit in hits), hits


async def test_what_lies_behind_much_that_was_popped_is_found(aclient: AsyncIdetic) -> None:
    session = IdeticSession("s", aclient)
    await session.add_items([user(str(n)) for n in range(40)])
    for n in range(39, 9, -1):
        assert await session.pop_item() == user(str(n))
    assert await session.get_items(limit=3) == [user("7"), user("8"), user("9")]


async def test_limits_of_the_session_hold(aclient: AsyncIdetic) -> None:
    session = IdeticSession("s", aclient, session_settings=SessionSettings(limit=2))
    await session.add_items([user(str(n)) for n in range(5)])
    assert await session.get_items() == [user("3"), user("4")]
    assert len(await session.get_items(limit=4)) == 4


async def test_items_of_any_size_and_shape_come_back_as_they_were(aclient: AsyncIdetic) -> None:
    deep: Any = "end"
    for _ in range(40):
        deep = {"inner": [deep]}
    items = [
        user("x" * 300_000),
        cast(TResponseInputItem, {"type": "reasoning", "id": "r", "summary": [], "deep": deep}),
        cast(
            TResponseInputItem,
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "a\u2028b"}, {"type": "input_image", "image_url": "data:,"}],
            },
        ),
        cast(
            TResponseInputItem,
            {
                "type": "function_call_output",
                "call_id": "c",
                "output": [{"type": "input_text", "text": "t"}],
                "n": 1.50,
            },
        ),
    ]
    session = IdeticSession("s", aclient)
    await session.add_items(items)
    assert await session.get_items() == items


async def test_what_is_no_words_comes_back_to_the_letter(aclient: AsyncIdetic) -> None:
    opaque = base64.b64encode(os.urandom(3000)).decode()
    items = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": opaque},
        {"role": "user", "content": [{"type": "input_image", "image_url": f"data:image/png;base64,{opaque}"}]},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": opaque * 30},
        {"role": "user", "content": "the password is hunter2"},
    ]
    session = IdeticSession("s", aclient)
    await session.add_items(cast(list[TResponseInputItem], items))
    got = await session.get_items()
    assert got[:3] == items[:3] and got[3] == user("the password is [masked]")


async def test_two_that_pop_at_once_get_different_items(aclient: AsyncIdetic) -> None:
    session = IdeticSession("s", aclient)
    await session.add_items([user(str(n)) for n in range(8)])
    popped = await asyncio.gather(*(IdeticSession("s", aclient).pop_item() for _ in range(8)))
    assert sorted(str(item) for item in popped) == sorted(str(user(str(n))) for n in range(8))
    assert await session.get_items() == [] and await session.pop_item() is None
    left = (await aclient.recall(query="0 1 2 3 4 5 6 7", limit=20))["hits"]
    assert left == [], "what was taken away is not recalled"


async def test_a_long_session_is_cleared_at_once(aclient: AsyncIdetic) -> None:
    session = IdeticSession("s", aclient)
    await session.add_items([user(f"item {n}") for n in range(2100)])
    assert len(await session.get_items()) == 2100
    await session.clear_session()
    assert await session.get_items() == []
    await session.add_items([user("a new item")])
    assert [hit["text"] for hit in (await aclient.recall(query="item", limit=20))["hits"]] == ["a new item"]


async def test_the_last_items_of_a_long_session_are_read_without_the_rest(
    aclient: AsyncIdetic, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = IdeticSession("s", aclient)
    await session.add_items([user(f"turn {n}") for n in range(2000)])
    seen = 0
    send = aclient.send

    async def counted(call: Any) -> Any:
        nonlocal seen
        answer = await send(call)
        seen += len(getattr(answer, "items", []))
        return answer

    monkeypatch.setattr(aclient, "send", counted)
    assert await session.get_items(limit=10) == [user(f"turn {n}") for n in range(1990, 2000)]
    assert seen <= 20
    assert await session.pop_item() == user("turn 1999") and seen <= 40
    assert await session.get_items(limit=2) == [user("turn 1997"), user("turn 1998")] and seen <= 60


def user(text: str) -> TResponseInputItem:
    return {"role": "user", "content": text}


async def test_random_sessions_are_as_the_sdks_own(aclient: AsyncIdetic) -> None:
    rng = random.Random(3)
    pairs = [(IdeticSession(name, aclient), SQLiteSession(name)) for name in ("one", "two")]
    for step in range(150):
        own, theirs = rng.choice(pairs)
        match rng.randrange(10):
            case 0:
                await own.clear_session()
                await theirs.clear_session()
            case 1 | 2 | 3:
                assert await own.pop_item() == await theirs.pop_item()
            case _:
                items = [user(f"{step}/{n}") for n in range(rng.randrange(4))]
                await own.add_items(items)
                await theirs.add_items(items)
        limit = rng.choice([None, None, 0, 1, 3, 100])
        assert await own.get_items(limit) == await theirs.get_items(limit)
