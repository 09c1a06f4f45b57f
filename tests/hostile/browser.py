"""Drives a real Chromium over its debugging protocol, with aiohttp: opens pages signed in and reads what they became.

Used by `tests.hostile.test_pages_xss`. The browser runs in the network of the suite, so a page that was taken over
could reach listeners of the test alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
import subprocess
import tempfile
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

START = 60.0


class Browser:
    """One tab."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.dialogs: list[str] = []
        self.requests: list[str] = []

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and return its result; what happened meanwhile is noted."""
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json(timeout=START)
            await self._note(message)
            if message.get("id") == number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    async def _note(self, message: dict[str, Any]) -> None:
        if message.get("method") == "Page.javascriptDialogOpening":
            self.dialogs.append(message["params"]["message"])
            self._number += 1
            accept = {"id": self._number, "method": "Page.handleJavaScriptDialog", "params": {"accept": False}}
            await self._socket.send_json(accept)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])

    async def open(self, url: str, seconds: float = 1.5) -> None:
        """Open a page, and give its scripts some time."""
        await self.call("Page.navigate", url=url)
        await asyncio.sleep(seconds)
        await self.call("Runtime.evaluate", expression="1")

    async def value(self, expression: str) -> Any:
        """Return what an expression is worth in the page."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value")


@contextlib.asynccontextmanager
async def browsing(program: str, cookie: tuple[str, str] | None = None) -> AsyncIterator[Browser]:
    """Run a browser; the cookie is an address and the token for it."""
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as folder:
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run"]
        command = [program, *flags, f"--user-data-dir={folder}", "about:blank"]
        process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs in this loop
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            port = await _port(pathlib.Path(folder, "DevToolsActivePort"))
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                    tabs = [tab for tab in await answer.json() if tab["type"] == "page"]
                address = tabs[0]["webSocketDebuggerUrl"]
                async with session.ws_connect(address, max_msg_size=0) as socket:
                    browser = Browser(socket)
                    for domain in ("Page", "Network", "Runtime"):
                        await browser.call(f"{domain}.enable")
                    if cookie is not None:
                        await browser.call("Network.setCookie", name="argocd.token", value=cookie[1], url=cookie[0])
                    yield browser
        finally:
            process.kill()
            process.wait(20)


async def _port(path: pathlib.Path) -> int:
    deadline = asyncio.get_running_loop().time() + START
    while asyncio.get_running_loop().time() < deadline:
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(path.read_text().splitlines()[0])  # noqa: ASYNC240
        await asyncio.sleep(0.1)
    raise AssertionError("Chromium did not start")
