"""Threads of Slack: messages with the same key go below the first of them, or change it.

Used by `syncline.adapters.notify`. Which thread belongs to a key is kept in memory, as in Argo CD: after a restart a
key begins a new one.
"""

from __future__ import annotations

import dataclasses

import msgspec

from syncline.adapters.notify.http import send_http
from syncline.model.notifications import HttpMessage, SlackThread, ThreadPolicy
from syncline.net import urls

_KEPT = 10_000


class _Posted(msgspec.Struct):
    ts: str = ""
    channel: str = ""


class Threads:
    """The first message of each thread."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Posted] = {}

    async def send(self, message: HttpMessage, thread: SlackThread, reach: urls.Reach) -> None:
        """Post a message to its thread, change the first one, or both, as the policy says."""
        first = self._known.get((thread.channel, thread.key))
        if first is None:
            self._note(thread, await send_http(message, reach))
            return
        if thread.policy is not ThreadPolicy.UPDATE:
            await send_http(_with(message, thread_ts=first.ts), reach)
        if thread.policy is not ThreadPolicy.POST:
            change = _with(message, ts=first.ts, channel=first.channel or thread.channel, as_user="true")
            await send_http(dataclasses.replace(change, url=_update(message.url)), reach)

    def _note(self, thread: SlackThread, answer: bytes) -> None:
        try:
            posted = msgspec.json.decode(answer, type=_Posted)
        except msgspec.DecodeError:
            return
        if len(self._known) >= _KEPT:
            self._known.clear()
        if posted.ts:
            self._known[thread.channel, thread.key] = posted


def _with(message: HttpMessage, **more: str) -> HttpMessage:
    return dataclasses.replace(message, form={**(message.form or {}), **more})


def _update(url: str) -> str:
    return f"{url.rpartition('/')[0]}/chat.update"
