"""Sends a message over HTTP, and reads whether it was taken.

Called by `syncline.adapters.notify`. Nothing of the address but the host is ever told: a path or query of a webhook is
often its only credential.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

import msgspec

from syncline.model.notifications import Confirmation, HttpMessage
from syncline.net import downloads, urls
from syncline.ports.notify import NotDelivered

SECONDS = 15.0
_PARTS = re.compile(r"[/&=]")
_LARGEST = 64 * 1024
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_SHOWN = 200
_SLACK_LATER = frozenset({"ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"})


async def send_http(message: HttpMessage, reach: urls.Reach) -> bytes:
    """Send a message, and return the answer of whoever took it; raises `NotDelivered`."""
    headers = dict(message.headers)
    body = message.body.encode("utf-8", "replace")
    if message.form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(message.form).encode()
    try:
        place = urls.parse(message.url, schemes=("http", "https"))
    except urls.RefusedAddress as refused:
        raise NotDelivered(f"the address of the receiver is refused: {refused}", again=False) from None
    request = downloads.DownloadRequest(
        url=message.url,
        method=message.method,
        headers=headers,
        body=body,
        limit=_LARGEST,
        seconds=SECONDS,
    )
    login = downloads.basic(message.username, message.password) if message.username or message.password else ""
    door = downloads.Door(
        authorization=login, insecure=message.insecure, reach=reach.besides({(place.host.lower(), place.port)})
    )
    try:
        answer = await downloads.fetch(request, door)
    except downloads.DownloadFailed as error:
        words = str(error).replace(urls.scrub(message.url), place.authority).replace(message.url, place.authority)
        raise NotDelivered(urls.scrub(words, _credentials(message, place))) from None
    _judge(message, place, answer)
    return answer.body


def _judge(message: HttpMessage, place: urls.Url, answer: downloads.Download) -> None:
    """Raise where the answer says that a message was not taken."""
    if not 200 <= answer.status < 300:
        words = f"{place.authority} answered {answer.status}{_quoted(message, place, answer.body)}"
        raise NotDelivered(words, again=answer.status in _LATER, pause=_pause(answer))
    if message.confirmation is Confirmation.SLACK:
        _judge_slack(message, place, answer)
    elif message.confirmation is Confirmation.TEAMS and answer.body.strip() != b"1":
        raise NotDelivered(f"{place.authority} did not take the card{_quoted(message, place, answer.body)}")


def _judge_slack(message: HttpMessage, place: urls.Url, answer: downloads.Download) -> None:
    try:
        said = msgspec.json.decode(answer.body, type=dict[str, object])
    except msgspec.DecodeError:
        said = {}
    if said.get("ok") is not True:
        error = str(said.get("error") or "no reason given")
        words = urls.scrub(f"{place.authority} did not take the message: {error}", _credentials(message, place))
        raise NotDelivered(words, again=error in _SLACK_LATER)


def _quoted(message: HttpMessage, place: urls.Url, body: bytes) -> str:
    """Return the beginning of an answer, without what we sent along to be let in."""
    text = " ".join(body[: _SHOWN * 4].decode("utf-8", "replace").split())[:_SHOWN]
    return f": {urls.scrub(text, _credentials(message, place))}" if text else ""


def _credentials(message: HttpMessage, place: urls.Url) -> tuple[str, ...]:
    """Return whatever of a message may be a credential: headers, login, path and query."""
    headers = [part for value in message.headers.values() for part in (value, *value.split())]
    parts = [part for text in (place.path, place.query) for part in (text, *_PARTS.split(text))]
    return (*headers, message.password, *parts)


def _pause(answer: downloads.Download) -> float:
    text = answer.headers.get("retry-after", "").strip()
    return float(text) if text.isdecimal() and len(text) < 6 else 0.0
