"""A webhook of the cluster does not answer, and nothing that it should look at can be written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.live import around
from syncline.core.diagnose.messages.refusals import UNANSWERED, Refusal, refusals, sync_again
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-113",
    name="webhook-unanswered",
    severity=Severity.ERROR,
    summary="An admission webhook does not answer, so the API server refuses the requests it should check.",
    fix="repair the Service behind the webhook",
    looks_at=(LooksAt.LIVE, LooksAt.EVENTS),
    tells=Tells.REFUSAL,
    why="Every matching write of every app fails while the Service behind the webhook has no endpoints. The app itself "
    "is not at fault.",
)
_CERTIFICATES = (
    (
        r"certificate has expired",
        "shows a certificate that has expired",
        "renew it: with `cmctl renew` for cert-manager, otherwise by restarting what creates it",
    ),
    (
        r"certificate signed by unknown authority|not trusted",
        "shows a certificate that the API server does not trust",
        "write the authority of its certificate into caBundle of its configuration, or restart what injects it",
    ),
    (
        r"certificate is (?:not )?valid (?:for|until)|doesn't contain any IP SANs|certificate is valid for",
        "presents a certificate for another name",
        "issue its certificate for NAME.NAMESPACE.svc of its Service",
    ),
)
_ADDRESS = re.compile(r"https?://(?P<service>[\w-]+)\.(?P<namespace>[\w-]+)\.svc")
_KINDS = tuple(
    GroupKind("admissionregistration.k8s.io", f"{sort}WebhookConfiguration") for sort in ("Validating", "Mutating")
)


def certificate_problem(said: str) -> tuple[str, str] | None:
    """Return what is wrong with the certificate of a webhook, and what to decide; None where it is not that."""
    found = next((meaning for words, *meaning in _CERTIFICATES if re.search(words, said)), None)
    return (found[0], found[1]) if found else None


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per webhook, with all objects that wait for it."""
    found: dict[str, list[tuple[Refusal, str]]] = {}
    for one in refusals(app):
        if match := UNANSWERED.search(one.message):
            found.setdefault(match["webhook"], []).append((one, match["said"]))
    for webhook, same in found.items():
        yield _finding(app, webhook, same)


def _finding(app: App, webhook: str, same: list[tuple[Refusal, str]]) -> Finding:
    keys = sorted({one.key for one, _ in same})
    first, said = same[0]
    service = _service(app, webhook, said)
    behind = f" (Service {service[1]} in namespace {service[0]})" if service else ""
    command = (
        f"kubectl get endpointslices -n {service[0]} -l kubernetes.io/service-name={service[1]}" if service else ""
    )
    problem = "does not answer"
    repair = "repair what should answer"
    if certificate := certificate_problem(said):
        problem, command = certificate[0], ""
        repair = f"decide: {certificate[1]}"
    again = "then the pods are made" if not first.by_sync else f"then {sync_again(app) or 'it is retried'}"
    named = around.listed([key.short for key in keys])
    return RULE.finding(
        keys[0].short if len(keys) == 1 else named,
        f"webhook {webhook}{behind} {problem}, so {named} cannot be written",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=said, time=first.since)],
        fix=Fix(text=f"{repair}; {again}", command=command),
        since=first.since,
    )


def _service(app: App, webhook: str, said: str) -> tuple[str, str] | None:
    """Return namespace and name of the Service behind a webhook: by its configuration, else by the address."""
    for kind in _KINDS:
        for _key, obj in around.of_kind(app, kind):
            for one in obj.get("webhooks") or ():
                service = (one.get("clientConfig") or {}).get("service") or {}
                if one.get("name") == webhook and service:
                    return str(service.get("namespace")), str(service.get("name"))
    found = _ADDRESS.search(said)
    return (found["namespace"], found["service"]) if found else None
