"""Which Secrets the generators of an ApplicationSet may use, and for what.

Asked by `syncline.controller.appsets.secrets` before a value is read, and by whoever lists what would be refused. What
belongs to the installation itself is sent to nobody. To a project's set it makes no difference in the words whether a
Secret is missing, is not labelled or is the installation's: it learns nothing of what lies beside it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.model import names
from syncline.model.settings.parts import ApplicationSets
from syncline.model.sources.permitted import repo_permitted

SCM_CREDENTIALS = "scm-creds"
REPOSITORY_CREDENTIALS = "repo-creds"
COMMON = "argocd-secret"
_PLUGIN_KEYS = "plugin."
_OWN_NAMES = frozenset(
    {
        COMMON,
        "argocd-initial-admin-secret",
        "argocd-notifications-secret",
        "argocd-redis",
        "argocd-server-tls",
        "argocd-repo-server-tls",
        "argocd-dex-server-tls",
    }
)
_OWN_LABELS = frozenset({"cluster", "repository", "repository-write", REPOSITORY_CREDENTIALS, "repo-write-creds"})
_OWN_TYPES = frozenset({"kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"})
_REFS = frozenset({"tokenRef", "passwordRef", "appPasswordRef", "accessTokenRef"})


class SecretUse(StrEnum):
    """What a Secret is wanted for."""

    TOKEN = "token"  # noqa: S105 - the name of a use
    """A token or password for a code host, which the set names."""
    APP = "app"
    """A GitHub App, which the set names; its tokens go to its own API alone."""
    PLUGIN = "plugin"
    """The token of a plugin, which a ConfigMap of the control plane names."""


class TokenRef(msgspec.Struct, frozen=True):
    """A key of a Secret that a generator wants to use."""

    namespace: str
    name: str
    key: str = ""
    use: SecretUse = SecretUse.TOKEN


def refusal(
    ref: TokenRef, secret: Object | None, tenancy: SetTenancy, settings: ApplicationSets, control_namespace: str
) -> str:
    """Say why a set may not use a Secret; empty where it may, or where the operator's names one that does not exist."""
    where = f"Secret {ref.namespace}/{ref.name}"
    if ref.use is SecretUse.PLUGIN:
        is_own = _is_installations(ref, secret, control_namespace) and not _is_plugins_key(ref)
        return f"{where} belongs to the installation: name a key plugin.* of {COMMON}, or another Secret" * is_own
    wanted = REPOSITORY_CREDENTIALS if ref.use is SecretUse.APP else SCM_CREDENTIALS
    if not tenancy.is_operators:
        is_permitted = secret is not None and not _tenant_denial(ref, secret, tenancy, control_namespace)
        return "" if is_permitted else f"{where} is not available to the set: it needs {_label(wanted)}"
    if _is_installations(ref, secret, control_namespace):
        return f"{where} belongs to the installation and is sent to no code host: use a Secret with {_label(wanted)}"
    is_strict = settings.strict_token_refs or ref.use is SecretUse.APP
    return f"{where} needs {_label(wanted)}" if secret is not None and is_strict and _type(secret) != wanted else ""


def refs_of(appset: Object, control_namespace: str) -> tuple[TokenRef, ...]:
    """Return the Secrets that the generators of a set name, in order; one that is a template is left out."""
    spec = appset.get("spec")
    generators = spec.get("generators") if isinstance(spec, Mapping) else None
    return tuple(dict.fromkeys(_named(generators, meta.namespace(appset), control_namespace)))


def _named(value: Any, namespace: str, control_namespace: str) -> Iterator[TokenRef]:
    if isinstance(value, list):
        for member in value:
            yield from _named(member, namespace, control_namespace)
    if not isinstance(value, Mapping):
        return
    for field, member in value.items():
        if field in _REFS and isinstance(member, Mapping):
            name, key = str(member.get("secretName") or ""), str(member.get("key") or "")
            if name and "{{" not in name:
                yield TokenRef(namespace, name, key)
        elif field == "appSecretName" and isinstance(member, str) and member and "{{" not in member:
            yield TokenRef(control_namespace, member, use=SecretUse.APP)
        elif field not in ("template", "values"):
            yield from _named(member, namespace, control_namespace)


def _tenant_denial(ref: TokenRef, secret: Object, tenancy: SetTenancy, control_namespace: str) -> bool:
    if _is_installations(ref, secret, control_namespace):
        return True
    if ref.use is SecretUse.TOKEN:
        return _type(secret) != SCM_CREDENTIALS or not _is_of(secret, tenancy)
    if _type(secret) != REPOSITORY_CREDENTIALS or not _is_of(secret, tenancy):
        return True
    # The App reads the repositories below an address; so must one of the projects be allowed to.
    below = f"{_text(secret, 'url').rstrip('/')}/any"
    return not any(repo_permitted(below, project.spec.source_repos) for project in tenancy.behalf)


def _is_of(secret: Object, tenancy: SetTenancy) -> bool:
    """Whether a Secret is for all projects, or for one that the set asks on behalf of."""
    owner = _text(secret, "project")
    return not owner or any(owner == project.metadata.name for project in tenancy.behalf)


def _is_installations(ref: TokenRef, secret: Object | None, control_namespace: str) -> bool:
    if ref.namespace == control_namespace and ref.name in _OWN_NAMES:
        return True
    if secret is None:
        return False
    own = _OWN_LABELS - {REPOSITORY_CREDENTIALS} if ref.use is SecretUse.APP else _OWN_LABELS
    return _type(secret) in own or secret.get("type") in _OWN_TYPES


def _is_plugins_key(ref: TokenRef) -> bool:
    return ref.name == COMMON and ref.key.startswith(_PLUGIN_KEYS)


def _type(secret: Object) -> str:
    return str(meta.labels(secret).get(names.SECRET_TYPE) or "")


def _text(secret: Object, key: str) -> str:
    data, plain = secret.get("data"), secret.get("stringData")
    if isinstance(plain, Mapping) and key in plain:
        return str(plain[key])
    if not isinstance(data, Mapping) or not isinstance(data.get(key), str):
        return ""
    try:
        return base64.b64decode(data[key], validate=True).decode().strip()
    except ValueError:
        return ""


def _label(value: str) -> str:
    return f"the label {names.SECRET_TYPE}: {value}"
