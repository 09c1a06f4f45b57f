"""Health of the remaining built-in kinds: Service, Ingress, claims, APIServices and CRDs, by Argo CD's rules.

Called through the table in `syncline.core.health.assess`; `syncline.core.health.claims` says more about pending claims.
"""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.core.health import evidence
from syncline.core.health.evidence import by_condition, by_field
from syncline.model.health import Health, HealthCode

_PHASE = "status.phase"

_ADDRESSES = "status.loadBalancer.ingress"


def service(obj: Object) -> Health:
    """Assess a Service: only load balancers have anything to wait for."""
    kind = (obj.get("spec") or {}).get("type")
    if kind != "LoadBalancer":
        return by_field(HealthCode.HEALTHY, "", "NothingToWaitFor", "spec.type", kind)
    return _addressed(obj, "waiting for an address of the load balancer")


def ingress(obj: Object) -> Health:
    """Assess an Ingress."""
    return _addressed(obj, "waiting for an address")


def _addressed(obj: Object, waiting: str) -> Health:
    if ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress"):
        return by_field(HealthCode.HEALTHY, "", "HasAddress", _ADDRESSES)
    return by_field(HealthCode.PROGRESSING, waiting, "NoAddress", _ADDRESSES, None, evidence.created(obj))


def volume_claim(obj: Object) -> Health:
    """Assess a PersistentVolumeClaim; a claim is never pending again, so it has been so since it was made."""
    match phase := (obj.get("status") or {}).get("phase"):
        case "Bound":
            return by_field(HealthCode.HEALTHY, "", "Bound", _PHASE, phase)
        case "Pending":
            made = evidence.created(obj)
            return by_field(HealthCode.PROGRESSING, "waiting to be bound", "Pending", _PHASE, phase, made)
        case "Lost":
            return by_field(HealthCode.DEGRADED, "the volume behind the claim is lost", "Lost", _PHASE, phase)
        case _:
            return by_field(HealthCode.UNKNOWN, f"phase {phase}" if phase else "", "PhaseUnknown", _PHASE, phase)


def api_service(obj: Object) -> Health:
    """Assess an APIService."""
    found = evidence.condition(obj, "Available")
    if found is None:
        return _unobserved(obj, "Waiting to be processed")
    condition = found[1]
    code = HealthCode.HEALTHY if condition.get("status") == "True" else HealthCode.PROGRESSING
    text = f"{condition.get('reason')}: {condition.get('message')}"
    return by_condition(code, text, str(condition.get("reason") or "Available"), found)


def _unobserved(obj: Object, message: str) -> Health:
    return by_field(HealthCode.PROGRESSING, message, "NotObserved", "status.conditions", None, evidence.first_seen(obj))


_CRD_RULES: tuple[tuple[str, str, HealthCode, str, str], ...] = (
    ("Terminating", "True", HealthCode.PROGRESSING, "CRD is terminating", "Terminating"),
    ("NamesAccepted", "False", HealthCode.DEGRADED, "CRD names have not been accepted", "NamesNotAccepted"),
    ("NonStructuralSchema", "True", HealthCode.DEGRADED, "Schema violations found", "NonStructuralSchema"),
)


def custom_resource_definition(obj: Object) -> Health:
    """Assess a CustomResourceDefinition."""
    if not (obj.get("status") or {}).get("conditions"):
        return _unobserved(obj, "Status conditions not found")
    for name, status, code, message, reason in _CRD_RULES:
        if found := evidence.condition(obj, name, status):
            return by_condition(code, f"{message}: {found[1].get('message') or ''}", reason, found)
    established = evidence.condition(obj, "Established")
    if established is None:
        return by_field(HealthCode.DEGRADED, "CRD is not established", "NotEstablished", "status.conditions")
    if established[1].get("status") == "True":
        return by_condition(HealthCode.HEALTHY, "CRD is healthy", "Established", established)
    if established[1].get("reason") == "Installing":
        return by_condition(HealthCode.PROGRESSING, "CRD is being installed", "Installing", established)
    return by_condition(HealthCode.DEGRADED, "CRD is not established", "NotEstablished", established)
