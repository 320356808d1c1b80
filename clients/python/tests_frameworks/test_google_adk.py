"""ADK's own runner, agents and tools with our memory service."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import load_memory
from google.genai import types
from pydantic import Field

from idetic import Idetic
from idetic.google_adk import IdeticMemoryService


class Scripted(BaseLlm):
    """A model that answers as it was told and keeps what it was asked."""

    answers: list[types.Part]
    asked: list[LlmRequest] = Field(default_factory=list)

    async def generate_content_async(self, request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse]:
        self.asked.append(request)
        yield LlmResponse(content=types.Content(role="model", parts=[self.answers.pop(0)]))


def said(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def call(name: str, **arguments: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=arguments))


async def run(runner: Runner, session: str, text: str) -> str:
    answer = ""
    async for event in runner.run_async(user_id="ann", session_id=session, new_message=said(text)):
        if event.is_final_response() and event.content and event.content.parts:
            answer = event.content.parts[0].text or ""
    return answer


async def test_an_agent_loads_what_was_said_in_another_session(client: Idetic) -> None:
    model = Scripted(
        model="scripted",
        answers=[
            types.Part(text="Noted."),
            call("load_memory", query="what does Ann drink?"),
            types.Part(text="You drink green tea."),
        ],
    )
    sessions, memory = InMemorySessionService(), IdeticMemoryService(client)
    agent = LlmAgent(name="helper", model=model, tools=[load_memory])
    runner = Runner(app_name="app", agent=agent, session_service=sessions, memory_service=memory)
    for name in ("one", "two"):
        await sessions.create_session(app_name="app", user_id="ann", session_id=name)
    await run(runner, "one", "I drink green tea every morning")
    first = await sessions.get_session(app_name="app", user_id="ann", session_id="one")
    assert first is not None
    await memory.add_session_to_memory(first)
    await memory.add_session_to_memory(first)
    assert await run(runner, "two", "What do I drink?") == "You drink green tea."
    answered = model.asked[-1].contents[-1].parts
    assert answered is not None and "green tea every morning" in str(answered[0].function_response)
    assert [event["content"] for event in client.log()] == ["I drink green tea every morning", "Noted."]


async def test_users_and_apps_are_apart_and_what_is_deleted_is_gone(client: Idetic) -> None:
    memory = IdeticMemoryService(client)
    events = [
        Event(author="user", id=f"e{n}", content=said(f"the {what} is in the garden")) for n, what in enumerate("xyz")
    ]
    for user in ("ann", "bob"):
        await memory.add_events_to_memory(app_name="app", user_id=user, events=events, session_id="s")
    await memory.add_memory(app_name="app", user_id="ann", memories=[MemoryEntry(content=said("the shed is locked"))])
    found = (await memory.search_memory(app_name="app", user_id="ann", query="garden shed")).memories
    assert len(found) == 4 and {len(entry.content.parts or []) for entry in found} == {1}
    assert (await memory.search_memory(app_name="other", user_id="ann", query="garden")).memories == []
    first = found[0].id
    await memory.delete_memory(app_name="app", user_id="bob", memory_id=first)
    assert len((await memory.search_memory(app_name="app", user_id="ann", query="garden shed")).memories) == 4
    await memory.delete_memory(app_name="app", user_id="ann", memory_id=first)
    await memory.delete_memory(app_name="app", user_id="ann", memory_id=first)
    await memory.add_events_to_memory(app_name="app", user_id="ann", events=events, session_id="s")
    left = (await memory.search_memory(app_name="app", user_id="ann", query="garden shed")).memories
    assert len(left) == 3 and first not in {entry.id for entry in left}
