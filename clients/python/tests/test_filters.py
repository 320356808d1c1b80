"""Random filters over HTTP: each finds what a scan of every event in Python finds. IDETIC_LONG=1 tries 10 000."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any

from idetic import Idetic

EVENTS = 200
FILTERS = 10_000 if os.environ.get("IDETIC_LONG") == "1" else 500
RECALLED = 10
"""Every so many filters the best hits are asked for, too, and so many of them."""

ORDERS = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
FIELDS = {
    "kind": ["user_input", "tool_result", "app.saved"],
    "author": ["ann", "bob"],
    "source": ["github.com/acme/shop", "~/shop", "billing"],
    "status": ["success", "failure"],
    "conversation": ["c-1", "c-2"],
    "trace": ["t-1"],
    "agent": ["bot"],
}
STORED = {"conversation": "conversation_id", "trace": "trace_id", "agent": "agent_id"}
PATHS = ["a", "b", "c", "home", "home.x", "home.y", "home.y.z", "home.nowhere"]
WORDS = ["ann", "Ann", "bob", "zoë", "", "1", "true", "Ann and Bob"]
CONTAINS_MAX, CONDITIONS_MAX = 8, 32

Event = dict[str, Any]
Missing = object()


class Dice:
    """The same choices in every run."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def of(self, choices: list[Any]) -> Any:
        return self.random.choice(choices)

    def comes(self, share: float) -> bool:
        return self.random.random() < share

    def value(self) -> Any:
        small = self.random.randint(-3, 3)
        lists = [["ann", 1], [], ["bob", "ann"], [2, True, None], [[1], "x"]]
        numbers = [small, small + 0.5, float(small), 2**53 + small]
        return self.of([None, self.comes(0.5), *numbers, self.of(lists), *WORDS])

    def event(self, n: int) -> Event:
        event: Event = {"id": f"e{n}", "kind": self.of(FIELDS["kind"]), "content": f"the lamp of house {n} is green"}
        event["ts"] = f"2025-01-{self.random.randint(1, 28):02}T0{self.random.randint(0, 9)}:00:00Z"
        event["tags"] = self.of([[], ["red"], ["red", "blue"], ["green"]])
        for field, values in FIELDS.items():
            if field != "kind" and self.comes(0.4):
                event[STORED.get(field, field)] = self.of(values)
        metadata = {key: self.value() for key in ("a", "b", "c") if self.comes(0.7)}
        if self.comes(0.5):
            metadata["home"] = {"x": self.value(), "y": self.of([{"z": self.value()}, self.value()])}
        return event | {"metadata": metadata}

    def tests(self) -> Event:
        """One or two operators with what they compare with."""
        said = {
            "eq": self.value(),
            "ne": self.value(),
            "in": [self.value() for _ in range(self.random.randint(0, 3))],
            "not_in": [self.value() for _ in range(self.random.randint(0, 3))],
            "exists": self.comes(0.5),
            "contains": self.value(),
            self.of(list(ORDERS)): self.of([0, 1.5, -3, 2**53 + 1, "ann", "b", "zoë"]),
        }
        names = self.random.sample(list(said), self.of([1, 1, 1, 2]))
        return {self.of(["", "$"]) + name: said[name] for name in names}

    def entry(self) -> tuple[str, Any]:
        chosen = self.random.random()
        if chosen < 0.2:
            field = self.of(list(FIELDS))
            values = [*FIELDS[field], "nobody"] if field in ("author", "source") else FIELDS[field]
            return field, self.of([self.of(values), {self.of(["eq", "ne"]): self.of(values)}, {"in": values[:2]}])
        if chosen < 0.3:
            tag = self.of(["red", "blue", "white"])
            return "tags", self.of([tag, {self.of(["eq", "ne", "contains"]): tag}, {"in": [tag, "green"]}])
        if chosen < 0.4:
            day = f"2025-01-{self.random.randint(1, 28):02}T0{self.random.randint(0, 9)}:00:00Z"
            return "time", {self.of([*ORDERS, "eq"]): day}
        tests = self.tests()
        path: str = self.of(PATHS)
        if self.comes(0.3):
            return f"metadata.{path}", self.value()
        if self.comes(0.3):
            # The same written as objects in objects.
            for part in reversed(path.split(".")):
                tests = {part: tests}
            return "metadata", tests
        return f"metadata.{path}", tests

    def filter(self, depth: int = 0) -> Event:
        chosen = self.random.random() if depth < 5 else 0
        if chosen < 0.5:
            return dict(self.entry() for _ in range(self.of([1, 1, 2])))
        inner = [self.filter(depth + 1) for _ in range(self.random.randint(1, 3))]
        if chosen < 0.65:
            return {"not": inner[0]} | (dict([self.entry()]) if self.comes(0.3) else {})
        return {self.of(["and", "or", "$and", "$or"]): inner}


