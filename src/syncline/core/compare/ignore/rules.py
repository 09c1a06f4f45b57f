"""Which fields do not count: ignoreDifferences of the Application and of the settings, applied to an object.

`syncline.core.compare.sides` strips both sides of an object with it. jq that plain Python cannot follow is evaluated by
whoever has the evaluate port: `Stripped.pending` lists what is needed, `Answers` carries what came out, until nothing
is pending. Group and kind are globs (without separator), name and namespace are exact; an empty group means the core.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import orjson

from syncline.apimachinery import cuts, globs, jq_paths, meta
from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.core.compare.ignore import acceptance
from syncline.model.application import Application, IgnoreDifference
from syncline.model.comparison import AcceptedDrift
from syncline.model.script import Evaluated, Script, ScriptKind
from syncline.model.settings.resources import IgnoredFields
from syncline.model.settings.settings import Compat, Settings


class IgnoreRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Fields of some objects that do not count, and where that is written."""

    kind: str
    group: str = ""
    name: str = ""
    namespace: str = ""
    fields: IgnoredFields = IgnoredFields()
    source: str = ""
    shared: bool = False
    """Whether it stands in the settings, so that it is about other Applications too."""
    accepted: AcceptedDrift | None = None
    """Why and until when the difference is accepted, where it is not ignored for good."""

    def fits_kind(self, kind: GroupKind) -> bool:
        """Whether group and kind match."""
        return globs.matches(kind.group, self.group) and globs.matches(kind.kind, self.kind)

    def fits_name(self, metadata: Mapping[str, Any]) -> bool:
        """Whether name and namespace match; empty ones match all."""
        return self.name in ("", metadata.get("name")) and self.namespace in ("", metadata.get("namespace") or "")


class IgnoreRules:
    """All rules of one Application, looked up by kind; `expired` are accepted differences whose time has come."""

    __slots__ = ("_by_kind", "all", "expired", "problems")

    def __init__(
        self, rules: Iterable[IgnoreRule] = (), expired: Iterable[IgnoreRule] = (), problems: Iterable[str] = ()
    ) -> None:
        self.all = tuple(rules)
        self.expired = tuple(expired)
        self.problems = tuple(problems)
        """Why accepted differences could not be read."""
        self._by_kind: dict[GroupKind, tuple[IgnoreRule, ...]] = {}

    def of(self, obj: Object) -> tuple[IgnoreRule, ...]:
        """Return the rules that match an object, the Application's first."""
        if not self.all:
            return ()
        kind = gvk_of(obj).group_kind
        found = self._by_kind.get(kind)
        if found is None:
            found = self._by_kind[kind] = tuple(rule for rule in self.all if rule.fits_kind(kind))
        metadata = meta.metadata(obj)
        return tuple(rule for rule in found if rule.fits_name(metadata)) if found else ()

    @property
    def of_app(self) -> tuple[IgnoreRule, ...]:
        """The rules that are about this Application alone."""
        return tuple(rule for rule in self.all if not rule.shared)


NO_RULES = IgnoreRules()


def rules_of(
    app: Application | None, settings: Settings, accepted: Sequence[AcceptedDrift] = (), as_of: str = ""
) -> IgnoreRules:
    """Return the rules in force: of the Application, then accepted drift that has not expired, then of the settings.

    Under Argo CD's rules nobody reads what an Application accepts.
    """
    entries = app.spec.ignore_differences if app else ()
    rules = [rule_of(entry, f"spec.ignoreDifferences[{number}]") for number, entry in enumerate(entries)]
    read = acceptance.read(None if settings.compat is Compat.ARGOCD else app)
    drifts = [rule_of(drift.entry, f"accepted: {drift.reason}", drift) for drift in (*accepted, *read.drifts)]
    expired = [rule for rule in drifts if rule.accepted is not None and rule.accepted.has_expired(as_of)]
    rules += [rule for rule in drifts if rule not in expired]
    for override in settings.overrides:
        if override.ignore_differences is not None:
            group, _, kind = override.pattern.rpartition("/")
            source = f"resource.customizations.ignoreDifferences.{override.pattern}"
            shared = IgnoreRule(group=group, kind=kind, fields=override.ignore_differences, source=source, shared=True)
            rules.append(shared)
    return IgnoreRules(rules, expired, read.problems)


