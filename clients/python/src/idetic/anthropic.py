"""Anthropic's memory tool over Idetic: `client.beta.messages.run_tools(…, tools=[IdeticMemoryTool(Idetic())])`.

A file below /memories is a named text of the log: each change is an event, so that every version stays to be seen, and
what stands is recalled like everything else. Folders are there while there is a file in them. A file has at most 1 MiB.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import takewhile
from urllib.parse import unquote

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    ToolError,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from .client import Idetic
from .documents import Document, Documents
from .errors import Conflict, Invalid

ROOT = "/memories"
KIND = "memory-file"
LEVELS = 2
CONTEXT_LINES = 2
LINES_MAX = 999_999
ATTEMPTS = 5
UNITS = "BKMG"


class IdeticMemoryTool(BetaAbstractMemoryTool):
    """The memory tool, for a client that waits. Several with different names may share a space."""

    def __init__(self, client: Idetic, name: str = "anthropic-memory") -> None:
        super().__init__()
        self._files = Files(client, name)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self._files.view(command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self._files.create(command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self._files.str_replace(command.path, command.old_str, command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return self._files.insert(command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self._files.delete(command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self._files.rename(command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        return self._files.clear()


class AsyncIdeticMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool, for a client that does not wait."""

    def __init__(self, client: Idetic, name: str = "anthropic-memory") -> None:
        super().__init__()
        self._files = Files(client, name)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await asyncio.to_thread(self._files.view, command.path, command.view_range)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await asyncio.to_thread(self._files.create, command.path, command.file_text)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await asyncio.to_thread(self._files.str_replace, command.path, command.old_str, command.new_str)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await asyncio.to_thread(self._files.insert, command.path, command.insert_line, command.insert_text)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await asyncio.to_thread(self._files.delete, command.path)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await asyncio.to_thread(self._files.rename, command.old_path, command.new_path)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._files.clear)


class Files:
    """What the commands do, and what they say, which is what the model was taught to expect."""

    def __init__(self, client: Idetic, name: str) -> None:
        self._documents = Documents(client, KIND, name)

    def view(self, path: str, lines: list[int] | None = None) -> str:
        own = checked(path)
        tree = self._tree(own)
        if (text := tree.text(own)) is not None:
            return numbered_file(path, text, lines)
        if not tree.is_folder(own):
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        said = f"Here're the files and directories up to {LEVELS} levels deep in {path}, excluding hidden items:"
        return "\n".join([said, f"{size(tree.size(own))}\t{path}", *tree.listing(own, path)])

    def create(self, path: str, text: str) -> str:
        own = checked(path)

        def change(tree: Tree) -> dict[str, str | None]:
            if tree.is_there(own):
                raise ToolError(f"File {path} already exists")
            tree.check_parents(own)
            return {own: text}

        self._change(change)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old: str, new: str) -> str:
        own = checked(path)
        snippet = ""

        def change(tree: Tree) -> dict[str, str | None]:
            nonlocal snippet
            text = tree.file(own, path)
            at = only_place(text, old, path)
            changed = text[:at] + new + text[at + len(old) :]
            line = text[:at].count("\n")
            snippet = numbered(changed.split("\n"), max(0, line - CONTEXT_LINES), line + CONTEXT_LINES + 1)
            return {own: changed}

        self._change(change, own)
        said = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{said}\n{snippet}"

    def insert(self, path: str, after: int, text: str) -> str:
        own = checked(path)

        def change(tree: Tree) -> dict[str, str | None]:
            lines = tree.file(own, path).split("\n")
            if not lines[-1]:
                lines.pop()
            if not 0 <= after <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {after}. It should be within the range [0, {len(lines)}]."
                )
            lines.insert(after, text.rstrip("\n"))
            changed = "\n".join(lines)
            return {own: changed if changed.endswith("\n") else changed + "\n"}

        self._change(change, own)
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        own = checked(path)
        if own == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")

        def change(tree: Tree) -> dict[str, str | None]:
            gone = tree.below(own)
            if not gone:
                raise ToolError(f"The path {path} does not exist")
            return {file: None for file in gone}

        self._change(change)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        old, new = checked(old_path), checked(new_path)
        if old == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")

        def change(tree: Tree) -> dict[str, str | None]:
            if tree.is_there(new):
                raise ToolError(f"The destination {new_path} already exists")
            moved = tree.below(old)
            if not moved:
                raise ToolError(f"The path {old_path} does not exist")
            if new.startswith(f"{old}/"):
                raise ToolError(f"Cannot move {old_path} into itself")
            tree.check_parents(new)
            gone: dict[str, str | None] = {file: None for file in moved}
            return gone | {new + file[len(old) :]: text for file, text in moved.items()}

        self._change(change)
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        self._change(lambda tree: {file: None for file in tree.below(ROOT)})
        return "All memory cleared"

    def _tree(self, only: str | None = None) -> Tree:
        """What is there; nothing but one file where that is there and is all that is asked for."""
        found = self._documents.get(only) if only is not None else None
        if found is not None and found.text is not None:
            return Tree({found.name: found})
        return Tree(self._documents.all())

    def _change(self, change: Callable[[Tree], dict[str, str | None]], only: str | None = None) -> None:
        """Makes a change to what is there now; looked at again where somebody else was first."""
        for _ in range(ATTEMPTS):
            tree = self._tree(only)
            versions = change(tree).items()
            try:
                self._documents.append(
                    [self._documents.next_version(path, text, tree.documents.get(path)) for path, text in versions]
                )
            except Conflict:
                continue
            except Invalid as error:
                raise ToolError(str(error)) from error
            return
        raise ToolError("Others are changing this at the same time. Please try again.")


