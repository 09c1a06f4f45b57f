"""Fields of other kinds than pods that a real server checks one by one, as tables.

Asked by `syncline.sandbox.api.finishing` after the rules of the kind itself. What needs more than one field has a
function of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import autoscaler_fields, checks, field_tables, pod_fields
from syncline.sandbox.kinds.field_tables import Row, Table, below

_RIGHTS: Final = "rbac.authorization.k8s.io"
_SCOPES: Final = (
    *("BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass", "Terminating"),
    "VolumeAttributesClass",
)
_RETENTION: Final = field_tables.one_of("Retain", "Delete")


def _selector(field: str, value: Any) -> list[FieldCause]:
    return checks.selector(field, value)


def _claim(field: str, value: Any) -> list[FieldCause]:
    return checks.claim(value or {}, field)


def _session(field: str, value: Any) -> list[FieldCause]:
    wrong = isinstance(value, int) and not 0 < value <= 86400
    text = "must be greater than 0 and less than 86400"
    return [errors.invalid_value(field, str(value), text)] if wrong else []


def _port_name(field: str, value: Any) -> list[FieldCause]:
    return checks.port_name(field, str(value)) if value else []


def _resource(field: str, value: Any) -> list[FieldCause]:
    """Check what an Ingress names instead of a Service."""
    if value is None:
        return []
    causes = [
        cause for name in ("kind", "name") for cause in field_tables.reference(f"{field}.{name}", value.get(name))
    ]
    return causes + field_tables.subdomain(f"{field}.apiGroup", value.get("apiGroup"))


def _subject(field: str, value: Any) -> list[FieldCause]:
    """Check who a role is given to."""
    kind, group = value.get("kind"), value.get("apiGroup")
    if kind == "ServiceAccount":
        return field_tables.filled_subdomain(f"{field}.name", value.get("name")) + checks.one_of(
            f"{field}.apiGroup", group or None, ("",)
        )
    return checks.one_of(f"{field}.apiGroup", group or None, (_RIGHTS,)) if kind in ("User", "Group") else []


def _health_port(field: str, value: Any) -> list[FieldCause]:
    """Refuse a port for health checks where none are made."""
    port = (value or {}).get("healthCheckNodePort")
    if not port or (value.get("type") == "LoadBalancer" and value.get("externalTrafficPolicy") == "Local"):
        return []
    text = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    return [errors.invalid_value(f"{field}.healthCheckNodePort", str(port), text)]


def _local_volume(field: str, value: Any) -> list[FieldCause]:
    """Refuse a volume of a node that does not say which."""
    value = value or {}
    affinity = value.get("nodeAffinity")
    if affinity is not None:
        text = "must specify required node constraints"
        missing = affinity.get("required") is None
        return [errors.required(f"{field}.nodeAffinity.required", text)] if missing else []
    return (
        [errors.required(f"{field}.nodeAffinity", "Local volume requires node affinity")] if value.get("local") else []
    )


def _rolling(field: str, value: Any) -> list[FieldCause]:
    """Refuse a DaemonSet that can neither stop a pod nor start one."""
    given = value or {}
    stuck = given.get("maxUnavailable") in (0, "0%") and given.get("maxSurge") in (None, 0, "0%")
    return [errors.required(f"{field}.maxUnavailable", "cannot be 0 when maxSurge is 0")] if stuck else []


def _codes(field: str, value: Any) -> list[FieldCause]:
    """Check the exit codes of one rule about failed pods."""
    if value is None:
        return []
    where, codes = f"{field}.values", value.get("values") or []
    causes = [errors.invalid_value(where, "[]", "at least one value is required")] if not codes else []
    causes += field_tables.unlike()(where, codes)
    if value.get("operator") == "In":
        text = "must not be 0 for the In operator"
        causes += [errors.invalid_value(f"{where}[{at}]", "0", text) for at, one in enumerate(codes) if one == 0]
    return causes


def _failed_container(field: str, value: Any) -> list[FieldCause]:
    """Hold rules about failed pods to the containers that there are, and the name of an indexed Job to its pods."""
    spec = value or {}
    template = (spec.get("template") or {}).get("spec") or {}
    known = {one.get("name") for part in ("containers", "initContainers") for one in template.get(part) or ()}
    text = "must be one of the container or initContainer names in the pod template"
    causes: list[FieldCause] = []
    for index, rule in enumerate((spec.get("podFailurePolicy") or {}).get("rules") or ()):
        name = (rule.get("onExitCodes") or {}).get("containerName")
        if name is not None and name not in known:
            where = f"{field}.podFailurePolicy.rules[{index}].onExitCodes.containerName"
            causes += checks.refused(where, str(name), [text])
    return causes


def _ratio(field: str, value: Any) -> list[FieldCause]:
    """Refuse a limit that may be below its request."""
    found = ((name, amount) for name, amount in (value or {}).items() if quantity.parse(amount) < quantity.parse("1"))
    return [c for n, a in found for c in checks.refused(f"{field}[{n}]", str(a), [f"ratio {a} is less than 1"])]


def _scope(field: str, value: Any) -> list[FieldCause]:
    """Check one expression about the pods that a quota counts."""
    where, operator = field.partition("[")[0], value.get("operator") or ""
    scope, given = value.get("scopeName") or "", value.get("values")
    if scope not in _SCOPES:
        return checks.refused(f"{where}.scopeName", scope, ["unsupported scope"])
    if operator in ("In", "NotIn") and not given:
        text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
        return [errors.required(f"{where}.values", text)]
    if operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
        return checks.refused(f"{where}.operator", operator, ["not a valid selector operator"])
    return []


def _indexed(obj: Object) -> list[FieldCause]:
    """Refuse the name of an indexed Job whose pods could not be named after it."""
    spec, name = obj.get("spec") or {}, obj["metadata"].get("name", "")
    if spec.get("completionMode") != "Indexed" or not spec.get("completions"):
        return []
    last = f"{name}-{spec['completions'] - 1}"
    text = f"will not able to create pod with invalid DNS label: {last}"
    return checks.refused("metadata.name", name, [text]) if field_tables.label("", last) else []


def _parameters(field: str, value: Any) -> list[FieldCause]:
    """Check what an IngressClass names."""
    if value is None:
        return []
    causes = _resource(field, value)
    scope = value.get("scope")
    causes += checks.one_of(f"{field}.scope", scope, ("Cluster", "Namespace"))
    causes += field_tables.label(f"{field}.namespace", value.get("namespace") or None)
    if scope == "Namespace" and not value.get("namespace"):
        causes.append(errors.required(f"{field}.namespace", "`parameters.scope` is set to 'Namespace'"))
    if scope == "Cluster" and value.get("namespace") is not None:
        text = "`parameters.scope` is set to 'Cluster'"
        causes.append(errors.forbidden_field(f"{field}.namespace", text))
    return causes


def _controller(field: str, value: Any) -> list[FieldCause]:
    if not value:
        return [errors.required(field)]
    if len(str(value)) > 250:
        return [errors.invalid_value(field, f'"{value}"', "may not be more than 250 bytes")]
    wrong = "/" not in str(value) or field_tables.subdomain(field, str(value).partition("/")[0])
    text = 'must be a domain-prefixed path (such as "acme.io/foo")'
    return checks.refused(field, str(value), [text]) if wrong else []


def _last_port(field: str, value: Any) -> list[FieldCause]:
    """Check the end of a range of ports."""
    last, first = value.get("endPort"), value.get("port")
    where = f"{field}.endPort"
    if last is None:
        return []
    if first is None:
        text = "may not be specified when `port` is not specified"
    elif isinstance(first, str):
        text = "may not be specified when `port` is non-numeric"
    elif last < first:
        text = "must be greater than or equal to `port`"
    else:
        return field_tables.between(1, 65535)(where, last)
    return [errors.invalid_value(where, str(last), text)]


def _types(field: str, value: Any) -> list[FieldCause]:
    text = "may not specify more than two policyTypes"
    many = isinstance(value, list) and len(value) > 2
    return [errors.invalid_value(field, "[]", text)] if many else []


def _network(field: str, value: Any) -> list[FieldCause]:
    return [] if value is None else checks.network(field, value)


_NODES: Final = "spec.nodeAffinity.required"
_BINDING: Final = (("roleRef.name", field_tables.segment), ("subjects[]", _subject))
_ROWS: Final[Mapping[tuple[str, str], Iterable[Row]]] = {
    ("", "PersistentVolume"): (
        ("spec.storageClassName", field_tables.filled_subdomain),
        ("spec.volumeMode", field_tables.one_of("Block", "Filesystem")),
        ("spec", _local_volume),
        ("spec.local.path", checks.needed),
        ("spec.local.path", field_tables.without_steps_up),
        ("spec.hostPath.path", field_tables.without_steps_up),
        (f"{_NODES}.nodeSelectorTerms", checks.needed),
        *below(_NODES, pod_fields.NODE_TERMS),
    ),
    ("", "LimitRange"): (("spec.limits[].maxLimitRequestRatio", _ratio),),
    ("", "ResourceQuota"): (("spec.scopeSelector.matchExpressions[]", _scope),),
    ("", "Service"): (
        ("spec.ports[].appProtocol", field_tables.qualified),
        ("spec.sessionAffinityConfig.clientIP.timeoutSeconds", _session),
        ("spec.internalTrafficPolicy", field_tables.one_of("Cluster", "Local")),
        ("spec.ipFamilyPolicy", field_tables.one_of("PreferDualStack", "RequireDualStack", "SingleStack")),
        ("spec.ipFamilies[]", field_tables.one_of("IPv4", "IPv6")),
        ("spec.ipFamilies", field_tables.unlike()),
        ("spec.loadBalancerClass", field_tables.qualified),
        ("spec", _health_port),
        ("spec.healthCheckNodePort", lambda field, value: field_tables.between(1, 65535)(field, value or None)),
    ),
    ("apps", "DaemonSet"): (
        ("spec.updateStrategy.rollingUpdate.maxUnavailable", checks.amount_or_share),
        ("spec.updateStrategy.rollingUpdate.maxSurge", checks.amount_or_share),
        ("spec.updateStrategy.rollingUpdate", _rolling),
    ),
    ("apps", "StatefulSet"): (
        ("spec.ordinals.start", field_tables.from_zero),
        ("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", _RETENTION),
        ("spec.persistentVolumeClaimRetentionPolicy.whenScaled", _RETENTION),
        ("spec.updateStrategy.rollingUpdate.partition", field_tables.from_zero),
        ("spec.volumeClaimTemplates[].spec", _claim),
    ),
    ("autoscaling", "HorizontalPodAutoscaler"): autoscaler_fields.ROWS,
    ("batch", "Job"): (
        ("spec.podReplacementPolicy", field_tables.one_of("Failed", "TerminatingOrFailed")),
        ("spec.completionMode", field_tables.one_of("NonIndexed", "Indexed")),
        ("spec.podFailurePolicy.rules[].onExitCodes.operator", field_tables.needed_of("In", "NotIn")),
        ("spec.podFailurePolicy.rules[].onExitCodes", _codes),
        ("spec", _failed_container),
        ("spec.podFailurePolicy.rules[].onPodConditions[].type", lambda f, v: field_tables.qualified(f, v or "")),
        (
            "spec.podFailurePolicy.rules[].onPodConditions[].status",
            field_tables.one_of("", "False", "True", "Unknown"),
        ),
    ),
    ("networking.k8s.io", "Ingress"): (
        ("spec.ingressClassName", field_tables.subdomain),
        ("spec.tls[].secretName", field_tables.filled_subdomain),
        ("spec.rules[].http.paths[].path", field_tables.absolute),
        ("spec.rules[].http.paths[].backend.service.port.name", _port_name),
        ("spec.defaultBackend.service.port.name", _port_name),
        ("spec.rules[].http.paths[].backend.resource", _resource),
        ("spec.defaultBackend.resource", _resource),
    ),
    ("networking.k8s.io", "IngressClass"): (
        ("spec", lambda field, value: [errors.required(f"{field}.controller")] if value is None else []),
        ("spec.controller", _controller),
        ("spec.parameters", _parameters),
    ),
    ("networking.k8s.io", "NetworkPolicy"): (
        ("spec.policyTypes", _types),
        *((f"spec.{way}[].ports[]", _last_port) for way in ("ingress", "egress")),
        ("spec.ingress[].from[].ipBlock.except[]", _network),
        ("spec.egress[].to[].ipBlock.except[]", _network),
    ),
    ("policy", "PodDisruptionBudget"): (("spec.selector", _selector),),
    (_RIGHTS, "ClusterRole"): (
        ("aggregationRule.clusterRoleSelectors[]", _selector),
        (
            "aggregationRule",
            lambda f, v: [] if v is None else checks.needed(f"{f}.clusterRoleSelectors", v.get("clusterRoleSelectors")),
        ),
    ),
    (_RIGHTS, "RoleBinding"): _BINDING,
    (_RIGHTS, "ClusterRoleBinding"): _BINDING,
    ("scheduling.k8s.io", "PriorityClass"): (
        ("preemptionPolicy", field_tables.one_of("Never", "PreemptLowerPriority")),
    ),
    ("storage.k8s.io", "StorageClass"): (
        ("volumeBindingMode", field_tables.one_of("Immediate", "WaitForFirstConsumer")),
        ("allowedTopologies[].matchLabelExpressions[].key", lambda f, v: field_tables.qualified(f, v or "")),
        ("allowedTopologies[].matchLabelExpressions", checks.needed),
        ("allowedTopologies[].matchLabelExpressions[].values", checks.needed),
        ("allowedTopologies[].matchLabelExpressions[].values", field_tables.unlike()),
    ),
}


_TABLES: Final = {kind: Table(rows) for kind, rows in _ROWS.items()}


def check(group: str, kind: str, obj: Object) -> list[FieldCause]:
    """Return what is wrong with single fields of an object of a built-in kind."""
    table = _TABLES.get((group, kind))
    causes = [] if table is None else table.check(obj, "")
    return causes + (_indexed(obj) if (group, kind) == ("batch", "Job") else [])
