"""Anthropic's own tool runner with our memory tool, and our tool beside the package's own."""

from __future__ import annotations

import json
import random
import re
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from conftest import Server

from idetic import Idetic
from idetic.anthropic import AsyncIdeticMemoryTool, IdeticMemoryTool, size


def test_the_commands_say_what_the_model_expects(client: Idetic) -> None:
    tool = IdeticMemoryTool(client)

    def call(command: str, **more: Any) -> Any:
        return tool.call({"command": command, **more})

    header = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:"
    assert call("view", path="/memories") == f"{header}\n0B\t/memories"
    text = "# Ann\nlikes tea\n"
    assert call("create", path="/memories/ann.md", file_text=text) == "File created successfully at: /memories/ann.md"
    assert call("view", path="/memories/ann.md") == (
        "Here's the content of /memories/ann.md with line numbers:\n     1\t# Ann\n     2\tlikes tea\n     3\t"
    )
    assert call("str_replace", path="/memories/ann.md", old_str="tea", new_str="coffee").endswith(
        "     2\tlikes coffee\n     3\t"
    )
    assert call("insert", path="/memories/ann.md", insert_line=1, insert_text="lives in Brno\n") == (
        "The file /memories/ann.md has been edited."
    )
    assert call("view", path="/memories/ann.md", view_range=[2, 2]).endswith(":\n     2\tlives in Brno")
    assert call("rename", old_path="/memories/ann.md", new_path="/memories/people/ann.md") == (
        "Successfully renamed /memories/ann.md to /memories/people/ann.md"
    )
    assert (
        call("view", path="/memories")
        == f"{header}\n33B\t/memories\n33B\t/memories/people/\n33B\t/memories/people/ann.md"
    )
    assert call("delete", path="/memories/people") == "Successfully deleted /memories/people"
    with pytest.raises(ToolError, match="does not exist"):
        call("view", path="/memories/people/ann.md")
    assert "likes coffee" in str(list(client.log())), "every version stays in the log"
    with pytest.raises(ToolError, match="1048576"):
        call("create", path="/memories/large", file_text="x" * 1_100_000)


ESCAPES = [
    "/etc/passwd",
    "memories/a",
    "/memoriesx/a",
    "/memories/../etc/passwd",
    "/memories/a/../../b",
    "/memories/./a",
    "/memories/%2e%2e/b",
    "/memories/%252e%252e%252fb",
    "/memories/..%2fb",
    "/memories/..\\b",
    "/memories/a\x00b",
    "/memories/a\nb",
    "",
]


@pytest.mark.parametrize("path", ESCAPES)
def test_no_path_leads_out(client: Idetic, path: str) -> None:
    tool = IdeticMemoryTool(client)
    tool.call({"command": "create", "path": "/memories/there", "file_text": "x"})
    for command in [
        {"command": "view", "path": path},
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "x", "new_str": "y"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/new"},
        {"command": "rename", "old_path": "/memories/there", "new_path": path},
    ]:
        with pytest.raises(ToolError):
            tool.call(command)
    assert len(list(client.log())) == 1, "a refused command leaves no event"


