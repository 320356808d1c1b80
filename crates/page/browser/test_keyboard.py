"""Everything can be done without a mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

VIEWS = ["now", "told", "sessions", "session?id=s-port", "search?q=port", "facts", "rules", "notes", "note?id=port-busy", "graph", "failures", "personas", "compare", "trust", "event?id=20"]  # fmt: skip
REACHED = """() => {
  const wanted = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter((it) => it.offsetParent !== null && !it.disabled);
  return wanted.filter((it) => it.tabIndex < 0).map((it) => it.outerHTML.slice(0, 120));
}"""


# Numbers what Tab should come by, and counts it.
TABBED = """() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter((it) => it.offsetParent !== null && !it.disabled && !it.closest('details:not([open]) > :not(summary)'));
  all.forEach((it, at) => { it.dataset.seen = String(at); });
  return all.length;
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


@pytest.mark.parametrize("view", ["told", "facts", "note?id=port-busy", "compare", "trust", "search?q=port"])
def test_tab_comes_by_everything(visitor: Callable[..., Page], go: Callable[..., None], view: str) -> None:
    page = visitor()
    go(page, view)
    page.wait_for_timeout(600)
    count = page.evaluate(TABBED)
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    seen = set()
    for _ in range(count + 30):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.dataset.seen ?? ''"))
    missed = page.evaluate("(seen) => [...document.querySelectorAll('[data-seen]')].filter((it) => it.offsetParent !== null && !seen.includes(it.dataset.seen)).map((it) => it.outerHTML.slice(0, 120))", sorted(seen))
    assert missed == []


def test_letters_lead_to_views(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "now")
    titles = {"w": "What it is told", "s": "Sessions", "/": "Search", "f": "Facts", "r": "Rules", "o": "Notes", "g": "Graph", "x": "Failures and fixes", "p": "Personas", "c": "Compare", "t": "Trust", "n": "Now"}
    for letter, title in titles.items():
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("g")
        page.keyboard.press(letter)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)


def test_time_has_keys(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "facts?at=30")
    expect(page.locator(".time-said")).to_contain_text("event 30")
    page.keyboard.press("[")
    expect(page.locator(".time-said")).to_contain_text("event 29")
    page.keyboard.press("]")
    expect(page.locator(".time-said")).to_contain_text("event 30")
    page.keyboard.press("l")
    expect(page.locator(".time-said")).to_contain_text("up to now")


def test_help_opens_and_closes(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "rules")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "found"),
    [("what it is", "What it is told"), ("dark", "Light or dark"), ("30", "as it was at event 30"), ("2026-01-02", "as it was on 2026-01-02"), ("#12", "Open event 12"), ("Lugano", "Ann lives in Lugano"), ("busy after a crash", "Port 3000 stays busy"), ("s-port", "s-port")],
)
def test_one_field_finds(visitor: Callable[..., Page], go: Callable[..., None], typed: str, found: str) -> None:
    page = visitor()
    go(page, "rules")
    page.keyboard.press("Meta+k")
    page.keyboard.type(typed)
    item = page.locator(".palette-item", has_text=found).first
    item.wait_for()
    # What is moved to stays chosen while more is found; which is the first is known when all is.
    page.locator(".palette-results[aria-busy=false]").wait_for()
    for _ in range(40):
        if item.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowDown")
    assert item.get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_is_chosen_stays_so_when_more_is_found(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "rules")
    held = []
    page.route("**/v1/recall", lambda route: held.append(route))
    page.keyboard.press("Control+k")
    page.keyboard.type("busy after a crash")
    note = page.get_by_role("group", name="Notes").locator(".palette-item").first
    note.wait_for()
    for _ in range(40):
        if note.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowDown")
    for route in held:
        route.continue_()
    page.get_by_role("group", name="Memories").locator(".palette-item").first.wait_for()
    expect(note).to_have_attribute("aria-selected", "true")


def test_a_line_is_pinned_without_a_mouse(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "told")
    pin = page.get_by_role("button", name="Pin:").first
    pin.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(pin).to_be_focused()


def test_nothing_moves_for_those_who_asked_for_it(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor(reduced_motion="reduce")
    go(page, "now")
    lasting = page.evaluate("(() => { const it = document.getElementById('progress'); it.hidden = false; const style = getComputedStyle(it); return [parseFloat(style.animationDuration), style.animationIterationCount]; })()")
    assert lasting[0] < 0.001 and lasting[1] == "1"


@pytest.mark.parametrize("view", ["now", "told", "sessions", "session?id=s-node", "search?q=port", "facts", "rules", "notes", "note?id=port-busy", "graph?node=Ann", "failures", "personas?agent=aria", "compare?a=10&b=60", "trust", "event?id=20"])
def test_every_view_and_moment_has_an_address(visitor: Callable[..., Page], go: Callable[..., None], view: str) -> None:
    page = visitor()
    go(page, f"{view}{'&' if '?' in view else '?'}at=70")
    expect(page.locator("html")).to_have_attribute("data-past", "")
    expect(page.locator(".time-said")).to_contain_text("event 70")
    title = page.get_by_role("heading", level=1).inner_text()
    assert page.locator(".problem").count() == 0
    for link in page.locator("nav.nav a").all():
        assert "at=70" in (link.get_attribute("href") or "")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator(".time-said")).to_contain_text("event 70")
