"""Who gave a field of a rendered object its value, where that is certain, and the edit that would give it another.

Asked by the rules of `why` and `diagnose`, with the layers that `syncline.controller.sources.layers` worked out. An
edit is offered only on a line that says the value: in a file that is applied as it stands, in the layer of a chart's
values that wins, in the patch or entry of a kustomization that is last.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.provenance.chart_values import rewritten, value_behind
from syncline.model.desired import Origin
from syncline.model.errors import Place
from syncline.model.finding import Edit
from syncline.model.layers import Layers

_AS_THEY_STAND = "Directory"
_KUSTOMIZE = "Kustomize"


class Field(msgspec.Struct, frozen=True):
    """A field of a rendered object, with where the object comes from and which tools rendered the app."""

    key: ObjectKey
    obj: Object
    origin: Origin
    path: str
    layers: Layers = Layers()
    tools: tuple[str, ...] = ()

    @property
    def value(self) -> Any:
        """What the field is; None where it is not there."""
        found = FieldPath.parse(self.path).resolve(self.obj) if self.path else MISSING
        return None if found is MISSING else found


class SetBy(msgspec.Struct, frozen=True):
    """A place that says what a field is: in words, and which part of the value stands on its line."""

    place: Place
    text: str
    value: str = ""

    def edit(self, before: Any, after: Any) -> Edit | None:
        """Return the edit of the line so that the field changes; None where another line would have to change too."""
        wanted = rewritten(self.value, shown(before), shown(after)) if self.value else ""
        return Edit(place=self.place, before=self.value, after=wanted) if wanted and self.place.line else None

    def instead(self, before: Any, after: Any) -> str:
        """Return the edit in words, for a place without lines, as a parameter of the Application is; else nothing."""
        wanted = rewritten(self.value, shown(before), shown(after)) if self.value else ""
        return f"set {self.text.partition(':')[0]} to {wanted} in {self.place}" if wanted else ""


def set_by(field: Field) -> SetBy | None:
    """Return who gave a field its value; None where that is not certain."""
    if not field.path:
        return None
    exact = field.path in field.origin.positions.paths
    if all(tool == _AS_THEY_STAND for tool in field.tools):
        return _as_it_stands(field) if exact else None
    return _by_chart(field) or _by_kustomization(field) or (_as_it_stands(field) if exact and _plain(field) else None)


def _plain(field: Field) -> bool:
    return all(tool in (_AS_THEY_STAND, _KUSTOMIZE) for tool in field.tools)


def _as_it_stands(field: Field) -> SetBy:
    value = field.value
    text = "" if isinstance(value, dict | list) else shown(value)
    return SetBy(field.origin.place(field.path), f"{last(field.path)}: {text}" if text else last(field.path), text)


def _by_chart(field: Field) -> SetBy | None:
    values = field.layers.values
    if not values:
        return None
    found = value_behind(values, field.path, field.value, field.origin.place(field.path), field.key.name)
    if found is None:
        return None
    hides = "".join(f", hides {place} ({value})" for place, value in found.hides[:1])
    return SetBy(found.place, f"{'.'.join(found.path)}: {found.value}{hides}", found.value)


def _by_kustomization(field: Field) -> SetBy | None:
    found = next((one for one in field.layers.patched if one.path == field.path and is_same(one.key, field.key)), None)
    if found is None:
        return None
    hides = f", hides {found.hides} ({found.hidden})" if found.hides and found.hidden else ""
    by = f" ({found.by})" if found.by else ""
    return SetBy(found.place, f"{last(field.path)}: {shown(field.value)}{by}{hides}", found.value)


def is_same(rendered: ObjectKey, key: ObjectKey) -> bool:
    """Whether an object as it was rendered, often without a namespace, is the one of a key."""
    same = (rendered.group_kind, rendered.name) == (key.group_kind, key.name)
    return same and rendered.namespace in ("", key.namespace)


def last(path: str) -> str:
    """Return the name of the field that a path ends with; a name with dots in it stays whole."""
    step = FieldPath.parse(path).steps[-1]
    return step if isinstance(step, str) else path.rpartition(".")[2]


def shown(value: Any) -> str:
    """Return a value as YAML has it on one line."""
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
