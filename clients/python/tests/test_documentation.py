"""What docs/building.md shows side by side, as it stands there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Server
from langgraph.store.memory import InMemoryStore

from idetic import Idetic

PAGE = Path(__file__).resolve().parents[3] / "docs" / "building.md"


def blocks(language: str) -> list[str]:
    shown = PAGE.read_text().partition("## Side by side")[2]
    return re.findall(rf"```{language}\n(.*?)```", shown, re.DOTALL)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Any:
    server = Server.made(tmp_path_factory.mktemp("documented"))
    yield server
    server.stop()


def test_the_tasks_with_curl(fresh: Server) -> None:
    (block,) = blocks("sh")
    lines = block.replace("http://localhost:4747", fresh.url).splitlines()
    setting, tasks = lines[0], lines[1:]
    assert len(tasks) == 7
    said = []
    for task in tasks:
        task = task.replace("curl -s", f"curl -s --fail-with-body --max-time 10 -H 'Authorization: Bearer {fresh.key}'")
        if "-N" in task:
            # It has no end.
            task = task.replace("--max-time 10", "--max-time 2") + "; true"
        done = subprocess.run(["bash", "-c", f"{setting}\n{task}"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (task, done.stdout, done.stderr)
        said.append(done.stdout)
    assert "by invoice" in said[1] and '"count":2' in said[3] and '"items":[' in said[4]
    assert "memory.purged" in said[5] and said[6] == '{"hits":[]}'


def test_the_tasks_in_python(fresh: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDETIC_URL", fresh.url)
    monkeypatch.setenv("IDETIC_KEY", fresh.key)
    own, theirs = blocks("python")
    # The ids of the first block are taken: what is erased does not come back.
    said: dict[str, Any] = {"Idetic": Idetic}
    exec(own.replace('"acme"', '"acme-2"'), said)
    assert [event["kind"] for event in said["pages"]] == ["memory.purged"] * 2 and said["first"] == said["pages"][0]
    exec(theirs, {"InMemoryStore": InMemoryStore})
