"""Whether an image can be pulled, and what a container runtime says when it cannot.

Asked by `syncline.sandbox.controllers.kubelet.kubelet`. What exists, what is private and which registry does not answer
is `syncline.sandbox.cluster.outside`; credentials come from the pull secrets of the pod and of its service account.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec
import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster.outside import KnownImages
from syncline.sandbox.store.store import Bucket, ObjectStore, RowKey

_SECRETS: Final = Bucket("", "secrets")
_ACCOUNTS: Final = Bucket("", "serviceaccounts")
_CONFIG_MAPS: Final = Bucket("", "configmaps")
PUSHED: Final = RowKey(_CONFIG_MAPS, "kube-system", "pushed-images")
"""Whoever plays the world outside names here what was pushed while the sandbox runs."""
_DOCKER: Final = "docker.io"
_STREAMS: Final = Bucket("image.openshift.io", "imagestreams")
_INTERNAL: Final = (
    "image-registry.openshift-image-registry.svc:5000",
    "image-registry.openshift-image-registry.svc.cluster.local:5000",
)


class RegistryLogin(NamedTuple):
    """Who one is at a registry."""

    registry: str
    user: str
    password: str


class Keys(NamedTuple):
    """The credentials a pod has, and the pull secrets that are not there."""

    credentials: tuple[RegistryLogin, ...]
    missing: tuple[str, ...]


def keys_of(store: ObjectStore, pod: Object) -> Keys:
    """Collect the credentials of a pod."""
    namespace = pod["metadata"]["namespace"]
    credentials: list[RegistryLogin] = []
    missing: list[str] = []
    for name in _names(store, pod, namespace):
        row = store.get(_SECRETS, namespace, name)
        if row is None:
            missing.append(name)
        else:
            credentials += _credentials(row.decode())
    return Keys(tuple(credentials), tuple(missing))


def _names(store: ObjectStore, pod: Object, namespace: str) -> Iterator[str]:
    given = pod["spec"].get("imagePullSecrets") or ()
    if not given:
        row = store.get(_ACCOUNTS, namespace, pod["spec"].get("serviceAccountName") or "default")
        given = row.decode().get("imagePullSecrets") or () if row is not None else ()
    yield from (str(one["name"]) for one in given if one.get("name"))


def _credentials(secret: Object) -> Iterator[RegistryLogin]:
    encoded = (secret.get("data") or {}).get(".dockerconfigjson") or ""
    try:
        auths = orjson.loads(base64.b64decode(encoded)).get("auths") or {}
    except (ValueError, binascii.Error, AttributeError):
        return
    for registry, entry in auths.items():
        if not isinstance(entry, dict):
            continue
        user, password = entry.get("username") or "", entry.get("password") or ""
        if entry.get("auth") and not user:
            try:
                user, _, password = base64.b64decode(entry["auth"]).decode().partition(":")
            except (ValueError, binascii.Error):
                user = ""
        host = registry.removeprefix("https://").removeprefix("http://").partition("/")[0]
        yield RegistryLogin("docker.io" if host == "index.docker.io" else host, user, password)


def is_built(store: ObjectStore, image: str) -> bool:
    """Tell whether an image of OpenShift's own registry is there: once its image stream has the tag."""
    registry, _, rest = image.partition("/")
    namespace, _, name = rest.partition("/")
    if registry not in _INTERNAL or not store.count(_STREAMS):
        return True
    row = store.get(_STREAMS, namespace, name.partition(":")[0].partition("@")[0])
    tags = (row.decode().get("status") or {}).get("tags") or () if row is not None else ()
    return any(one.get("tag") == (name.partition(":")[2] or "latest") and one.get("items") for one in tags)


def with_pushed(store: ObjectStore, images: KnownImages) -> KnownImages:
    """Return the images there are, with those that somebody has pushed since: the values of a ConfigMap say which."""
    row = store.at(PUSHED)
    if row is None:
        return images
    pushed = set((row.decode().get("data") or {}).values())
    return msgspec.structs.replace(images, unknown=tuple(one for one in images.unknown if one not in pushed))


def problem(images: KnownImages, image: str, credentials: Iterable[RegistryLogin], *, built: bool = True) -> str:
    """Return why an image cannot be pulled, in the runtime's words; nothing when it can."""
    full = full_name(image)
    registry, _, path = full.partition("/")
    path = path.partition("@")[0].rpartition(":")[0] or path
    start = f'failed to pull and unpack image "{full}": failed to resolve reference "{full}": '
    silent = images.silence(registry)
    if silent is not None:
        tag = full.rpartition(":")[2]
        host = "registry-1.docker.io" if registry == _DOCKER else registry
        why = silent.problem or f"dial tcp: lookup {registry} on 10.96.0.10:53: no such host"
        request = f'failed to do request: Head "https://{host}/v2/{path}/manifests/{tag}": {why}'
        return f"rpc error: code = Unknown desc = {start}{request}"
    guard = images.guard(image) or images.guard(full)
    if guard is not None:
        ours = [f"{one.user}:{one.password}" for one in credentials if one.registry == registry]
        if not ours or (guard.accepts and not set(ours) & set(guard.accepts)):
            return f"rpc error: code = Unknown desc = {start}{_denied(registry, path, known=bool(ours))}"
    if not built or not images.exists(image):
        return f"rpc error: code = NotFound desc = {start}{full}: not found"
    return ""


def _denied(registry: str, path: str, *, known: bool) -> str:
    if registry == _DOCKER:
        return (
            "pull access denied, repository does not exist or may require authorization: "
            "server message: insufficient_scope: authorization failed"
        )
    scope = path.replace("/", "%2F")
    token = f"https://{registry}/token?scope=repository%3A{scope}%3Apull&service={registry}"
    kind, code = ("oauth", "403 Forbidden") if known else ("anonymous", "401 Unauthorized")
    return f"failed to authorize: failed to fetch {kind} token: unexpected status from GET request to {token}: {code}"


def full_name(image: str) -> str:
    """Return an image with registry and tag, as a container runtime prints it."""
    name, at, digest = image.partition("@")
    first, slash, _ = name.partition("/")
    if not slash:
        name = f"docker.io/library/{name}"
    elif "." not in first and ":" not in first and first != "localhost":
        name = f"docker.io/{name}"
    if at:
        return f"{name}@{digest}"
    return name if ":" in name.rsplit("/", 1)[-1] else f"{name}:latest"
