"""Which values of a chart stand in the objects that it renders, and which of them a field has its value from.

`syncline.controller.sources.layers` keeps the values of an app that somebody asks about; the lines of causes are told
by them. No render by trial is made here, as for `syncline blame`: a value is named only where it alone can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from syncline.apimachinery.paths import FieldPath
from syncline.core.provenance.values import merge
from syncline.model.desired import Desired, ValuesLayer
from syncline.model.errors import Place
from syncline.model.layers import ChartValue, HiddenValue
from syncline.model.masking import is_secret

TOLERATIONS = "tolerations"
"""The field that an empty list takes away; helm merges maps, so an empty selector or affinity hides nothing."""
_TAGS = ("tag", "version", "imageTag")
_TELLING = 4
"""So long a value must be to be told by itself alone."""
_NAMED = re.compile(r"\.Values\.([\w.]+)")


def shown_values(
    charts: Iterable[tuple[ValuesLayer, ...]], desired: Desired, templates: Mapping[str, bytes] | None = None
) -> Iterator[ChartValue]:
    """Yield the values that objects of an app show, with whom each hides; `templates` are files that may name them."""
    shown = {text for item in desired.objects if not is_secret(item.obj) for text in _texts(item.obj)}
    tags = {tag for text in shown if (tag := _image(text)[1])}
    named = _named(templates or {})
    for layers in charts:
        for leaf in merge(layers).leaves.values():
            text = _plain(leaf.setting.value)
            if text and (text in shown or (leaf.path[-1] in _TAGS and text in tags)):
                hides = tuple((one.place, said) for one in leaf.hidden if (said := _plain(one.value)))
                at = tuple(named.get(".".join(leaf.path), ()))
                yield ChartValue(path=leaf.path, place=leaf.setting.place, value=text, hides=hides, named_at=at)


def hidden_values(charts: Iterable[tuple[ValuesLayer, ...]]) -> Iterator[HiddenValue]:
    """Yield the tolerations that are hidden by ones that say nothing."""
    for layers in charts:
        for leaf in merge(layers).leaves.values():
            hidden = leaf.empties if leaf.path[-1] == TOLERATIONS else None
            if hidden is not None and isinstance(hidden.value, list):
                empty = "[]" if leaf.setting.value == [] else "null" if leaf.setting.value is None else '""'
                yield HiddenValue(
                    path=leaf.path,
                    place=leaf.setting.place,
                    empty=f"{leaf.path[-1]}: {empty}",
                    hides=hidden.place,
                    hidden=hidden.value,
                )


def value_behind(
    values: Sequence[ChartValue], path: str, value: Any, template: Place | None = None, name_of_object: str = ""
) -> ChartValue | None:
    """Return the value that a field has its own from; None where none or more than one can be meant.

    Of several, the one counts that the line of the template names, else the one whose path names the object.
    """
    text = _plain(value)
    name = next((step for step in reversed(FieldPath.parse(path).steps) if isinstance(step, str)), "") if path else ""
    if not text or not name:
        return None
    named = [one for one in values if one.value == text and one.path[-1] == name]
    if not named and name == "image":
        tag = _image(text)[1]
        named = [one for one in values if one.path[-1] in _TAGS and one.value == tag]
    if not named:
        named = [one for one in values if one.value == text and template is not None and template in one.named_at]
    if not named and len(text) >= _TELLING:
        named = [one for one in values if one.value == text]
    if len(named) > 1:
        on_line = [one for one in named if template is not None and template in one.named_at]
        named = on_line or [one for one in named if _is_about(one.path, name_of_object)]
    return named[0] if len(named) == 1 else None


def _is_about(path: tuple[str, ...], name: str) -> bool:
    """Whether a value is that of an object by its path: `worker.replicas` is of shop-worker."""
    words = set(re.split(r"[-.]", name))
    return any(step in words for step in path[:-1])


def _named(templates: Mapping[str, bytes]) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for file, content in templates.items():
        for number, row in enumerate(content.decode("utf-8", "replace").splitlines(), start=1):
            for name in _NAMED.findall(row):
                found.setdefault(name, []).append(Place(file, number))
    return found


def rewritten(value: str, before: str, after: str) -> str:
    """Return what a value must be for its field to change from one text to another; empty where that is not told."""
    if value == before:
        return after
    name, tag = _image(before)
    other, wanted = _image(after)
    return wanted if tag == value and name == other else ""


def _image(text: str) -> tuple[str, str]:
    """Return an image without its tag, and the tag; both empty for what does not look like one."""
    name, colon, tag = text.rpartition(":")
    return (name, tag) if colon and "/" not in tag and " " not in text else ("", "")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)
    elif text := _plain(value):
        yield text


def _plain(value: Any) -> str:
    """Return a text or number as text; empty for anything else."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
