"""A memory to look at: sessions of coding agents, facts with a past, conflicts, notes, personas; and hostile contents in every field."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from server import Server

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
BIDI = "\u202eevil\u2066right-to-left\u2069 \u202etxt.exe"
HOSTILE = [
    MARKUP,
    BIDI,
    '"><svg/onload=alert(3)>',
    "javascript:alert(1)",
    "\u0001control\u0007bell\u001b[31mred",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b" * 40,
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 家族 العربية עברית",
    '{{constructor.constructor("alert(1)")()}}',
]
CANARY = "the canary sings in the cellar"
BUSY = "Exit code 1\nError: listen EADDRINUSE: address already in use :::3000"


def fill(server: Server, folder: Path) -> None:
    """Fills the space of a server."""
    shop = repository(folder / "shop", "https://github.com/acme/shop.git")
    coding_sessions(server, shop)
    facts(server)
    notes(server)
    personas(server)
    hostile(server, shop)
    server.call("remember", space="ann/research", text="The first paper is about append-only logs")
    hook(server, "SessionStart", shop, session_id="s-final", source="startup")


def repository(folder: Path, remote: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=folder, check=True)
    return folder


def hook(server: Server, event: str, folder: Path, **message: Any) -> None:
    given = json.dumps({"hook_event_name": event, "cwd": str(folder)} | message)
    server.run("hook", "claude", event, given=given, folder=folder)


def session(server: Server, name: str, folder: Path, turns: list[tuple[str, list[tuple[str, str, bool]], str]]) -> None:
    """A session: for each turn the prompt, the commands with what they printed and whether they worked, the answer."""
    hook(server, "SessionStart", folder, session_id=name, source="startup")
    for prompt, commands, answer in turns:
        hook(server, "UserPromptSubmit", folder, session_id=name, prompt=prompt)
        for command, printed, worked in commands:
            tool = {"session_id": name, "tool_name": "Bash", "tool_input": {"command": command}}
            if worked:
                hook(server, "PostToolUse", folder, **tool, tool_response={"stdout": printed, "stderr": ""})
            else:
                hook(server, "PostToolUseFailure", folder, **tool, error=printed)
        hook(server, "Stop", folder, session_id=name, last_assistant_message=answer)
    hook(server, "SessionEnd", folder, session_id=name, reason="exit")


def coding_sessions(server: Server, shop: Path) -> None:
    broken = "Exit code 1\nTypeError: Cannot read properties of undefined (reading 'price')"
    session(server, "s-checkout", shop, [
        ("The checkout page returns 500 when the basket is empty. Fix it. Remember: deploys only from the release branch.",
         [("npm test -- checkout", broken, False), ("npm test -- checkout", "12 passed", True)], "Fixed: an empty basket has no first item."),
        ("Let's go with Fastify instead of Express for the new API. I prefer tabs over spaces.", [], "Noted."),
    ])
    session(server, "s-node", shop, [
        ("The build needs Node 20. Ann owns the payment service. Add a CI check for the Node version.",
         [("npm run build", BUSY, False), ("lsof -ti:3000 | xargs kill && npm run build", "built in 4.1s", True)], "CI now fails fast when Node is older than 20."),
        ("From now on, never commit directly to main. todo: write the migration guide.", [], "Understood."),
    ])
    session(server, "s-port", shop, [
        ("EADDRINUSE again. Please make this stop for good.", [("npm run dev", BUSY, False), ("npx kill-port 3000; npm run dev", "ready", True)], "Added a script that frees port 3000 first.")])


def facts(server: Server) -> None:
    for city, since in (("Basel", "2024-03-01"), ("Zürich", "2025-09-15"), ("Lugano", "2026-10-02")):
        server.call("fact/store", text=f"Ann lives in {city}", subject="Ann", attribute="lives_in", value=city, at=f"{since}T00:00:00Z")
    for port, since in (("8443", "2025-01-10"), ("9443", "2026-05-10")):
        server.call("fact/store", text=f"The payment service runs on port {port}", subject="payment service", attribute="port", value=port, at=f"{since}T00:00:00Z")
    server.call("fact/store", text="Zoë Quill leads the audit", subject="Zoë Quill", attribute="leads", value="the audit")
    server.call("remember", text="Zoë Quill called about the audit", author="ann")
    for text in ("The API gateway does not cache responses", "The API gateway does cache responses"):
        server.call("fact/store", text=text)


def notes(server: Server) -> None:
    text = "`EADDRINUSE :::3000` after a crash.\n\n## Fix\n\n1. `lsof -ti:3000 | xargs kill`\n2. better: a **predev** script\n\nSee [[node-version]].\n\n| tool | works |\n|---|---|\n| lsof | yes |\n"
    server.call("note/write", id="port-busy", title="Port 3000 stays busy after a crash", content=text, tags=["node"], confidence="high", author="ann")
    server.call("note/write", id="node-version", title="The build needs Node 20", content="Older versions fail.", tags=["node"], links=["port-busy"], author="ann")
    server.call("note/outcome", note="port-busy", worked=True, author="claude")


def personas(server: Server) -> None:
    said = [("actor", "user_input", "The user asked for a summary of the week"), ("actor", "actor_output", "I sent the weekly report to Ann"), ("subconscious", "subconscious_output", CANARY)]
    for persona, kind, text in said:
        server.call("append", agent="aria", persona=persona, events=[{"kind": kind, "content": text, "loop_id": f"loop-{kind}"}])


def hostile(server: Server, shop: Path) -> None:
    for text in HOSTILE:
        server.call("remember", text=text, summary=text[:80], author=text[:60], source="<b>source</b>", tags=[text[:40].strip()])
    server.call("remember", text="A" * 1_000_000, author="one long line")
    server.call("remember", text="a thousand tags", tags=[f"tag{number}<i>" for number in range(1024)])
    server.call("fact/store", text=MARKUP, subject=MARKUP, attribute="onload", value='"><script>alert(4)</script>')
    server.call("fact/store", text=BIDI, subject=BIDI, attribute="x", value=MARKUP)
    body = f"# {MARKUP}\n\n[click](javascript:alert(1)) ![x](//evil.example/x.png) {BIDI}\n\n<iframe src=javascript:alert(5)></iframe>\n\n" + "| a " * 500 + "|\n# a\rb\n"
    server.call("note/write", id="hostile-note", title=MARKUP, content=body, tags=["<b>tag</b>"], author="<u>eve</u>")
    server.call("append", agent="mallory", events=[{"kind": "error", "content": MARKUP, "status": "failure", "trace_id": "<i>trace</i>", "source": MARKUP}])
    session(server, "s-hostile", shop, [(f"{MARKUP} Remember: <script>alert(6)</script> never run scripts.", [], MARKUP)])
