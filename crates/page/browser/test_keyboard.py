"""Everything can be done without a mouse."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

VIEWS = ["now", "told", "sessions", "session?id=s-port", "search?q=port", "facts", "rules", "notes", "note?id=port-busy", "graph", "failures", "personas", "compare", "trust", "event?id=20"]  # fmt: skip
REACHED = """() => {
  const wanted = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter((it) => it.offsetParent !== null && !it.disabled);
  return wanted.filter((it) => it.tabIndex < 0).map((it) => it.outerHTML.slice(0, 120));
}"""


def test_every_action_can_be_reached(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    for view in VIEWS:
        go(page, view)
        assert page.evaluate(REACHED) == [], view


def test_focus_is_seen(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "facts")
    for _ in range(25):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle + document.activeElement.tagName")
        assert not outline.startswith("none") or outline.endswith(("BODY", "MAIN")), outline


def test_rows_are_walked_with_j_and_k(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "now")
    for key in "jjk":
        page.keyboard.press(key)
    expect(page.locator(".row-link").nth(0)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Event")


def test_anything_is_found_from_one_field(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "rules")
    page.keyboard.press("Control+k")
    page.keyboard.type("trust")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Trust")
    page.keyboard.press("Control+k")
    page.keyboard.type("port stays busy")
    page.locator(".palette-item", has_text="Port 3000 stays busy").first.wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sessions")
