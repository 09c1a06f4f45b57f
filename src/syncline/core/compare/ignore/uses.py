"""Which ignore rules of an Application point at something, and which of them at nothing at all.

Asked by `syncline.core.compare.compare` for every object that has such rules; a rule that is not used is a slip of the
pen or a leftover, and hides nothing. Rules of the settings are about other Applications too, so they are never called
unused. What cannot be known (the object is not live, jq was not asked) counts as used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from syncline.apimachinery import cuts, jq_paths, meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.compare.ignore.rules import Answers, IgnoreRule, IgnoreRules
from syncline.model import names
from syncline.model.comparison import ComparedObject, IgnoreUse, UnusedRule


def uses(rules: Sequence[IgnoreRule], desired: Object, live: Object | None, answers: Answers) -> tuple[IgnoreUse, ...]:
    """Return what the Application's rules point at in an object."""
    return tuple(
        IgnoreUse(rule.source, field)
        for rule in rules
        if not rule.shared
        for field in _used(rule, desired, live, answers)
    )


def _used(rule: IgnoreRule, desired: Object, live: Object | None, answers: Answers) -> Iterator[str]:
    if live is None:
        yield from _parts(rule)
        return
    sides = (desired, live)
    fields = rule.fields
    yield from (text for text in fields.json_pointers if any(cuts.pointer(side, text) for side in sides))
    yield from (text for text in fields.jq_path_expressions if any(_leads(text, side, answers) for side in sides))
    entries = meta.managed_fields(live)
    writers = {entry.get("manager") for entry in entries}
    yield from (manager for manager in fields.managed_fields_managers if manager in writers)


def _leads(expression: str, obj: Object, answers: Answers) -> bool:
    """Whether a jq path leads to something in an object."""
    program = jq_paths.parse(expression)
    if program is None:
        answer = answers.get(expression, obj)
        return answer is None or bool(answer.error) or answer.value != obj
    try:
        return any(FieldPath(path).resolve(obj) is not MISSING for path in program.paths(obj))
    except jq_paths.PathFailed:
        return False


def _parts(rule: IgnoreRule) -> tuple[str, ...]:
    fields = rule.fields
    return (*fields.json_pointers, *fields.jq_path_expressions, *fields.managed_fields_managers)


def unused(rules: IgnoreRules, rows: Iterable[ComparedObject], objects: Iterable[Object]) -> tuple[UnusedRule, ...]:
    """Return the Application's rules, and parts of rules, that point at nothing in any of its objects."""
    own = rules.of_app
    found = [UnusedRule(f"annotation {names.ACCEPTED_DRIFT}", problem) for problem in rules.problems]
    if not own:
        return tuple(found)
    used = {use for row in rows for use in row.ignored}
    matched = {rule.source for obj in objects for rule in rules.of(obj) if not rule.shared}
    for rule in own:
        if rule.source not in matched:
            found.append(UnusedRule(rule.source, f"no object of the app is {_wanted(rule)}"))
            continue
        idle = [field for field in _parts(rule) if IgnoreUse(rule.source, field) not in used]
        found += [UnusedRule(rule.source, f"{field} matches nothing", field) for field in idle]
    return tuple(found)


def _wanted(rule: IgnoreRule) -> str:
    kind = f"{rule.group}/{rule.kind}" if rule.group else rule.kind
    named = f" named {rule.name}" if rule.name else ""
    return f"of kind {kind}{named}" + (f" in namespace {rule.namespace}" if rule.namespace else "")
