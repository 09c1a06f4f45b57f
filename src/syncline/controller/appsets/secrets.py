"""Reads the tokens that generators show to code hosts and plugins.

Called by `syncline.controller.appsets.pages` and `syncline.controller.appsets.plugins` for each question; nothing of a
Secret is kept, nor part of an error.
"""

from __future__ import annotations

import base64

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.questions import Failure
from syncline.model import names
from syncline.ports.web import GitHubApp

_SCM_CREDENTIALS = "scm-creds"
_REPOSITORY_CREDENTIALS = "repo-creds"
_GITHUB = "https://api.github.com"


def token(world: World, live: LiveCluster, namespace: str, name: str, key: str) -> str | Failure:
    """Return a token of a code host; where the operator wants that, only Secrets with the label for it are read."""
    secret = live.index.get(ObjectKey("", "Secret", namespace, name))
    strict = world.settings.application_sets.strict_token_refs
    if secret is not None and strict and meta.labels(secret).get(names.SECRET_TYPE) != _SCM_CREDENTIALS:
        return Failure(f"Secret {namespace}/{name} needs the label {names.SECRET_TYPE}: {_SCM_CREDENTIALS}")
    return text_of(live, namespace, name, key)


def github_app(world: World, live: LiveCluster, name: str, host: str) -> GitHubApp | Failure:
    """Return the GitHub App that a Secret of the control plane describes; its tokens go to its own API alone."""
    namespace = world.settings.namespace
    secret = live.index.get(ObjectKey("", "Secret", namespace, name))
    if secret is not None and meta.labels(secret).get(names.SECRET_TYPE) != _REPOSITORY_CREDENTIALS:
        return Failure(f"Secret {namespace}/{name} needs the label {names.SECRET_TYPE}: {_REPOSITORY_CREDENTIALS}")
    parts = [
        text_of(live, namespace, name, key) for key in ("githubAppID", "githubAppInstallationID", "githubAppPrivateKey")
    ]
    if failure := next((part for part in parts if isinstance(part, Failure)), None):
        return failure
    given = text_of(live, namespace, name, "githubAppEnterpriseBaseUrl")
    base = (_GITHUB if isinstance(given, Failure) else given).rstrip("/")
    if "/".join(base.split("/")[:3]) != host:
        return Failure(f"the GitHub App of Secret {namespace}/{name} is for {base}, and not shown to {host}")
    number, installation, key = map(str, parts)
    return GitHubApp(base=base, id=number, installation=installation, key=key)


def text_of(live: LiveCluster, namespace: str, name: str, key: str) -> str | Failure:
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
