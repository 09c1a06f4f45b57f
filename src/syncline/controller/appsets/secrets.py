"""Reads the tokens that generators show to code hosts and plugins.

Called by `syncline.controller.appsets.pages` and `syncline.controller.appsets.plugins` for each question; nothing of a
Secret is kept, nor part of an error. Which Secrets a set may use is decided in `syncline.core.policy.token_refs`.
"""

from __future__ import annotations

import base64

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.questions import Failure
from syncline.core.policy import token_refs
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.core.policy.token_refs import SecretUse, TokenRef
from syncline.ports.web import GitHubApp

_GITHUB = "https://api.github.com"


def token(world: World, live: LiveCluster, ref: TokenRef, tenancy: SetTenancy) -> str | Failure:
    """Return the text under a key of a Secret, where the set may use it."""
    if refusal := _refusal(world, live, ref, tenancy):
        return Failure(refusal)
    return _text_of(live, ref.namespace, ref.name, ref.key)


def github_app(world: World, live: LiveCluster, name: str, host: str, tenancy: SetTenancy) -> GitHubApp | Failure:
    """Return the GitHub App that a Secret of the control plane describes; its tokens go to its own API alone."""
    namespace = world.settings.namespace
    if refusal := _refusal(world, live, TokenRef(namespace, name, use=SecretUse.APP), tenancy):
        return Failure(refusal)
    parts = [
        _text_of(live, namespace, name, key)
        for key in ("githubAppID", "githubAppInstallationID", "githubAppPrivateKey")
    ]
    if failure := next((part for part in parts if isinstance(part, Failure)), None):
        return failure
    given = _text_of(live, namespace, name, "githubAppEnterpriseBaseUrl")
    base = (_GITHUB if isinstance(given, Failure) else given).rstrip("/")
    if "/".join(base.split("/")[:3]) != host:
        return Failure(f"the GitHub App of Secret {namespace}/{name} is for {base}, and not shown to {host}")
    number, installation, key = map(str, parts)
    return GitHubApp(base=base, id=number, installation=installation, key=key)


def _refusal(world: World, live: LiveCluster, ref: TokenRef, tenancy: SetTenancy) -> str:
    secret = live.index.get(ObjectKey("", "Secret", ref.namespace, ref.name))
    settings = world.settings
    return token_refs.refusal(ref, secret, tenancy, settings.application_sets, settings.namespace)


def _text_of(live: LiveCluster, namespace: str, name: str, key: str) -> str | Failure:
    """Return the text under a key of a Secret, without the line end that editors leave."""
    secret = live.index.get(ObjectKey("", "Secret", namespace, name))
    if secret is None:
        return Failure(f"Secret {namespace}/{name} does not exist: create it with the token")
    value = (secret.get("data") or {}).get(key)
    if value is None:
        return Failure(f"Secret {namespace}/{name} has no key {key}")
    try:
        return base64.b64decode(str(value), validate=True).decode().strip()
    except ValueError:
        return Failure(f"Secret {namespace}/{name}: {key} is not base64-encoded text")
