"""Sends AdmissionReviews to webhooks on this machine.

Handed to `syncline.sandbox.hooks` by `syncline.sandbox.server`. Only addresses of this machine get here; the
certificate is held against the webhook's own authority, redirects are not followed and no proxy is asked.
"""

from __future__ import annotations

import base64
import binascii
import ssl
from typing import Any, Final

import orjson

from syncline.sandbox.hooks import Call, Reply

_WORDS: Final = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    403: "forbidden",
    404: "the server could not find the requested resource",
    503: "the server is currently unable to handle the request",
}
"""How the API server tells the status codes of a webhook that says nothing else."""
_LARGEST: Final = 4 * 1024 * 1024


async def call(asked: Call) -> Reply:
    """Ask a webhook; whatever goes wrong is told in the reply, as the API server tells it."""
    import aiohttp

    try:
        context = _context(asked.authority)
    except (ssl.SSLError, ValueError, binascii.Error):
        return Reply(
            problem="could not get REST client: unable to load root certificates: unable to parse bytes as PEM block"
        )
    limit = aiohttp.ClientTimeout(total=asked.timeout)
    post = f'failed to call webhook: Post "{asked.shown_url}"'
    headers = {"content-type": "application/json", "accept": "application/json, */*"}
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, trust_env=False) as session,
            session.post(
                asked.url,
                data=orjson.dumps(asked.review),
                headers=headers,
                ssl=context,
                server_hostname=asked.server_name or None,
                allow_redirects=False,
            ) as answer,
        ):
            content = await answer.content.read(_LARGEST)
            return _reply(asked, answer.status, content)
    except TimeoutError:
        return Reply(problem=f"{post}: context deadline exceeded")
    except aiohttp.ClientConnectorCertificateError:
        return Reply(
            problem=f"{post}: tls: failed to verify certificate: x509: certificate signed by unknown authority"
        )
    except aiohttp.ClientConnectorError as error:
        refused = isinstance(error.os_error, ConnectionRefusedError)
        told = "connect: connection refused" if refused else str(error.os_error)
        return Reply(problem=f"{post}: dial tcp {error.host}:{error.port}: {told}")
    except aiohttp.ClientError as error:
        return Reply(problem=f"{post}: {str(error) or 'EOF'}")


def _context(authority: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if authority:
        context = ssl.create_default_context(cadata=base64.b64decode(authority, validate=True).decode("ascii"))
    return context


def _reply(asked: Call, status: int, content: bytes) -> Reply:
    if status != 200:
        told = _WORDS.get(status, f"an error on the server (status {status}) has prevented the request from succeeding")
        return Reply(problem=f"failed to call webhook: {told}")
    try:
        review: Any = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        return Reply(problem=f"failed to call webhook: {error}")
    response = review.get("response") if isinstance(review, dict) else None
    if not isinstance(response, dict):
        return Reply(problem="received invalid webhook response: webhook response was absent")
    uid = asked.review["request"]["uid"]
    if response.get("uid") != uid:
        told = f'expected response.uid="{uid}", got "{response.get("uid") or ""}"'
        return Reply(problem=f"received invalid webhook response: {told}")
    return Reply(response)
