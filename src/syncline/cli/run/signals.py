"""Waits until the user, or whoever started the program, wants it to stop."""

from __future__ import annotations

import asyncio
import signal


async def until_stopped() -> None:
    """Return on Ctrl-C or on a request to end."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        await stopped.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
