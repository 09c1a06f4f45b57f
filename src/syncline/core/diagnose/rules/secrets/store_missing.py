"""A SecretStore that ExternalSecrets name and that does not exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.references import read
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

GROUP = "external-secrets.io"
STORES = (GroupKind(GROUP, "SecretStore"), GroupKind(GROUP, "ClusterSecretStore"))
RULE = Rule(
    code="SEC-002",
    name="store-missing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.INFO}),
    summary="ExternalSecrets name a SecretStore or ClusterSecretStore that does not exist.",
    fix="deliver the store, or name one that exists, with its kind",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="No Secret is created. A store of another kind with the same name does not count: `kind` defaults to "
    "SecretStore, and a SecretStore serves only its own namespace.",
    bad="""\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {name: vault}
  target: {name: db}
---
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {fake: {data: []}}}
""",
    good="""\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  target: {name: db}
---
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {fake: {data: []}}}
""",
)
_SHOWN = 3


@on_node(RULE, *STORES)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a store that is named and absent."""
    if node.thing.absent:
        yield Fault(rule=RULE, state="absent", tell=lambda: _finding(node))


def _finding(node: Node) -> Finding:
    key = node.key
    users = [
        (one, reference.path)
        for one, obj in node.cluster.of_kind(GroupKind(GROUP, "ExternalSecret"), key.namespace or None)
        for reference in read.references(obj)
        if reference.key == key
    ]
    where = f" in {key.namespace}" if key.namespace else ""
    return RULE.finding(
        key.short,
        f"{key.short}{where} does not exist; {len(users)} ExternalSecret{'s name' if len(users) != 1 else ' names'} it",
        evidence=[
            *(
                Evidence(kind=EvidenceKind.FIELD, text=f"names {key.short}", subject=one, path=path)
                for one, path in users[:_SHOWN]
            ),
            *(found for one, path in users[:1] for found in line(node.fleet, node.at(one), path)),
        ],
        fix=_edit(node, key, [(node.at(one), path) for one, path in users]) or Fix(text=_advice(node, key)),
    )


def _edit(node: Node, key: ObjectKey, users: list[tuple[Thing, str]]) -> Fix | None:
    """Return the edits that name the one store that can be meant, where every line is certain."""
    known = [one.name for one, _obj in node.cluster.of_kind(key.group_kind) if one.namespace == key.namespace]
    close = near(key.name, known)
    fixes = [rewrite(node.fleet, user, path, close[0]) for user, path in users] if len(close) == 1 else []
    if not fixes or not all(fix.edits for fix in fixes):
        return None
    return Fix(edits=tuple(edit for fix in fixes for edit in fix.edits))


def _advice(node: Node, key: ObjectKey) -> str:
    spaces = ("", key.namespace)
    others = [one for kind in STORES for one, _obj in node.cluster.of_kind(kind) if one.namespace in spaces]
    namesake = next((one for one in others if one.name == key.name), None)
    if namesake is not None:
        return f"decide: write kind: {namesake.kind}, under which {key.name} exists, or deliver a {key.kind}"
    close = near(key.name, [one.name for one in others if one.kind == key.kind]) or [one.short for one in others]
    return (
        f"decide: name a store that exists ({listed(sorted(close))}), or deliver {key.short}"
        if close
        else (f"decide: deliver {key.short}; no store was read that could be used instead")
    )


_User = tuple[Delivery, Prepared, str]


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per store that is not the one that is there, and a remark where there is none at all."""
    wanted: dict[ObjectKey, list[_User]] = defaultdict(list)
    for delivery, item, references in repo.world.references:
        for one in references:
            if one.key.group_kind in STORES and not repo.world.makers(one.key):
                wanted[one.key].append((delivery, item, one.path))
    stores = [key for kind in STORES for key in repo.world.objects if key.group_kind == kind]
    for key, users in sorted(wanted.items()):
        alike = [store for store in stores if store.name == key.name]
        near = nearest(key.name, [store.name for store in stores if store.kind == key.kind])
        shown = f"{key.kind} {key.name}" + (f" in namespace {key.namespace}" if key.namespace else "")
        evidence = [at(item, path, f"for {item.key.short} of {delivery}") for delivery, item, path in users]
        if alike:
            there = f"{alike[0].kind} {alike[0].name}" + (f" in {alike[0].namespace}" if alike[0].namespace else "")
            message = f"{_users(users)} {shown}, which nothing here creates; there is {there}"
            fix = Fix(text=f"write kind: {alike[0].kind}") if alike[0].kind != key.kind else RULE.usual_fix
            yield RULE.finding(shown, message, evidence=evidence, fix=fix)
        elif near:
            message = f"{_users(users)} {shown}, which nothing here creates; did you mean {near[0]}?"
            yield RULE.finding(shown, message, evidence=evidence, fix=Fix(text=f"write {near[0]}"))
        else:
            message = f"cannot tell whether {shown} will exist: nothing in this repository creates it"
            yield RULE.finding(shown, message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.INFO)


def _users(users: Sequence[_User]) -> str:
    return f"{users[0][1].key.short} names" if len(users) == 1 else f"{len(users)} objects name"
