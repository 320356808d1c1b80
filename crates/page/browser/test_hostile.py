"""Hostile contents in every field: nothing runs, nothing breaks the layout, nothing can look like something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import sample
from server import Server

VIEWS = ["now", "told", "sessions", "session?id=%3Ci%3Etrace%3C%2Fi%3E", "search?q=alert+script+evil", "facts?all=1", "rules", "notes", "note?id=hostile-note", "graph", "failures", "personas?agent=mallory", "compare?a=1", "trust"]  # fmt: skip


@pytest.mark.parametrize("width", [360, 1400])
def test_nothing_runs_and_nothing_overflows(visitor: Callable[..., Page], go: Callable[..., None], width: int) -> None:
    page = visitor(width)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for view in VIEWS:
        go(page, view)
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, view
        assert page.locator("main img, main iframe, main script, main svg[onload], main [onerror], main [style*=expression]").count() == 0, view
        assert page.locator("a[href^='javascript:'], a[href^='data:']").count() == 0, view
    assert not [url for url in asked if "evil" in url and "/v1/" not in url and "#" not in url]


def test_directions_and_controls_are_written_out(visitor: Callable[..., Page], go: Callable[..., None], server: Server) -> None:
    page = visitor()
    go(page, "facts?all=1")
    expect(page.locator(".unseen", has_text="U+202E").first).to_be_visible()
    event = next(it for it in server.call("log", limit=400)["items"] if (it.get("content") or "").startswith("\u0001control"))
    go(page, f"event?id={event['id']}")
    for code in ("U+0001", "U+0007", "U+001B"):
        expect(page.locator(".quote .unseen", has_text=code).first).to_be_visible()


def test_a_million_letters_are_shown_in_pieces(visitor: Callable[..., Page], go: Callable[..., None], server: Server) -> None:
    page = visitor()
    event = next(it for it in server.call("log", author="one long line", limit=5)["items"])
    go(page, f"event?id={event['id']}")
    assert len(page.locator(".quote").inner_text()) < 10_000
    page.locator(".quote").get_by_role("button", name="Show").click()
    assert 60_000 < len(page.locator(".quote .said").inner_text()) < 100_000


def test_a_thousand_tags_are_a_number(visitor: Callable[..., Page], go: Callable[..., None], server: Server) -> None:
    page = visitor()
    hit = server.call("recall", query="a thousand tags", k=1)["hits"][0]
    go(page, f"event?id={hit['id']}")
    expect(page.locator(".quote")).to_contain_text("+1000 tags")
    assert page.locator(".quote .chip").count() < 40


def test_markup_is_text(visitor: Callable[..., Page], go: Callable[..., None]) -> None:
    page = visitor()
    go(page, "note?id=hostile-note")
    expect(page.locator("h1")).to_contain_text(sample.MARKUP)
    expect(page.locator(".markdown")).to_contain_text("<iframe src=javascript:alert(5)></iframe>")
    expect(page.locator(".markdown")).to_contain_text("[picture: x]")
