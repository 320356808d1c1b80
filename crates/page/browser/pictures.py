"""Makes the pictures of the documentation: python3 run.py --venv FOLDER PATH-OF-IDETIC --script pictures.py [NAME…].

They go to docs/images, each in light and dark, with the colours counted down so that none is larger than 150 KB.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import urllib.parse
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import showcase
from server import served
from test_time import wait_for_vectors

IMAGES = Path(__file__).resolve().parents[3] / "docs" / "images"
MOST_BYTES = 150 * 1024
WIDTH, HEIGHT = 1280, 800
COLOURS = 128
# The name of each picture, the address of its view, and what is pressed before.
PICTURES = {
    "now": ("now", []),
    "told": ("told", []),
    "session": ("session?id=pool-timeouts", []),
    "search": (f"search?q={urllib.parse.quote('why do bookings fail in the evening?')}", []),
    "facts": ("facts?all=1", []),
    "note": ("note?id=pool-exhausted", []),
    "graph": ("graph?node=booking%20service", ["Show everything"]),
    "compare": ("compare?a=40", []),
    "trust": ("trust", ["Verify now"]),
}


def main() -> None:
    wanted = sys.argv[1:] or list(PICTURES)
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "home") as server, sync_playwright() as playwright:
        showcase.fill(server, Path(folder))
        wait_for_vectors(server)
        browser = playwright.chromium.launch(executable_path=os.environ["IDETIC_BROWSER"], args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce", locale="en-GB")
            page = context.new_page()
            for name in wanted:
                address, pressed = PICTURES[name]
                take(page, f"{server.page}/#/{address}", pressed, IMAGES / f"{name}-{scheme}.png")
            context.close()
        browser.close()


def take(page: Page, address: str, pressed: list[str], file: Path) -> None:
    page.goto("about:blank")
    page.goto(address)
    page.locator("main .view h1").first.wait_for()
    page.locator(".stream .dot.live").wait_for()
    for label in pressed:
        page.get_by_role("button", name=label).click()
        page.locator(".badge.good, .graph").first.wait_for(timeout=60000)
    page.wait_for_load_state("load")
    page.wait_for_timeout(900)
    size = keep(page.screenshot(), file)
    print(f"{file.name}: {size / 1024:.0f} KB")
    assert size <= MOST_BYTES, f"{file} has {size} bytes"


def keep(png: bytes, file: Path) -> int:
    """Writes a picture with few colours."""
    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    picture.save(file, optimize=True)
    return file.stat().st_size


if __name__ == "__main__":
    main()
