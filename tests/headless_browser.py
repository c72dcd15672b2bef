"""A Chromium without a window whose camera shows a file, driven through its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 30.0


def chromium() -> str:
    """The browser's program; without one the test is skipped."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    return found


class Page:
    """One page of the browser."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    async def command(self, method: str, **parameters: Any) -> Any:
        """Sends a command of the protocol and waits for what it gives."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json(timeout=_PATIENCE)
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]

    async def evaluate(self, script: str) -> Any:
        """The value of a piece of JavaScript."""
        answer = await self.command(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def until(self, script: str) -> Any:
        """Waits until JavaScript gives something true."""
        async with asyncio.timeout(_PATIENCE):
            while not (value := await self.evaluate(script)):
                await asyncio.sleep(0.1)
        return value

    async def screenshot(self, path: Path) -> None:
        """Writes what the page looks like as PNG."""
        answer = await self.command("Page.captureScreenshot")
        path.write_bytes(base64.b64decode(answer["data"]))


@asynccontextmanager
async def open_page(address: str, camera: Path, profile: Path) -> AsyncIterator[Page]:
    """A page whose camera is the file, allowed beforehand.

    Args:
        address: of the page.
        camera: what the camera shows again and again, .y4m or .mjpeg.
        profile: an empty folder for the browser.
    """
    import aiohttp

    process = await asyncio.create_subprocess_exec(
        chromium(),
        "--headless=new",
        "--no-sandbox",  # root may not have one
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--window-size=1000,800",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={camera}",
        address,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env=os.environ | {"HOME": str(profile)},
    )
    try:
        async with aiohttp.ClientSession() as session:
            port = await _port(profile / "DevToolsActivePort")
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                pages = json.loads(await answer.text())
            (page,) = [page for page in pages if page["type"] == "page"]
            async with session.ws_connect(
                page["webSocketDebuggerUrl"], max_msg_size=0, heartbeat=None
            ) as socket:
                page = Page(socket)
                await page.until("document.readyState === 'complete' && location.host")
                yield page
    finally:
        process.terminate()
        await process.wait()


async def _port(file: Path) -> int:
    """The port that the browser listens on; it writes it into a file once it does."""
    async with asyncio.timeout(_PATIENCE):
        while not (file.exists() and len(lines := file.read_text().splitlines()) > 1):
            await asyncio.sleep(0.05)
    return int(lines[0])
