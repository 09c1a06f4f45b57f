"""Faults and admission rules that tests and stories put into a running sandbox.

Set as `Sandbox.controls`; faults are played by `syncline.sandbox.server` around a request, admission rules by
`syncline.sandbox.writes` inside it. All are plain values, so that they can be read from YAML with `msgspec.convert`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.resources import Resource

When = Literal["before", "after"]


class Fault(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that goes wrong with matching requests."""

    methods: tuple[str, ...] = ("*",)
    path: str = "*"
    """The path without its query, with `*` and `?` as in file names."""
    user: str = "*"
    when: When = "before"
    """Before the request is carried out, or after it was and before the answer arrives."""
    delay: float = 0.0
    code: int = 0
    """Answer with this error instead; 0 leaves the answer alone."""
    reason: str = "InternalError"
    message: str = "the sandbox was told to fail this request"
    cut: bool = False
    """Cut the connection instead of answering."""
    times: int = 0
    """How often it happens; 0 always."""

    def matches(self, method: str, path: str, user: str) -> bool:
        """Tell whether a request is hit."""
        return (
            any(fnmatchcase(method, wanted) for wanted in self.methods)
            and fnmatchcase(path.partition("?")[0], self.path)
            and fnmatchcase(user, self.user)
        )


class Admission(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a webhook would do to matching writes: refuse them, or set fields."""

    name: str = "rules.sandbox.syncline.io"
    group: str = "*"
    kind: str = "*"
    namespace: str = "*"
    object_name: str = "*"
    operations: tuple[str, ...] = ("CREATE", "UPDATE")
    deny: str = ""
    set_fields: Mapping[str, Any] = {}
    """Values by dotted path (`spec.host`); missing parents are made."""

    def matches(self, resource: Resource, obj: Object, operation: str) -> bool:
        """Tell whether a write is looked at."""
        metadata = obj.get("metadata") or {}
        return (
            operation in self.operations
            and fnmatchcase(resource.group, self.group)
            and fnmatchcase(resource.kind, self.kind)
            and fnmatchcase(str(metadata.get("namespace") or ""), self.namespace)
            and fnmatchcase(str(metadata.get("name") or ""), self.object_name)
        )


class Controls(msgspec.Struct, frozen=True, kw_only=True):
    """All that is meddled with in one sandbox."""

    faults: tuple[Fault, ...] = ()
    admission: tuple[Admission, ...] = ()


def admit(rules: tuple[Admission, ...], resource: Resource, obj: Object, operation: str) -> Object:
    """Return an object as the rules change it; raises Forbidden when one refuses it."""
    for rule in rules:
        if not rule.matches(resource, obj, operation):
            continue
        if rule.deny:
            message = f'admission webhook "{rule.name}" denied the request: {rule.deny}'
            raise errors.StatusError(403, "Forbidden", message)
        for path, value in rule.set_fields.items():
            obj = _with(obj, path.split("."), value)
    return obj


def _with(obj: Object, path: list[str], value: Any) -> Object:
    first, *rest = path
    if not rest:
        return {**obj, first: value}
    return {**obj, first: _with(obj.get(first) or {}, rest, value)}


class Faults:
    """Counts down what happens only so often."""

    def __init__(self) -> None:
        self._used: dict[Fault, int] = {}

    def due(self, controls: Controls, when: When, method: str, path: str, user: str) -> Fault | None:
        """Return the first fault that hits a request now, or None."""
        for fault in controls.faults:
            if fault.when != when or not fault.matches(method, path, user):
                continue
            used = self._used.get(fault, 0)
            if fault.times and used >= fault.times:
                continue
            self._used[fault] = used + 1
            return fault
        return None
