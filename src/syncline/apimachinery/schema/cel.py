"""Checks custom objects against the CEL rules of their CRD (`x-kubernetes-validations`), in the API server's words.

Asked before an object is sent, with the schema of its kind and, for an update, the object as stored. Rules run in
`syncline.apimachinery.cel`. As in the API server a rule that mentions `oldSelf` runs only where the value was there
before; on an update a rule that breaks on a value that did not change is only warned of; and all rules of an object
have one budget, after which no more are run. A rule that no API server would take is no violation: it is handed back
among the skipped ones with the reason. `syncline.apimachinery.schema.cel_values` makes values for rules.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, NoReturn

from syncline.apimachinery import equality
from syncline.apimachinery.cel import program, types, values
from syncline.apimachinery.cel.program import Budget, Program
from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import cel_sizes, cel_values, custom_immutable
from syncline.apimachinery.schema.immutable import Violation
from syncline.apimachinery.schema.node import ANY, UNSET, Node

MAX_EVALUATIONS: Final = 10_000
"""Rules run for one object, so that many cheap ones do not take long either."""
BUDGET: Final = 10_000_000
"""What the rules of one object may cost together."""
_LONGEST: Final = 5 * 1024
_NO_MORE: Final = "no further validation rules will be run"

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
    warnings: tuple[Violation, ...] = ()


def check(obj: Object, node: Node, old: Object | None = None) -> Checked:
    """Run all rules of a custom kind's schema on an object, as created or, with `old`, as updated."""
    run = _Run()
    with contextlib.suppress(_Stop):
        run.walk(_Place(obj, UNSET if old is None else old, node, "", kept=False))
    return Checked(tuple(run.violations), tuple(run.skipped), tuple(run.warnings))


class _Place(NamedTuple):
    """A value in the object with its schema and what stood there before."""

    value: Any
    old: Any
    node: Node
    path: str
    kept: bool
    """Whether it, or the nearest value around it that can be told from others, did not change."""

    def below(self, value: Any, old: Any, node: Node, step: str) -> _Place:
        kept = self.kept if old is UNSET else equality.equal(old, value)
        return _Place(value, old, node, f"{self.path}{step}", kept)

    @property
    def field(self) -> str:
        return self.path.removeprefix(".")


class _Stop(Exception):
    """No further rules are run."""


class _Run:
    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.skipped: list[Skipped] = []
        self.warnings: list[Violation] = []
        self._left = MAX_EVALUATIONS
        self._budget = Budget(BUDGET)

    def walk(self, place: _Place) -> None:
        if place.value is None:
            return
        for rule in place.node.source.get("x-kubernetes-validations") or ():
            self._judge(rule, place)
        for inner in _inside(place):
            self.walk(inner)

    def _judge(self, rule: Mapping[str, Any], place: _Place) -> None:
        text = str(rule.get("rule") or "").strip()
        if place.old is UNSET and looks_back(text) and not rule.get("optionalOldSelf"):
            return
        if self._left <= 0:
            told = f"more than {MAX_EVALUATIONS} rules to check in one object"
            self.skipped.append(Skipped(place.field, text, told))
            return
        self._left -= 1
        try:
            if _evaluated(text, place, rule, self._budget) is True:
                return
        except _CannotRun as problem:
            self.skipped.append(Skipped(place.field, text, str(problem)))
            return
        except values.OutOfBudget:
            self._stop(place, f"validation failed due to running out of cost budget, {_NO_MORE}")
        except values.TooLong:
            self._stop(place, f"'{_COSTLY}': {_NO_MORE} due to call cost exceeds limit for rule: {_said(rule, text)}")
        except values.Fault as fault:
            self._complain(place, _failed(str(fault), _said(rule, text)))
            return
        self._refuse(rule, text, place)

    def _refuse(self, rule: Mapping[str, Any], text: str, place: _Place) -> None:
        words = self._words(rule, text, place)
        found = Violation(_at(place.field, rule), custom_immutable.refusal(rule, place.value, words))
        (self.warnings if place.kept and not looks_back(text) else self.violations).append(found)

    def _words(self, rule: Mapping[str, Any], text: str, place: _Place) -> str:
        expression = str(rule.get("messageExpression") or "").strip()
        said: Any = None
        if expression:
            try:
                said = _evaluated(expression, place, rule, self._budget)
            except (_CannotRun, values.Fault):
                said = None
            except values.OutOfBudget:
                self._stop(place, f"messageExpression evaluation failed due to running out of cost budget, {_NO_MORE}")
            except values.TooLong:
                shown = json.dumps(expression, ensure_ascii=False)
                self._stop(place, f"{_NO_MORE} due to call cost exceeds limit for messageExpression: {shown}")
        told = said.strip() if isinstance(said, str) else ""
        if told and "\n" not in told and len(told.encode()) <= _LONGEST:
            return told
        return str(rule.get("message") or "").strip() or f"failed rule: {text}"

    def _complain(self, place: _Place, told: str) -> None:
        self.violations.append(Violation(place.field or "<nil>", f'Invalid value: "{place.node.type}": {told}'))

    def _stop(self, place: _Place, told: str) -> NoReturn:
        self._complain(place, told)
        raise _Stop


