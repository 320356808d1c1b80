"""Every view at three widths, light or dark, at the smallest both: it is there, it fits, axe finds nothing serious, and a picture is kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from server import Server

VIEWS = [
    "now", "now?at=40", "told?q=which+port", "sessions", "session?id=s-port", "search?q=which+port+does+the+payment+service+use",
    "search?q=port&mode=beside", "facts?all=1", "rules", "notes", "note?id=port-busy", "graph?node=Ann", "failures", "personas?agent=aria",
    "compare", "trust?event=20", "event?id=20",
]  # fmt: skip


# What stands out on the right where the page is wider than the window.
WIDE = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll('body *')].filter((it) => it.getBoundingClientRect().right > width + 1).slice(0, 3).map((it) => it.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (800, "dark"), (1400, "light")])
def test_every_view_fits_and_can_be_read(visitor: Callable[..., Page], go: Callable[..., None], shots: Path, width: int, scheme: str) -> None:
    page = visitor(width, scheme)
    findings = []
    for view in VIEWS:
        go(page, view)
        page.wait_for_timeout(250)
        fits(page, view)
        assert page.locator(".problem").count() == 0, f"{view}: {page.locator('.problem').first.inner_text()}"
        page.screenshot(path=shots / f"{re.sub(r'[^a-z0-9]+', '-', view)}-{width}-{scheme}.png")
        for found in Axe().run(page).response["violations"]:
            findings.append(f"{view}: {found['impact']} {found['id']} {found['nodes'][0]['html'][:160]}")
    assert findings == []


def fits(page: Page, view: str) -> None:
    """On a busy machine the last part of a view is drawn later."""
    wide: list[str] = []
    for _ in range(20):
        wide = page.evaluate(WIDE)
        if not wide:
            return
        page.wait_for_timeout(250)
    raise AssertionError(f"{view} is wider than the window: {wide}")


def test_the_dialogs_can_be_read(visitor: Callable[..., Page], go: Callable[..., None], shots: Path) -> None:
    for scheme in ("light", "dark"):
        page = visitor(1400, scheme)
        go(page, "rules")
        page.keyboard.press("?")
        look(page, shots / f"help-1400-{scheme}.png")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.keyboard.type("payment")
        page.locator(".palette-item mark").first.wait_for()
        look(page, shots / f"palette-1400-{scheme}.png")


def look(page: Page, picture: Path) -> None:
    page.screenshot(path=picture)
    assert [it["id"] for it in Axe().run(page).response["violations"]] == []


def test_the_first_view_shows_what_was_remembered_last(visitor: Callable[..., Page], server: Server, go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "now")
    page.locator(".stream .dot.live").wait_for()
    server.call("remember", text="The kettle is in the left cupboard")
    page.locator(".last-text", has_text="The kettle is in the left cupboard").wait_for()
    page.locator(".event", has_text="The kettle is in the left cupboard").first.wait_for()
