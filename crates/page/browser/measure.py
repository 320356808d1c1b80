"""How fast the page is with a large memory: python3 run.py --venv FOLDER PATH-OF-IDETIC --script measure.py [FOLDER-OF-A-HOME].

The home has 100,000 events, among them 10,000 facts about 5,000 things, and is kept where a folder is given. What is
measured of the server is the time its processors work. Texts are
not embedded: that would take longer than everything else here. Times are in milliseconds, as the browser sees them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Request, sync_playwright

from server import BINARY, Server, served

EVENTS, FACTS, THINGS, A_SESSION, A_BATCH = 100_000, 10_000, 5_000, 60, 20_000
SLOW_ROUTE_MS = 100
VIEWS = ["now", "told", "sessions", "session?id=session-1400", "search?q=which+port+does+service+77+use", "facts", "rules", "notes", "graph", "failures", "personas", "compare", "trust", "now?at=50000", "told?at=50000", "facts?at=50000", "rules?at=50000"]  # fmt: skip
# Notes tasks of the browser's main thread that keep it from answering, and the longest time between two frames.
WATCH = """
window.long = []; new PerformanceObserver((list) => { for (const it of list.getEntries()) window.long.push(it.duration); }).observe({ type: 'longtask', buffered: true });
window.gap = 0; { let last = performance.now(); const frame = (now) => { window.gap = Math.max(window.gap, now - last); last = now; requestAnimationFrame(frame); }; requestAnimationFrame(frame); }
"""
# The moment at which a condition first holds, looked at in every frame.
UNTIL = "(test) => new Promise((done) => { const look = () => (eval(test) ? done(performance.now()) : requestAnimationFrame(look)); look(); })"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(sys.argv[1] if len(sys.argv) > 1 else folder) / "home"
        if not home.exists():
            fill(home)
        with served(home) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ["IDETIC_BROWSER"], args=["--no-sandbox"])
            # The policy forbids eval to the page, and so to what looks at it from outside.
            context = browser.new_context(viewport={"width": 1400, "height": 900}, bypass_csp=True)
            context.add_init_script(WATCH)
            routes: dict[str, list[float]] = defaultdict(list)
            page = context.new_page()
            page.on("requestfinished", lambda request: note(request, routes))
            status = server.call("status")
            print(f"{status['events']} events; one processor of this machine has a load of {os.getloadavg()[0] / (os.cpu_count() or 1):.1f}")
            first_view(page, server)
            for view in VIEWS:
                loaded(page, server.page, view)
            dragged(page, server.page)
            for view, field, shown in (("search", ".search-field", ".hit"), ("facts", "main input[type=search]", ".fact")):
                typed(page, server.page, view, field, shown)
            found(page, server.page)
            everything(page, server.page)
            print(f"\nroutes that took longer than {SLOW_ROUTE_MS} ms: times asked, median, longest")
            for route, times in sorted(routes.items(), key=lambda it: -max(it[1])):
                if max(times) >= SLOW_ROUTE_MS:
                    print(f"  {route:28} {len(times):3} {sorted(times)[len(times) // 2]:8.0f} {max(times):8.0f}")
            browser.close()


def fill(home: Path) -> None:
    """Makes the home."""
    environment = os.environ | {"IDETIC_HOME": str(home)}
    subprocess.run([BINARY, "init", str(home)], check=True, capture_output=True)
    with (home / "config.toml").open("a") as config:
        config.write('\n[embedding]\nmodel = "none"\n')
    lines = list(records())
    for start in range(0, len(lines), A_BATCH):
        batch = home.parent / "batch.jsonl"
        batch.write_text("".join(json.dumps(it) + "\n" for it in lines[start : start + A_BATCH]))
        subprocess.run([BINARY, "append", str(batch)], env=environment, check=True, capture_output=True)
    subprocess.run([BINARY, "dream"], env=environment, check=True, capture_output=True)


def records() -> Iterator[dict[str, Any]]:
    chance = random.Random(1)
    kinds = [("user_input", {"trust": "user"}), ("tool_call", {}), ("tool_result", {}), ("actor_output", {})]
    every = EVENTS // FACTS
    for number in range(EVENTS):
        if number % every == 0:
            service, other = chance.randrange(THINGS // 2), chance.randrange(THINGS // 2)
            text = f"service {service} talks to queue {other} since build {number}"
            yield {"kind": "fact.stored", "content": text, "metadata": {"about": f"service {service}", "attribute": f"talks_to_{number % 7}", "gist": text, "topic": text, "single": True, "subject": f"service {service}", "value": f"queue {other}"}}
            continue
        kind, more = kinds[number % 4]
        failed = {"status": "failure"} if kind == "tool_result" and chance.random() < 0.03 else {}
        text = f"step {number}: service {chance.randrange(THINGS)} answered on port {7000 + number % 900} after {chance.randrange(400)} ms"
        yield {"kind": kind, "content": text, "trace_id": f"session-{number // A_SESSION}", "loop_id": f"turn-{number // 12}", "source": f"github.com/example/project-{number % 5}"} | more | failed


def note(request: Request, routes: dict[str, list[float]]) -> None:
    if "/v1/" in request.url and request.timing["responseEnd"] > 0:
        routes[request.url.split("/v1/")[1].split("?")[0]].append(request.timing["responseEnd"])


def until(page: Page, test: str) -> float:
    return float(page.evaluate(UNTIL, test))


def loaded(page: Page, base: str, view: str) -> None:
    """From an empty page until the view is there and the bar above has gone."""
    page.goto("about:blank")
    page.goto(f"{base}/#/{view}")
    ms = until(page, "document.querySelector('main .view h1') && document.getElementById('progress').hidden")
    print(f"open {view:44} {ms:7.0f} ms, longest task {longest(page):5.0f} ms", flush=True)


def first_view(page: Page, server: Server) -> None:
    """What the first view costs the server: right after it started, and again."""
    for name in ("just started", "again", "again"):
        before = server.cpu_ms()
        page.goto("about:blank")
        page.goto(f"{server.page}/#/now")
        ms = until(page, "document.querySelector('.last-text') && document.querySelector('.side .figures') && document.getElementById('progress').hidden")
        # What stands beside the stream comes after it.
        page.wait_for_timeout(500)
        print(f"first view, {name:35} {ms:7.0f} ms, of the server's processors {server.cpu_ms() - before:5.0f} ms", flush=True)


def longest(page: Page) -> float:
    return float(page.evaluate("Math.max(0, ...window.long)"))


def dragged(page: Page, base: str) -> None:
    """The slider through forty positions in two seconds; then until the view is that past."""
    for view in ("now", "facts"):
        page.goto("about:blank")
        page.goto(f"{base}/#/{view}")
        page.locator(".stream .dot.live").wait_for()
        page.evaluate("window.gap = 0; window.long = []")
        for step in range(40):
            page.evaluate("(value) => { const it = document.getElementById('time-range'); it.value = value; it.dispatchEvent(new Event('input')); }", str(90_000 - 2_000 * step))
            page.wait_for_timeout(50)
        last = float(page.evaluate("performance.now()"))
        ms = until(page, "document.querySelector('.time-said').textContent.includes('As it was') && document.getElementById('progress').hidden && document.querySelector('main .view h1')")
        print(f"drag through {view:31} longest between frames {page.evaluate('window.gap'):5.0f} ms, longest task {longest(page):5.0f} ms, that past after {ms - last:5.0f} ms", flush=True)


def typed(page: Page, base: str, view: str, field: str, shown: str) -> None:
    page.goto("about:blank")
    page.goto(f"{base}/#/{view}")
    page.locator(field).wait_for()
    page.locator(field).click()
    page.evaluate("window.gap = 0; window.long = []")
    page.locator(field).press_sequentially("service 77 port", delay=70)
    page.evaluate(f"document.querySelectorAll('main {shown}').forEach((it) => it.classList.add('old'))")
    last = float(page.evaluate("performance.now()"))
    ms = until(page, f"document.querySelector('main {shown}:not(.old)')")
    print(f"type into {view:34} longest between frames {page.evaluate('window.gap'):5.0f} ms, longest task {longest(page):5.0f} ms, answer after {ms - last:5.0f} ms", flush=True)


def found(page: Page, base: str) -> None:
    page.goto("about:blank")
    page.goto(f"{base}/#/rules")
    page.locator("main h1").wait_for()
    page.keyboard.press("Control+k")
    page.keyboard.type("service 77 port", delay=70)
    last = float(page.evaluate("performance.now()"))
    ms = until(page, "document.querySelector('.palette-item mark')")
    print(f"find anything{'':31} answer after {ms - last:5.0f} ms", flush=True)


def everything(page: Page, base: str) -> None:
    page.goto("about:blank")
    page.goto(f"{base}/#/graph")
    page.get_by_role("button", name="Show everything").wait_for()
    page.evaluate("window.gap = 0; window.long = []")
    page.get_by_role("button", name="Show everything").click()
    page.wait_for_timeout(8000)
    said = page.locator("main [role=status]").inner_text()
    print(f"graph, {said.split('.')[0]}: longest between frames {page.evaluate('window.gap'):5.0f} ms, longest task {longest(page):5.0f} ms", flush=True)


if __name__ == "__main__":
    main()
