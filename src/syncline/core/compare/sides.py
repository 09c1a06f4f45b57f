"""Both sides of one object as they are compared, and the fields in which they differ.

Called by `syncline.core.compare.compare` for every desired object that is live. The predicted object (by whichever
strategy) is stripped of what does not count, just as live is; what then differs is a difference. Defaults and the
server's spelling are looked at only where something differs that they could explain, because most objects are equal.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import diff, merge, meta
from syncline.apimachinery.keys import Object, gvk_of, key_of
from syncline.apimachinery.merge import comparing, described, lastapplied, removing
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.apimachinery.schema import builtin, repeated
from syncline.apimachinery.schema.node import ANY, Node
from syncline.apimachinery.schema.stored import stored_form
from syncline.core.compare import amounts, kind_rules
from syncline.core.compare.context import Context
from syncline.core.compare.ignore import rules as ignoring
from syncline.core.compare.normal import bare, comparable, status_counts
from syncline.core.compare.strategies import choose as strategy
from syncline.core.compare.strategies import client_side as clientside
from syncline.core.compare.strategies import dry_run as dryrun
from syncline.core.compare.strategies import structured
from syncline.model import names
from syncline.model.comparison import CompareStrategy, StrategyChoice
from syncline.model.masking import as_stored, is_secret
from syncline.model.script import Script
from syncline.model.settings.settings import TrackingMethod


class Sides(msgspec.Struct, frozen=True, kw_only=True):
    """Live (`before`) and what an apply would make of it (`after`); `raw` is the same before defaults and spelling."""

    base: Object
    """Live with the ownership that counts."""
    before: Object
    after: Object
    choice: StrategyChoice
    changes: tuple[diff.FieldChange, ...] = ()
    raw: tuple[Object, Object] | None = None
    pending: tuple[Script, ...] = ()
    problems: tuple[str, ...] = ()


def sides_of(desired: Object, live: Object, context: Context) -> Sides:
    """Return both sides; raises `merge.SchemaError` or `PatchError` where the object cannot be predicted."""
    answer = context.predicted.get(key_of(desired)) if context.predicted else None
    choice = strategy.choose(desired, context, answer)
    if choice.strategy is CompareStrategy.CLIENT_SIDE:
        return _client_side(desired, live, context, choice)
    base = structured.taken_over(live, context)
    if choice.strategy is CompareStrategy.SERVER_SIDE and isinstance(answer, dict):
        node = context.node_for(gvk_of(desired))
        manager = context.settings.field_manager
        predicted = answer if choice.include_webhooks else dryrun.ours(answer, base, manager, node)
        if base is not live:
            predicted = _without_removed(predicted, desired, base, context)
    else:
        try:
            predicted = structured.predict(desired, base, context)
        except merge.SchemaError:
            if not repeated.refused_server_side(desired):
                raise
            return _client_side(desired, live, context, strategy.REPEATED_KEY)
        if predicted is base and not context.explain:
            return Sides(base=base, before=base, after=base, choice=choice)
    return _Work(desired, context, choice).finished(base, predicted)


def _without_removed(predicted: Object, desired: Object, base: Object, context: Context) -> Object:
    """Return the server's answer without what a sync removes after it took over the fields of client-side apply.

    The dry run was made without that step, so the former manager still holds what Git no longer has.
    """
    node = context.node_for(gvk_of(desired))
    try:
        removed = comparing.compare(base, structured.predict(desired, base, context), node).removed
        return removing.remove(predicted, removed, node) if removed else predicted
    except merge.SchemaError:
        return predicted


class _Work:
    """One object on its way to being compared."""

    def __init__(self, desired: Object, context: Context, choice: StrategyChoice) -> None:
        self.gvk = gvk_of(desired)
        self.node = context.node_for(self.gvk)
        self.context = context
        self.choice = choice
        self.rules = context.rules.of(desired)
        self.pending: list[Script] = []
        self.problems: dict[str, None] = {}

    def counted(self, obj: Object) -> Object:
        """Return the object without what rules and its kind leave out."""
        if self.rules:
            found = ignoring.stripped(obj, self.rules, self.context.answers)
            obj = found.obj
            self.pending += found.pending
            self.problems.update(dict.fromkeys(found.problems))
        return kind_rules.apply(obj, self.gvk, self.context.settings)

    def bare(self, obj: Object) -> Object:
        return bare(obj, with_status=status_counts(self.gvk, self.context.settings.compare))

    def without_trusted(self, live: Object, before: Object, after: Object) -> tuple[Object, Object]:
        """Return both sides without the fields in which they differ and which a trusted manager owns."""
        managers = ignoring.managers(self.rules)
        owned = dryrun.owned_by(live, managers) if managers else None
        if not owned:
            return before, after
        try:
            theirs = comparing.compare(before, after, self.node).modified.intersection(owned)
            return removing.remove(before, theirs, self.node), removing.remove(after, theirs, self.node)
        except merge.SchemaError:
            return before, after

    def finished(self, base: Object, predicted: Object) -> Sides:
        before, after = self.bare(self.counted(base)), self.bare(self.counted(predicted))
        before, after = self.without_trusted(base, before, after)
        raw = before, after
        found = diff.diff(before, after, self.node, by_value=True, ignore_order=True)
        if self.context.explain or not all(_is_plain(change.before) and _is_plain(change.after) for change in found):
            before, after = self._comparable(before), self._comparable(after)
            found = diff.diff(before, after, self.node, by_value=True, ignore_order=True)
        if found and self.node.embedded:
            found = tuple(change for change in found if not amounts.are_equal(change, self.node))
        if found and self.choice.strategy is CompareStrategy.STRUCTURED:
            found = self._without_forgotten(found, base)
        return self.sides(base, (before, after), found, raw)

    def _comparable(self, side: Object) -> Object:
        """Return a side with defaults and in the server's spelling, which for built-in kinds leaves out zero values."""
        typed = self.node is not ANY and not self.node.embedded
        return comparable(stored_form(side, self.node) if typed else side, self.gvk, self.node)

    def _without_forgotten(self, found: tuple[diff.FieldChange, ...], base: Object) -> tuple[diff.FieldChange, ...]:
        applied, manager = lastapplied.configuration(base) or {}, self.context.settings.field_manager
        return tuple(change for change in found if not structured.forgotten_by_server(change, base, applied, manager))

    def sides(
        self,
        base: Object,
        both: tuple[Object, Object],
        found: tuple[diff.FieldChange, ...],
        raw: tuple[Object, Object] | None,
    ) -> Sides:
        return Sides(
            base=base,
            before=both[0],
            after=both[1],
            choice=self.choice,
            changes=tuple(single for change in found for single in _singly(change)),
            raw=raw,
            pending=tuple(self.pending),
            problems=tuple(self.problems),
        )


