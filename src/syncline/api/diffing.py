"""Compares desired objects with live ones, field by field, as the controller does: `syncline.diff`.

`syncline admin diff` calls it with files and prints the `Diff`. Nothing here reaches a cluster: a server's answers to
dry runs can be handed in. Ignore rules of the Application and of the settings count, jq included. Values of Secrets are
masked in everything that comes out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from syncline.api import inputs, pairing
from syncline.api.running import run
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.schema import custom_immutable, immutable
from syncline.core.compare.compare import compare, needed_scripts
from syncline.core.compare.context import Context, for_app
from syncline.core.compare.schemas import SchemaCache
from syncline.core.compare.shown import shown_sides
from syncline.model.comparison import ComparedObject, CompareStrategy, Comparison
from syncline.model.settings.settings import Settings

if TYPE_CHECKING:
    from syncline.core.compare.ignore.suggest import Proposal
    from syncline.core.compare.prepare import Prepared, PreparedSet
    from syncline.model.application import Application


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between desired and live objects.

    `rows` has one row per object, sorted by key: `key`, `verdict` (Synced, OutOfSync, Unknown), `reasons`, `place`
    (file and line) and `differences`, each with `path`, `desired`, `live`, `cause`, `manager`, `time` and `place`.
    """

    comparison: Comparison
    refused: Mapping[ObjectKey, tuple[str, ...]]
    """Changes that the API server would refuse, since the fields cannot be changed once they are set."""
    notes: tuple[str, ...] = ()
    """What is worth telling beside the rows: kinds that are excluded, objects that are desired twice."""
    single: bool = False
    """Whether one object was compared with one."""
    _compared: _Compared = field(repr=False, kw_only=True)

    @property
    def rows(self) -> tuple[ComparedObject, ...]:
        """One row per object, sorted by key."""
        return self.comparison.rows

    @property
    def modified(self) -> bool:
        """Whether applying would change something; an object that is only live is not applied."""
        return any(is_modified(row) for row in self.rows)

    def sides(self, row: ComparedObject) -> dict[str, Object | None]:
        """Return `desired` and `live` of a row as they were compared; None where there is no such side."""
        return self._compared.sides(row)

    def ignore_rules(self) -> dict[ObjectKey, Proposal]:
        """Return the smallest ignore rule for each object that is on both sides, with the proof of what it hides."""
        return self._compared.ignore_rules(self.comparison)


def is_modified(row: ComparedObject) -> bool:
    """Whether applying would change the object of a row."""
    return row.desired and bool(row.differences)


def diff(
    desired: inputs.Objects,
    live: inputs.Objects,
    *,
    app: inputs.File | Mapping[str, Any] | None = None,
    settings: Settings | inputs.File | None = None,
    crds: inputs.Objects = (),
    predicted: inputs.Objects | None = None,
    as_of: str = "",
    compat: Literal["syncline", "argocd"] | None = None,
) -> Diff:
    """Return what differs between desired and live objects, field by field, and why.

    Objects are paired by key. `app` brings the Application's options, ignore rules and tracking; `settings` a file with
    argocd-cm, an ArgoCD resource or chart values; `crds` the schemas of custom kinds; `predicted` a server's answers to
    dry runs of the apply. `as_of` is the time that counts for what expires (else now), `compat` whose behaviour to
    follow where Syncline differs from Argo CD on purpose.

    Raises `InvalidSpec` where something handed in cannot be read.
    """
    notes: list[str] = []
    application = inputs.parsed(app)
    followed = inputs.settings(settings, compat, notes.append)
    wanted, present = inputs.located(desired, with_fields=True, tell=notes.append), inputs.objects(live)
    if settings is not None:
        wanted, present = pairing.seen(wanted, present, followed, notes.append)
    definitions = [*(item.obj for item in wanted), *present, *inputs.objects(crds)]
    context = _context(application, followed, definitions, as_of or _now())
    if predicted is not None:
        answers = {key_of(obj): obj for obj in inputs.objects(predicted)}
        context = msgspec.structs.replace(context, predicted=answers, strategy=CompareStrategy.SERVER_SIDE)
    by_key = {key_of(obj): obj for obj in present}
    pairs = pairing.pairs(wanted, by_key, application, context.settings, notes.append)
    single = len(wanted) <= 1 and len(present) <= 1
    if single:
        pairing.check_single(pairs, by_key)
    owned = present if single else [obj for obj in present if pairing.is_managed(obj, application, context.settings)]
    items = {item.key: item for item in (*pairs.objects, *pairs.hooks)}
    compared = _Compared(items, by_key, run(answered(pairs, by_key, context)))
    comparison = compare(pairs, by_key, frozenset(map(key_of, owned)), compared.context)
    return Diff(comparison, compared.refused(comparison), tuple(notes), single, _compared=compared)


def _context(app: Application | None, settings: Settings, objects: Sequence[Object], as_of: str) -> Context:
    definitions = [obj for obj in objects if obj.get("kind") == "CustomResourceDefinition"]
    context = for_app(app, settings, SchemaCache().of(definitions).node_for, as_of)
    return msgspec.structs.replace(context, explain=True)


def _now() -> str:
    from syncline import wiring
    from syncline.apimachinery import times

    return times.format_time(wiring.clock().now())


async def answered(pairs: PreparedSet, live: Mapping[ObjectKey, Object], context: Context) -> Context:
    """Return the context with the answers of all jq expressions that the ignore rules ask."""
    from syncline import wiring

    if not needed_scripts(pairs, live, context):
        return context
    async with wiring.evaluating(context.settings.jq_timeout) as evaluator:
        while scripts := needed_scripts(pairs, live, context):
            answers = context.answers.with_results(scripts, await evaluator.evaluate(scripts))
            context = msgspec.structs.replace(context, answers=answers)
    return context


@dataclass(frozen=True, slots=True)
class _Compared:
    """What was compared and how, for questions about single rows."""

    desired: Mapping[ObjectKey, Prepared]
    live: Mapping[ObjectKey, Object]
    context: Context

    def sides(self, row: ComparedObject) -> dict[str, Object | None]:
        """Return both sides of a row as they were compared, masked; as they are where there was nothing to compare."""
        found = shown_sides(row, self.desired.get(row.key), self.live.get(row.key), self.context)
        return {"desired": found.predicted, "live": found.normalized}

    def refused(self, comparison: Comparison) -> dict[ObjectKey, tuple[str, ...]]:
        """Return why the API server would refuse changes: fields that cannot be changed once they are set."""
        found = {}
        for row in comparison.rows:
            sides = self.sides(row) if row.differences and row.desired and row.live else {}
            desired, live = sides.get("desired"), sides.get("live")
            if desired is not None and live is not None:
                found[row.key] = tuple(map(str, self._violations(live, desired)))
        return {key: texts for key, texts in found.items() if texts}

    def _violations(self, live: Object, desired: Object) -> list[immutable.Violation]:
        gvk = gvk_of(desired)
        custom = custom_immutable.violations(live, desired, self.context.node_for(gvk))
        return [*immutable.violations(live, desired, gvk), *custom]

    def ignore_rules(self, comparison: Comparison) -> dict[ObjectKey, Proposal]:
        """Return the smallest rule that silences the differences of each row that has both sides."""
        from syncline.core.compare.ignore import suggest

        return {
            row.key: suggest.rule_for_all(self.desired[row.key], self.live[row.key], row.differences, self.context)
            for row in comparison.rows
            if row.key in self.desired and row.key in self.live and not row.hook
        }
