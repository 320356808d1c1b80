"""The live view for as long as somebody may leave it open: what it holds stays bounded."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import CDPSession, Page

from server import Server

IS_LONG = os.environ.get("IDETIC_LONG") == "1"
MINUTES = float(os.environ.get("IDETIC_MINUTES", "30"))
EVERY_SECONDS = 15
A_BATCH = 5
MOST_ROWS = 400
# What the last third may hold more than the middle third: noise, and no growth.
MORE = 1.10


def held(cdp: CDPSession) -> dict[str, float]:
    """Bytes of the heap, nodes and listeners, after a collection."""
    cdp.send("HeapProfiler.collectGarbage")
    metrics = {it["name"]: it["value"] for it in cdp.send("Performance.getMetrics")["metrics"]}
    return {"heap": metrics["JSHeapUsedSize"], "nodes": metrics["Nodes"], "listeners": metrics["JSEventListeners"]}


def test_the_list_stays_short(visitor: Callable[..., Page], go: Callable[..., None], server: Server) -> None:
    page = visitor()
    go(page, "now")
    page.locator(".stream .dot.live").wait_for()
    for start in range(0, MOST_ROWS + 100, 100):
        server.call("append", events=[{"kind": "actor_output", "content": f"said number {start + it}"} for it in range(100)])
    page.locator(".event", has_text=f"said number {MOST_ROWS + 99}").first.wait_for()
    assert page.locator(".stream-list > *").count() <= MOST_ROWS
    page.get_by_role("button", name="Show older").click()
    page.locator(".event", has_text="said number 99").first.wait_for()


@pytest.mark.skipif(not IS_LONG, reason="takes half an hour: IDETIC_LONG=1, IDETIC_MINUTES=30")
def test_memory_is_flat_while_it_is_open(visitor: Callable[..., Page], go: Callable[..., None], server: Server) -> None:
    page = visitor()
    go(page, "now")
    page.locator(".stream .dot.live").wait_for()
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable")
    cdp.send("HeapProfiler.enable")
    samples: list[dict[str, float]] = []
    written = 0
    ends = time.monotonic() + 60 * MINUTES
    while time.monotonic() < ends:
        until = time.monotonic() + EVERY_SECONDS
        while time.monotonic() < until:
            server.call("append", events=[{"kind": "tool_result", "content": f"line {written + it} of a long build " * 8} for it in range(A_BATCH)])
            written += A_BATCH
            page.wait_for_timeout(1000)
        samples.append(held(cdp))
        print(f"{len(samples) * EVERY_SECONDS / 60:.2f} min, {written} events, {samples[-1]['heap'] / 1e6:.2f} MB, {samples[-1]['nodes']:.0f} nodes, {samples[-1]['listeners']:.0f} listeners", flush=True)
    third = len(samples) // 3
    for what in ("heap", "nodes", "listeners"):
        # One sample may come in the middle of a request; what grows, grows in most of them.
        middle, last = (statistics.median(it[what] for it in part) for part in (samples[third : 2 * third], samples[2 * third :]))
        assert last <= middle * MORE, f"{what}: {middle:.0f}, then {last:.0f}"
