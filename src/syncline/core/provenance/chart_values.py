"""Which values of a chart stand in the pods that it renders, and which of them a field has its value from.

`syncline.verbs.fleet.rendering` keeps the values of an app that is not in order; the lines of causes are told by them.
No render by trial is made here, as for `syncline blame`: a value is named only where it alone can be meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from syncline.apimachinery.paths import FieldPath
from syncline.core.provenance.values import merge
from syncline.model.desired import Desired, ValuesLayer
from syncline.model.fleet import ChartValue

_TAGS = ("tag", "version", "imageTag")
_TELLING = 4
"""So long a value must be to be told by itself alone."""


def shown_in_pods(charts: Iterable[tuple[ValuesLayer, ...]], desired: Desired) -> Iterator[ChartValue]:
    """Yield the values that pods of an app show, with whom each hides."""
    shown = {text for item in desired.objects for text in _texts((item.obj.get("spec") or {}).get("template"))}
    tags = {tag for text in shown if (tag := _image(text)[1])}
    for layers in charts:
        for leaf in merge(layers).leaves.values():
            text = _plain(leaf.setting.value)
            if text and (text in shown or (leaf.path[-1] in _TAGS and text in tags)):
                hides = tuple((one.place, said) for one in leaf.hidden if (said := _plain(one.value)))
                yield ChartValue(path=leaf.path, place=leaf.setting.place, value=text, hides=hides)


def value_behind(values: Sequence[ChartValue], path: str, value: Any) -> ChartValue | None:
    """Return the value that a field has its own from; None where none or more than one can be meant."""
    text = _plain(value)
    name = next((step for step in reversed(FieldPath.parse(path).steps) if isinstance(step, str)), "") if path else ""
    if not text or not name:
        return None
    named = [one for one in values if one.value == text and one.path[-1] == name]
    if not named and name == "image":
        tag = _image(text)[1]
        named = [one for one in values if one.path[-1] in _TAGS and one.value == tag]
    if not named and len(text) >= _TELLING:
        named = [one for one in values if one.value == text]
    return named[0] if len(named) == 1 else None


def rewritten(found: ChartValue, before: str, after: str) -> str:
    """Return what a value must be for its field to change from one text to another; empty where that is not told."""
    if found.value == before:
        return after
    name, tag = _image(before)
    other, wanted = _image(after)
    return wanted if tag == found.value and name == other else ""


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
