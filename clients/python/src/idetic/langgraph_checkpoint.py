"""LangGraph's checkpointer over Idetic: `graph = builder.compile(checkpointer=IdeticSaver(Idetic()))`.

A checkpoint is an event, and so is each new value of a channel and each write of a task; what a checkpoint needs is
found by filters on the server. They are kept out of recall, and their bytes are written as letters, because the server
masks in every text what looks like a secret. `delete_thread` erases for good.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import zlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from . import letters
from .answers import Event
from .calls import Answer
from .client import Idetic
from .errors import NotFound

# Nobody is reminded of what stands below `log.`, unless they ask for the kind.
CHECKPOINT = "log.checkpoint"
VALUE = "log.checkpoint.value"
WRITE = "log.checkpoint.write"
# Two letters for a byte, and a little less than the content of an event may have.
PART_BYTES = 500_000
PARTS_PAGE = 50
CHECKPOINTS_PAGE = 20
# A little less than one filter may list.
LISTED = 900
# No value: the channel was emptied.
EMPTY = "empty"

Answers = list[Answer]
Writes = list[PendingWrite]


class IdeticSaver(BaseCheckpointSaver[str]):
    """A checkpointer whose threads are events of a space. Several with different names may share a space."""

    def __init__(
        self, client: Idetic, name: str = "langgraph-checkpoints", *, serde: SerializerProtocol | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._client = client
        self._name = name

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        thread, namespace, parent = self._place(config)
        said = get_checkpoint_metadata(config, metadata)
        body = {"checkpoint": {**checkpoint, "channel_values": {}}, "metadata": said}
        about = {
            "of": key(thread, namespace),
            "checkpoint": checkpoint["id"],
            "parent": parent,
            "namespace": namespace,
            "source": said.get("source"),
            "step": said.get("step"),
            "where": {name: digest(value) for name, value in said.items() if is_path(name)},
        }
        values = checkpoint["channel_values"]
        events: list[Answer] = []
        for channel, version in new_versions.items():
            typed = self.serde.dumps_typed(values[channel]) if channel in values else (EMPTY, b"")
            events += self._parts(VALUE, thread, {"value": key(thread, namespace, channel, version)}, typed)
        events += self._parts(CHECKPOINT, thread, about, self.serde.dumps_typed(body))
        self._client.append(events)
        return config_of(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        thread, namespace, checkpoint = self._place(config)
        events: list[Answer] = []
        for place, (channel, value) in enumerate(writes):
            about = {
                "writes_to": key(thread, namespace, checkpoint),
                "task": task_id,
                "path": task_path,
                "index": WRITES_IDX_MAP.get(channel, place),
                "channel": channel,
            }
            events += self._parts(WRITE, thread, about, self.serde.dumps_typed(value))
        if events:
            self._client.append(events)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread, namespace, checkpoint = self._place(config)
        wanted = {"metadata.of": key(thread, namespace)}
        if checkpoint is not None:
            wanted["metadata.checkpoint"] = checkpoint
        found = list(self._log(kind=CHECKPOINT, filter=wanted, limit=1, reverse=True))
        return next(self._tuples(found), None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        # What the server cannot be asked is looked at here.
        asked_for = [(name, value) for name, value in (filter or {}).items() if is_path(name) and value is not None]
        wanted: dict[str, Any] = {f"metadata.where.{name}": digest(value) for name, value in asked_for}
        asked: dict[str, Any] = {}
        if config is not None:
            thread, _, checkpoint = self._place(config)
            asked["conversation"] = self._conversation(thread)
            if (namespace := config["configurable"].get("checkpoint_ns")) is not None:
                wanted["metadata.of"] = key(thread, namespace)
            if checkpoint is not None:
                wanted["metadata.checkpoint"] = {"eq": checkpoint}
        if before is not None and (end := get_checkpoint_id(before)) is not None:
            wanted["metadata.checkpoint"] = {**wanted.get("metadata.checkpoint", {}), "lt": end}
        page = CHECKPOINTS_PAGE if limit is None else min(max(limit, 1), CHECKPOINTS_PAGE)
        events = latest(self._log(kind=CHECKPOINT, filter=wanted or None, reverse=True, page_size=page, **asked))
        fitting = (
            one
            for group in groups(events, page)
            for one in self._tuples(group)
            if all(one.metadata.get(name) == value for name, value in (filter or {}).items())
        )
        yield from islice(fitting, limit)

    def delete_thread(self, thread_id: str) -> None:
        # Nothing to erase is as good.
        with suppress(NotFound):
            self._client.forget(conversation=self._conversation(str(thread_id)), yes=True)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        source, target = str(source_thread_id), str(target_thread_id)
        events = self._log(conversation=self._conversation(source), page_size=PARTS_PAGE)
        for group in groups(events, PARTS_PAGE):
            self._client.append([self._copied(event, target) for event in group])

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        tuples = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await asyncio.to_thread(next, tuples, None)) is not None:
            yield one

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    def get_next_version(self, current: str | None, channel: None) -> str:
        # Versions of two forks differ although they are as old.
        past = 0 if current is None else int(str(current).partition(".")[0])
        return f"{past + 1:020}.{random.getrandbits(32):08x}"

    def _place(self, config: RunnableConfig) -> tuple[str, str, str | None]:
        """The thread, the namespace and the checkpoint that a configuration names."""
        named = config["configurable"]
        return str(named["thread_id"]), named.get("checkpoint_ns", ""), get_checkpoint_id(config)

    def _conversation(self, thread: str) -> str:
        return f"{self._name}:{thread}"

    def _log(self, **asked: Any) -> Iterator[Event]:
        try:
            yield from self._client.log(source=self._name, **asked)
        except NotFound:
            # The space comes to be with its first event.
            return

    def _parts(self, kind: str, thread: str, about: Mapping[str, Any], typed: tuple[str, bytes]) -> Answers:
        """The events that hold some bytes."""
        packed = zlib.compress(typed[1], 1)
        pieces = [packed[at : at + PART_BYTES] for at in range(0, len(packed), PART_BYTES)]
        said = {**about, "thread": thread, "type": typed[0], "parts": len(pieces)}
        mark = {"kind": kind, "source": self._name, "conversation_id": self._conversation(thread)}
        return [
            {**mark, "content": letters.write(piece), "metadata": {**said, "part": part}}
            for part, piece in enumerate(pieces)
        ]

    def _copied(self, event: Mapping[str, Any], target: str) -> Answer:
        """The same event of another thread."""
        about = dict(event["metadata"])
        for name in {"of", "value", "writes_to"} & about.keys():
            about[name] = key(target, *json.loads(about[name])[1:])
        mark = {"kind": event["kind"], "source": self._name, "conversation_id": self._conversation(target)}
        return {**mark, "content": event.get("content", ""), "metadata": {**about, "thread": target}}

    def _tuples(self, events: Sequence[Event]) -> Iterator[CheckpointTuple]:
        """The checkpoints of these events, with their values and writes, which are asked for all at once."""
        bodies = [self._body(event) for event in events]
        places = [(event["metadata"]["thread"], event["metadata"]["namespace"]) for event in events]
        versions = [
            {channel: key(*place, channel, own) for channel, own in body["checkpoint"]["channel_versions"].items()}
            for place, body in zip(places, bodies, strict=True)
        ]
        owners = [key(*place, event["metadata"]["checkpoint"]) for place, event in zip(places, events, strict=True)]
        values, writes = self._load({name for own in versions for name in own.values()}, owners)
        for event, place, body, own, owner in zip(events, places, bodies, versions, owners, strict=True):
            about = event["metadata"]
            held = {channel: values[name] for channel, name in own.items() if name in values}
            parent = about.get("parent")
            yield CheckpointTuple(
                config=config_of(*place, about["checkpoint"]),
                checkpoint=cast(Checkpoint, {**body["checkpoint"], "channel_values": held}),
                metadata=body["metadata"],
                parent_config=None if parent is None else config_of(*place, parent),
                pending_writes=writes.get(owner, []),
            )

    def _body(self, event: Event) -> dict[str, Any]:
        about = event["metadata"]
        whole = [event]
        if about["parts"] > 1:
            wanted = {"metadata.of": about["of"], "metadata.checkpoint": about["checkpoint"]}
            whole = list(self._log(kind=CHECKPOINT, filter=wanted, limit=about["parts"]))
        return cast(dict[str, Any], self._value(about, [piece["content"] for piece in whole]))

    def _value(self, about: Mapping[str, Any], pieces: Sequence[str]) -> Any:
        packed = letters.read("".join(pieces))
        return self.serde.loads_typed((about["type"], zlib.decompress(packed)))

    def _load(self, values: set[str], owners: Sequence[str]) -> tuple[dict[str, Any], dict[str, Writes]]:
        """Values by their names, and writes in their order by the checkpoints they belong to."""
        parts: list[tuple[Mapping[str, Any], list[str]]] = []
        for path, names in (("metadata.value", sorted(values)), ("metadata.writes_to", owners)):
            for group in groups(iter(names), LISTED):
                for event in self._log(filter={path: {"in": group}}, page_size=PARTS_PAGE):
                    if event["metadata"]["part"] == 0:
                        parts.append((event["metadata"], []))
                    parts[-1][1].append(event["content"])
        found: dict[str, Any] = {}
        written: dict[str, dict[tuple[str, str, int], PendingWrite]] = {}
        for about, pieces in parts:
            if "value" in about:
                found.pop(about["value"], None)
                if about["type"] != EMPTY:
                    found[about["value"]] = self._value(about, pieces)
                continue
            of = written.setdefault(about["writes_to"], {})
            place = writes_sort_key(about["path"], about["task"], about["index"])
            # What a task writes again counts as it was first, but for errors, interrupts and the like.
            if place not in of or about["index"] < 0:
                of[place] = (about["task"], about["channel"], self._value(about, pieces))
        return found, {owner: [of[place] for place in sorted(of)] for owner, of in written.items()}


def key(*names: Any) -> str:
    """What several names make together."""
    return json.dumps(names, ensure_ascii=False)


def digest(value: Any) -> str:
    """What stands for a value that checkpoints are filtered by."""
    text = json.dumps(value, sort_keys=True, default=repr)
    return letters.write(hashlib.sha256(text.encode()).digest()[:8])


def is_path(name: str) -> bool:
    """Whether a filter of the server can name it."""
    return name.replace("_", "").replace("-", "").isalnum()


def config_of(thread: str, namespace: str, checkpoint: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}}


def latest(events: Iterable[Event]) -> Iterator[Event]:
    """The newest event of each checkpoint, of events that come newest first."""
    seen: set[tuple[str, str]] = set()
    for event in events:
        about = event["metadata"]
        own = (about["of"], about["checkpoint"])
        if own not in seen:
            seen.add(own)
            yield event


def groups(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The items, so many at a time."""
    items = iter(items)
    while group := list(islice(items, size)):
        yield group
