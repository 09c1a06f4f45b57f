"""Fills in what the API server fills in: for built-in kinds by rules, for custom kinds by their schema.

Called with an object as it is written by its author; gives back the object as the API server would store it, for
comparing and for the sandbox. The rules are data (`data/defaults.json`): per kind or type of part a list of steps,
each with verbs and an optional condition. Nothing is mutated; unchanged parts are shared with the input, and so
are the defaults themselves among all objects. Status and what the server allocates (addresses, ids) are not filled.

Verbs of a step, in the order they run: `drop`, `set` (where absent, null, empty text or empty list), `setZero`
(where absent, null or 0), `setNull` (where absent or null), `copy` (target path: source path, where the target is
empty), `call` (a function of `syncline.apimachinery.schema.computed_defaults`), `use` (another type's steps on the
same part), `in` (go into a part that is there), `make` (go into a part, made if absent), `each` (go into every
item of a list). A condition (`when`) holds when every field under `is` has one of its values, every `has` is there
and no `lacks` is. `since` is the first Kubernetes minor with the step.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import structural_defaults

if TYPE_CHECKING:
    from syncline.apimachinery.schema import default_rules

apply_schema_defaults = structural_defaults.apply_schema_defaults

Part = dict[str, Any]
Filler = Callable[[Part], Part]
_Step = Callable[[Part, Part], Part]
"""Given the part as it came and as it is now (the same until the first change), returns it as it is then."""


def apply(obj: Object, gvk: GroupVersionKind, version: str | None = None) -> Object:
    """Return the object with the defaults of its built-in kind; other kinds come back as they are.

    `version` is the Kubernetes minor whose defaults are meant, by default the newest.
    """
    filler = _filler_of_kind(gvk, version)
    return obj if filler is None else filler(obj)


@functools.cache
def _rules() -> default_rules.DefaultRules:
    from syncline.apimachinery.schema import default_rules

    return default_rules.load()


@functools.lru_cache(maxsize=4096)
def _filler_of_kind(gvk: GroupVersionKind, version: str | None) -> Filler | None:
    rules = _rules().kinds.get(f"{gvk.group}/{gvk.version}/{gvk.kind}")
    return _filler(rules, version) if rules else None


@functools.lru_cache(maxsize=4096)
def _filler_of_type(name: str, version: str | None) -> Filler:
    return _filler(_rules().types[name], version)


def _minor(version: str) -> int:
    return int(version.removeprefix("v").split(".")[1])


def _filler(rules: list[default_rules.DefaultStep], version: str | None) -> Filler:
    steps = tuple(
        step
        for rule in rules
        if not rule.since or version is None or _minor(version) >= _minor(rule.since)
        for step in _steps(rule, version)
    )

    if len(steps) == 1:
        only = steps[0]
        return lambda part: only(part, part)

    def fill(part: Part) -> Part:
        current = part
        for step in steps:
            current = step(part, current)
        return current

    return fill


def _steps(rule: default_rules.DefaultStep, version: str | None) -> list[_Step]:
    from syncline.apimachinery.schema import computed_defaults

    def filler(name: str) -> Filler:
        return _filler_of_type(name, version)

    steps: list[_Step] = [_drop_step(rule.drop)] if rule.drop else []
    if rule.set:
        steps.append(_set_step(rule.set, (None, "", [])))
    if rule.set_zero:
        steps.append(_set_step(rule.set_zero, (None, 0)))
    if rule.set_null:
        steps.append(_set_step(rule.set_null, (None,)))
    if rule.copy:
        steps.append(_copy_step(rule.copy))
    if rule.call:
        steps.append(_whole_step(computed_defaults.FUNCTIONS[rule.call]))
    if rule.use:
        steps.append(_whole_step(filler(rule.use)))
    steps.extend(_inner_step(name, filler(kind)) for name, kind in rule.in_.items())
    steps.extend(_made_step(name, filler(kind)) for name, kind in rule.make.items())
    steps.extend(_each_step(name, filler(kind)) for name, kind in rule.each.items())
    if rule.when is None:
        return steps
    return [_conditional_step(rule.when, tuple(steps))]


def _conditional_step(condition: default_rules.StepCondition, steps: tuple[_Step, ...]) -> _Step:
    def step(came: Part, current: Part) -> Part:
        if condition.holds(current):
            for inner in steps:
                current = inner(came, current)
        return current

    return step


def _set_step(values: Mapping[str, Any], empty: tuple[Any, ...]) -> _Step:
    items = tuple(values.items())

    def step(came: Part, current: Part) -> Part:
        for name, value in items:
            found = current.get(name)
            # False equals 0 to Python, but is a value of its own to Kubernetes.
            if found is None or (not found and found is not False and found in empty):
                if current is came:
                    current = came.copy()
                current[name] = value
        return current

    return step


def _drop_step(names: list[str]) -> _Step:
    def step(_came: Part, current: Part) -> Part:
        if any(name in current for name in names):
            return {name: value for name, value in current.items() if name not in names}
        return current

    return step


def _copy_step(paths: Mapping[str, str]) -> _Step:
    items = tuple((target.split("."), source.split(".")) for target, source in paths.items())

    def step(_came: Part, current: Part) -> Part:
        for target, source in items:
            value = _at(current, source)
            if value and not _at(current, target):
                current = _with(current, target, value)
        return current

    return step


def _at(part: Any, path: list[str]) -> Any:
    for name in path:
        if not isinstance(part, dict):
            return None
        part = part.get(name)
    return part


def _with(part: Part, path: list[str], value: Any) -> Part:
    name, *rest = path
    return {**part, name: _with(part.get(name) or {}, rest, value) if rest else value}


def _whole_step(fill: Filler) -> _Step:
    def step(_came: Part, current: Part) -> Part:
        return fill(current)

    return step


def _inner_step(name: str, fill: Filler) -> _Step:
    def step(came: Part, current: Part) -> Part:
        inner = current.get(name)
        if isinstance(inner, dict):
            filled = fill(inner)
            if filled is not inner:
                if current is came:
                    current = came.copy()
                current[name] = filled
        return current

    return step


def _made_step(name: str, fill: Filler) -> _Step:
    inner_step = _inner_step(name, fill)
    made = fill({})

    def step(came: Part, current: Part) -> Part:
        if current.get(name) is not None:
            return inner_step(came, current)
        if current is came:
            current = came.copy()
        current[name] = made
        return current

    return step


def _each_step(name: str, fill: Filler) -> _Step:
    def step(came: Part, current: Part) -> Part:
        items = current.get(name)
        if not items or not isinstance(items, list):
            return current
        changed: list[Any] | None = None
        for index, item in enumerate(items):
            if isinstance(item, dict):
                filled = fill(item)
                if filled is not item:
                    if changed is None:
                        changed = items.copy()
                    changed[index] = filled
        if changed is not None:
            if current is came:
                current = came.copy()
            current[name] = changed
        return current

    return step
