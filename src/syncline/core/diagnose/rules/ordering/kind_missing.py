"""Custom resources whose kind the cluster does not serve: one finding per kind, with who would deliver it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.schema import resources
from syncline.core import known_kinds
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.not_served import unserved
from syncline.core.diagnose.live.suppliers import Supplier, comes_with, not_rendered, supplier, trouble
from syncline.core.diagnose.live.written import line
from syncline.core.diagnose.messages.refusals import sync_again
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Repo
from syncline.model import names
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="ORD-001",
    name="kind-missing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.INFO}),
    summary="Objects are of a kind that the cluster does not serve: the CustomResourceDefinition is missing.",
    fix="deliver the CustomResourceDefinition first: repair or add the app that has it",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="The objects cannot be applied. Most often another app delivers the CRD and is itself broken, so repair that "
    "one; the sync is then retried automatically.",
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
    return f"{words} (unknown for {around.listed(broken)}, which cannot be rendered)" if broken else words


def _fix(app: App, by: Supplier | None, kinds: list[GroupKind]) -> Fix:
    if by is not None:
        name = around.title(app, by.key)
        return Fix(text=f"repair app {name}; {_afterwards(app)}", command=f"syncline why {name}")
    what = " and ".join(f"{kind.kind} ({kind.group})" for kind in kinds)
    return Fix(text=f"decide: add an app that delivers the CRD of {what}, or remove these objects")


def _afterwards(app: App) -> str:
    again = sync_again(app)
    return f"then {again}" if again else "this one is then retried automatically"


_PLATFORM = (names.GROUP,)
_DESCRIBE = Fix(
    text="describe the cluster (syncline facts > .syncline/clusters/NAME.yaml), or deliver the definitions too"
)


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per cluster for kinds that it does not serve, and one remark for those nobody can tell of."""
    found: dict[str, dict[GroupKind, list[tuple[Delivery, Prepared]]]] = defaultdict(lambda: defaultdict(list))
    for kind, made in repo.world.by_kind.items():
        if kind.group in _PLATFORM or kind in repo.world.defined or resources.for_group_kind(kind) is not None:
            continue
        if "." not in kind.group:
            continue  # a kind of Kubernetes itself, misspelled or removed: for another rule
        for delivery, item in made:
            facts = repo.world.facts(delivery.cluster)
            known = facts is not None and bool(facts.kinds)
            if facts is None or not known or kind not in facts.kinds:
                found[delivery.cluster if known else ""][kind].append((delivery, item))
    for cluster, kinds in sorted(found.items()):
        facts = repo.world.facts(cluster) if cluster else None
        shown = listed(_by_provider(kinds))
        evidence = [at(made[0][1], "", f"{kind.kind} of {made[0][0]}") for kind, made in sorted(kinds.items())]
        if facts is not None:
            message = f"{facts.name} does not serve {shown}, and nothing in this repository defines what is missing"
            severity, fix = Severity.INFO if facts.stale else Severity.ERROR, RULE.usual_fix
        else:
            message = f"cannot tell whether {shown} will be served: not defined in this repository"
            severity, fix = Severity.INFO, _DESCRIBE
        yield RULE.finding("kinds", message, evidence=evidence, fix=fix, severity=severity)


def _by_provider(kinds: Iterable[GroupKind]) -> list[str]:
    """Return kinds in words, those of one provider together."""
    found: dict[str, list[str]] = defaultdict(list)
    for kind in sorted(kinds):
        found[known_kinds.provider(kind.group) or kind.group].append(kind.kind)
    return [f"{'/'.join(names_found)} of {provider}" for provider, names_found in found.items()]