def test_two_that_change_a_file_at_once_lose_nothing(client: Idetic) -> None:
    tool = IdeticMemoryTool(client)
    tool.call({"command": "create", "path": "/memories/list", "file_text": ""})

    def add(who: int) -> None:
        added = 0
        while added < 5:
            try:
                tool.call(
                    {"command": "insert", "path": "/memories/list", "insert_line": 0, "insert_text": f"{who}/{added}"}
                )
                added += 1
            except ToolError:
                pass

    writers = [threading.Thread(target=add, args=(who,)) for who in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = str(tool.call({"command": "view", "path": "/memories/list"})).split("\n")[1:-1]
    assert sorted(line.split("\t")[1] for line in lines) == sorted(f"{who}/{n}" for who in range(4) for n in range(5))


def test_agents_with_keys_of_their_own_have_files_of_their_own(server: Server, space: str) -> None:
    tools = {}
    for agent in ("ann", "bob"):
        tools[agent] = IdeticMemoryTool(Idetic(server.url, key=server.make_key("--agent", agent), space=space))
        tools[agent].call({"command": "create", "path": "/memories/me", "file_text": f"I am {agent}"})
    for agent, tool in tools.items():
        tool.call({"command": "insert", "path": "/memories/me", "insert_line": 1, "insert_text": "still"})
        said = tool.call({"command": "view", "path": "/memories/me"})
        assert str(said).endswith(f"     1\tI am {agent}\n     2\tstill\n     3\t")


NAMES = ["a", "b.md", "notes", ".hidden", "é 😀"]
TEXTS = ["", "one\n", "one\ntwo\nthree", "x\nx\n", "tail\r\nend\n", "\n\n"]


def test_random_commands_are_answered_as_by_the_packages_own_tool(client: Idetic, tmp_path: Path) -> None:
    rng = random.Random(11)
    own, theirs = IdeticMemoryTool(client), BetaLocalFilesystemMemoryTool(str(tmp_path))

    def path() -> str:
        return "/memories/" + "/".join(rng.choice(NAMES) for _ in range(rng.choice([1, 1, 2, 2, 3])))

    def command() -> dict[str, Any]:
        lines = rng.choice([None, [1, 2], [2, -1], [0, 1], [5, 9]])
        return rng.choice(
            [
                {"command": "create", "path": path(), "file_text": rng.choice(TEXTS)},
                {"command": "create", "path": path(), "file_text": rng.choice(TEXTS)},
                {"command": "view", "path": rng.choice([path(), "/memories"]), "view_range": lines},
                {
                    "command": "str_replace",
                    "path": path(),
                    "old_str": rng.choice(["x", "one", "two\n", "zz"]),
                    "new_str": rng.choice(["", "x\ny"]),
                },
                {
                    "command": "insert",
                    "path": path(),
                    "insert_line": rng.randrange(5),
                    "insert_text": rng.choice(TEXTS),
                },
                {"command": "delete", "path": path()},
                {"command": "rename", "old_path": path(), "new_path": path()},
            ]
        )

    agreed = refused = 0
    for _ in range(400):
        asked = command()
        tidy(tmp_path)
        other = outcome(theirs, asked)
        if other is None:
            continue
        mine = outcome(own, asked)
        assert mine == other, asked
        agreed += 1
        refused += other.startswith("refused")
    assert agreed > 300 and refused < agreed / 2 + 150, (agreed, refused)


def tidy(folder: Path) -> None:
    """Folders that nothing is in are no folders with us."""
    for below in sorted((folder / "memories").rglob("*"), reverse=True):
        if below.is_dir() and not any(below.iterdir()):
            below.rmdir()


def outcome(tool: Any, command: dict[str, Any]) -> str | None:
    """What a tool says, without the sizes of folders; None where the package's own fails without a word."""
    try:
        said = str(tool.call(command))
    except ToolError as error:
        return f"refused: {error}"
    except OSError:
        return None
    if said.startswith("Here're"):
        said = re.sub(r"(?m)^\S+(?=\t\S*/$|\t/memories$)", "-", said)
        said = re.sub(r"(?m)\n\S+\t", "\n-\t", said, count=1)
        said = re.sub(r"(?m)^\S+(?=\t.*/$)", "-", said)
    return said


def test_sizes_are_written_for_people() -> None:
    assert [size(n) for n in (0, 1, 1023, 1024, 1536, 1 << 20, 5 << 30)] == [
        "0B",
        "1B",
        "1023B",
        "1K",
        "1.5K",
        "1M",
        "5G",
    ]


def scripted(*uses: dict[str, Any]) -> tuple[Any, list[Any]]:
    """A transport that answers as the API would: each use of the tool, and then a last word."""
    asked: list[Any] = []
    left = list(uses)

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        content: list[Any] = [{"type": "text", "text": "Done."}]
        if left:
            content = [{"type": "tool_use", "id": f"t{len(left)}", "name": "memory", "input": left.pop(0)}]
        said = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": content,
            "stop_reason": "end_turn" if content[0]["type"] == "text" else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=said)

    return answer, asked


SCRIPT: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/ann.md", "file_text": "likes coffee"},
    {"command": "view", "path": "/memories/../../etc/passwd"},
]
QUESTION: Any = {"model": "scripted", "max_tokens": 100, "messages": [{"role": "user", "content": "I like coffee"}]}


def check(asked: list[Any]) -> None:
    assert asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [request["messages"][-1]["content"][0] for request in asked[1:]]
    assert [result.get("is_error", False) for result in results] == [False, False, True]
    assert "File created successfully" in str(results[1]["content"])


def test_the_tool_runner_drives_it(client: Idetic) -> None:
    answer, asked = scripted(*SCRIPT)
    anthropic = Anthropic(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))
    last = anthropic.beta.messages.tool_runner(**QUESTION, tools=[IdeticMemoryTool(client)]).until_done()
    assert last.content[0].type == "text" and last.content[0].text == "Done."
    check(asked)
    assert client.recall(query="coffee", limit=1)["hits"][0]["text"] == "likes coffee"


async def test_the_tool_runner_drives_it_awaited(client: Idetic) -> None:
    answer, asked = scripted(*SCRIPT)
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    anthropic = AsyncAnthropic(api_key="none", http_client=http)
    last = await anthropic.beta.messages.tool_runner(**QUESTION, tools=[AsyncIdeticMemoryTool(client)]).until_done()
    assert last.content[0].type == "text" and last.content[0].text == "Done."
    check(asked)
