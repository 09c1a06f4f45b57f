"""A SecretStore that ExternalSecrets name and that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.around import listed
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.graph.near import near
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references import read
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

GROUP = "external-secrets.io"
STORES = (GroupKind(GROUP, "SecretStore"), GroupKind(GROUP, "ClusterSecretStore"))
RULE = Rule(
    code="SEC-002",
    name="store-missing",
    severity=Severity.ERROR,
    summary="ExternalSecrets name a SecretStore or ClusterSecretStore that does not exist.",
    fix="deliver the store, or name one that exists, with its kind",
    looks_at=(LooksAt.LIVE,),
    why="No Secret is made. A store of another kind with the same name does not count: `kind` is SecretStore where it "
    "is left out, and a SecretStore serves its own namespace alone.",
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
        fix=Fix(text=_advice(node, key)),
    )


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
