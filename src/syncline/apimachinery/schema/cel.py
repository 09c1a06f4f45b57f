"""Checks custom objects against the CEL rules of their CRD (`x-kubernetes-validations`), in the API server's words.

Asked before an object is sent, with the schema of its kind and, for an update, the object as stored. Rules run in the
CEL project's own C++ library, which ends an evaluation after 10,000 iterations. As in the API server a rule that
mentions `oldSelf` runs only where the value was there before, and on an update a rule about a value that did not
change does not run at all.
A rule that cannot be run here (a Kubernetes function the library lacks, a type it is not given) is no violation: it is
handed back among the skipped ones with the reason. `syncline.apimachinery.schema.cel_values` makes values for rules.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from syncline.apimachinery import equality
from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import cel_values, custom_immutable
from syncline.apimachinery.schema.immutable import Violation
from syncline.apimachinery.schema.node import ANY, UNSET, Node

MAX_EVALUATIONS: Final = 10_000
"""Rules run for one object; each is bounded by itself, so this bounds the time of the whole."""

_TEXT: Final = r"""(?s)[rRbB]{0,2}("{3}.*?"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_FAULTS: Final = (
    (r'NOT_FOUND: Key not found in map : "(.*)"', r"no such key: \1"),
    (r"UNKNOWN: Index error: index=(-?\d+) size=\d+", r"index out of bounds: \1"),
    ("INVALID_ARGUMENT: divide by zero", "division by zero"),
    ("INVALID_ARGUMENT: modulus by zero", "modulus by zero"),
    ("(?:OUT_OF_RANGE|INVALID_ARGUMENT): integer overflow", "integer overflow"),
)
"""Faults of the data, as the library words them and as the API server does; any other means the rule cannot run."""


class Skipped(NamedTuple):
    """A rule that was not checked."""

    path: str
    rule: str
    reason: str


class Checked(NamedTuple):
    """What the rules say of an object."""

    violations: tuple[Violation, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def check(obj: Object, node: Node, old: Object | None = None) -> Checked:
    """Run all rules of a custom kind's schema on an object, as created or, with `old`, as updated."""
    run = _Run()
    for found in run.walk(obj, UNSET if old is None else old, node, ""):
        (run.violations if isinstance(found, Violation) else run.skipped).append(found)
    return Checked(tuple(run.violations), tuple(run.skipped))


class _Place(NamedTuple):
    """A value in the object with its schema and what stood there before."""

    value: Any
    old: Any
    node: Node
    path: str


class _Run:
    def __init__(self) -> None:
        self.violations: list[Any] = []
        self.skipped: list[Any] = []
        self._left = MAX_EVALUATIONS

    def walk(self, value: Any, old: Any, node: Node, path: str) -> Iterator[Violation | Skipped]:
        place = _Place(value, old, node, path)
        for rule in node.source.get("x-kubernetes-validations") or ():
            found = self._outcome(rule, place)
            if found is not None:
                yield found
        if isinstance(value, dict):
            before = old if isinstance(old, dict) else {}
            for name, member in value.items():
                inner = node.field(name)
                if inner is not None and inner is not ANY:
                    where = f"{path}.{name}" if name in node.fields else f"{path}[{name}]"
                    yield from self.walk(member, before.get(name, UNSET), inner, where)
        elif isinstance(value, list) and node.elements is not None and node.elements is not ANY:
            keyed = node.list_type == "map" and isinstance(old, list)
            earlier = {custom_immutable.identity(item, node): item for item in old} if keyed else {}
            for index, item in enumerate(value):
                was = earlier.get(custom_immutable.identity(item, node), UNSET) if keyed else UNSET
                yield from self.walk(item, was, node.elements, f"{path}[{index}]")

    def _outcome(self, rule: Mapping[str, Any], place: _Place) -> Violation | Skipped | None:
        text = str(rule.get("rule") or "").strip()
        optional = bool(rule.get("optionalOldSelf"))
        about_change = re.search(r"\boldSelf\b", re.sub(_TEXT, '""', text)) is not None
        if place.old is UNSET:
            if about_change and not optional:
                return None
        elif not about_change and equality.equal(place.old, place.value):
            return None
        path = place.path.removeprefix(".")
        if self._left <= 0:
            return Skipped(path, text, f"more than {MAX_EVALUATIONS} rules to check in one object")
        self._left -= 1
        try:
            holds = _evaluated(text, place, optional=optional)
        except _CannotRun as problem:
            return Skipped(path, text, str(problem))
        except _Fault as fault:
            said = str(rule.get("message") or text).strip()
            return Violation(path or "<nil>", f'Invalid value: "{place.node.type}": {fault} evaluating rule: {said}')
        if holds is True:
            return None
        return Violation(_at(path, rule), custom_immutable.refusal(rule, place.value, _words(rule, text, place)))


def _at(path: str, rule: Mapping[str, Any]) -> str:
    """Return where a violation is told: at the rule's place, or at the field below it that the rule names."""
    below = str(rule.get("fieldPath") or "")
    below = re.sub(r"\['((?:\\.|[^'\\])*)'\]", r".\1", below).removeprefix(".")
    return ".".join(part for part in (path, below) if part) or "<nil>"


def _words(rule: Mapping[str, Any], text: str, place: _Place) -> str:
    expression = str(rule.get("messageExpression") or "").strip()
    if expression:
        try:
            said = _evaluated(expression, place, optional=bool(rule.get("optionalOldSelf")))
        except (_CannotRun, _Fault):
            said = None
        if isinstance(said, str) and said.strip() and "\n" not in said.strip():
            return said.strip()
    return str(rule.get("message") or "").strip() or f"failed rule: {text}"


class _CannotRun(Exception):
    """The rule is beyond the library."""


class _Fault(Exception):
    """The rule fails on this object, in the API server's words."""


def _evaluated(text: str, place: _Place, *, optional: bool) -> Any:
    known = place.old is not UNSET
    if optional:
        text = f"cel.bind(oldSelf, {'optional.of(oldSelf)' if known else 'optional.none()'}, {text})"
    program = _compiled(text)
    if isinstance(program, str):
        raise _CannotRun(program)
    values = {
        "self": cel_values.value_for_rules(place.value, place.node),
        "oldSelf": cel_values.value_for_rules(place.old, place.node) if known else None,
    }
    try:
        result = program.eval(data=values)
    except RuntimeError as error:
        raise _CannotRun(str(error).partition("\n")[0]) from None
    if result.type().name() != "ERROR":
        return result.plain_value()
    told = str(result.value())
    for pattern, words in _FAULTS:
        found = re.match(pattern, told)
        if found is not None:
            raise _Fault(found.expand(words))
    raise _CannotRun(told.partition("\n")[0])


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> Any:
    """Return the program of a rule, or why there is none."""
    try:
        return cel_values.environment().compile(text)
    except ImportError:
        return "the CEL library is not installed: install cel-expr-python"
    except RuntimeError as error:
        found = re.search(r"undeclared reference to '(\w+)'", str(error))
        return f"{found[1]} is not known here" if found else str(error).splitlines()[0]
