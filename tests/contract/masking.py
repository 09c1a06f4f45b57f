"""Hides in answers what no two servers can agree on: ids, times, versions, addresses, random names."""

from __future__ import annotations

import re
from typing import Any

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_AGE = re.compile(r"(?:\d+[ydhms])+|<invalid>")
_VERSION = re.compile(r"((?:resource version|ResourceVersion in record): )\d+|(\(|current: )\d+(?=\)|$|,)")
_QUOTED_VERSION = re.compile(r'(resourceVersion\\*":\\*")\d+')
_ALLOCATED = re.compile(
    r"10\.\d+\.\d+\.\d+(?=\"\]: failed to allocate|: provided IP)|\d+(?=: provided port is already)"
)
_GENERATED = re.compile(r"\bgen-[a-z0-9]{5}\b")
_HIDDEN = {"resourceVersion", "continue", "healthCheckNodePort", "nodePort", "token", "serverAddress"}
_LEFT_OUT = {("columnDefinitions", "description"), ("resources", "storageVersionHash")}
_OWNER = ("manager", "operation", "subresource", "apiVersion")
_ADDRESSES = {"clusterIP", "clusterIPs"}


def mask(value: Any, key: str = "") -> Any:
    """Return a value with a word in place of each thing that differs from run to run."""
    if isinstance(value, dict):
        # Column descriptions quote the API documentation, which the sandbox does not carry.
        return {name: mask(item, name) for name, item in value.items() if (key, name) not in _LEFT_OUT}
    if isinstance(value, list) and key == "managedFields":
        # They are sorted by time first, and whether two writes share a second is chance.
        return sorted((mask(item) for item in value), key=lambda entry: [str(entry.get(name)) for name in _OWNER])
    if isinstance(value, list):
        return [mask(item, key) for item in value]
    if key in _HIDDEN and value not in ("", "0"):
        return "*"
    if not isinstance(value, str):
        return value
    if key in _ADDRESSES and value[:1].isdigit():
        return "*"
    if key == "cells" and _AGE.fullmatch(value):
        return "AGE"
    return text(value)


def text(value: str) -> str:
    """Return a text without ids, times, versions and random endings."""
    value = _UID.sub("UID", value)
    value = _TIME.sub("TIME", value)
    value = _QUOTED_VERSION.sub(r"\g<1>N", value)
    value = _ALLOCATED.sub("*", value)
    value = _GENERATED.sub("gen-*", value)
    return _VERSION.sub(lambda found: f"{found[1] or found[2]}N", value)


def differences(expected: Any, found: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """Return path, expected and found value of every leaf that differs; a missing one is None."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [
            difference
            for key in sorted({*expected, *found})
            if expected.get(key, _NONE) != found.get(key, _NONE)
            for difference in differences(expected.get(key), found.get(key), f"{path}.{key}" if path else key)
        ] or ([(path, expected, found)] if expected.keys() != found.keys() else [])
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [
            difference
            for index, (one, other) in enumerate(zip(expected, found, strict=True))
            for difference in differences(one, other, f"{path}[{index}]")
        ]
    return [] if expected == found else [(path, expected, found)]


_NONE = object()