def _inside(place: _Place) -> Iterator[_Place]:
    value, old, node = place.value, place.old, place.node
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        for name, member in value.items():
            inner = node.field(name)
            if inner is not None and inner is not ANY:
                step = f".{name}" if name in node.fields else f"[{name}]"
                yield place.below(member, before.get(name, UNSET), inner, step)
    elif isinstance(value, list) and node.elements is not None and node.elements is not ANY:
        keyed = node.list_type == "map" and isinstance(old, list)
        earlier = {custom_immutable.identity(item, node): item for item in old} if keyed else {}
        for index, item in enumerate(value):
            was = earlier.get(custom_immutable.identity(item, node), UNSET) if keyed else UNSET
            yield place.below(item, was, node.elements, f"[{index}]")


_COSTLY: Final = "operation cancelled: actual cost limit exceeded"


def _said(rule: Mapping[str, Any], text: str) -> str:
    return str(rule.get("message") or text).strip()


def _failed(fault: str, said: str) -> str:
    if fault.startswith(values.NO_OVERLOAD):
        told = "call arguments did not match a supported operator, function or macro signature for rule"
        return f"'{fault}': {told}: {said}"
    return f"{fault} evaluating rule: {said}"


def looks_back(text: str) -> bool:
    """Tell whether a rule is about a change."""
    return re.search(r"\boldSelf\b", re.sub(_TEXT, '""', text)) is not None


def _at(path: str, rule: Mapping[str, Any]) -> str:
    """Return where a violation is told: at the rule's place, or at the field below it that the rule names."""
    below = str(rule.get("fieldPath") or "")
    below = re.sub(r"\['((?:\\.|[^'\\])*)'\]", r".\1", below).removeprefix(".")
    return ".".join(part for part in (path, below) if part) or "<nil>"


class _CannotRun(Exception):
    """No server would take the rule."""


def _evaluated(text: str, place: _Place, rule: Mapping[str, Any], budget: Budget) -> Any:
    optional = bool(rule.get("optionalOldSelf"))
    made = compiled(text, place.node, optional=optional)
    if isinstance(made, str):
        raise _CannotRun(made)
    known = place.old is not UNSET
    old = cel_values.as_before(place.old, place.value, place.node) if known else None
    before = cel_values.value_for_rules(old, place.node) if known else None
    variables = {
        "self": cel_values.value_for_rules(place.value, place.node),
        "oldSelf": values.Optional(known, before) if optional else before,
    }
    return made.run(variables, budget)


@functools.lru_cache(maxsize=4096)
def compiled(text: str, node: Node, *, optional: bool = False) -> Program | str:
    """Return the program of a rule about values of a schema, or why there is none."""
    declared = cel_values.type_for_rules(node)
    variables = {"self": declared, "oldSelf": types.optional_of(declared) if optional else declared}
    try:
        return program.compiled(text, variables)
    except program.NotCompiled as problem:
        return str(problem)


def most(rule: Program, node: Node) -> int:
    """Return what a rule about values of a schema costs at most for one of them."""
    known = cel_sizes.of_schema(node)
    return 0 if known is None else rule.most(lambda path: cel_sizes.size_at(known, path))
