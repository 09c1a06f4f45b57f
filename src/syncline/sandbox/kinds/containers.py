"""Containers of pods and pod templates: what must be there and what may stand there.

Called by `syncline.sandbox.kinds.pods` for whole pod specs; `field` says where in the object one is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery import names, quantity
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, handlers, pod_fields, pod_volumes, scheduling

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_VARIABLE: Final = re.compile(r"[ -<>-~]+")
_VARIABLE_TEXT: Final = (
    "a valid environment variable name must consist only of printable ASCII characters other than '='"
)
_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_RESOURCES: Final = frozenset({"cpu", "memory", "ephemeral-storage", "storage"})
_LARGEST: Final = 2**31 - 1


def check_spec(spec: Mapping[str, Any], field: str, claimed: Iterable[str] = ()) -> list[FieldCause]:
    """Return what is wrong with a pod spec; `claimed` volumes are added to its pods later."""
    causes = pod_volumes.check(spec.get("volumes") or (), f"{field}.volumes")
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()} | set(claimed)
    causes += checks.needed(f"{field}.containers", spec.get("containers"))
    seen: set[str] = set()
    for part in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(part) or ()):
            where = f"{field}.{part}[{index}]"
            causes += _check_container(container, where, volumes, seen)
            if part == "initContainers" and container.get("restartPolicy") != "Always":
                text = "may not be set for init containers without restartPolicy=Always"
                parts = (*_PROBES, "lifecycle")
                causes += [errors.forbidden_field(f"{where}.{one}", text) for one in parts if container.get(one)]
    causes += checks.one_of(f"{field}.dnsPolicy", spec.get("dnsPolicy"), _DNS_POLICIES)
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 0 < deadline <= _LARGEST:
        text = f"must be between 1 and {_LARGEST}, inclusive"
        causes.append(errors.invalid_value(f"{field}.activeDeadlineSeconds", str(deadline), text))
    causes += checks.subdomain(f"{field}.serviceAccountName", spec.get("serviceAccountName"))
    causes += checks.subdomain(f"{field}.nodeName", spec.get("nodeName"))
    for name in ("hostname", "subdomain"):
        causes += checks.label(f"{field}.{name}", spec.get(name))
    return (
        causes
        + _check_users(spec.get("securityContext"), f"{field}.securityContext")
        + scheduling.check(spec, field)
        + pod_fields.check(spec, field)
    )


def check_restart_policy(spec: Mapping[str, Any]) -> list[FieldCause]:
    """Return what is wrong with the restart policy of a pod."""
    return checks.one_of("spec.restartPolicy", spec.get("restartPolicy") or "Always", _RESTART_POLICIES)


def _check_container(container: Object, field: str, volumes: set[Any], seen: set[str]) -> list[FieldCause]:
    causes = _check_name(container, field, seen)
    image = container.get("image") or ""
    causes += checks.needed(f"{field}.image", image)
    if image != image.strip():
        causes += checks.refused(f"{field}.image", image, ["must not have leading or trailing whitespace"])
    causes += _check_ports(container.get("ports") or (), f"{field}.ports")
    causes += _check_environment(container, field) + _check_mounts(container, field, volumes)
    for probe in _PROBES:
        if container.get(probe) is not None:
            causes += handlers.check_probe(container[probe], f"{field}.{probe}", steady=probe != "readinessProbe")
    for hook, handler in (container.get("lifecycle") or {}).items():
        if isinstance(handler, dict):
            causes += handlers.check(handler, f"{field}.lifecycle.{hook}")
    causes += checks.one_of(f"{field}.imagePullPolicy", container.get("imagePullPolicy"), _PULL_POLICIES)
    policy = container.get("terminationMessagePolicy")
    causes += checks.one_of(f"{field}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    causes += _check_users(container.get("securityContext"), f"{field}.securityContext")
    return causes + _check_resources(container.get("resources") or {}, f"{field}.resources")


def _check_users(context: Any, field: str) -> list[FieldCause]:
    text = f"must be between 0 and {_LARGEST}, inclusive"
    return [
        errors.invalid_value(f"{field}.{name}", str(context[name]), text)
        for name in ("runAsUser", "runAsGroup")
        if isinstance((context or {}).get(name), int) and not 0 <= context[name] <= _LARGEST
    ]


def _check_name(container: Object, field: str, seen: set[str]) -> list[FieldCause]:
    name = container.get("name")
    if not name:
        return [errors.required(f"{field}.name")]
    if name in seen:
        return [FieldCause(f"{field}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"')]
    seen.add(name)
    return checks.refused(f"{field}.name", name, names.label(name))


def _check_ports(ports: Iterable[Object], field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        where, name = f"{field}[{index}]", port.get("name") or ""
        if name:
            causes += checks.port_name(f"{where}.name", name)
            if name in seen:
                causes.append(FieldCause(f"{where}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'))
            seen.add(name)
        number = port.get("containerPort") or 0
        wrong = checks.port(f"{where}.containerPort", number)
        causes += wrong if number else [errors.required(f"{where}.containerPort")]
        causes += checks.one_of(f"{where}.protocol", port.get("protocol"), checks.PROTOCOLS)
    return causes


def _check_environment(container: Object, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, variable in enumerate(container.get("env") or ()):
        where, name = f"{field}.env[{index}]", str(variable.get("name") or "")
        if not name:
            causes.append(errors.required(f"{where}.name"))
        elif not _VARIABLE.fullmatch(name):
            causes += checks.refused(f"{where}.name", name, [_VARIABLE_TEXT])
        if variable.get("valueFrom") is not None:
            causes += _check_source(variable, f"{where}.valueFrom")
    for index, source in enumerate(container.get("envFrom") or ()):
        found = [one for one in ("configMapRef", "secretRef") if source.get(one) is not None]
        if not found:
            causes += checks.refused(f"{field}.envFrom", "", ["must specify one of: `configMapRef` or `secretRef`"])
        for one in found:
            causes += checks.needed(f"{field}.envFrom[{index}].{one}.name", source[one].get("name"))
    return causes


def _check_source(variable: Object, field: str) -> list[FieldCause]:
    source = variable["valueFrom"]
    found = [one for one in _SOURCES if source.get(one) is not None]
    if variable.get("value"):
        return checks.refused(field, "", ["may not be specified when `value` is not empty"])
    if not found:
        listed = ", ".join(f"`{one}`" for one in _SOURCES[:-1])
        return checks.refused(field, "", [f"must specify one of: {listed} or `{_SOURCES[-1]}`"])
    if len(found) > 1:
        return checks.refused(field, "", ["may not have more than one field specified at a time"])
    if found[0] not in ("configMapKeyRef", "secretKeyRef"):
        return []
    where, chosen = f"{field}.{found[0]}", source[found[0]]
    name = str(chosen.get("name") or "")
    return checks.refused(f"{where}.name", name, names.subdomain(name)) + checks.needed(
        f"{where}.key", chosen.get("key")
    )


def _check_mounts(container: Object, field: str, volumes: set[Any]) -> list[FieldCause]:
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        where, path = f"{field}.volumeMounts[{index}]", mount.get("mountPath") or ""
        if mount.get("name") not in volumes:
            text = f'Not found: "{mount.get("name")}"'
            causes.append(FieldCause(f"{where}.name", "FieldValueNotFound", text))
        causes += checks.needed(f"{where}.mountPath", path)
        if path and path in seen:
            causes += checks.refused(f"{where}.mountPath", path, ["must be unique"])
        seen.add(path)
    return causes


def _check_resources(resources: Mapping[str, Any], field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for side in ("limits", "requests"):
        for name, amount in (resources.get(side) or {}).items():
            causes += _check_amount(name, str(amount), f"{field}.{side}[{name}]")
    limits = resources.get("limits") or {}
    for name, asked in (resources.get("requests") or {}).items():
        limit = limits.get(name)
        if limit is not None and quantity.parse(str(asked)) > quantity.parse(str(limit)):
            text = f"must be less than or equal to {name} limit of {limit}"
            causes.append(errors.invalid_value(f"{field}.requests", f'"{asked}"', text))
    return causes


def _check_amount(name: str, amount: str, field: str) -> list[FieldCause]:
    if "/" not in name and name not in _RESOURCES and not name.startswith("hugepages-"):
        told = ("must be a standard resource type or fully qualified", "must be a standard resource for containers")
        return checks.refused(field, name, told)
    if quantity.parse(amount) < quantity.parse("0"):
        return checks.refused(field, amount, ["must be greater than or equal to 0"])
    return []
