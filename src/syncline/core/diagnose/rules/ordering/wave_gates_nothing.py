"""Waves of custom kinds that nobody can tell the health of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.apimachinery import globs, meta
from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.schema import resources
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.health import knowledge
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-011",
    name="wave-gates-nothing",
    severity=Severity.WARNING,
    summary="A custom kind without a health check is in an earlier wave than other objects.",
    fix="add resource.customizations.health.GROUP_KIND to argocd-cm, so that the next wave waits",
    looks_at=(
        LooksAt.RENDERED,
        LooksAt.SETTINGS,
    ),
    why="An object whose kind has no health check passes immediately: the next wave does not wait for it.",
    bad="""\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one, annotations: {argocd.argoproj.io/sync-wave: "-1"}}
spec: {size: 1}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {argocd.argoproj.io/sync-wave: "1"}}
data: {colour: blue}
""",
    good="""\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec: {size: 1}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {argocd.argoproj.io/sync-wave: "-1"}}
data: {colour: blue}
""",
    preview=True,
)


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per kind of an app."""
    last = max((item.wave for item in delivery.prepared.objects), default=0)
    scripts = [one.pattern for one in repo.settings.settings.overrides if one.health_lua]
    found: dict[GroupKind, list[Prepared]] = defaultdict(list)
    for item in delivery.prepared.objects:
        kind = item.key.group_kind
        custom = resources.for_group_kind(kind) is None and kind.group != names.GROUP
        explicit = names.SYNC_WAVE in meta.annotations(item.obj)
        checked = knowledge.check_for(kind) is not None or any(globs.matches(str(kind), one) for one in scripts)
        if custom and explicit and item.wave < last and not checked:
            found[kind].append(item)
    for kind, items in found.items():
        message = (
            f"{delivery}: no health check for {kind.kind}, so wave {items[0].wave} does not wait for "
            f"{items[0].key.short}"
        )
        path = f'metadata.annotations["{names.SYNC_WAVE}"]'
        evidence = [at(item, path, item.key.short) for item in items]
        yield RULE.finding(str(delivery), message, evidence=evidence, fix=RULE.usual_fix)
