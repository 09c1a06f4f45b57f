"""Webhooks that no dry run may call."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="DIF-014",
    name="webhook-with-side-effects",
    severity=Severity.WARNING,
    summary="A webhook has side effects, so dry runs fail.",
    fix="set sideEffects: None or NoneOnDryRun, once that is true of the webhook",
    looks_at=(LooksAt.RENDERED,),
    why="Server-side diff is a dry run: every app with an object that the webhook matches becomes Unknown. "
    "The API server refuses such a webhook in v1.",
    bad="""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks:
  - name: web.example.com
    sideEffects: Some
    failurePolicy: Ignore
    admissionReviewVersions: [v1]
    clientConfig: {service: {name: web, namespace: web}}
""",
    good="""\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks:
  - name: web.example.com
    sideEffects: NoneOnDryRun
    failurePolicy: Ignore
    admissionReviewVersions: [v1]
    clientConfig: {service: {name: web, namespace: web}}
""",
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per webhook."""
    delivery, item = one
    if item.key.group != "admissionregistration.k8s.io":
        return
    for index, hook in enumerate(entries(item.obj, "webhooks")):
        if hook.get("sideEffects") in ("Some", "Unknown"):
            message = (
                f"{hook.get('name')} of {delivery} has side effects: {hook['sideEffects']}; no dry run may call it"
            )
            evidence = [at(item, f"webhooks[{index}].sideEffects")]
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
