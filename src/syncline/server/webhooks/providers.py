"""Tells who sent a webhook and whether it is signed; what is not is not even read as JSON.

Used by `syncline.server.routes.webhooks`. The odd fact: Argo CD takes unsigned pushes where no secret is set; here they
are refused, since anybody could have every Application looked at again and again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

from syncline.server.failures import INVALID, Failure

_PUSHES: Final = {
    "github": ("push",),
    "gogs": ("push", "create"),
    "gitlab": ("Push Hook", "Tag Push Hook", "System Hook"),
    "bitbucket": ("repo:push",),
    "bitbucketserver": ("repo:refs_changed",),
}
_KEYS: Final = {
    "github": "webhook.github.secret",
    "gitlab": "webhook.gitlab.secret",
    "bitbucket": "webhook.bitbucket.uuid",
    "bitbucketserver": "webhook.bitbucketserver.secret",
    "gogs": "webhook.gogs.secret",
    "azuredevops": "webhook.azuredevops.password",
}


def provider_of(headers: Mapping[str, str]) -> str:
    """Return who sent a webhook, by its headers; Gitea and Gogs send GitHub's too, so they are asked first."""
    if "x-gogs-event" in headers or "x-gitea-event" in headers:
        return "gogs"
    if "x-github-event" in headers:
        return "github"
    if "x-gitlab-event" in headers:
        return "gitlab"
    if "x-event-key" in headers:
        return "bitbucket" if "x-hook-uuid" in headers else "bitbucketserver"
    if "x-vss-activityid" in headers:
        return "azuredevops"
    raise Failure(INVALID, "this is not a webhook of a code host that is known here")


def event_of(headers: Mapping[str, str]) -> str:
    """Return what a webhook tells of, in its host's words; empty for Azure DevOps, which says so in the body."""
    names = ("x-gogs-event", "x-gitea-event", "x-github-event", "x-gitlab-event", "x-event-key")
    return next((headers[name] for name in names if name in headers), "")


def is_push(provider: str, event: str) -> bool:
    """Whether an event is a push; others, such as a first ping, are taken and mean nothing."""
    return provider == "azuredevops" or event in _PUSHES[provider]


def require_signed(provider: str, headers: Mapping[str, str], body: bytes, secrets: Mapping[str, bytes]) -> None:
    """Raise where a webhook does not prove that it comes from who it says."""
    secret = secrets.get(_KEYS[provider], b"")
    if not secret:
        hint = f"set {_KEYS[provider]} in the Secret argocd-secret, and the same at the code host"
        raise Failure(INVALID, f"webhooks of {provider} are not taken: no secret is set for them", hint=hint)
    if not _is_proven(provider, headers, body, secret, secrets):
        raise Failure(INVALID, f"the signature of this {provider} webhook is not good")


def _is_proven(
    provider: str, headers: Mapping[str, str], body: bytes, secret: bytes, secrets: Mapping[str, bytes]
) -> bool:
    if provider == "gitlab":
        return _same(headers.get("x-gitlab-token", ""), secret)
    if provider == "bitbucket":
        return _same(headers.get("x-hook-uuid", "").strip("{}"), secret.strip(b"{}"))
    if provider == "azuredevops":
        expected = secrets.get("webhook.azuredevops.username", b"") + b":" + secret
        return _same(_basic(headers.get("authorization", "")), expected)
    shown = headers.get("x-gogs-signature") or headers.get("x-hub-signature-256") or headers.get("x-hub-signature", "")
    kind, equals, digest = shown.rpartition("=")
    if kind == "sha1":
        return _same(digest, hmac.new(secret, body, hashlib.sha1).hexdigest().encode())
    if equals and kind != "sha256":
        return False
    return _same(digest, hmac.new(secret, body, hashlib.sha256).hexdigest().encode())


def _same(shown: str, expected: bytes) -> bool:
    return bool(shown) and hmac.compare_digest(shown.encode(), expected)


def _basic(header: str) -> str:
    scheme, _, text = header.partition(" ")
    try:
        return base64.b64decode(text, validate=True).decode() if scheme.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
