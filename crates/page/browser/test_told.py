"""What the next session is told: exact, counted, and in the reader's hands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import sample
from server import Server, served

PROJECT = "github.com/acme/shop"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A memory of its own: what is told here is changed."""
    folder = tmp_path_factory.mktemp("told")
    with served(folder / "home") as running:
        repository = sample.repository(folder / "shop", f"https://{PROJECT}.git")
        sample.coding_sessions(running, repository)
        sample.facts(running)
        yield running


def preview(server: Server, budget: int = 800) -> dict[str, object]:
    return dict(server.call("session/preview", project=PROJECT, budget=budget))


def opened(visitor: Callable[..., Page], go: Callable[..., None], server: Server, more: str = "") -> Page:
    page = visitor()
    go(page, f"told?project={PROJECT}{more}", server.page)
    page.locator(".start-line").first.wait_for()
    return page


def line(page: Page, text: str) -> Locator:
    return page.locator(".start-line", has_text=text)


def test_every_line_is_there_to_the_letter_and_counted(visitor: Callable[..., Page], go: Callable[..., None], shop: Server) -> None:
    page = opened(visitor, go, shop)
    told = preview(shop)
    shown = page.locator(".start-words").evaluate_all("(all) => all.map((it) => it.textContent)")
    assert shown == [it for it in str(told["text"]).split("\n") if it.strip()]
    parts = [int(re.sub(r"\D", "", it)) for it in page.locator(".start-tokens").all_inner_texts()]
    assert len(parts) >= 4
    label = page.locator(".start-bar").get_attribute("aria-label") or ""
    around = int(re.search(r"Around them (\d+)", label).group(1))  # type: ignore[union-attr]
    assert sum(parts) + around == told["tokens"]


def test_the_budget_is_moved(visitor: Callable[..., Page], go: Callable[..., None], shop: Server) -> None:
    page = opened(visitor, go, shop)
    slider = page.get_by_label("Budget of the next start in tokens")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".budget output").first).to_contain_text("of 300 tokens")
    expect(page.locator(".start-line")).to_have_count(len(preview(shop, 300)["ids"]))  # type: ignore[arg-type]
    assert "start=300" in page.url


def test_a_line_is_pinned_and_let_go(visitor: Callable[..., Page], go: Callable[..., None], shop: Server) -> None:
    page = opened(visitor, go, shop)
    page.get_by_role("button", name="Pin: The payment service runs on port 9443").click()
    page.get_by_label("In your words").fill("Never change port 9443 of the payment service")
    page.get_by_role("button", name="Pin it").click()
    rules = page.get_by_role("region", name="Rules")
    expect(rules).to_contain_text("Never change port 9443")
    assert "Never change port 9443" in str(preview(shop)["text"]).split("Earlier sessions")[0]
    page.get_by_role("button", name="Undo").last.click()
    expect(rules).not_to_contain_text("Never change port 9443")
    assert "Never change port 9443" not in str(preview(shop)["text"]).split("Earlier sessions")[0]


def test_a_rule_is_ended_and_stated_again(visitor: Callable[..., Page], go: Callable[..., None], shop: Server) -> None:
    page = opened(visitor, go, shop)
    page.get_by_role("button", name="End: Remember: deploys only from the release branch.").click()
    page.get_by_role("dialog").get_by_role("button", name="End it").click()
    expect(line(page, "release branch")).to_have_count(0)
    assert "release branch" not in str(preview(shop)["text"])
    page.get_by_role("button", name="Undo").last.click()
    expect(line(page, "release branch")).to_have_count(1)


@pytest.mark.parametrize(("way", "text"), [("hide", "Zoë Quill called about the audit"), ("end", "Ann lives in Lugano")])
def test_a_line_is_dropped_and_taken_back(visitor: Callable[..., Page], go: Callable[..., None], shop: Server, way: str, text: str) -> None:
    page = opened(visitor, go, shop)
    page.get_by_role("button", name=f"Drop: {text}").click()
    page.get_by_label("How").select_option(way)
    page.get_by_role("button", name="Drop it").click()
    expect(line(page, text)).to_have_count(0)
    assert text not in str(preview(shop)["text"])
    page.get_by_role("button", name="Undo").last.click()
    expect(line(page, text)).to_have_count(1)
    assert text in str(preview(shop)["text"])


def test_a_line_is_erased_only_after_a_preview(visitor: Callable[..., Page], go: Callable[..., None], shop: Server) -> None:
    page = opened(visitor, go, shop)
    page.get_by_role("button", name="Drop: Zoë Quill leads the audit").click()
    page.get_by_label("How").select_option("erase")
    page.get_by_role("button", name="Drop it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Trust")
    expect(page.locator(".preview")).to_contain_text("Zoë Quill leads the audit")
    assert "Zoë Quill leads the audit" in str(preview(shop)["text"])


def test_what_is_hidden_is_released_from_trust(visitor: Callable[..., Page], go: Callable[..., None], shop: Server) -> None:
    event = preview(shop)["ids"][-1]  # type: ignore[index]
    shop.call("quarantine", event=event, yes=True, reason="looks planted")
    page = visitor()
    go(page, "trust", shop.page)
    expect(page.locator("main")).to_contain_text("looks planted")
    page.get_by_role("button", name="Release").click()
    expect(page.locator("main")).not_to_contain_text("looks planted")


def test_what_would_have_been_told_in_the_past_is_shown_and_cannot_be_changed(visitor: Callable[..., Page], go: Callable[..., None], shop: Server) -> None:
    stated = next(it for it in shop.call("log", kind="user_input", limit=100)["items"] if "never commit directly to main" in it["content"])
    page = visitor()
    for moment, count in ((stated["seq"] - 1, 0), (stated["seq"], 1)):
        go(page, f"told?project={PROJECT}&at={moment}", shop.page)
        expect(page.get_by_role("heading", name="The start at this moment")).to_be_visible()
        expect(line(page, "never commit directly to main")).to_have_count(count)
        told = shop.call("session/preview", project=PROJECT, as_of=moment)
        shown = page.locator(".start-words").evaluate_all("(all) => all.map((it) => it.textContent)")
        assert shown == [it for it in str(told["text"]).split("\n") if it.strip()]
        assert page.locator(".start-acts button, .rule button").count() == 0
        go(page, f"rules?at={moment}", shop.page)
        expect(page.locator(".rule", has_text="never commit directly to main")).to_have_count(count)
        assert page.get_by_role("button", name="End").count() == 0


def test_every_event_is_downloaded_and_can_be_imported(visitor: Callable[..., Page], go: Callable[..., None], shop: Server, tmp_path: Path) -> None:
    page = visitor(accept_downloads=True)
    go(page, "trust", shop.page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download every event").click()
    file = tmp_path / "events.jsonl"
    download.value.save_as(file)
    status = shop.call("status")
    assert len(file.read_text().splitlines()) == status["events"]
    with served(tmp_path / "other") as other:
        other.run("import", "-", "--accept", given=file.read_text())
        assert other.call("status")["head"] == status["head"]
        assert other.call("verify")["ok"]
