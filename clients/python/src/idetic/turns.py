"""What is said in conversations, as events: the words are the content, and the framework's own message stands beside.

The server masks what looks like a secret. What a framework must get back to the letter and is no words (encrypted
reasoning, signatures, pictures) is therefore packed.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from . import letters
from .aio import AsyncIdetic
from .answers import Event
from .calls import Answer
from .documents import METADATA_BYTES, METADATA_DEPTH, depth
from .errors import NotFound

PAGE = 1000
# So many events are asked for beyond those that are wanted: some may have been taken away.
SPARE = 10
# Fields whose long values are bytes in another form.
OPAQUE = {
    "data",
    "encrypted_content",
    "file_data",
    "image_url",
    "protected_data",
    "result",
    "signature",
    "thought_signature",
    "uri",
    "url",
}
OPAQUE_LEAST_CHARS = 64
PACKED = "$packed"


def turn(source: str, conversation: str | None, kind: str, text: str, item: Any, **more: Any) -> Answer:
    """The event of a message; a message that is too long to stand beside its words stands in their place."""
    kept = packed(item)
    whole = json.dumps(kept, ensure_ascii=False)
    about = more.pop("metadata", {})
    event = {"kind": kind, "source": source, **more}
    if conversation is not None:
        event["conversation_id"] = conversation
    if len(whole.encode()) > METADATA_BYTES or depth(kept) > METADATA_DEPTH:
        return event | {"content": whole, "metadata": about}
    return event | {"content": text, "metadata": {**about, "item": kept}}


def item_of(event: Mapping[str, Any]) -> Any:
    """The message that an event, or a hit, holds."""
    metadata = event.get("metadata") or {}
    return unpacked(metadata["item"] if "item" in metadata else json.loads(event.get("content") or event["text"]))


async def newest_first(
    client: AsyncIdetic, source: str, conversation: str, most: int | None, taken: str | None = None
) -> AsyncIterator[Event]:
    """The last events of a conversation, so many; what lies before is not asked for.

    Events of the kind `taken` take others away, which are left out.
    """
    if most is not None and most <= 0:
        return
    asked = None if most is None else most + SPARE
    given, last = 0, None
    while True:
        seen, is_new, gone = 0, last is None, set[str]()
        question = client.log(source=source, conversation=conversation, reverse=True, limit=asked, page_size=PAGE)
        try:
            async for event in question:
                seen += 1
                # An event is taken away after it came, so that this is known before it is seen.
                if taken is not None and event["kind"] == taken:
                    gone.update(event["metadata"]["supersedes"])
                elif is_new and event["id"] not in gone:
                    given, last = given + 1, event["id"]
                    yield event
                    if given == most:
                        return
                is_new = is_new or event["id"] == last
        except NotFound:
            # The space comes to be with its first event.
            return
        if asked is None or seen < asked:
            return
        # Much was taken away: more is asked for, and what was given already is passed over.
        asked *= 4


def packed(value: Any, name: str = "") -> Any:
    """A message whose bytes are letters."""
    if isinstance(value, Mapping):
        return {key: packed(inner, key) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [packed(inner, name) for inner in value]
    is_opaque = name in OPAQUE and isinstance(value, str) and len(value) >= OPAQUE_LEAST_CHARS
    return {PACKED: letters.pack(value)} if is_opaque and not any(map(str.isspace, value)) else value


def unpacked(value: Any) -> Any:
    if isinstance(value, Mapping):
        if value.keys() == {PACKED}:
            return letters.unpack(value[PACKED])
        return {key: unpacked(inner) for key, inner in value.items()}
    return [unpacked(inner) for inner in value] if isinstance(value, list) else value
