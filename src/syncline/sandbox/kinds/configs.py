"""ConfigMaps and Secrets: stringData, types, and those that may not change."""

from __future__ import annotations

import base64
from typing import Final

import orjson

from syncline.apimachinery import base64_text, names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import KindRules, immutable

TOKEN: Final = "kubernetes.io/service-account-token"  # noqa: S105 - a type
ACCOUNT: Final = "kubernetes.io/service-account.name"
_MAX_BYTES: Final = 1024 * 1024
_REQUIRED_KEYS: Final = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/basic-auth": ("username", "password"),
}


def _prepare_secret(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    given = obj.get("stringData")
    if given is None:
        return obj
    encoded = {key: base64.b64encode(str(value).encode()).decode() for key, value in given.items()}
    merged = {**obj, "data": {**(obj.get("data") or {}), **encoded}}
    del merged["stringData"]
    return merged


def _validate_secret(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    content = obj.get("data") or {}
    kind = obj.get("type") or "Opaque"
    causes = [] if live is None else immutable("type", kind, live.get("type") or "Opaque")
    causes += _check_keys(content, "data")
    _check_encoding("Secret", content)
    if sum(len(str(value)) * 3 // 4 for value in content.values()) > _MAX_BYTES:
        causes.append(errors.too_long("data", _MAX_BYTES))
    missing = [key for key in _REQUIRED_KEYS.get(kind, ()) if key not in content]
    if kind == "kubernetes.io/ssh-auth" and content.get("ssh-privatekey") == "":
        missing = ["ssh-privatekey"]
    causes += _check_login(kind, content)
    if kind != "kubernetes.io/basic-auth" or len(missing) == 2:
        causes += [errors.required(f"data[{key}]") for key in missing]
    if kind == TOKEN and not (obj["metadata"].get("annotations") or {}).get(ACCOUNT):
        causes.append(errors.required(f"metadata.annotations[{ACCOUNT}]"))
    if live is not None:
        causes += _check_frozen(obj, live, ("data",))
    return causes


def _check_login(kind: str, content: Object) -> list[FieldCause]:
    """Refuse logins for registries that are not JSON; their content is never quoted."""
    key = {"kubernetes.io/dockerconfigjson": ".dockerconfigjson", "kubernetes.io/dockercfg": ".dockercfg"}.get(kind)
    if key is None or key not in content:
        return []
    text = base64.b64decode(content[key])
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        told = "unexpected end of JSON input"
        if text.strip() and text.strip()[:1] not in b"{[":
            told = f"invalid character '{text.strip()[:1].decode(errors='replace')}' looking for beginning of value"
        return [errors.invalid_value(f"data[{key}]", '"<secret contents redacted>"', told)]
    return []


def _validate_config_map(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    texts, binaries = obj.get("data") or {}, obj.get("binaryData") or {}
    _check_encoding("ConfigMap", binaries)
    causes = _check_keys(texts, "data") + _check_keys(binaries, "binaryData")
    causes += [
        errors.invalid_value(f"data[{key}]", f'"{key}"', "duplicate of key present in binaryData")
        for key in texts
        if key in binaries
    ]
    size = sum(len(str(value).encode()) for value in (*texts.values(), *binaries.values()))
    if size > _MAX_BYTES:
        causes.append(errors.too_long("[]", _MAX_BYTES))
    if live is not None:
        causes += _check_frozen(obj, live, ("data", "binaryData"))
    return causes


def _check_encoding(kind: str, content: Object) -> None:
    for value in content.values():
        place = base64_text.wrong_at(str(value))
        if place is not None:
            text = f'{kind} in version "v1" cannot be handled as a {kind}: illegal base64 data at input byte {place}'
            raise errors.bad_request(text)


def _check_keys(content: Object, field: str) -> list[FieldCause]:
    return [
        errors.invalid_value(f"{field}[{key}]", f'"{key}"', complaint)
        for key in content
        for complaint in names.config_key(key)
    ]


def _check_frozen(obj: Object, live: Object, fields: tuple[str, ...]) -> list[FieldCause]:
    if not live.get("immutable"):
        return []
    text = "field is immutable when `immutable` is set"
    causes = [] if obj.get("immutable") else [errors.forbidden_field("immutable", text)]
    causes += [
        errors.forbidden_field(field, text) for field in fields if (obj.get(field) or {}) != (live.get(field) or {})
    ]
    return causes


def _warn_of_secret(obj: Object) -> list[str]:
    if obj.get("type") != "kubernetes.io/tls":
        return []
    content = obj.get("data") or {}
    for key, word in (("tls.crt", "certificate"), ("tls.key", "key")):
        if b"-----BEGIN" not in base64.b64decode(content.get(key) or ""):
            return [f"tls: failed to find any PEM data in {word} input"]
    return []


SECRET = KindRules(prepare=_prepare_secret, validate=_validate_secret, warn=_warn_of_secret)
CONFIG_MAP = KindRules(validate=_validate_config_map)
