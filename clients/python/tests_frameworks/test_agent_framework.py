"""Microsoft's Agent Framework's own agent with our providers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from idetic import AsyncIdetic
from idetic.agent_framework import IdeticContextProvider, IdeticHistoryProvider


class Scripted(BaseChatClient):  # type: ignore[type-arg]
    """A model that answers as it was told and keeps what it was asked."""

    def __init__(self, *answers: str) -> None:
        super().__init__()
        self.answers, self.asked = list(answers), list[list[str]]()

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **more: Any
    ) -> Any:
        self.asked.append([message.text for message in messages])

        async def answer() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=[self.answers.pop(0)])])

        return answer()


async def test_an_agent_is_reminded_of_other_sessions(aclient: AsyncIdetic) -> None:
    model = Scripted("Noted.", "You drink green tea.")
    agent = Agent(client=model, instructions="Be brief.", context_providers=[IdeticContextProvider(aclient)])
    await agent.run("I drink green tea every morning", session=agent.create_session(session_id="one"))
    second = await agent.run("What do I drink in the morning?", session=agent.create_session(session_id="two"))
    assert second.text == "You drink green tea."
    assert any("I drink green tea every morning" in text for text in model.asked[-1]), model.asked
    kept = [(event["kind"], event["conversation_id"], event["content"]) async for event in aclient.log()]
    assert kept[:2] == [("user_input", "one", "I drink green tea every morning"), ("actor_output", "one", "Noted.")]
    assert len(kept) == 4


async def test_a_session_goes_on_where_it_ended(aclient: AsyncIdetic) -> None:
    model = Scripted("One.", "Two.", "Three.")

    def agent(last: int | None) -> Agent[Any]:
        return Agent(client=model, context_providers=[IdeticHistoryProvider(aclient, last=last)])

    for text, last in (("first", None), ("second", None), ("third", 2)):
        await agent(last).run(text, session=agent(last).create_session(session_id="s"))
    assert model.asked == [["first"], ["first", "One.", "second"], ["second", "Two.", "third"]]
    assert [message.text for message in await IdeticHistoryProvider(aclient).get_messages("s")][-1] == "Three."
    assert await IdeticHistoryProvider(aclient).get_messages("there is no such session") == []
