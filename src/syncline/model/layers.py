"""Which layer of a source says what a field is: a values file of a chart, a patch of a kustomization.

Worked out by `syncline.controller.sources.layers` beside a render; with it, rules name the line to change instead of
the template or base that most apps share. Nothing is kept here of values that no object but a Secret shows.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.errors import Place


class HiddenValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value of a chart that says nothing and hides one that says something: the path, both places and what is hidden.

    Only of tolerations, which decide where pods run; other values may be secrets.
    """

    path: tuple[str, ...]
    place: Place
    empty: str
    hides: Place
    hidden: list[Any]


class ChartValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value of a chart that objects show: its path, the layer and line that set it, and the weaker ones it hides.

    `named_at` are the lines of templates that name it.
    """

    path: tuple[str, ...]
    place: Place
    value: str
    hides: tuple[tuple[Place, str], ...] = ()
    named_at: tuple[Place, ...] = ()


class PatchedField(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A field of an object that a kustomization made, where its value stands: a patch, an entry, or the base itself.

    `value` is the part of the field that stands on that line, empty where it does not stand there as it is. `hides` is
    what the base says, `hidden` its value. `by` names what set it, empty for the base.
    """

    key: ObjectKey
    path: str
    place: Place
    value: str = ""
    by: str = ""
    hides: Place | None = None
    hidden: str = ""


class Layers(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that is known of the layers behind one app's objects."""

    values: tuple[ChartValue, ...] = ()
    hidden: tuple[HiddenValue, ...] = ()
    patched: tuple[PatchedField, ...] = ()
