"""Applications that their ApplicationSet no longer generates, and that nobody deleted: one cause for each set."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.findings.wording import kinds
from syncline.core.diagnose.graph.applications.orphans import kept_by_policy, orphaned
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.symptoms import state_of
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model import names
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="APS-201",
    name="orphaned-app",
    severity=Severity.WARNING,
    summary="An ApplicationSet no longer generates one of its Applications, but has not deleted it.",
    fix="delete the Application, or restore what the set generated it from",
    looks_at=(LooksAt.LIVE, LooksAt.FILES),
    why="A set with the policy create-update or create-only keeps Applications that it no longer generates. Such an "
    "app goes on delivering, often next to the one that replaced it, and is not worth repairing. Deleting it deletes "
    "what it delivers if it has Argo CD's finalizer.",
)


_POLICY = "spec.syncPolicy.applicationsSync"


class _Orphan(msgspec.Struct, frozen=True):
    key: ObjectKey
    cascades: bool
    alone: tuple[Thing, ...]
    """What it delivers and no other app does."""
    shared: tuple[Thing, ...]


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield the one fault of an app that nobody wants any more: whatever else is wrong with it follows."""
    appset = orphaned(node.fleet, node.obj)
    if appset is None:
        return
    cause = Thing(cluster=node.fleet.home.name, key=appset)
    yield Fault(
        rule=RULE,
        state=state_of(node.obj) or "orphaned",
        cause=cause,
        about="orphans",
        part=_orphan(node),
        together=partial(_finding, node, appset),
        sole=True,
        removes=True,
    )


def _orphan(node: Node) -> _Orphan:
    own = [thing for thing, row in node.fleet.managed(node.obj) if not row.get("hook")]
    alone = tuple(thing for thing in own if len(node.fleet.deliverers(thing)) == 1)
    shared = tuple(thing for thing in own if thing not in alone)
    return _Orphan(node.key, names.RESOURCES_FINALIZER in meta.finalizers(node.obj), alone, shared)


def _finding(node: Node, appset: ObjectKey, orphans: Sequence[_Orphan]) -> Finding:
    policy = kept_by_policy(node.fleet.home.get(appset) or {})
    apps = [one.key.name for one in orphans]
    many = len(orphans) > 1
    what = f"{len(orphans)} Applications are left over that" if many else f"Application {apps[0]} is left over:"
    them = f": {listed(apps)}" if many else " it"
    commands = [
        shlex.join(["kubectl", "delete", "applications.argoproj.io", "-n", space, *(one.key.name for one in same)])
        for space, same in _by_namespace(orphans)
    ]
    return RULE.finding(
        f"ApplicationSet/{appset.name}",
        f"{what} ApplicationSet/{appset.name} no longer generates{them}",
        evidence=[
            *(
                [Evidence(kind=EvidenceKind.FIELD, text=f"applicationsSync: {policy}", subject=appset, path=_POLICY)]
                if policy
                else []
            ),
            *(
                Evidence(
                    kind=EvidenceKind.FIELD,
                    text=f"{one.key.name} is not among what {appset.name} generates",
                    subject=one.key,
                    path="metadata.ownerReferences",
                )
                for one in orphans
            ),
        ],
        fix=Fix(text=_goes(orphans), command=" && ".join(commands)),
        options=[Fix(text="restore the files or clusters that the set generated them from, if you want to keep them")],
    )


def _by_namespace(orphans: Sequence[_Orphan]) -> list[tuple[str, list[_Orphan]]]:
    found: dict[str, list[_Orphan]] = {}
    for one in orphans:
        found.setdefault(one.key.namespace, []).append(one)
    return sorted(found.items())


def _goes(orphans: Sequence[_Orphan]) -> str:
    """Return what goes along with the apps."""
    gone = Counter(thing.key.kind for one in orphans if one.cascades for thing in one.alone if thing.key is not None)
    shared = sorted({str(thing) for one in orphans if one.cascades for thing in one.shared})
    who = "they deliver" if len(orphans) > 1 else "it delivers"
    parts = [f"deletes what only {who}: {kinds(gone)}"] if gone else []
    if shared:
        parts.append(f"{listed(shared)} may go too: sync the apps that keep delivering {_them(shared)} afterwards")
    if not any(one.cascades for one in orphans):
        parts.append(f"what {who} stays, because there is no Argo CD finalizer")
    return "; ".join(parts)


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"
