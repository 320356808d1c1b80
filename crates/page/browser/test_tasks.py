"""What a person comes for, from the first click to the last."""

from __future__ import annotations

import contextlib
import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import sample
from server import Server, served

Visitor = Callable[..., Page]
Go = Callable[..., None]


def test_why_a_fact_is_believed(visitor: Visitor, go: Go) -> None:
    page = visitor()
    go(page, "facts?all=1")
    page.get_by_role("link", name="Ann owns the payment service.").first.click()
    source = page.locator("section", has=page.get_by_role("heading", name="Why it is believed"))
    expect(source).to_contain_text("The build needs Node 20. Ann owns the payment service.")
    source.locator(".row-link").last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Event")
    expect(page.locator(".record")).to_contain_text("Hash")


def test_what_a_fact_was_before(visitor: Visitor, go: Go) -> None:
    page = visitor()
    go(page, "facts?subject=Ann&all=1")
    page.get_by_role("link", name="Ann lives in Lugano").click()
    before = page.locator("section", has=page.get_by_role("heading", name="Before and after"))
    for city in ("Basel", "Zürich", "Lugano"):
        expect(before).to_contain_text(f"Ann lives in {city}")


def test_what_the_agent_was_told(visitor: Visitor, go: Go) -> None:
    page = visitor()
    go(page, "told")
    start = page.locator("section", has=page.get_by_role("heading", name="The latest start"))
    expect(start).to_contain_text("deploys only from the release branch")
    start.get_by_role("link", name="Line 1: its event").click()
    expect(page.get_by_role("heading", name="Who was told this")).to_be_visible()


def test_open_the_failing_step(visitor: Visitor, go: Go) -> None:
    page = visitor()
    go(page, "sessions")
    page.get_by_role("link", name="EADDRINUSE again.").click()
    page.get_by_role("link", name="First failure").click()
    expect(page.locator(".step:focus-within")).to_contain_text("address already in use")
    expect(page.locator(".step:focus-within")).to_contain_text("failed here first")


def test_what_solved_a_failure(visitor: Visitor, go: Go) -> None:
    page = visitor()
    go(page, "failures")
    page.locator("summary", has_text="EADDRINUSE").click()
    expect(page.locator(".advice").first).to_contain_text("kill-port")
    expect(page.locator(".advice").first).to_contain_text("Port 3000 stays busy")


def test_compare_two_moments(visitor: Visitor, go: Go, server: Server) -> None:
    page = visitor()
    stored = {it["content"]: it["id"] for it in server.call("fact/list", subject="Ann", all=True)["items"]}
    first = server.call("get", event=stored["Ann lives in Basel"])["seq"]
    last = server.call("get", event=stored["Ann lives in Lugano"])["seq"]
    go(page, f"compare?a={first}&b={last}")
    expect(page.locator(".compare-good").first).to_contain_text("Ann lives in Lugano")
    expect(page.locator(".compare-warn").first).to_contain_text("Ann lives in Basel")


def test_why_not_another_event(visitor: Visitor, go: Go, server: Server) -> None:
    page = visitor()
    go(page, "search?q=which+port+does+the+payment+service+use")
    expect(page.locator(".hit").first).to_contain_text("9443")
    page.get_by_text("Why not another one?").click()
    hit = server.call("recall", query="Which Node does the build need?", k=1)["hits"][0]
    page.get_by_label("Id or number of an event").fill(hit["id"])
    page.get_by_role("button", name="Why not this?").click()
    expect(page.locator(".why-answer")).to_contain_text("of the first")


def test_decide_a_conflict(visitor: Visitor, go: Go, server: Server) -> None:
    page = visitor()
    go(page, "facts")
    page.get_by_role("button", name="True: The API gateway does cache responses").click()
    expect(page.locator(".notice")).to_contain_text("Decided")
    expect(page.locator(".conflicts")).to_have_count(0)
    assert server.call("fact/conflicts")["items"] == []


def test_end_a_fact_and_take_it_back(visitor: Visitor, go: Go, server: Server) -> None:
    page = visitor()
    go(page, "facts?subject=payment+service")
    page.get_by_role("link", name="port 9443").click()
    page.get_by_role("button", name="End", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="End it").click()
    expect(page.locator(".notice").last).to_contain_text("Ended")
    assert not server.call("fact/list", subject="payment service")["items"]
    page.get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("button", name="End", exact=True)).to_be_visible()
    assert server.call("fact/list", subject="payment service")["items"]


def test_end_a_rule_and_state_it_again(visitor: Visitor, go: Go, server: Server) -> None:
    page = visitor()
    go(page, "rules")
    page.get_by_role("button", name="End: From now on, never commit directly to main.").click()
    page.get_by_role("dialog").get_by_role("button", name="End it").click()
    expect(page.locator(".notice").last).to_contain_text("Ended")
    expect(page.locator("main")).not_to_contain_text("never commit directly")
    page.get_by_role("button", name="Undo").last.click()
    expect(page.locator("main")).to_contain_text("never commit directly")


