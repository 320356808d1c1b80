"""The bar of time: a view at a moment is the same view of a home that stopped there."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from server import Server, served

# All of them take about twenty minutes.
MOMENTS = 100 if os.environ.get("IDETIC_LONG") == "1" else 2
VIEWS = ["now", "sessions", "facts?all=1", "notes", "search?q=port+payment", "failures", "personas?agent=aria", "told", "graph?node=Ann"]


def text_of(page: Page) -> str:
    """What the view says, without how long asking took and how long ago by the clock of the reader."""
    expect(page.get_by_text("Looking for conflicts")).to_have_count(0)
    late = page.locator(".conflict-line button")
    if late.count():
        late.click()
    lines = page.locator("main").inner_text().splitlines()
    text = "\n".join(line for line in lines if " hits in " not in line and " hit in " not in line)
    return re.sub(r"\d+ (second|minute|hour)s? ago|just now", "a while ago", text)


def shown(page: Page, go: Callable[..., None], address: str, base: str | None = None) -> str:
    """What a view says; asked again where a busy machine had no time to answer."""
    for _ in range(3):
        go(page, address, base)
        page.wait_for_timeout(300)
        if page.locator(".problem").count() == 0:
            break
    return text_of(page)


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


def test_a_moment_is_a_home_that_stopped_there(visitor: Callable[..., Page], go: Callable[..., None], server: Server, tmp_path: Path) -> None:
    page = visitor()
    head = server.call("status")["events"]
    wait_for_vectors(server)
    for moment in random.Random(7).sample(range(2, head), min(MOMENTS, head - 2)):
        exported = server.run("export", "--as-of", str(moment))
        with served(tmp_path / f"home-{moment}") as stopped:
            stopped.run("import", "-", "--accept", given=exported)
            assert stopped.call("status")["events"] == moment
            wait_for_vectors(stopped)
            for view in VIEWS:
                address = f"{view}{'&' if '?' in view else '?'}at={moment}"
                here = shown(page, go, address)
                assert shown(page, go, address, stopped.page) == here, f"{view} at {moment}"
        print(f"event {moment}: {len(VIEWS)} views are the same", flush=True)


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