def _client_side(desired: Object, live: Object, context: Context, choice: StrategyChoice) -> Sides:
    """Compare as Argo CD does by default: byte by byte, after the three-way patch."""
    work = _Work(desired, context, choice)
    known = builtin.for_kind(work.gvk)
    current = _with_tracking_back(desired, live, context)
    wanted, current = work.counted(_as_printed(desired, known)), work.counted(_as_printed(current, known))
    applied = lastapplied.configuration(live)
    original = (
        work.counted(_as_printed(as_stored(applied) if is_secret(applied) else applied, known)) if applied else None
    )
    # The other way round than elsewhere: what trusted managers changed leaves both sides before the patch is made.
    current, wanted = work.without_trusted(live, current, wanted)
    predicted = clientside.predict(original, wanted, current)
    raw = work.bare(current), work.bare(predicted)
    before, after = (comparable(side, work.gvk, work.node) for side in raw)
    found = diff.diff(before, after, work.node)
    return work.sides(structured.taken_over(live, context), (before, after), found, raw)


def _with_tracking_back(desired: Object, live: Object, context: Context) -> Object:
    """Give a live object that only has the instance label its tracking id, as Argo CD does when labels were used."""
    settings = context.settings
    metadata = meta.metadata(live)
    wanted = (meta.annotations(desired)).get(names.TRACKING_ID)
    annotations = metadata.get("annotations") or {}
    labelled = (metadata.get("labels") or {}).get(settings.instance_label)
    if settings.tracking is TrackingMethod.LABEL or not wanted or not labelled or annotations.get(names.TRACKING_ID):
        return live
    return {**live, "metadata": {**metadata, "annotations": {**annotations, names.TRACKING_ID: wanted}}}


def _as_printed(obj: Object, node: Node | None) -> Object:
    """Return an object of a built-in kind as its Go type prints it; as it is where a field is unknown to the type."""
    if node is None:
        return obj
    try:
        described.checked_set_of(obj, node)
    except merge.SchemaError:
        return obj
    return stored_form(obj, node)


def _is_plain(value: Any) -> bool:
    """Whether a value stays what it is, whatever defaults and the server's spelling do; most differences are such."""
    if isinstance(value, str):
        return bool(value) and "\n" not in value
    return isinstance(value, int) and value != 0


def _singly(change: diff.FieldChange) -> list[diff.FieldChange]:
    """Return a change of all labels or annotations as one change for each."""
    if change.path not in ("metadata.annotations", "metadata.labels"):
        return [change]
    before = {} if change.before is MISSING else change.before
    after = {} if change.after is MISSING else change.after
    if not isinstance(before, dict) or not isinstance(after, dict):
        return [change]
    path = FieldPath.parse(change.path)
    return [
        diff.FieldChange(str(path / name), before.get(name, MISSING), after.get(name, MISSING))
        for name in sorted({**before, **after})
    ]
