"""A real server in a home of its own, and a space of its own for each test."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from idetic import AsyncIdetic, Idetic

PATIENCE_SECONDS = 30
NUMBERS = count(1)


@dataclass
class Server:
    """The program as a server, and a key that allows everything."""

    home: Path
    url: str = ""
    key: str = ""
    process: subprocess.Popen[str] | None = None

    @classmethod
    def made(cls, home: Path, config: str = "") -> Server:
        """A server in a new home, started."""
        server = cls(home)
        server.run("init", str(home))
        (home / "config.toml").write_text(config)
        server.key = server.make_key("--admin")
        server.start()
        return server

    def run(self, *arguments: str) -> str:
        command = [os.environ["IDETIC_BINARY"], *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def make_key(self, *limits: str) -> str:
        name = f"test {next(NUMBERS)}"
        made = self.run("--home", str(self.home), "--json", "key", "create", "--name", name, *limits)
        key: str = json.loads(made)["key"]
        return key

    def start(self, address: str = "127.0.0.1:0") -> None:
        command = [os.environ["IDETIC_BINARY"], "--home", str(self.home)]
        command += ["serve", "--listen", address, "--log", "off"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://"), self.url

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server.made(tmp_path_factory.mktemp("home"))
    yield server
    server.stop()


@pytest.fixture
def space() -> str:
    return f"test/space-{next(NUMBERS)}"


@pytest.fixture
def client(server: Server, space: str) -> Iterator[Idetic]:
    with Idetic(server.url, key=server.key, space=space) as client:
        yield client


@pytest.fixture
async def aclient(server: Server, space: str) -> AsyncIterator[AsyncIdetic]:
    async with AsyncIdetic(server.url, key=server.key, space=space) as client:
        yield client
