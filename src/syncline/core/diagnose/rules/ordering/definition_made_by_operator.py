"""Custom objects beside the operator that brings their kind."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.schema import resources
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at, words
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-003",
    name="definition-made-by-operator",
    severity=Severity.WARNING,
    summary="An app installs an operator through a Subscription, and also has objects of the operator's kinds.",
    fix="set SkipDryRunOnMissingResource=true on these objects, and put them into a later wave",
    looks_at=(LooksAt.RENDERED,),
    why="The dry run of the first sync fails because the kind is not served yet, so nothing is applied, not even the "
    "operator.",
    bad="""\
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: web-operator}
spec: {name: web-operator, source: community, sourceNamespace: marketplace, channel: stable}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec: {size: 1}
""",
    good="""\
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: web-operator}
spec: {name: web-operator, source: community, sourceNamespace: marketplace, channel: stable}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one, annotations: {argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true}}
spec: {size: 1}
""",
)
_BRINGERS = (
    GroupKind("operators.coreos.com", "Subscription"),
    GroupKind("templates.gatekeeper.sh", "ConstraintTemplate"),
)
_PLATFORM = (names.GROUP, "operators.coreos.com", "templates.gatekeeper.sh", "monitoring.coreos.com")


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding for all objects of an app whose kind its own operator brings."""
    brings = [item for item in delivery.items if item.key.group_kind in _BRINGERS]
    if not brings or "SkipDryRunOnMissingResource=true" in words(
        delivery.app.manifest.obj, "spec", "syncPolicy", "syncOptions"
    ):
        return
    facts = repo.world.facts(delivery.cluster)
    served = facts.kinds if facts is not None else {}
    late = [item for item in delivery.items if _is_brought(repo, item) and item.key.group_kind not in served]
    if late:
        message = (
            f"{delivery} installs {brings[0].key.short}, and has {listed([item.key.short for item in late])} "
            "of kinds that nothing here defines: the first dry run fails"
        )
        evidence = [*(at(item) for item in late), at(brings[0])]
        yield RULE.finding(str(delivery), message, evidence=evidence, fix=RULE.usual_fix)


def _is_brought(repo: Repo, item: Prepared) -> bool:
    kind = item.key.group_kind
    options = str(meta.annotations(item.obj).get(names.SYNC_OPTIONS) or "")
    custom = resources.for_group_kind(kind) is None and kind not in repo.world.defined
    platform = kind.group in _PLATFORM or kind.group.endswith(".openshift.io")
    return custom and not platform and "SkipDryRunOnMissingResource=true" not in options
