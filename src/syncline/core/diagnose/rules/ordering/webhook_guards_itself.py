"""Webhooks that keep their own pods from starting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.repository.pointing import at, dig, entries, words
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-014",
    name="webhook-guards-itself",
    severity=Severity.ERROR,
    summary="A fail-closed webhook for pods matches the namespace of its own pods.",
    fix="exclude the namespace with namespaceSelector, or set failurePolicy: Ignore",
    looks_at=(LooksAt.RENDERED,),
    why="While its pods are down, the webhook does not answer, so no pod can be created, not even its own: after a "
    "restart of the nodes the cluster does not come up again.",
    bad="""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks:
  - name: web.example.com
    sideEffects: None
    failurePolicy: Fail
    admissionReviewVersions: [v1]
    clientConfig: {service: {name: web, namespace: shop}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 443}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
""",
    good="""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks:
  - name: web.example.com
    sideEffects: None
    failurePolicy: Fail
    admissionReviewVersions: [v1]
    namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}
    clientConfig: {service: {name: web, namespace: shop}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 443}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1"}]
""",
)


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per webhook whose pods are in the repository."""
    delivery, item = one
    if item.key.group != "admissionregistration.k8s.io":
        return
    for index, hook in enumerate(entries(item.obj, "webhooks")):
        service = dig(hook, "clientConfig", "service") or {}
        key = ObjectKey("", "Service", str(service.get("namespace") or ""), str(service.get("name") or ""))
        closed = hook.get("failurePolicy", "Fail") == "Fail"
        selective = hook.get("namespaceSelector") or hook.get("objectSelector") or hook.get("matchConditions")
        if closed and not selective and key in repo.world.objects and any(map(_is_for_pods, entries(hook, "rules"))):
            message = (
                f"{hook.get('name')} of {delivery} fails closed for pods of every namespace, its own {key.namespace} "
                "too"
            )
            evidence = [at(item, f"webhooks[{index}].failurePolicy", str(hook.get("name")))]
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _is_for_pods(rule: Mapping[str, Any]) -> bool:
    groups, kinds = words(rule, "apiGroups"), words(rule, "resources")
    return bool({"", "*"} & set(groups)) and bool({"pods", "*", "*/*", "pods/*"} & set(kinds))
