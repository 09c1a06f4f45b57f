"""Reads from the text of a template which objects it may make, without running it.

Used by `syncline.adapters.render.object_lines`. An object of a template is a `kind:` that stands as far left as any of
its document; the name may be made by actions, and then fits every name that has the plain parts of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_FIELD = re.compile(r"^(?P<indent>\s*)[\"']?(?P<field>kind|apiVersion|metadata|name|namespace)[\"']?:(?P<value>.*)$")
_INLINE = re.compile(r"(?:^\s*\{|,)\s*(?P<field>name|namespace):(?P<value>(?:[^,{}]|\{\{.*?\}\})+)")
_ACTION = re.compile(r"\{\{.*?\}\}")
_WORD = re.compile(r"\w+")
_EXACT = 1_000


class Fit(NamedTuple):
    """How well a declaration fits an object; greater is better, and `name` 0 is not at all."""

    group: int
    name: int
    namespace: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """An object that a file declares: its texts as they stand there, and the line of its kind."""

    kind: str
    line: int
    name: str
    api_version: str
    namespace: str
    is_plain: bool = False
    """Whether the texts are as an author wrote them for kustomize, which may put something around a name."""

    def fit(self, api_version: str, name: str, namespace: str) -> Fit:
        """Return how well this fits an object that was printed."""
        weight = self._weight(name)
        group = _ACTION.search(self.api_version) is not None or _group(self.api_version) == _group(api_version)
        return Fit(int(group) if weight else 0, weight, int(_fits(self.namespace, namespace)) if weight else 0)

    def _weight(self, name: str) -> int:
        if self.name == name:
            return _EXACT
        if self.is_plain:
            return len(self.name) if self.name in name else 0
        literal = len(_ACTION.sub("", self.name))
        return 1 + literal if _ACTION.search(self.name) and _fits(self.name, name) else 0


def template_declarations(text: str) -> list[Declaration]:
    """Return the objects that a template may make, in the order of their lines."""
    found: list[Declaration] = []
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("---"):
            found += _document(lines)
            lines = []
        else:
            lines.append((number, line))
    return found + list(_document(lines))


def _document(lines: Sequence[tuple[int, str]]) -> Iterator[Declaration]:
    fields = [(number, field) for number, line in lines if (field := _FIELD.match(line))]
    kinds = [(number, field) for number, field in fields if field["field"] == "kind" and _WORD.match(_value(field))]
    if not kinds:
        return
    indent = min(len(field["indent"]) for _number, field in kinds)
    outer = [(number, field) for number, field in kinds if len(field["indent"]) == indent]
    for index, (number, kind) in enumerate(outer):
        start = outer[index - 1][0] if index else 0
        end = outer[index + 1][0] if index + 1 < len(outer) else lines[-1][0] + 1
        near = [field for line, field in fields if start < line < end]
        inner = _metadata([field for line, field in fields if number < line < end], indent)
        versions = [field for field in near if field["field"] == "apiVersion" and len(field["indent"]) == indent]
        version = _value(versions[0]) if versions else ""
        yield Declaration(_value(kind), number, inner.get("name", ""), version, inner.get("namespace", ""))


def _metadata(fields: Sequence[re.Match[str]], indent: int) -> dict[str, str]:
    """Return name and namespace of the metadata that stands at an indent."""
    inner: list[re.Match[str]] = []
    inside = False
    for field in fields:
        if len(field["indent"]) <= indent:
            inside = field["field"] == "metadata"
            if inside and field["value"].strip().startswith("{"):
                return {found["field"]: found["value"].strip("\"' ") for found in _INLINE.finditer(field["value"])}
        elif inside:
            inner.append(field)
    # A label may be called `name` too; it stands farther to the right.
    left = min((len(field["indent"]) for field in inner), default=0)
    return {field["field"]: _value(field) for field in reversed(inner) if len(field["indent"]) == left}


def _value(field: re.Match[str]) -> str:
    value = field["value"].strip()
    value = re.sub(r"\}\}\s+#.*$", "}}", value) if _ACTION.search(value) else value.partition(" #")[0].strip()
    return value.strip("\"'")


def _group(api_version: str) -> str:
    group, slash, _version = api_version.partition("/")
    return group if slash else ""


def _fits(text: str, value: str) -> bool:
    """Whether a text with actions in it could have become a value."""
    pattern = ".*".join(re.escape(part) for part in _ACTION.split(text))
    return re.fullmatch(pattern, value) is not None
