"""Answers of webhooks, for a server that carries out every request in one go.

A write that needs an answer nobody has yet is broken off with `Awaiting`; whoever let it begin fetches the answer and
lets it begin again (`syncline.sandbox.server` for clients, `syncline.sandbox.controllers.runtime` for controllers). One
sandbox has one `Hooks`; how a call is made is handed in.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
import orjson

from syncline.apimachinery.keys import Object

_KEPT: Final = 256
_SECONDS: Final = 30.0


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a webhook: whom, how long, and the AdmissionReview."""

    key: bytes
    webhook: str
    url: str
    shown_url: str
    """As errors show it: for a Service that is its name."""
    server_name: str = ""
    authority: str = ""
    timeout: float = 10.0
    review: Object


class Reply(msgspec.Struct, frozen=True):
    """What came back: a response, or why there is none."""

    response: Object = {}
    problem: str = ""


CallWebhook = Callable[[Call], Awaitable[Reply]]


class Awaiting(Exception):
    """A write cannot go on before a webhook has answered; no refusal, so nobody takes it for one."""

    def __init__(self, call: Call) -> None:
        super().__init__(f'webhook "{call.webhook}" has not answered yet')
        self.call = call


class Hooks:
    """The answers of one sandbox's webhooks, each kept for as long as the write that needs it may take."""

    def __init__(self, monotonic: Callable[[], float], caller: CallWebhook | None = None) -> None:
        self.caller = caller
        self.open = False
        """Whether webhooks are asked: not before the sandbox has begun to serve."""
        self._monotonic = monotonic
        self._known: OrderedDict[bytes, tuple[float, Reply]] = OrderedDict()

    def answer(self, call: Call) -> Reply:
        """Return what a webhook said; raises `Awaiting` where that is not known."""
        found = self._known.get(call.key)
        if found is None or self._monotonic() - found[0] > _SECONDS:
            raise Awaiting(call)
        return found[1]

    async def fetch(self, call: Call) -> None:
        """Ask a webhook and keep what it says."""
        reply = Reply(problem="nothing here calls webhooks") if self.caller is None else await self.caller(call)
        self._known[call.key] = (self._monotonic(), reply)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)

    def forget(self, keys: list[bytes]) -> None:
        """Drop the answers of a write that is over, so that the next one asks again."""
        for key in keys:
            self._known.pop(key, None)


def key_of(webhook: str, request: Object) -> bytes:
    """Return what tells questions apart: all but what is drawn again each time a write begins."""
    import hashlib

    parts = {name: _steady(value) if name in ("object", "oldObject") else value for name, value in request.items()}
    parts.pop("uid", None)
    if request.get("operation") == "CREATE" and "generateName" in ((request.get("object") or {}).get("metadata") or {}):
        parts.pop("name", None)
    return hashlib.sha256(orjson.dumps([webhook, parts], option=orjson.OPT_SORT_KEYS)).digest()


def _steady(obj: Any) -> Any:
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata"), dict):
        return obj
    drawn = {"uid", "creationTimestamp", "managedFields"} | ({"name"} if "generateName" in obj["metadata"] else set())
    return {**obj, "metadata": {name: value for name, value in obj["metadata"].items() if name not in drawn}}