def test_forget_a_person_at_every_moment(visitor: Visitor, go: Go, server: Server) -> None:
    page = visitor()
    go(page, "trust")
    page.get_by_label("Which").fill("Zoë Quill")
    page.get_by_role("button", name="Show what would go").click()
    expect(page.locator(".preview")).to_contain_text("Zoë Quill called about the audit")
    page.get_by_role("button", name="Erase for good…").click()
    page.get_by_label("Why, for the receipt").fill("she asked for it")
    page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    expect(page.get_by_role("heading", name="Receipts")).to_be_visible()
    expect(page.locator("main")).to_contain_text("she asked for it")
    head = server.call("status")["events"]
    for moment in range(head, 0, -max(1, head // 12)):
        for view in ("now", "facts?all=1", "search?q=Quill+audit"):
            go(page, f"{view}{'&' if '?' in view else '?'}at={moment}")
            assert "Quill" not in page.locator("main").inner_text().replace("Quill audit", "")
    go(page, "trust")
    page.get_by_role("button", name="Verify now").click()
    expect(page.locator(".badge")).to_contain_text("nothing was altered", timeout=60000)
    expect(page.locator(".badge")).to_contain_text("erased on purpose")


def test_what_is_gone_leaves_the_view(visitor: Visitor, go: Go, tmp_path: Path) -> None:
    with served(tmp_path / "home") as fresh:
        fresh.call("fact/store", text="Zoë Quill leads the audit", subject="Zoë Quill", attribute="leads", value="the audit")
        page = visitor()
        go(page, "now", fresh.page)
        page.locator(".stream .dot.live").wait_for()
        page.locator(".side").get_by_role("link", name="Zoë Quill leads the audit").focus()
        fresh.call("fact/delete", fact=fresh.call("fact/list")["items"][0]["id"])
        expect(page.locator(".side")).not_to_contain_text("Quill")
        expect(page.locator(".stream-list")).to_contain_text("Quill")
        fresh.call("purge", matching="Quill", yes=True)
        expect(page.locator("main")).not_to_contain_text("Quill")


def test_another_space(visitor: Visitor, go: Go) -> None:
    page = visitor()
    go(page, "now")
    page.get_by_label("Space").select_option("ann/research")
    expect(page.locator(".last-text")).to_contain_text("append-only logs")
    page.get_by_role("link", name="Search", exact=True).click()
    page.get_by_label("Question").fill("what is the paper about")
    expect(page.locator(".hit").first).to_contain_text("append-only logs")
    expect(page.get_by_label("Space")).to_have_value("ann/research")


def test_light_and_dark_by_hand(visitor: Visitor, go: Go) -> None:
    page = visitor()
    go(page, "rules")
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before
    page.reload()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before


def test_from_nothing_to_a_first_recall(visitor: Visitor, go: Go, tmp_path: Path) -> None:
    with served(tmp_path / "home") as fresh:
        page = visitor()
        go(page, "now", fresh.page)
        expect(page.get_by_role("heading", level=1)).to_contain_text("Nothing is remembered yet")
        page.get_by_role("button", name="Remember").click()
        expect(page.locator(".first")).to_contain_text("event #1")
        page.get_by_role("button", name="Recall").click()
        expect(page.locator("blockquote")).to_contain_text("The build needs Node 20")
        page.get_by_role("button", name="Look around").click()
        expect(page.locator(".last-text")).to_contain_text("The build needs Node 20")


def test_a_key_of_one_persona_never_meets_the_other(visitor: Visitor, go: Go, server: Server) -> None:
    made = server.run("key", "create", "--name", "held", "--user", "local", "--agent", "aria", "--persona", "actor", "--scope", "read", "--json")
    key = json.loads(made)["key"]
    with served(server.home, is_open=False) as locked:
        page = visitor()
        received: list[str] = []
        page.on("response", lambda answer: received.append(answer.text() if "/v1/" in answer.url and "event-stream" not in (answer.headers.get("content-type") or "") else ""))
        page.goto(f"{locked.page}/")
        page.get_by_label("API key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        page.locator(".event").first.wait_for()
        for view in ("now", "told", "sessions", f"search?q={sample.CANARY.replace(' ', '+')}", "facts", "notes", "graph", "failures", "personas?agent=aria", "compare", "trust"):
            page.goto(f"{locked.page}/#/{view}")
            page.wait_for_timeout(400)
            assert sample.CANARY not in page.content().replace(f'value="{sample.CANARY}"', "").replace(f"q={sample.CANARY.replace(' ', '+')}", ""), view
        assert not [text for text in received if sample.CANARY in text]
        followed = stream_of(locked, key)
        assert "weekly report" in followed and sample.CANARY not in followed


def stream_of(server: Server, key: str) -> str:
    """What the live view of a key receives, from the first event on."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{server.api}/v1/log", b'{"after": 0}', headers)
    received = b""
    with urllib.request.urlopen(request, timeout=3) as stream, contextlib.suppress(TimeoutError):
        while piece := stream.read1(65536):
            received += piece
    return received.decode()


def signed_in(visitor: Visitor, server: Server, key: str) -> Page:
    page = visitor(accept_downloads=True)
    page.goto(f"{server.page}/#/trust")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Keys and administration").wait_for()
    return page


def test_a_key_is_made_used_and_revoked(visitor: Visitor, go: Go, tmp_path: Path) -> None:
    with served(tmp_path / "home") as fresh:
        fresh.call("remember", text="The kettle is in the left cupboard")
        admin = json.loads(fresh.run("key", "create", "--name", "owner", "--admin", "--json"))["key"]
        page = visitor()
        go(page, "trust", fresh.page)
        expect(page.locator(".keys-made")).to_contain_text("owner")
        assert page.get_by_role("button", name="Make a key").count() == 0, "a server without keys has none for whoever comes by"
    with served(tmp_path / "home", is_open=False) as locked:
        page = signed_in(visitor, locked, admin)
        page.get_by_role("button", name="Make a key").click()
        page.get_by_label("What it is for").fill("<b>reporter</b>")
        page.get_by_label("What it may do").select_option("admin")
        expect(page.get_by_label("Only what this agent sees")).to_be_disabled()
        page.get_by_label("What it may do").select_option("read")
        expect(page.get_by_label("Only what this agent sees")).to_be_enabled()
        page.get_by_label("Until").fill("90d")
        page.get_by_role("dialog").get_by_role("button", name="Make it").click()
        dialog = page.get_by_role("dialog", name="Copy the key now")
        key = dialog.locator("code").inner_text()
        dialog.get_by_role("button", name="Done").click()
        row = page.locator(".keys-made tr", has_text="<b>reporter</b>")
        expect(row).to_contain_text("until")
        assert key not in page.content(), "it is shown once"
        assert "weekly" not in stream_of(locked, key) and "kettle" in stream_of(locked, key)
        page.get_by_role("button", name="Revoke <b>reporter</b>").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke it").click()
        expect(row).to_contain_text("revoked")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            stream_of(locked, key)


def test_a_backup_is_downloaded_and_restored(visitor: Visitor, tmp_path: Path) -> None:
    with served(tmp_path / "home") as fresh:
        fresh.call("remember", text="The kettle is in the left cupboard")
        admin = json.loads(fresh.run("key", "create", "--name", "owner", "--admin", "--json"))["key"]
    with served(tmp_path / "home", is_open=False) as locked:
        page = signed_in(visitor, locked, admin)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download a backup").click()
        file = tmp_path / "memory.idetic.gz"
        download.value.save_as(file)
    with served(tmp_path / "other") as other:
        other.run("restore", str(file))
        assert other.call("recall", query="where is the kettle?")["hits"][0]["text"] == "The kettle is in the left cupboard"
        assert other.call("verify")["ok"]


def test_tasks_and_files_are_in_the_graph(visitor: Visitor, go: Go, server: Server) -> None:
    call = {"kind": "tool_call", "content": "edit", "summary": "Edit", "trace_id": "s-files", "metadata": {"files": ["/srv/shop/src/basket.ts"], "edit": True}}
    read = call | {"content": "read", "summary": "Read", "metadata": {"files": ["/srv/shop/src/prices.ts"], "edit": False}}
    server.call("append", events=[{"kind": "user_input", "content": "Rename the basket", "trace_id": "s-files"}, call, read])
    page = visitor()
    go(page, "graph")
    for node, neighbour in (("src/basket.ts", "Rename the basket"), ("write the migration guide.", "The build needs Node 20. Ann owns the payment service.")):
        field = page.get_by_label("Go to a node")
        field.fill(node)
        field.press("Enter")
        expect(page.locator(".graph-panel h2")).to_contain_text(node)
        expect(page.locator(".graph-panel .neighbours")).to_contain_text(neighbour)
    assert page.locator("#graph-nodes option[value='src/prices.ts']").count() == 0, "it was only read"
    go(page, "sessions")
    expect(page.locator(".session", has_text="Rename the basket")).to_contain_text("1 file changed")
    go(page, "session?id=s-files")
    expect(page.locator(".session-page")).to_contain_text("src/basket.ts")
    expect(page.locator(".session-page > .chips")).not_to_contain_text("src/prices.ts")


def test_one_project_at_a_time(visitor: Visitor, go: Go) -> None:
    page = visitor()
    for view in ("rules", "sessions", "facts"):
        go(page, view)
        page.get_by_label("Project").select_option(label="acme/shop")
        expect(page).to_have_url(re.compile("project=github.com%2Facme%2Fshop"))
        expect(page.get_by_label("Project")).to_have_value("github.com/acme/shop")
        expect(page.locator(".row").first).to_be_visible()
        expect(page.locator("main")).not_to_contain_text("runs on port 9443")