def same(one: Any, other: Any) -> bool:
    """Values are compared by type: 1 is 1.0, and neither is "1" or true."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    is_number = [isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other)]
    return bool(one == other) and (all(is_number) or type(one) is type(other))


def compares(order: Any, said: Any, than: Any) -> bool:
    kinds = [str if isinstance(v, str) else float if type(v) in (int, float) else None for v in (said, than)]
    return kinds[0] is not None and kinds[0] is kinds[1] and bool(order(said, than))


def passes(name: str, wanted: Any, said: Any) -> bool:
    """Whether one operator holds of what an event says."""

    def is_(value: Any) -> bool:
        return value is None if said is Missing else same(said, value)

    match name.removeprefix("$"):
        case "eq":
            return is_(wanted)
        case "ne":
            return not is_(wanted)
        case "in":
            return any(map(is_, wanted))
        case "not_in":
            return not any(map(is_, wanted))
        case "exists":
            return (said is not Missing) is wanted
        case "contains" if isinstance(said, list):
            return any(same(element, wanted) for element in said)
        case "contains":
            return isinstance(said, str) and isinstance(wanted, str) and wanted in said
        case order:
            return compares(ORDERS[order], said, wanted)


def holds_of_metadata(tests: Any, said: Any) -> bool:
    """A value, operators, or the parts of an object with tests of their own."""
    if not isinstance(tests, dict):
        return passes("eq", tests, said)
    names = {"eq", "ne", "in", "not_in", "exists", "contains", *ORDERS}
    if all(name.removeprefix("$") in names for name in tests):
        return all(passes(name, wanted, said) for name, wanted in tests.items())
    return all(holds_of_metadata(inner, at(said, part)) for part, inner in tests.items())


def at(said: Any, part: str) -> Any:
    return said.get(part, Missing) if isinstance(said, dict) else Missing


def holds(filter: Event, event: Event) -> bool:
    """What a person who has read docs/filters.md would say."""
    return all(holds_of(name.removeprefix("$"), tests, event) for name, tests in filter.items())


def holds_of(name: str, tests: Any, event: Event) -> bool:
    if name == "and":
        return all(holds(inner, event) for inner in tests)
    if name == "or":
        return any(holds(inner, event) for inner in tests)
    if name == "not":
        return not holds(tests, event)
    if name == "tags":
        (word, wanted), *_ = tests.items() if isinstance(tests, dict) else [("eq", tests)]
        has = any(tag in event["tags"] for tag in (wanted if word == "in" else [wanted]))
        return has is not (word == "ne")
    if name == "time":
        (word, wanted), *_ = tests.items()
        moments = [datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (event["ts"], wanted)]
        return moments[0] == moments[1] if word == "eq" else bool(ORDERS[word](*moments))
    if name.startswith("metadata"):
        said: Any = event["metadata"]
        for part in name.split(".")[1:]:
            said = at(said, part)
        return holds_of_metadata(tests, said)
    return holds_of_metadata(tests, event.get(STORED.get(name, name), Missing))


def counts(filter: Any) -> Iterator[str]:
    """Its conditions, each by the name of its operator."""
    if isinstance(filter, list):
        for inner in filter:
            yield from counts(inner)
    elif isinstance(filter, dict):
        for name, inner in filter.items():
            if isinstance(inner, dict | list):
                yield from counts(inner)
            yield name.removeprefix("$")


def test_random_filters_find_what_a_scan_finds(client: Idetic) -> None:
    dice = Dice(20_260_101)
    events = [dice.event(n) for n in range(EVENTS)]
    client.append(events)
    tried = told_apart = 0
    while tried < FILTERS:
        filter = dice.filter()
        names = list(counts(filter))
        if names.count("contains") > CONTAINS_MAX or len(names) > CONDITIONS_MAX:
            continue
        tried += 1
        wanted = [event["id"] for event in events if holds(filter, event)]
        assert [event["id"] for event in client.log(filter=filter)] == wanted, filter
        told_apart += 0 < len(wanted) < EVENTS
        if tried % RECALLED == 0:
            found = [hit["id"] for hit in client.recall(query="lamp of a house", limit=RECALLED, filter=filter)["hits"]]
            assert set(found) <= set(wanted) and len(found) == min(RECALLED, len(wanted)), (filter, found, wanted)
    assert told_apart > FILTERS / 2, f"{told_apart} filters tell events apart"
    print(f"idetic: figure: random filters over HTTP: {tried} equal to a scan in Python, {told_apart} tell some apart")
