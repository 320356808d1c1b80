"""The server, the browser, and a visitor who notices whatever runs that should not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import sample
from server import Server, served

# A busy machine draws late.
expect.set_options(timeout=20000)
WATCH = "window.reports = []; document.addEventListener('securitypolicyviolation', (e) => window.reports.push(e.violatedDirective + ' ' + e.blockedURI));"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the sample memory."""
    folder = tmp_path_factory.mktemp("home")
    with served(folder / "home") as running:
        sample.fill(running, folder)
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=os.environ["IDETIC_BROWSER"], args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where screenshots are kept."""
    return Path(os.environ["IDETIC_SHOTS"])


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages; afterwards no dialog, no error and no report of the policy may have been seen."""
    seen: list[str] = []
    contexts = []

    def open_page(width: int = 1400, scheme: str = "light", **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        contexts.append(context)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("dialog", lambda dialog: (seen.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("console", lambda message: seen.append(f"console: {message.text}") if message.type == "error" and "Failed to load resource" not in message.text else None)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            seen.extend(f"policy: {report}" for report in page.evaluate("window.reports ?? []"))
        context.close()
    assert seen == []


@pytest.fixture
def go(server: Server) -> Callable[..., None]:
    """Goes to a view and waits until it is there."""

    def visit(page: Page, view: str, base: str | None = None) -> None:
        # From an empty page: otherwise what was there before could be taken for what is awaited.
        page.goto("about:blank")
        page.goto(f"{base or server.page}/#/{view}")
        page.locator("main .view h1").first.wait_for()

    return visit