def rule_of(entry: IgnoreDifference, source: str = "", accepted: AcceptedDrift | None = None) -> IgnoreRule:
    """Return an entry of spec.ignoreDifferences as a rule."""
    return IgnoreRule(
        kind=entry.kind,
        group=entry.group,
        name=entry.name,
        namespace=entry.namespace,
        fields=IgnoredFields(
            json_pointers=entry.json_pointers,
            jq_path_expressions=entry.jq_path_expressions,
            managed_fields_managers=entry.managed_fields_managers,
        ),
        source=source,
        accepted=accepted,
    )


class Answers(msgspec.Struct, frozen=True):
    """What jq made of objects, by expression and object."""

    table: Mapping[tuple[str, bytes], Evaluated] = {}

    def get(self, expression: str, obj: Object) -> Evaluated | None:
        """Return the object without what the expression points at, None where that was not asked yet."""
        return self.table.get((expression, _digest(obj))) if self.table else None

    def with_results(self, scripts: Iterable[Script], results: Iterable[Evaluated]) -> Answers:
        """Return these answers and new ones."""
        new = {(script.text, _digest(script.obj)): result for script, result in zip(scripts, results, strict=True)}
        return Answers({**self.table, **new})


NO_ANSWERS = Answers()


def _digest(obj: Object) -> bytes:
    return hashlib.sha256(orjson.dumps(obj, option=orjson.OPT_SORT_KEYS)).digest()


class Stripped(NamedTuple):
    """An object without the fields that do not count; which scripts are still to run; which rules failed."""

    obj: Object
    pending: tuple[Script, ...] = ()
    problems: tuple[str, ...] = ()


def stripped(obj: Object, rules: Sequence[IgnoreRule], answers: Answers) -> Stripped:
    """Return the object without what pointers and jq paths point at, each applied to what the last one left."""
    problems: list[str] = []
    for rule in rules:
        found = [cuts.pointer(obj, text) for text in rule.fields.json_pointers]
        paths = [path for path in found if path]
        obj = cuts.without(obj, paths) if paths else obj
    for rule, expression in _expressions(rules):
        program = jq_paths.parse(expression)
        if program is not None:
            try:
                obj = jq_paths.delete(obj, program) or {}
            except jq_paths.PathFailed as error:
                if not str(error).endswith("null"):
                    problems.append(_problem(rule, expression, str(error)))
            continue
        answer = answers.get(expression, obj)
        if answer is None:
            return Stripped(obj, (Script(kind=ScriptKind.DELETE, text=expression, obj=obj),), tuple(problems))
        if answer.error:
            problems.append(answer.error if expression in answer.error else _problem(rule, expression, answer.error))
        elif isinstance(answer.value, dict):
            obj = answer.value
    return Stripped(obj, (), tuple(problems))


def unreadable(rules: Sequence[IgnoreRule], answers: Answers) -> str:
    """Return which of the rules' expressions is none; empty where jq can read all of them, or was not asked."""
    for rule, expression in _expressions(rules):
        answer = answers.get(expression, {}) if jq_paths.parse(expression) is None else None
        if answer is not None and answer.malformed:
            return f"{rule.source}: {answer.error}" if rule.source else answer.error
    return ""


def readings(rules: Sequence[IgnoreRule], answers: Answers) -> tuple[Script, ...]:
    """Return what to ask jq to learn whether it can read the expressions at all: each with an empty object."""
    texts = dict.fromkeys(expression for _, expression in _expressions(rules) if jq_paths.parse(expression) is None)
    return tuple(Script(kind=ScriptKind.DELETE, text=text, obj={}) for text in texts if not answers.get(text, {}))


def _expressions(rules: Sequence[IgnoreRule]) -> Iterable[tuple[IgnoreRule, str]]:
    return itertools.chain.from_iterable(
        ((rule, expression) for expression in rule.fields.jq_path_expressions) for rule in rules
    )


def _problem(rule: IgnoreRule, expression: str, text: str) -> str:
    where = f"{rule.source}: " if rule.source else ""
    return f"{where}the jq path expression {expression} failed: {text}"


def managers(rules: Sequence[IgnoreRule]) -> frozenset[str]:
    """Return the field managers whose changes do not count."""
    return frozenset(name for rule in rules for name in rule.fields.managed_fields_managers)
