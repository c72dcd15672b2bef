"""The example server, seen through a browser: effects on the camera, switched by buttons."""

from __future__ import annotations

import asyncio
import os
import runpy
from pathlib import Path

import pytest
from headless_browser import Page, chromium, open_page

import pullfx

pytest.importorskip("aiortc")
web = pytest.importorskip("aiohttp.web")

SERVER = Path(__file__).parents[1] / "examples" / "webrtc" / "server.py"

# What the eye sees in the two pictures, in grey and small: how far the one with effects is from the
# other, how far from that one mirrored, and how much of its detail it has in the upper corners,
# where no person is.
LOOK = """(() => {
  const [width, height] = [160, 90];
  const grey = (id, mirrored) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    if (mirrored) context.setTransform(-1, 0, 0, 1, width, 0);
    context.drawImage(document.getElementById(id), 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    return Array.from({ length: width * height }, (_, i) => data[4 * i + 1]);
  };
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const distance = (a, b) => sum(a.map((value, i) => Math.abs(value - b[i])));
  const inCorner = (i) => i < width * height / 2 && Math.abs(i % width - 80) > 50;
  const detail = (a) => sum(a.map((value, i) =>
    inCorner(i) && i % width < width - 1 ? Math.abs(value - a[i + 1]) : 0));
  const [before, after, mirrored] = [grey("before"), grey("after"), grey("before", true)];
  return { plain: distance(before, after), mirrored: distance(mirrored, after),
           detail: detail(after) / detail(before) };
})()"""


async def settled(page: Page, what: str) -> dict[str, float]:
    """What is seen once it is so; the encoder and the stream need a moment after a change."""
    await page.until(f"(seen => {what})({LOOK})")
    seen: dict[str, float] = await page.evaluate(LOOK)
    return seen


async def click(page: Page, effect: str, pressed: bool) -> None:
    button = f"document.querySelector('[data-effect={effect}]')"
    await page.evaluate(f"{button}.click()")
    await page.until(f"{button}.getAttribute('aria-pressed') === '{str(pressed).lower()}'")


def test_effects_are_seen_and_switched_in_a_browser(tmp_path: Path) -> None:
    chromium()
    camera = tmp_path / "camera.y4m"
    pullfx.run("sample", camera, pullfx.Pipeline([]), seconds=1)
    application = runpy.run_path(str(SERVER))["application"]

    async def look() -> None:
        runner = web.AppRunner(application())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            port = runner.addresses[0][1]
            async with open_page(f"http://127.0.0.1:{port}/", camera, tmp_path / "profile") as page:
                await page.until("document.getElementById('after').videoWidth > 0")
                names = await page.until(
                    "[...document.querySelectorAll('button')].map(b => b.dataset.effect).join()"
                )
                assert "background_blur" in names
                assert "mirror" in names
                await settled(page, "seen.detail < 0.6 && seen.plain < seen.mirrored / 2")
                await shot(page, "blurred")
                await click(page, "background_blur", False)
                await settled(page, "seen.detail > 0.75")
                await shot(page, "plain")
                await click(page, "mirror", True)
                await settled(page, "seen.mirrored < seen.plain / 2")
                await click(page, "show_mask", True)
                await shot(page, "mirrored")
        finally:
            await runner.cleanup()

    asyncio.run(look())


async def shot(page: Page, name: str) -> None:
    """For those who want to look themselves: PULLFX_SCREENSHOTS names a folder."""
    if folder := os.environ.get("PULLFX_SCREENSHOTS"):
        await asyncio.sleep(1)
        await page.screenshot(Path(folder) / f"{name}.png")
