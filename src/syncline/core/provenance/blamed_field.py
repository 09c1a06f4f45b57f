"""The field that somebody asks about, and whether a target of a kustomization is the object it belongs to.

Made by `syncline.core.provenance.kustomizations` from a rendered object and the file it comes from; used by its patches
and replacements. Targets are named as the object was called on its way: the name in its file, the one it has in the
end, or one between them that has got some of the prefixes and suffixes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from syncline.apimachinery import meta, yaml
from syncline.apimachinery.paths import FieldPath, KeyMatch
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.core.provenance.blame import indexed
from syncline.model.desired import DesiredObject


@dataclass(frozen=True, slots=True)
class BlamedField:
    """A field of a rendered object; `declared_name` is the object's name in its file, empty where that is unknown."""

    item: DesiredObject
    path: FieldPath
    declared_name: str = ""

    @property
    def value(self) -> Any:
        """What the field is in the end."""
        return self.path.resolve(self.item.obj)

    @property
    def steps(self) -> yaml.Path:
        """The path with positions instead of keys."""
        plain = tuple(step for step in self.path.steps if isinstance(step, str | int))
        return indexed(self.item.obj, self.path) or plain

    @property
    def keyed(self) -> FieldPath:
        """The path with names instead of positions: a patch lists its items in an order of its own."""
        found: list[Any] = []
        value: Any = self.item.obj
        for step in self.path.steps:
            value = FieldPath((step,)).resolve(value)
            named = isinstance(step, int) and isinstance(value, dict) and isinstance(value.get("name"), str)
            found.append(KeyMatch((("name", value["name"]),)) if named else step)
        return FieldPath(tuple(found))

    def is_named(self, name: str) -> bool:
        """Whether a name, or a pattern of names, is one that the object has or had."""
        last, first = self.item.key.name, self.declared_name
        if not name or any(one and _matches(name, one) for one in (last, first)):
            return True
        return name in last and first in name

    def is_of(self, target: Mapping[str, Any]) -> bool:
        """Whether a target selects the object."""
        key = self.item.key
        kind, group = str(target.get("kind") or ""), str(target.get("group") or "")
        if (kind and not _matches(kind, key.kind)) or (group and not _matches(group, key.group)):
            return False
        selectors = (("labelSelector", meta.labels), ("annotationSelector", meta.annotations))
        if any(not _selected(target.get(field), read(self.item.obj)) for field, read in selectors):
            return False
        return self.is_named(str(target.get("name") or ""))


def declared_name(item: DesiredObject, documents: Iterable[yaml.Document]) -> str:
    """Return the name of an object in the file it was read from; empty where it does not stand there."""
    for document in documents:
        if not isinstance(document.value, dict):
            continue
        at_kind = document.position_or_parent(("kind",)).line
        if document.value.get("kind") == item.key.kind and item.origin.line in (at_kind, document.line):
            return meta.name(document.value)
    return ""


def _selected(selector: Any, pairs: Mapping[str, str]) -> bool:
    if not isinstance(selector, str) or not selector:
        return True
    try:
        return LabelSelector.parse(selector).matches(pairs)
    except InvalidSelector:
        return False


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.fullmatch(pattern, text) is not None
    except re.error:
        return False
