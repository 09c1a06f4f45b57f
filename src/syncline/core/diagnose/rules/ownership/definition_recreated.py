"""Definitions that a sync deletes and creates again."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core import defined_kinds
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="OWN-006",
    name="definition-recreated",
    severity=Severity.ERROR,
    summary="A CustomResourceDefinition is applied with Force=true.",
    fix="use ServerSideApply=true for the CRD instead of Force and Replace",
    looks_at=(LooksAt.RENDERED,),
    why="Force deletes the CRD and creates it again, which deletes every object of its kind in the whole cluster.",
    bad="""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
""",
    good="""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  annotations: {argocd.argoproj.io/sync-options: ServerSideApply=true}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
""",
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a definition with that option."""
    delivery, item = one
    options = str(meta.annotations(item.obj).get(names.SYNC_OPTIONS) or "")
    if item.key.kind == defined_kinds.DEFINITION and "Force=true" in options:
        message = f"{item.key.short} of {delivery} is deleted and created again, with all its objects"
        path = f'metadata.annotations["{names.SYNC_OPTIONS}"]'
        yield RULE.finding(item.key.short, message, evidence=[at(item, path, options)], fix=RULE.usual_fix)
