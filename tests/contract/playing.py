"""Sends a story to a server and returns its masked answers.

A server is a function from a request to status, headers and bytes: the sandbox in this process
(`tests.contract.embedded`) or a real kube-apiserver (`tests.real.test_contract`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from tests.contract import masking
from tests.contract.steps import Step, Story

AGENT = "contract/1.0"
_KEPT = re.compile(r"<([a-z][a-z-]*)>")
_WARNING = re.compile(r'299 - ("(?:[^"\\]|\\.)*")')
_TRIES = 1200


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it is sent."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str]
    user: str = ""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer as it came: header names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer, masked, as it is compared and recorded."""

    request: str
    status: int
    type: str = "application/json"
    warnings: list[str] = []
    body: Any = None

    def __post_init__(self) -> None:
        # Rules of several fields warn in an order that the real server leaves to chance.
        msgspec.structs.force_setattr(self, "warnings", sorted(self.warnings))


Send = Callable[[Exchange], Awaitable[Reply]]
Pause = Callable[[], Awaitable[None]]


async def play(story: Story, send: Send, pause: Pause, *, suffix: str = "") -> list[Answer]:
    """Send every step; `suffix` makes all names of the run its own and does not show in the answers."""
    kept: dict[str, str] = {}
    answers = []
    for step in story.steps:
        exchange = _exchange(step, kept, suffix)
        for _ in range(_TRIES):
            reply = await send(exchange)
            body = _decode(reply.body, reply.headers.get("content-type", ""))
            warned = step.warned in reply.headers.get("warning", "")
            if warned and all(text in reply.body.decode() for text in step.until):
                break
            await pause()
        kept |= {name: _at(body, path) for name, path in step.keep.items()}
        answers.append(_answer(step, reply, body, suffix))
    return answers


def _exchange(step: Step, kept: dict[str, str], suffix: str) -> Exchange:
    def fill(text: str) -> str:
        text = text.replace("trial", f"trial{suffix}")
        return _KEPT.sub(lambda found: kept.get(found[1], found[0]), text)

    headers = {"accept": step.accept, "user-agent": AGENT}
    content = b""
    if step.body is not None:
        headers["content-type"] = step.content_type
        content = fill(step.body if isinstance(step.body, str) else json.dumps(step.body)).encode()
    return Exchange(method=step.method, path=fill(step.path), body=content, headers=headers, user=fill(step.user))


def _answer(step: Step, reply: Reply, body: Any, suffix: str) -> Answer:
    if suffix:
        body = json.loads(json.dumps(body).replace(f"trial{suffix}", "trial"))
    warnings = [json.loads(told) for told in _WARNING.findall(reply.headers.get("warning", ""))]
    return Answer(
        request=step.title,
        status=reply.status,
        type=reply.headers.get("content-type", "").replace(" ", ""),
        warnings=[masking.text(warning.replace(f"trial{suffix}", "trial")) for warning in warnings],
        body=masking.mask(body),
    )


def _decode(content: bytes, media: str) -> Any:
    """Read one document, the lines of a watch, or plain text."""
    if media == "application/yaml":
        return msgspec.yaml.decode(content)
    try:
        return json.loads(content)
    except ValueError:
        pass
    try:
        return [event for line in content.splitlines() if not _is_timed(event := json.loads(line))]
    except ValueError:
        return content.decode()


def _is_timed(event: dict[str, Any]) -> bool:
    """Say whether a server sent this bookmark because its time had come, which is chance, not because it was asked."""
    return event.get("type") == "BOOKMARK" and "annotations" not in event["object"]["metadata"]


def _at(body: Any, path: str) -> str:
    for part in path.split("."):
        body = body[int(part)] if part.isdigit() else body[part]
    return str(body)
