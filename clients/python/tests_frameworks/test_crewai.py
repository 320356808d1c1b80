"""CrewAI's own memory with our storage."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory

from idetic import Idetic
from idetic.crewai import IdeticStorage, text_as_vector, text_of


def test_crewais_memory_remembers_recalls_and_forgets(client: Idetic) -> None:
    memory = Memory(storage=IdeticStorage(client), embedder=text_as_vector)
    said = {
        "/people/ann": "Ann drinks green tea every morning",
        "/people/bob": "Bob drives a red car to the office",
        "/places": "The office is in Brno",
    }
    for scope, text in said.items():
        memory.remember(text, scope=scope, categories=["fact"], importance=0.7, metadata={"from": scope})
    found = memory.recall("what does Ann drink?", depth="shallow", limit=1)
    assert [match.record.content for match in found] == ["Ann drinks green tea every morning"]
    record = found[0].record
    assert (record.scope, record.categories, record.metadata["from"]) == ("/people/ann", ["fact"], "/people/ann")
    inside = memory.recall("office", scope="/people", depth="shallow")
    assert {match.record.scope for match in inside} <= {"/people/ann", "/people/bob"} and len(inside) == 2
    assert memory.list_scopes("/") == ["/people", "/places"]
    assert memory.forget(scope="/people/bob") == 1
    assert {match.record.content for match in memory.recall("office", depth="shallow")} == {
        "Ann drinks green tea every morning",
        "The office is in Brno",
    }
    # Another program finds the same.
    other = Memory(storage=IdeticStorage(client), embedder=text_as_vector)
    assert other.recall("Brno", depth="shallow", limit=1)[0].record.content == "The office is in Brno"


def test_the_storage_does_what_the_protocol_says(client: Idetic) -> None:
    storage = IdeticStorage(client)
    assert isinstance(storage, StorageBackend)
    assert storage.count() == 0 and storage.list_records() == []
    old = datetime(2026, 1, 1)
    records = [
        MemoryRecord(
            content=f"record {n} about {what}",
            scope=f"/a/{n % 2}",
            categories=[what],
            metadata={"n": n},
            created_at=old + timedelta(days=n),
        )
        for n, what in enumerate(["tea", "cars", "tea", "boats"])
    ]
    storage.save(records)
    assert [own.content[:8] for own in storage.list_records(limit=2, offset=1)] == ["record 2", "record 1"]
    assert storage.count("/a/1") == 2 and storage.list_categories("/a") == {"tea": 2, "cars": 1, "boats": 1}
    info = storage.get_scope_info("/a")
    assert (info.record_count, info.child_scopes, info.oldest_record) == (4, ["/a/0", "/a/1"], old)
    (vector,) = text_as_vector(["record about tea"])
    found = storage.search(vector, scope_prefix="/a", categories=["tea"], metadata_filter={"n": 2})
    assert [own.id for own, _ in found] == [records[2].id] and 0 < found[0][1] < 1
    assert len(storage.search(vector, limit=2)) == 2
    storage.update(records[2].model_copy(update={"content": "record 2 about coffee"}))
    changed = storage.get_record(records[2].id)
    assert changed is not None and changed.content == "record 2 about coffee" and storage.count() == 4
    assert storage.delete(older_than=old + timedelta(days=1)) == 1 and storage.get_record(records[0].id) is None
    assert storage.delete(record_ids=[records[1].id]) == 1
    storage.reset()
    assert storage.count() == 0
    with pytest.raises(ValueError, match="text_as_vector"):
        storage.search([0.1] * 100)


def test_a_vector_is_its_text_and_like_no_other() -> None:
    texts = ["", "a", "käse 😀", "the cat sat on a mat", "the dog sat on a mat"]
    vectors = text_as_vector(texts)
    assert [text_of(vector) for vector in vectors[1:]] == texts[1:]
    one, two = vectors[3], vectors[4]
    dot = sum(a * b for a, b in zip(one, two, strict=True))
    size = (sum(a * a for a in one) * sum(b * b for b in two)) ** 0.5
    assert abs(dot / size) < 0.6
