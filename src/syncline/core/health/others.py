"""Health of the remaining built-in kinds, by Argo CD's rules, and of Applications themselves.

Called through the table in `syncline.core.health.assess`.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.model import application as apps
from syncline.model.application import Application
from syncline.model.errors import InvalidSpec
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase


def _conditions(obj: Object) -> list[dict[str, Any]]:
    return (obj.get("status") or {}).get("conditions") or []


def service(obj: Object) -> Health:
    """Assess a Service: only load balancers have anything to wait for."""
    balanced = (obj.get("spec") or {}).get("type") == "LoadBalancer"
    if balanced and not ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress"):
        return Health(HealthCode.PROGRESSING, "waiting for an address of the load balancer", "NoAddress")
    return Health(HealthCode.HEALTHY)


def ingress(obj: Object) -> Health:
    """Assess an Ingress."""
    if ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress"):
        return Health(HealthCode.HEALTHY)
    return Health(HealthCode.PROGRESSING, "waiting for an address", "NoAddress")


def volume_claim(obj: Object) -> Health:
    """Assess a PersistentVolumeClaim."""
    match phase := (obj.get("status") or {}).get("phase"):
        case "Bound":
            return Health(HealthCode.HEALTHY)
        case "Pending":
            return Health(HealthCode.PROGRESSING, "waiting to be bound", "Pending")
        case "Lost":
            return Health(HealthCode.DEGRADED, "the volume behind the claim is lost", "Lost")
        case _:
            return Health(HealthCode.UNKNOWN, f"phase {phase}" if phase else "", "PhaseUnknown")


def api_service(obj: Object) -> Health:
    """Assess an APIService."""
    for condition in _conditions(obj):
        if condition.get("type") == "Available":
            text = f"{condition.get('reason')}: {condition.get('message')}"
            good = condition.get("status") == "True"
            return Health(
                HealthCode.HEALTHY if good else HealthCode.PROGRESSING, text, str(condition.get("reason") or "")
            )
    return Health(HealthCode.PROGRESSING, "Waiting to be processed", "NotObserved")


def custom_resource_definition(obj: Object) -> Health:
    """Assess a CustomResourceDefinition."""
    conditions = {condition.get("type"): condition for condition in _conditions(obj)}
    if not conditions:
        return Health(HealthCode.PROGRESSING, "Status conditions not found", "NotObserved")
    if _is(conditions, "Terminating", "True"):
        return Health(HealthCode.PROGRESSING, f"CRD is terminating: {_said(conditions, 'Terminating')}", "Terminating")
    if _is(conditions, "NamesAccepted", "False"):
        message = f"CRD names have not been accepted: {_said(conditions, 'NamesAccepted')}"
        return Health(HealthCode.DEGRADED, message, "NamesNotAccepted")
    if _is(conditions, "NonStructuralSchema", "True"):
        message = f"Schema violations found: {_said(conditions, 'NonStructuralSchema')}"
        return Health(HealthCode.DEGRADED, message, "NonStructuralSchema")
    if _is(conditions, "Established", "True"):
        return Health(HealthCode.HEALTHY, "CRD is healthy")
    if conditions.get("Established", {}).get("reason") == "Installing":
        return Health(HealthCode.PROGRESSING, "CRD is being installed", "Installing")
    return Health(HealthCode.DEGRADED, "CRD is not established", "NotEstablished")


def _is(conditions: dict[Any, dict[str, Any]], name: str, status: str) -> bool:
    return conditions.get(name, {}).get("status") == status


def _said(conditions: dict[Any, dict[str, Any]], name: str) -> str:
    return str(conditions[name].get("message") or "")


def application(obj: Object) -> Health:
    """Assess a child Application: healthy only once this very spec was compared, synced and found healthy.

    Differs from Argo CD on purpose, where a child has no health and waves between apps do not wait. A child that is
    synced by hand has nothing pending, so its own health counts.
    """
    try:
        child = apps.parse(obj)
    except InvalidSpec as error:
        return Health(HealthCode.UNKNOWN, str(error), "SpecInvalid")
    status, spec = child.status, child.spec
    compared = status.sync.compared_to if status.sync else None
    observed = compared and (compared.destination, compared.source, compared.sources)
    if observed != (spec.destination, spec.source, spec.sources):
        return Health(HealthCode.PROGRESSING, "waiting for the app to be compared with its new spec", "NotObserved")
    state = status.operation_state
    if child.operation is not None or (state is not None and not state.phase.completed):
        return Health(HealthCode.PROGRESSING, (state.message if state else "") or "a sync is under way", "Syncing")
    if status.sync is not None and status.sync.status != "Synced" and (pending := _pending(child, status.sync.status)):
        return pending
    code = status.health.status if status.health else ""
    if code not in set(HealthCode):
        return Health(HealthCode.PROGRESSING, "the app's health is not known yet", "NotObserved")
    return Health(HealthCode(code), status.health.message if status.health else "", "ChildApp")


def _pending(child: Application, sync: str) -> Health | None:
    """Return the health of a child that is not synced: waiting for its own sync, or that sync failed."""
    policy = child.spec.sync_policy
    automated = policy.automated if policy else None
    if sync == "OutOfSync" and (automated is None or automated.enabled is False):
        return None
    state = child.status.operation_state
    if state is not None and state.phase in (OperationPhase.FAILED, OperationPhase.ERROR):
        return Health(HealthCode.DEGRADED, f"the app's last sync failed: {state.message}", "SyncFailed")
    return Health(HealthCode.PROGRESSING, "the app is not synced yet", "NotSynced")
