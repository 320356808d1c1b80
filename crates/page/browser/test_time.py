"""The bar of time: a view at a moment is the same view of a home that stopped there."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from server import Server, served

# All of them take about half an hour; in parts, so that several workers share them.
IS_LONG = os.environ.get("IDETIC_LONG") == "1"
MOMENTS, PARTS = (100, 4) if IS_LONG else (2, 1)
VIEWS = [
    "now", "told?q=which+port", "sessions", "session?id=s-node", "search?q=port+payment", "facts?all=1", "facts", "rules", "notes", "note?id=port-busy",
    "graph?node=Ann", "failures", "personas?agent=aria", "event?id=20", "compare?a=1&b={moment}", "trust",
]  # fmt: skip
# What of Trust is no view of the space: keys and administrative acts are of the whole home.
WITHOUT_HOME = "() => document.querySelectorAll('.of-home').forEach((it) => it.remove())"


def text_of(page: Page) -> str:
    """What the view says, without how long asking took and how long ago by the clock of the reader."""
    expect(page.get_by_text("Looking for conflicts")).to_have_count(0)
    late = page.locator(".conflict-line button")
    if late.count():
        late.click()
    page.evaluate(WITHOUT_HOME)
    lines = page.locator("main").inner_text().splitlines()
    text = "\n".join(line for line in lines if " hits in " not in line and " hit in " not in line)
    return re.sub(r"\d+ (second|minute|hour)s? ago|just now", "a while ago", text)


def turn(page: Page, address: str) -> None:
    """Goes to a view without loading the page anew; what was there before is not taken for what is awaited."""
    page.evaluate("(hash) => { document.getElementById('main').replaceChildren(); location.hash = hash; }", f"#/{address}")


def settled(page: Page) -> str:
    """What a view says once it is there. What did not exist at that moment may be missing, and nothing else may go wrong."""
    page.locator("main .view h1").first.wait_for()
    problem = page.locator("main .problem")
    assert problem.count() == 0 or "there is no" in problem.first.inner_text().lower(), problem.first.inner_text()
    return text_of(page)


def both(pages: tuple[Page, Page], address: str) -> tuple[str, str]:
    """What a view says in two homes; looked at again where a busy machine draws a part of it late."""
    for page in pages:
        turn(page, address)
    said = ("", "")
    for _ in range(20):
        pages[0].wait_for_timeout(250)
        said = settled(pages[0]), settled(pages[1])
        if said[0] == said[1]:
            break
    return said


def wait_for_vectors(server: Server) -> None:
    """Texts are embedded a moment after they are written, and a score has a part for meaning only then."""
    known = -1
    for _ in range(60):
        server.call("recall", query="anything")
        covered = server.call("status")["coverage"]
        if covered["embedded"] == known and covered["pending"] + covered["retry"] <= 1:
            return
        known = covered["embedded"]
        time.sleep(0.5)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_moment_is_a_home_that_stopped_there(visitor: Callable[..., Page], go: Callable[..., None], server: Server, tmp_path: Path, part: int) -> None:
    page, other = visitor(), visitor()
    head = server.call("status")["events"]
    wait_for_vectors(server)
    go(page, "rules")
    for moment in random.Random(7).sample(range(2, head), min(MOMENTS, head - 2))[part::PARTS]:
        exported = server.run("export", "--as-of", str(moment))
        with served(tmp_path / f"home-{moment}") as stopped:
            stopped.run("import", "-", "--accept", given=exported)
            assert stopped.call("status")["events"] == moment
            wait_for_vectors(stopped)
            go(other, "rules", stopped.page)
            for view in VIEWS:
                address = f"{view.format(moment=moment)}{'&' if '?' in view else '?'}at={moment}"
                here, there = both((page, other), address)
                assert here == there, f"{view} at {moment}"
            print(f"event {moment}: {len(VIEWS)} views are the same", flush=True)
            other.goto("about:blank")


def test_the_slider_takes_the_whole_page_along(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "now")
    page.get_by_label("Event number").fill("30")
    page.get_by_label("Event number").press("Enter")
    expect(page.get_by_role("heading", name="Then")).to_be_visible()
    expect(page.locator(".event .number").first).to_have_text("#30")
    page.get_by_role("link", name="Facts", exact=True).click()
    expect(page.locator(".timebar")).to_contain_text("event 30")
    page.keyboard.press("l")
    expect(page.locator(".timebar")).to_contain_text("up to now")


def test_a_linked_moment_is_where_the_slider_stands(visitor: Callable[..., Page], go: Callable[..., None], server: Server) -> None:
    page = visitor()
    head = server.call("status")["events"]
    go(page, "facts?at=30")
    expect(page.locator(".time-said")).to_contain_text(f"event 30 of {head}")
    expect(page.get_by_label("Moment: the number of an event")).to_have_value("30")


def test_play_walks_through_the_past(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "now?at=2")
    page.get_by_role("button", name="Play the past").click()
    # A busy machine is looked at later.
    expect(page.locator(".time-said")).to_contain_text(re.compile(r"event ([4-9]|\d\d) of"))
    page.get_by_role("button", name="Stop").click()
