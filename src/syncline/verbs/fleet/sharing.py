"""Takes out of objects what should not leave the machine, before a snapshot is written.

Handed to `syncline.model.fleet_file` by `syncline.wiring`. Values of Secrets are not there to begin with; this is about
the passwords that people put elsewhere: into variables of containers, parameters of charts, arguments, ConfigMaps. A
word too many is hidden rather than one too few; references (`secretName`, `key: password`) stay, since causes hang on
them.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from syncline.core.diagnose.findings.redaction import HIDDEN, without_secrets
from syncline.core.diagnose.graph.view.outline import outlined
from syncline.model import names
from syncline.model.masking import is_secret

_SECRET_FIELD = re.compile(
    r"(?i)(passw(or)?d|passphrase|pwd|(^|[_.-]|auth|access|bearer|refresh|id)token|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|secret[_-]?(access[_-]?)?key|(client|shared|jwt|signing|webhook|session|app|cookie)[_-]?secret|"
    r"connection[_-]?string)$"
)
_SECRET_VARIABLE = re.compile(
    r"(?i)passw|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|connection[_-]?string|dsn"
)
# Kinds that speak about secrets by name: `secretKey: password` is a reference there.
_REFERRING = ("external-secrets.io", "secrets.hashicorp.com", "bitnami.com", "secrets-store.csi.x-k8s.io")
_SHORTEST = 6
_ALL_HIDDEN = ("caBundle", "certificate-authority-data")


def cleaned(value: Any) -> Any:
    """Return an object, or any part of one, without what looks like a secret."""
    if isinstance(value, dict):
        if is_secret(value):
            value = outlined(value)
        group = str(value.get("apiVersion") or "").partition("/")[0]
        return _map(value, by_field=not group.endswith(_REFERRING))
    return _cleaned(value, by_field=True)


def _map(value: dict[str, Any], *, by_field: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, member in value.items():
        if name == names.LAST_APPLIED:
            continue
        if isinstance(member, str) and by_field and _is_secret_field(name):
            found[name] = HIDDEN if member else ""
        else:
            found[name] = _cleaned(member, by_field=by_field)
    variable, text = value.get("name"), value.get("value")
    if isinstance(variable, str) and isinstance(text, str) and text and _SECRET_VARIABLE.search(variable):
        found["value"] = HIDDEN
    return found


@functools.lru_cache(maxsize=4096)
def _is_secret_field(name: str) -> bool:
    return bool(_SECRET_FIELD.search(name)) or name in _ALL_HIDDEN


@functools.lru_cache(maxsize=16384)
def _text(text: str) -> str:
    """Return a text without secrets; the same labels, images and times are in thousands of objects."""
    return without_secrets(text)


def _cleaned(value: Any, *, by_field: bool) -> Any:
    if isinstance(value, str):
        return _text(value) if len(value) >= _SHORTEST else value
    if isinstance(value, dict):
        return _map(value, by_field=by_field)
    if isinstance(value, list):
        return _list(value, by_field=by_field)
    return value


def _list(value: list[Any], *, by_field: bool) -> list[Any]:
    """Return a list; in arguments of a program a flag may stand before its value."""
    found = [_cleaned(one, by_field=by_field) for one in value]
    for number, one in enumerate(value[:-1]):
        is_flag = isinstance(one, str) and one.startswith("-") and "=" not in one and _SECRET_FIELD.search(one)
        if is_flag and isinstance(value[number + 1], str):
            found[number + 1] = HIDDEN
    return found
