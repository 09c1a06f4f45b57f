"""From drift to rule: the smallest ignoreDifferences entry that silences a difference, with a proof that it does.

Called by the command line and by whoever offers a fix. A field that can be named without keys becomes a JSON pointer,
an item of an associative list a jq path that selects it by key; where one foreign manager made all of several
changes, its name is the rule. The proof is a second comparison with the rule, and more of them in which other fields
were changed too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import orjson

from syncline.apimachinery import cuts
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.paths import FieldPath, KeyMatch, Step, ValueMatch
from syncline.core.compare import placing
from syncline.core.compare.compare import compare_object
from syncline.core.compare.context import Context
from syncline.core.compare.ignore.rules import IgnoreRules, rule_of
from syncline.core.compare.prepare import Prepared
from syncline.model.application import IgnoreDifference
from syncline.model.comparison import Difference, DifferenceCause
from syncline.model.settings.resources import IgnoredFields

_MOST_PROBES = 60
_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
_NO_RULE = {
    DifferenceCause.MISSING: "the object is not live: sync it, or remove it from Git",
    DifferenceCause.EXTRA: "the object is not in Git: prune it, or annotate it with compare-options IgnoreExtraneous",
    DifferenceCause.TRACKING: "the object is not tracked by this app: a sync adds the tracking, a rule would hide that",
}


class Proof(msgspec.Struct, frozen=True, omit_defaults=True):
    """What comparing again with the rule showed.

    `left` are the differences that stay; `shown` counts changes of other fields that still show, `hidden` names
    those that would not.
    """

    silenced: bool
    left: tuple[str, ...] = ()
    shown: int = 0
    hidden: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the rule silences what it should and nothing else."""
        return self.silenced and not self.hidden


class Proposal(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry for spec.ignoreDifferences with its proof; no entry where a rule would be the wrong answer."""

    reason: str
    entry: IgnoreDifference | None = None
    proof: Proof | None = None


def rule_for_all(item: Prepared, live: Object, differences: Sequence[Difference], context: Context) -> Proposal:
    """Return the entry that silences several differences of one object; what no rule is for is left as it is."""
    wrong = next((_NO_RULE[difference.cause] for difference in differences if difference.cause in _NO_RULE), "")
    differences = [difference for difference in differences if difference.cause not in _NO_RULE]
    if not differences:
        return Proposal(wrong or "nothing differs")
    writers = {difference.manager for difference in differences}
    writer = next(iter(writers))
    if len(differences) > 1 and len(writers) == 1 and writer not in ("", context.settings.field_manager):
        entry = _entry(item, IgnoredFields(managed_fields_managers=(writer,)))
        proposal = _proven(item, live, differences, entry, context)
        if proposal.proof is not None and proposal.proof.holds:
            return proposal
    return _proven(item, live, differences, _by_path(item, live, differences), context)


def _entry(item: Prepared, fields: IgnoredFields) -> IgnoreDifference:
    return IgnoreDifference(
        kind=item.key.kind,
        group=item.key.group,
        name=item.key.name,
        namespace=item.key.namespace,
        json_pointers=fields.json_pointers,
        jq_path_expressions=fields.jq_path_expressions,
        managed_fields_managers=fields.managed_fields_managers,
    )


def _by_path(item: Prepared, live: Object, differences: Sequence[Difference]) -> IgnoreDifference:
    pointers: list[str] = []
    expressions: list[str] = []
    for difference in differences:
        steps = FieldPath.parse(difference.path).steps
        if any(isinstance(step, KeyMatch | ValueMatch) for step in steps):
            expressions.append(_expression(steps, (item.obj, live)))
        else:
            pointers.append(cuts.as_pointer(step for step in steps if isinstance(step, str | int)))
    fields = IgnoredFields(json_pointers=tuple(pointers), jq_path_expressions=tuple(expressions))
    return _entry(item, fields)


def _expression(steps: Sequence[Step], sides: tuple[Any, ...]) -> str:
    """Return the jq path of a field, with as few keys as tell its list items apart."""
    text = ""
    for number, step in enumerate(steps):
        if isinstance(step, str):
            plain = step.isascii() and step.isidentifier()
            text += f".{step}" if plain else f"{'' if text and not text.endswith(' ') else '.'}[{_json(step)}]"
        elif isinstance(step, int):
            text += f"[{step}]"
        else:
            lists = [
                found for side in sides if isinstance(found := FieldPath(tuple(steps[:number])).resolve(side), list)
            ]
            text += f"[] | select({_condition(step, lists)}) | "
    return text.removesuffix(" | ")


def _condition(step: KeyMatch | ValueMatch, lists: Sequence[list[Any]]) -> str:
    if isinstance(step, ValueMatch):
        return f". == {_json(step.value)}"
    keys = step.keys
    for count in range(1, len(keys)):
        fewer = KeyMatch(keys[:count])
        if all(sum(map(fewer.matches, items)) <= 1 for items in lists):
            keys = fewer.keys
            break
    return " and ".join(f"{_accessor(name)} == {_json(value)}" for name, value in keys)


def _accessor(name: str) -> str:
    return f".{name}" if name.isascii() and name.isidentifier() else f".[{_json(name)}]"


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _proven(
    item: Prepared, live: Object, differences: Sequence[Difference], entry: IgnoreDifference, context: Context
) -> Proposal:
    rule = rule_of(entry)
    silent = msgspec.structs.replace(context, rules=IgnoreRules((*context.rules.all, rule)), explain=False)
    loud = msgspec.structs.replace(context, explain=False)
    silenced = {difference.path for difference in differences}
    left = _shown(item, live, silent)
    expected = _shown(item, live, loud) - silenced
    proof = Proof(left == expected, tuple(sorted(left)))
    if proof.silenced:
        shown, hidden = 0, []
        for path, changed in _probes(item, live, silenced, context):
            news = _shown(item, changed, loud) - silenced - expected
            if news and news <= _shown(item, changed, silent):
                shown += 1
            elif news:
                hidden.append(path)
        proof = Proof(silenced=True, left=tuple(sorted(left)), shown=shown, hidden=tuple(hidden))
    return Proposal(_words(entry), entry, proof)


def _words(entry: IgnoreDifference) -> str:
    if entry.managed_fields_managers:
        return f"{entry.managed_fields_managers[0]} made all of these changes"
    return "names just these fields of this object"


def _shown(item: Prepared, live: Object, context: Context) -> set[str]:
    row = compare_object(item, live, context)
    return {difference.path for difference in row.differences} | ({row.message} if row.message else set())


def _probes(item: Prepared, live: Object, silenced: set[str], context: Context) -> Iterator[tuple[str, Object]]:
    """Yield live objects in each of which one other field that Git says was changed."""
    node = context.node_for(gvk_of(item.obj))
    count = 0
    for steps, value in placing.leaves(item.obj, node):
        path = str(FieldPath(steps))
        if count >= _MOST_PROBES:
            return
        if steps in _IDENTITY or any(
            path == quiet or path.startswith((f"{quiet}.", f"{quiet}[")) for quiet in silenced
        ):
            continue
        count += 1
        yield path, placing.put(live, steps, _other(value))


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else "x"
