"""Checks custom objects against the CEL rules of their CRD (`x-kubernetes-validations`), in the API server's words.

Asked before an object is sent, with the schema of its kind and, for an update, the object as stored. Rules run in
`syncline.apimachinery.cel`. As in the API server a rule that mentions `oldSelf` runs only where the value was there
before, and on an update a rule about a value that did not change does not run at all.
A rule that no API server would take, or that takes too long, is no violation: it is handed back among the skipped ones
with the reason. `syncline.apimachinery.schema.cel_values` makes values for rules.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from syncline.apimachinery import equality
from syncline.apimachinery.cel import program, types, values
from syncline.apimachinery.cel.program import Program
from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import cel_values, custom_immutable
from syncline.apimachinery.schema.immutable import Violation
from syncline.apimachinery.schema.node import ANY, UNSET, Node

MAX_EVALUATIONS: Final = 10_000
"""Rules run for one object; each is bounded by itself, so this bounds the time of the whole."""

_TEXT: Final = r"""(?s)[rRbB]{0,2}("{3}.*?"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""


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
        about_change = looks_back(text)
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
        except values.Fault as fault:
            said = str(rule.get("message") or text).strip()
            return Violation(path or "<nil>", f'Invalid value: "{place.node.type}": {fault} evaluating rule: {said}')
        if holds is True:
            return None
        return Violation(_at(path, rule), custom_immutable.refusal(rule, place.value, _words(rule, text, place)))


def looks_back(text: str) -> bool:
    """Tell whether a rule is about a change."""
    return re.search(r"\boldSelf\b", re.sub(_TEXT, '""', text)) is not None


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
        except (_CannotRun, values.Fault):
            said = None
        if isinstance(said, str) and said.strip() and "\n" not in said.strip():
            return said.strip()
    return str(rule.get("message") or "").strip() or f"failed rule: {text}"


class _CannotRun(Exception):
    """No server would take the rule, or it takes too long."""


def _evaluated(text: str, place: _Place, *, optional: bool) -> Any:
    rule = compiled(text, place.node, optional=optional)
    if isinstance(rule, str):
        raise _CannotRun(rule)
    known = place.old is not UNSET
    old = cel_values.as_before(place.old, place.value, place.node) if known else None
    before = cel_values.value_for_rules(old, place.node) if known else None
    variables = {
        "self": cel_values.value_for_rules(place.value, place.node),
        "oldSelf": values.Optional(known, before) if optional else before,
    }
    try:
        return rule.run(variables)
    except values.TooLong:
        raise _CannotRun("it takes longer than the budget of a rule allows") from None


@functools.lru_cache(maxsize=4096)
def compiled(text: str, node: Node, *, optional: bool = False) -> Program | str:
    """Return the program of a rule about values of a schema, or why there is none."""
    declared = cel_values.type_for_rules(node)
    variables = {"self": declared, "oldSelf": types.optional_of(declared) if optional else declared}
    try:
        return program.compiled(text, variables)
    except program.NotCompiled as problem:
        return str(problem)
