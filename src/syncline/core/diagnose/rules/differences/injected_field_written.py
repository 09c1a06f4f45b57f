"""Fields that an injector fills in, written in Git."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="DIF-004",
    name="injected-field-written",
    severity=Severity.WARNING,
    summary="A webhook or CRD sets caBundle, although cert-manager injects it.",
    fix="leave caBundle out: the injector fills it in",
    looks_at=(LooksAt.RENDERED,),
    why="Git and the injector keep overwriting the field: the app is never in sync, or every sync breaks the webhook "
    "for a moment.",
    bad="""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: web
  annotations: {cert-manager.io/inject-ca-from: web/cert}
webhooks:
  - name: web.example.com
    sideEffects: None
    failurePolicy: Ignore
    admissionReviewVersions: [v1]
    clientConfig:
      caBundle: Cg==
      service: {name: web, namespace: web}
""",
    good="""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: web
  annotations: {cert-manager.io/inject-ca-from: web/cert}
webhooks:
  - name: web.example.com
    sideEffects: None
    failurePolicy: Ignore
    admissionReviewVersions: [v1]
    clientConfig:
      service: {name: web, namespace: web}
""",
)
_INJECTORS = (
    "cert-manager.io/inject-ca-from",
    "cert-manager.io/inject-ca-from-secret",
    "cert-manager.io/inject-apiserver-ca",
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per webhook with both."""
    delivery, item = one
    if not any(name in meta.annotations(item.obj) for name in _INJECTORS):
        return
    for index, hook in enumerate(entries(item.obj, "webhooks")):
        if dig(hook, "clientConfig", "caBundle"):
            path = f"webhooks[{index}].clientConfig.caBundle"
            message = f"{item.key.short} of {delivery} sets caBundle, which cert-manager overwrites"
            yield RULE.finding(item.key.short, message, evidence=[at(item, path)], fix=RULE.usual_fix)
