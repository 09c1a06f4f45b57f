"""A change that takes an object out of Git whose deletion loses data, or much more than the object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.repository.rendered import Address, Rendered, rendered, unknown_clusters
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Change
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.sync_options import Consent, SyncOptions

RULE = Rule(
    code="OWN-002",
    name="data-deleted",
    severity=Severity.ERROR,
    summary="The change deletes a volume claim, volume, namespace, custom resource definition or StatefulSet.",
    fix="keep the object in Git, or set the sync option Prune=false on it and merge that first",
    looks_at=(LooksAt.RENDERED,),
    why="Pruning such an object destroys more than a manifest: the data of a volume, everything in a namespace, or "
    "every object of a custom kind. A typo in an overlay is enough.",
)
_LOST = {
    GroupKind("", "PersistentVolumeClaim"): "the data of its volume may be lost",
    GroupKind("", "PersistentVolume"): "the data of the volume may be lost",
    GroupKind("", "Namespace"): "everything in the namespace is deleted with it",
    GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"): "every object of its kind is deleted with it",
    GroupKind("apps", "StatefulSet"): "its pods stop",
}
_KEPT = (Consent.REFUSED, Consent.ASK)


def _deleted(change: Change) -> Iterator[tuple[str, tuple[Address, Sequence[Rendered]]]]:
    """Yield the objects that the head no longer delivers, where all that is delivered to their cluster is known."""
    kept, unknown = rendered(change.head), unknown_clusters(change.head)
    for address, apps in rendered(change.base).items():
        if address not in kept and address[0] not in unknown and "" not in unknown:
            yield str(address[1]), (address, apps)


@RULE.on_each(Change, _deleted)
def check(_change: Change, part: tuple[Address, Sequence[Rendered]]) -> Iterator[Finding]:
    """Yield a finding about an object that is deleted, where more than the object goes with it."""
    (_cluster, key), apps = part
    lost = _LOST.get(key.group_kind)
    item = apps[0].item
    if lost is None or SyncOptions.of(item.obj).prune in _KEPT:
        return
    place = item.origin.place()
    yield RULE.finding(
        key.short,
        f"{key.short} of {apps[0].app} is no longer in Git; when it is pruned, {lost}",
        evidence=[Evidence(kind=EvidenceKind.FILE, text="where it was", subject=key, place=place)],
        fix=RULE.usual_fix,
    )
