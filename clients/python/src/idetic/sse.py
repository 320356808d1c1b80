"""Server-sent events, from bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sent:
    """One event of a stream."""

    name: str
    data: str
    id: str | None


class Parser:
    """Finds the events in what comes in.

    Lines are split at newlines alone: JSON may hold other characters that Python takes for the end of a line.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._clear()

    def _clear(self) -> None:
        self._name, self._data = "message", list[str]()
        self._id: str | None = None

    def feed(self, more: bytes) -> list[Sent]:
        """The events that are complete with these bytes."""
        *lines, self._rest = (self._rest + more).split(b"\n")
        complete = [self._take(line.decode().removesuffix("\r")) for line in lines]
        return [sent for sent in complete if sent is not None]

    def _take(self, line: str) -> Sent | None:
        if not line:
            sent = Sent(self._name, "\n".join(self._data), self._id) if self._data else None
            self._clear()
            return sent
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        return None
