"""Says who made a field of a rendered object, as far as texts tell, and which values are worth a try.

Called by `syncline.verbs.blaming` with a render and the files it has read. A values leaf is only a suspect until
somebody has changed it, rendered again and seen the field move: `trial` says what to try, `moved` what came of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta, yaml
from syncline.apimachinery.diff import FieldChange, diff
from syncline.apimachinery.keys import ObjectKey
from syncline.apimachinery.paths import MISSING, FieldPath, KeyMatch, Step
from syncline.core.provenance.values import Leaf, Path, Values
from syncline.model.desired import Desired, DesiredObject
from syncline.model.errors import Place

MAX_SUSPECTS = 24
IDENTITY = ("apiVersion", "kind", "metadata.name", "metadata.namespace")
"""The fields that say which object it is."""
_TRIED = "tried-by-syncline"


class BlameCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that made a field what it is: what sort of thing, where it stands, and a few words."""

    kind: str
    place: Place
    text: str = ""


class Move(msgspec.Struct, frozen=True):
    """A field that changed along with something else."""

    key: ObjectKey
    path: str
    before: Any = MISSING
    after: Any = MISSING


def suspects(values: Values, path: FieldPath, value: Any, template: str) -> tuple[Leaf, ...]:
    """Return the leaves that may have made a field, the likeliest first."""
    names = [step for step in path.steps if isinstance(step, str)]
    scored = [(_score(leaf, names, value, template), leaf) for leaf in values.leaves.values()]
    likely = sorted((item for item in scored if item[0] > 0), key=lambda item: -item[0])
    return tuple(leaf for _score_of, leaf in likely[:MAX_SUSPECTS])


def _score(leaf: Leaf, names: list[str], value: Any, template: str) -> int:
    score = 0
    if names and leaf.path[-1].lower() == names[-1].lower():
        score += 8
    if leaf.setting.value == value and value not in (None, "", [], {}):
        score += 8
    elif _is_part(leaf.setting.value, value):
        score += 4
    if f".Values.{'.'.join(leaf.path)}" in template:
        score += 4
    elif any(f".Values.{'.'.join(leaf.path[:length])}" in template for length in range(1, len(leaf.path))):
        score += 2
    return score


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, bool) or part in (None, "", [], {}) or whole is MISSING:
        return False
    return len(str(part)) > 1 and str(part) in str(whole)


def trial(leaf: Leaf) -> dict[str, Any]:
    """Return values that change one leaf: to what it hides where it hides more than nothing, else to something else."""
    value = leaf.setting.value
    if (hidden := leaf.empties) is not None:
        return nested(leaf.path, hidden.value)
    return nested(leaf.path, _other(value))


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return [] if value else [_TRIED]
    if isinstance(value, dict):
        return {_TRIED: _TRIED}
    return f"{value}-{_TRIED}" if value else _TRIED


def nested(path: Path, value: Any) -> dict[str, Any]:
    """Return a map that has a value at a path and nothing else."""
    whole: Any = value
    for step in reversed(path):
        whole = {step: whole}
    found: dict[str, Any] = whole
    return found


def moves(before: Desired, after: Desired) -> tuple[Move, ...]:
    """Return every field in which two renders differ; an object that came or went is one move."""
    old = {item.key: item.obj for item in before.objects}
    new = {item.key: item.obj for item in after.objects}
    found: list[Move] = []
    for key in sorted({*old, *new}):
        if key not in old or key not in new:
            found.append(Move(key, "", old.get(key, MISSING), new.get(key, MISSING)))
            continue
        found += [Move(key, change.path, change.before, change.after) for change in _changes(old[key], new[key])]
    return tuple(found)


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    return diff(before, after)


def moved(before: Desired, after: Desired, key: ObjectKey, path: FieldPath) -> bool:
    """Whether a field of an object differs between two renders.

    A value that makes the object go, or gives it another name, made the field only where that is what was asked about.
    """
    old = next((item.obj for item in before.objects if item.key == key), None)
    new = next((item.obj for item in after.objects if item.key == key), None)
    if old is None or new is None:
        return old is not new and str(path) in IDENTITY
    return bool(path.resolve(old) != path.resolve(new))


def written_in(documents: Iterable[yaml.Document], item: DesiredObject, path: FieldPath) -> tuple[int, Any]:
    """Return line and value of a field in the file that an object was read from; 0 where it does not stand there."""
    named = [
        (document, document.value)
        for document in documents
        if isinstance(document.value, dict) and document.value.get("kind") == item.obj.get("kind")
    ]
    there = [one for one in named if item.origin.line in (one[0].line, one[0].position_or_parent(("kind",)).line)]
    parts = [one for one in named if (name := meta.name(one[1])) and name in item.key.name]
    for document, obj in there or parts[:1]:
        steps = indexed(obj, path)
        if steps and document.position(steps):
            return document.position_or_parent(steps).line, FieldPath(steps).resolve(obj)
    return 0, MISSING


def template_line(text: str, start: int, path: FieldPath) -> int:
    """Return the line of a template, from the start of an object on, that names the last field of a path; else 0."""
    name = next((step for step in reversed(path.steps) if isinstance(step, str)), "")
    wanted = re.compile(rf"^[\s-]*[\"']?{re.escape(name)}[\"']?\s*:")
    for number, line in enumerate(text.splitlines(), start=1):
        if number > start and line.startswith("---"):
            return 0
        if number >= start and wanted.match(line):
            return number
    return 0


def indexed(obj: Any, path: FieldPath) -> yaml.Path:
    """Return a path with positions instead of keys, as far as it can be followed; empty where it cannot."""
    steps: list[str | int] = []
    for step in path.steps:
        if isinstance(step, KeyMatch):
            items = obj if isinstance(obj, list) else []
            index = next((number for number, one in enumerate(items) if step.matches(one)), None)
            if index is None:
                return ()
            steps.append(index)
            obj = items[index]
        elif (isinstance(step, str) and isinstance(obj, dict) and step in obj) or (
            isinstance(step, int) and isinstance(obj, list) and 0 <= step < len(obj)
        ):
            steps.append(step)
            obj = obj[step]  # type: ignore[index]
        else:
            return ()
    return tuple(steps)


def leaves(value: Any, steps: tuple[Step, ...] = ()) -> Iterator[FieldPath]:
    """Yield the paths of all fields that hold no others; members of lists by their names, where they have some."""
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from leaves(member, (*steps, str(name)))
    elif isinstance(value, list) and value:
        for number, member in enumerate(value):
            name = member.get("name") if isinstance(member, dict) else None
            step: Step = KeyMatch((("name", name),)) if isinstance(name, str) else number
            yield from leaves(member, (*steps, step))
    else:
        yield FieldPath(steps)
