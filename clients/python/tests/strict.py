"""A program that reads the fields of answers without a cast: mypy looks at it strictly, and nobody runs it."""

from __future__ import annotations

from idetic import AsyncIdetic, Idetic
from idetic.answers import Event, Fact, Hit, Trace


def reads_fields(memory: Idetic) -> list[str | float | None]:
    best: Hit = memory.recall(query="Where does Ann live?")["hits"][0]
    fact: Fact = memory.fact_get(memory.fact_store("Ann lives in Brno")["fact_id"])
    events: list[Event] = list(memory.log(kind="user_input"))
    until: str | None = fact["valid_until"]
    before, after = memory.retain(dry_run=True)["database_bytes"]
    said: list[str | float | None] = [best["score"], best["author"], until, events[0].get("content"), before - after]
    said += [line["limit"] for line in memory.status()["quota"]]
    said += [note["because"] for note in memory.advise("timeout of the backend")["notes"]]
    said.append(memory.ask("Where does Ann live?")["answer"])
    # An answer of one of two forms is told by a field that the other has not.
    for trace in memory.trace():
        said.append(first_step(trace) if "steps" in trace else trace["failures"])
    for followed in memory.follow():
        said.append(followed["id"])
    return said


def first_step(trace: Trace) -> str:
    return trace["steps"][0]["kind"]


async def reads_fields_awaited(memory: AsyncIdetic) -> list[str]:
    facts: list[Fact] = (await memory.fact_retrieve(query="Ann"))["facts"]
    acks = await memory.append([{"kind": "user_input", "content": "hello"}])
    return (
        [fact["content"] for fact in facts]
        + [ack["id"] for ack in acks]
        + [note["title"] async for note in memory.note_list()]
    )


def is_refused(memory: Idetic) -> None:
    memory.recall(query="x")["hits"][0]["content"]  # type: ignore[misc]
    memory.status()["events"].upper()  # type: ignore[attr-defined]
