"""Plays stories against a fresh sandbox without simulated controllers, in this process and in virtual time."""

from __future__ import annotations

import asyncio

from syncline.sandbox.access.rbac import ANONYMOUS, User
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.server import Sandbox
from tests.contract.playing import Answer, Exchange, Reply, play
from tests.contract.steps import Story
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops import simulated

_ADMIN = User("admin", ("system:masters", "system:authenticated"))


def _acting(name: str) -> User:
    if name == ANONYMOUS.name:
        return ANONYMOUS
    return User(name, ("system:authenticated",)) if name else _ADMIN


def answers(story: Story) -> list[Answer]:
    """Return what the sandbox answers."""

    async def run() -> list[Answer]:
        sandbox = Sandbox(LoopClock(), SeededIds(0), settings=SandboxSettings(simulate=False))

        async def send(exchange: Exchange) -> Reply:
            user = _acting(exchange.user)
            answer = await sandbox.respond(exchange.method, exchange.path, exchange.headers, exchange.body, user)
            body = b"" if exchange.method == "HEAD" else answer.body  # as every HTTP server does
            if answer.stream is not None:
                body = b"".join([chunk async for chunk in answer.stream])
            await sandbox.settled()
            headers = {name: value for name, value in answer.headers if name != "warning"}
            headers["warning"] = ", ".join(value for name, value in answer.headers if name == "warning")
            return Reply(status=answer.status, headers=headers, body=body)

        await sandbox.start()
        try:
            return await play(story, send, lambda: asyncio.sleep(0.05))
        finally:
            await sandbox.stop()

    return simulated.run_simulated(run, seed=0)
