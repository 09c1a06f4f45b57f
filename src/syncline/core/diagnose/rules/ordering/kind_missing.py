"""Custom resources whose kind the cluster does not serve: one finding per kind, with who would deliver it."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose import around
from syncline.core.diagnose.not_served import unserved
from syncline.core.diagnose.refusals import sync_again
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.core.diagnose.suppliers import Supplier, comes_with, not_rendered, supplier, trouble
from syncline.core.diagnose.written import line
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="ORD-001",
    name="kind-missing",
    severity=Severity.ERROR,
    summary="Objects are of a kind that the cluster does not serve: the CustomResourceDefinition is missing.",
    fix="deliver the CustomResourceDefinition first: repair or add the app that has it",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="The objects cannot be applied. Most often another app delivers the definition and is broken itself, so that "
    "is the one to repair; the sync is then retried automatically.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding for all kinds that come from the same supplier."""
    missing: dict[GroupKind, list[ObjectKey]] = {}
    for one in unserved(app):
        if not one.api_version and not one.removed:
            missing.setdefault(one.key.group_kind, []).append(one.key)
    by_supplier: dict[Supplier | None, list[GroupKind]] = {}
    for kind in sorted(missing):
        by_supplier.setdefault(supplier(app, kind), []).append(kind)
    for one_supplier, kinds in by_supplier.items():
        yield _finding(app, one_supplier, kinds, sorted({key for kind in kinds for key in missing[kind]}))


def _finding(app: App, by: Supplier | None, kinds: list[GroupKind], keys: list[ObjectKey]) -> Finding:
    named = around.listed([f"{kind.kind} ({kind.group})" for kind in kinds])
    verb = "needs" if len(keys) == 1 else "need"
    message = f"{around.plural(len(keys), 'object')} {verb} {named}, which the cluster does not serve"
    return RULE.finding(
        keys[0].short if len(keys) == 1 else around.listed([key.short for key in keys]),
        f"{message}: {_delivered_by(app, by, kinds)}" if by else f"{message}; {_nobody(app, kinds)}",
        evidence=[found for key in keys for found in line(app, key, "", key.short)],
        confidence=Confidence.TEXT if by and not by.known else Confidence.DECLARED,
        fix=_fix(app, by, kinds),
    )


def _delivered_by(app: App, by: Supplier, kinds: list[GroupKind]) -> str:
    it = "it" if len(kinds) == 1 else "them"
    would = f"would deliver {it}," if by.known else f"delivers {it}, by its name,"
    return f"app {around.title(app, by.key)} {would} and {trouble(around.get(app, by.key) or {})}"


def _nobody(app: App, kinds: list[GroupKind]) -> str:
    """Return who could deliver kinds that no app is known to have."""
    chart = comes_with(kinds)
    words = f"no app here delivers it; it comes with {chart}" if chart else "no app here delivers it"
    own = app.assessment.myself
    broken = [
        around.title(app, key)
        for key, other in around.of_kind(app, own.group_kind)
        if key != own and not_rendered(other)
    ]
    return f"{words} (not known of {around.listed(broken)}: cannot be rendered)" if broken else words


def _fix(app: App, by: Supplier | None, kinds: list[GroupKind]) -> Fix:
    if by is not None:
        name = around.title(app, by.key)
        return Fix(text=f"repair app {name}; {_afterwards(app)}", command=f"syncline why {name}")
    what = " and ".join(f"{kind.kind} ({kind.group})" for kind in kinds)
    return Fix(text=f"decide: add an app that delivers the definition of {what}, or take these objects out")


def _afterwards(app: App) -> str:
    again = sync_again(app)
    return f"then {again}" if again else "this one is then retried automatically"
