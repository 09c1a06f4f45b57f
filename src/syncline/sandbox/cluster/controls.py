"""What tests and stories put into a running sandbox: faults, admission rules, denials, cut watches, compaction.

Set as `Sandbox.controls`, or read from YAML with `load`. Faults are played by `syncline.sandbox.server` around a
request, admission rules by `syncline.sandbox.api.finishing` inside it, denials by `syncline.sandbox.access.rbac`, and
the timeline by `syncline.sandbox.server` again. All are plain values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.served.resources import Resource

if TYPE_CHECKING:
    from syncline.sandbox.access.rbac import Attempt, User

When = Literal["before", "after"]
Operation = Literal["CREATE", "UPDATE", "DELETE"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """How all parts are read: names in camel case, nothing unknown."""


class Fault(_Part, frozen=True, kw_only=True):
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
    retry_after: int = 0
    """Seconds the client is asked to wait before it tries again; 0 says nothing of it."""
    cut: bool = False
    """Cut the connection instead of answering."""
    times: int = 0
    """How often it happens; 0 always."""
    skip: int = 0
    """How many matching requests are left alone first."""

    def matches(self, method: str, path: str, user: str) -> bool:
        """Tell whether a request is hit."""
        return (
            any(fnmatchcase(method, wanted) for wanted in self.methods)
            and fnmatchcase(path.partition("?")[0], self.path)
            and fnmatchcase(user, self.user)
        )


class Admission(_Part, frozen=True, kw_only=True):
    """What a webhook would do to matching writes: refuse them, or change them."""

    name: str = "rules.sandbox.syncline.io"
    group: str = "*"
    kind: str = "*"
    namespace: str = "*"
    object_name: str = "*"
    operations: tuple[Operation, ...] = ("CREATE", "UPDATE")
    deny: str = ""
    """The reason of a refusal."""
    set_fields: Mapping[str, Any] = {}
    """Values by dotted path (`spec.host`); missing parents are made."""
    patch: Sequence[Mapping[str, Any]] = ()
    """Operations of a JSON patch, as mutating webhooks answer."""

    def matches(self, resource: Resource, obj: Object, operation: str) -> bool:
        """Tell whether a write is looked at."""
        metadata = meta.metadata(obj)
        return (
            operation in self.operations
            and fnmatchcase(resource.group, self.group)
            and fnmatchcase(resource.kind, self.kind)
            and fnmatchcase(str(metadata.get("namespace") or ""), self.namespace)
            and fnmatchcase(str(metadata.get("name") or ""), self.object_name)
        )


class Denial(_Part, frozen=True, kw_only=True):
    """What somebody may not do, whatever roles grant; all words take `*` and `?` as in file names."""

    users: tuple[str, ...] = ("*",)
    groups: tuple[str, ...] = ()
    """Members of these are meant besides the users; naming groups alone means no user by name."""
    verbs: tuple[str, ...] = ("*",)
    api_groups: tuple[str, ...] = ("*",)
    resources: tuple[str, ...] = ("*",)
    """Plural names, a subresource after a slash (`deployments/scale`)."""
    namespaces: tuple[str, ...] = ("*",)
    names: tuple[str, ...] = ("*",)

    def hits(self, user: User, attempt: Attempt) -> bool:
        """Tell whether an attempt is denied."""
        by_name = not (self.groups and self.users == ("*",)) and _any(user.name, self.users)
        return (
            (by_name or any(_any(group, self.groups) for group in user.groups))
            and _any(attempt.verb, self.verbs)
            and _any(attempt.group, self.api_groups)
            and _any(attempt.resource, self.resources)
            and _any(attempt.namespace, self.namespaces)
            and _any(attempt.name, self.names)
        )


def _any(text: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


class ScheduledFault(_Part, frozen=True, kw_only=True):
    """Something that happens by the clock, counted from when the controls are set."""

    do: Literal["cutWatches", "compact"]
    at: float = 0.0
    """Seconds until it happens once; 0 with `every` starts with the first turn of it."""
    every: float = 0.0
    """Seconds between two times; 0 lets it happen once."""
    group: str = ""
    resource: str = ""
    """The plural name whose watches are cut; without one, all are."""


class Controls(_Part, frozen=True, kw_only=True):
    """All that is meddled with in one sandbox."""

    faults: tuple[Fault, ...] = ()
    admission: tuple[Admission, ...] = ()
    denials: tuple[Denial, ...] = ()
    timeline: tuple[ScheduledFault, ...] = ()


class ControlsError(Exception):
    """A controls file that cannot be read; the text is one sentence for its author."""


def load(content: str | bytes, *, name: str = "the controls") -> Controls:
    """Read controls from YAML; raises `ControlsError`."""
    from syncline.apimachinery import yaml

    text = content if isinstance(content, bytes) else content.encode()
    try:
        given = yaml.load(text) if text.strip() else {}
    except yaml.YamlError as error:
        raise ControlsError(f"{name} cannot be read as YAML: {error}") from None
    try:
        return msgspec.convert(given or {}, Controls)
    except msgspec.ValidationError as error:
        raise ControlsError(f"{name} is invalid: {error}; see docs/internals/sandbox.md.") from None


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
        if rule.patch:
            obj = _patched(obj, rule)
    return obj


def _patched(obj: Object, rule: Admission) -> Object:
    from syncline.apimachinery.patch import json_patch
    from syncline.apimachinery.patch.errors import PatchError

    try:
        changed: Object = json_patch.apply(obj, [dict(one) for one in rule.patch])
    except PatchError as error:
        message = f'Internal error occurred: add operation of admission webhook "{rule.name}" does not apply: {error}'
        raise errors.StatusError(500, "InternalError", message) from None
    return changed


def _with(obj: Object, path: list[str], value: Any) -> Object:
    first, *rest = path
    if not rest:
        return {**obj, first: value}
    return {**obj, first: _with(obj.get(first) or {}, rest, value)}


class Faults:
    """Counts what was hit, for faults that happen only so often."""

    def __init__(self) -> None:
        self._met: dict[int, int] = {}

    def due(self, controls: Controls, when: When, method: str, path: str, user: str) -> Fault | None:
        """Return the first fault that hits a request now, or None."""
        for fault in controls.faults:
            if fault.when != when or not fault.matches(method, path, user):
                continue
            met = self._met[id(fault)] = self._met.get(id(fault), 0) + 1
            if met <= fault.skip or (fault.times and met > fault.skip + fault.times):
                continue
            return fault
        return None
