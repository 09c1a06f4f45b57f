"""Webhooks of code hosts: signed, bounded, and no more than a reason to look again."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from syncline.server.answers import installation
from syncline.server.requests.call import Call
from syncline.server.requests.dispatch import read_body
from syncline.server.requests.failures import EXHAUSTED, INVALID, Failure
from syncline.server.requests.permissions import Open
from syncline.server.requests.routing import Endpoint
from syncline.server.webhooks import providers, pulls
from syncline.server.webhooks.pulls import PullEvent
from syncline.server.webhooks.pushes import READERS

_MEGABYTE = 1024 * 1024
_LARGEST: Final = 50
_AT_ONCE: Final = 50


async def webhook(call: Call) -> dict[str, Any]:
    """Take a push or a pull request, and have the Applications and sets looked at again that it concerns."""
    counts = call.backend.meter.webhooks
    if counts["inFlight"] >= _AT_ONCE:
        raise Failure(EXHAUSTED, "too many webhooks at the same time", status=429)
    counts["inFlight"] += 1
    try:
        return await _take(call)
    finally:
        counts["inFlight"] -= 1
        counts["total"] += 1


async def _take(call: Call) -> dict[str, Any]:
    headers = {name.lower(): value for name, value in call.request.headers.items()}
    provider = providers.provider_of(headers)
    if headers.get("content-encoding", "identity") != "identity":
        raise Failure(INVALID, "compressed webhooks are not taken", status=415)
    providers.require_proof(provider, headers, call.backend.accounts.secret())
    with call.backend.webhook_room.body() as grown:
        body = await read_body(call.request, _limit(call), grown)
        # The signature comes first: nothing that a stranger sent is read as JSON.
        providers.require_signed(provider, headers, body, call.backend.accounts.secret())
        try:
            payload = msgspec.json.decode(body)
        except (msgspec.DecodeError, RecursionError):
            raise Failure(INVALID, "the body is not JSON") from None
    event = providers.event_of(headers)
    if event in pulls.EVENTS.get(provider, ()) or (provider == "azuredevops" and pulls.is_azure_pull(payload)):
        named = PullEvent(provider, pulls.READERS[provider](payload))
        return {"applications": 0, "applicationsets": call.backend.refreshing.pulled(named)}
    if not providers.is_push(provider, event):
        return {"applications": 0, "applicationsets": 0}
    apps, sets = call.backend.refreshing.pushed(READERS[provider](payload))
    return {"applications": apps, "applicationsets": sets}


def _limit(call: Call) -> int:
    text = call.backend.config("argocd-cm").get("webhook.maxPayloadSizeMB", "")
    size = int(text) if text.isdigit() and 0 < int(text) <= _LARGEST else _LARGEST
    return size * _MEGABYTE


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/api/webhook",
        handler=webhook,
        about="Take a push or a pull request of a code host.",
        answer=installation.WebhookTaken,
        permission=Open("the signature of the code host is the proof"),
        raw=True,
    ),
)
