"""Tells who sent a webhook and whether it is signed; what is not is not even read as JSON.

Used by `syncline.server.routes.webhooks`. The odd fact: Argo CD takes unsigned pushes where no secret is set; here they
are refused, since anybody could have every Application looked at again and again.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Final

from syncline.server.requests.failures import INVALID, Failure

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
_BY_HEADER: Final = ("gitlab", "bitbucket", "azuredevops")
"""Those who show the secret itself; the others sign the body with it."""
_DIGITS: Final = {"sha256": 64, "sha1": 40}


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


def require_proof(provider: str, headers: Mapping[str, str], secrets: Mapping[str, bytes]) -> None:
    """Raise, before the body of a webhook was read, where nothing in it could prove that it comes from who it says."""
    secret = secrets.get(_KEYS[provider], b"")
    if not secret:
        hint = f"set {_KEYS[provider]} in the Secret argocd-secret, and the same at the code host"
        raise Failure(INVALID, f"webhooks of {provider} are not taken: no secret is set for them", hint=hint)
    if provider == "gitlab":
        good = _same(headers.get("x-gitlab-token", ""), secret)
    elif provider == "bitbucket":
        good = _same(headers.get("x-hook-uuid", "").strip("{}"), secret.strip(b"{}"))
    elif provider == "azuredevops":
        expected = secrets.get("webhook.azuredevops.username", b"") + b":" + secret
        good = _same(_basic(headers.get("authorization", "")), expected)
    else:
        good = _signature(headers) is not None
    if not good:
        raise _not_good(provider)


def require_signed(provider: str, headers: Mapping[str, str], body: bytes, secrets: Mapping[str, bytes]) -> None:
    """Raise where the body of a webhook is not signed; `require_proof` was asked before."""
    if provider in _BY_HEADER:
        return
    found = _signature(headers)
    if found is None:
        raise _not_good(provider)
    kind, digest = found
    if not _same(digest, hmac.new(secrets.get(_KEYS[provider], b""), body, kind).hexdigest().encode()):
        raise _not_good(provider)


def _signature(headers: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the kind of a signature and its digest, where the form is that of one."""
    shown = headers.get("x-gogs-signature") or headers.get("x-hub-signature-256") or headers.get("x-hub-signature", "")
    kind, _, digest = shown.rpartition("=")
    kind = kind or "sha256"
    return (kind, digest) if len(digest) == _DIGITS.get(kind) else None


def _not_good(provider: str) -> Failure:
    return Failure(INVALID, f"the signature of this {provider} webhook is not good")


def _same(shown: str, expected: bytes) -> bool:
    return bool(shown) and hmac.compare_digest(shown.encode(), expected)


def _basic(header: str) -> str:
    scheme, _, text = header.partition(" ")
    try:
        return base64.b64decode(text, validate=True).decode() if scheme.lower() == "basic" else ""
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