class Tree:
    """The files as they stand."""

    def __init__(self, documents: dict[str, Document]) -> None:
        self.documents = documents
        self.texts = {name: found.text for name, found in documents.items() if found.text is not None}

    def text(self, path: str) -> str | None:
        return self.texts.get(path)

    def file(self, path: str, called: str) -> str:
        """The text of a file that must be one."""
        text = self.text(path)
        if text is not None:
            return text
        if self.is_folder(path):
            raise ToolError(f"The path {called} is not a file.")
        raise ToolError(f"The path {called} does not exist. Please provide a valid path.")

    def is_folder(self, path: str) -> bool:
        return path == ROOT or any(file.startswith(f"{path}/") for file in self.texts)

    def is_there(self, path: str) -> bool:
        return path in self.texts or self.is_folder(path)

    def below(self, path: str) -> dict[str, str]:
        """A file, or every file in a folder."""
        return {file: text for file, text in self.texts.items() if file == path or file.startswith(f"{path}/")}

    def check_parents(self, path: str) -> None:
        """Refuses a file in what is a file itself."""
        parts = path.split("/")
        for end in range(3, len(parts)):
            if (parent := "/".join(parts[:end])) in self.texts:
                raise ToolError(f"The path {parent} is not a directory")

    def size(self, path: str) -> int:
        return sum(len(text.encode()) for text in self.below(path).values())

    def listing(self, folder: str, called: str) -> list[str]:
        """The lines for what is in a folder, and in the folders in it."""
        inside = [file.removeprefix(f"{folder}/").split("/")[:LEVELS] for file in self.below(folder)]
        # A folder is shown also where everything in it is hidden.
        shown = [tuple(takewhile(lambda part: not part.startswith("."), parts)) for parts in inside]
        seen = {parts[: level + 1] for parts in shown for level in range(len(parts))}
        lines = []
        for parts in sorted(seen):
            path = "/".join([folder, *parts])
            end = "" if path in self.texts else "/"
            lines.append(f"{size(self.size(path))}\t{'/'.join([called, *parts])}{end}")
        return lines


def checked(path: str) -> str:
    """The path, if it leads nowhere but below /memories."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    parts = [part for part in path.split("/") if part]
    spelled = unquote(unquote(path))
    is_odd = any(character < " " or character in "\\\x7f" for character in spelled)
    if is_odd or any(part in (".", "..") for part in spelled.split("/")):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    return "/" + "/".join(parts)


def only_place(text: str, old: str, path: str) -> int:
    """Where the one place is that is to be replaced."""
    count = text.count(old) if old else 0
    if count == 0:
        raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if count > 1:
        places = [at for at in range(len(text)) if text.startswith(old, at)]
        lines = ", ".join(str(text[:at].count("\n") + 1) for at in places)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
            "Please ensure it is unique"
        )
    return text.index(old)


def numbered_file(path: str, text: str, wanted: list[int] | None) -> str:
    lines = text.split("\n")
    if len(lines) > LINES_MAX:
        raise ToolError(f"File {path} exceeds maximum line limit of {LINES_MAX:,} lines.")
    first, last = 0, len(lines)
    if wanted and len(wanted) == 2:
        first = max(1, wanted[0]) - 1
        last = last if wanted[1] == -1 else wanted[1]
    return f"Here's the content of {path} with line numbers:\n{numbered(lines, first, last)}"


def numbered(lines: list[str], first: int, last: int) -> str:
    return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(lines[first:last], first + 1))


def size(count: int) -> str:
    """A number of bytes as a person reads it."""
    power = min(max(count.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    return f"{count / 1024**power:.1f}".removesuffix(".0") + UNITS[power]
