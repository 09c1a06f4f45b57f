"""Fields of pod specs that a real server checks one by one, as a table.

Called by `syncline.sandbox.kinds.containers` for every pod and pod template. What needs more than one field is below
the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery import names
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, field_tables
from syncline.sandbox.kinds.field_tables import Table, below

_LARGEST: Final = 2**31 - 1
_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_PATHS: Final = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
_FILE_PATHS: Final = ("metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid")
_PART: Final = re.compile(r"metadata\.(?:annotations|labels)\['[^']+'\]")
_AMOUNT: Final = re.compile(r"(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-\S+)")
_SYSCTL: Final = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")
_SEARCH: Final = re.compile(r"[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*\.?|\.")
_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def _field_path(field: str, value: Any) -> list[FieldCause]:
    if not value:
        return [errors.required(field)]
    allowed = _FILE_PATHS if ".volumes[" in field else _PATHS
    if value in allowed or _PART.fullmatch(str(value)):
        return []
    return checks.refused(field, str(value), [f"error converting fieldPath: field label not supported: {value}"])


def _amount_path(field: str, value: Any) -> list[FieldCause]:
    if not value:
        return [errors.required(field)]
    if _AMOUNT.fullmatch(str(value)):
        return []
    known = [f"{side}.{name}" for side in ("limits", "requests") for name in ("cpu", "ephemeral-storage", "memory")]
    return [errors.not_supported(field, str(value), sorted(known))]


def _like(pattern: re.Pattern[str], text: str) -> field_tables.Check:
    def found(field: str, value: Any) -> list[FieldCause]:
        wrong = value is not None and (len(str(value)) > 253 or not pattern.fullmatch(str(value)))
        return checks.refused(field, str(value), [text]) if wrong else []

    return found


def _sysctl(field: str, value: Any) -> list[FieldCause]:
    text = f"must have at most 253 characters and match regex ^{_SYSCTL.pattern.replace('[./]', '[./]')}$"
    return checks.needed(field, value) or _like(_SYSCTL, text)(field, value)


def _handled(field: str, value: Any) -> list[FieldCause]:
    """Hold the profile of a seccomp or AppArmor filter to its type."""
    if not isinstance(value, dict):
        return []
    kind, profile = value.get("type"), value.get("localhostProfile")
    where, name = f"{field}.localhostProfile", "seccomp" if field.endswith("seccompProfile") else "AppArmor"
    if kind not in _PROFILES:
        return [errors.required(f"{field}.type")] if not kind else checks.one_of(f"{field}.type", kind, _PROFILES)
    if kind == "Localhost" and profile is None:
        return [errors.required(where, f"must be set when {name} type is Localhost")]
    if kind != "Localhost" and profile:
        return checks.refused(where, str(profile), [f"can only be set when {name} type is Localhost"])
    return field_tables.local_path(where, profile)


def _node_term(field: str, value: Any) -> list[FieldCause]:
    """Check one expression about nodes."""
    term = value if isinstance(value, dict) else {}
    operator, given = term.get("operator") or "", term.get("values") or []
    causes = field_tables.qualified(f"{field}.key", term.get("key") or "")
    if operator in ("In", "NotIn") and not given:
        text = "must be specified when `operator` is 'In' or 'NotIn'"
        causes.append(errors.required(f"{field}.values", text))
    elif operator in ("Exists", "DoesNotExist") and given:
        text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        causes.append(errors.forbidden_field(f"{field}.values", text))
    elif operator in ("Gt", "Lt") and len(given) != 1:
        causes.append(
            errors.required(f"{field}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
        )
    elif operator not in _OPERATORS:
        causes += checks.refused(f"{field}.operator", operator, ["not a valid selector operator"])
    for index, one in enumerate(given):
        causes += field_tables.label_value(f"{field}.values[{index}]", one)
    return causes


def _toleration(field: str, value: Any) -> list[FieldCause]:
    """Check what the fields of a toleration say together."""
    causes: list[FieldCause] = []
    if value.get("tolerationSeconds") is not None and value.get("effect") != "NoExecute":
        text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        causes += checks.refused(f"{field}.effect", str(value.get("effect") or ""), [text])
    if (value.get("operator") or "Equal") == "Equal":
        causes += field_tables.label_value(f"{field}.operator", value.get("value") or "")
    return causes


def _spread(field: str, value: Any) -> list[FieldCause]:
    selector = value.get("labelSelector")
    causes = checks.selector(f"{field}.labelSelector", selector)
    if value.get("matchLabelKeys") and selector is None:
        text = "must not be specified when labelSelector is not set"
        causes.append(errors.forbidden_field(f"{field}.matchLabelKeys", text))
    return causes


def _context(field: str, value: Any) -> list[FieldCause]:
    """Refuse a privileged container that must not get privileges."""
    given = value if isinstance(value, dict) else {}
    if given.get("allowPrivilegeEscalation") is not False:
        return []
    added = ((given.get("capabilities") or {}).get("add")) or ()
    causes: list[FieldCause] = []
    if given.get("privileged"):
        text = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        causes.append(errors.invalid_value(field, "{}", text))
    if "SYS_ADMIN" in added or "CAP_SYS_ADMIN" in added:
        text = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        causes.append(errors.invalid_value(field, "{}", text))
    return causes


def _sub_paths(field: str, value: Any) -> list[FieldCause]:
    """Check which part of a volume is mounted; a path that leads out is told of all mounts, as the API server does."""
    causes: list[FieldCause] = []
    for index, mount in enumerate(value or ()):
        path, expanded = mount.get("subPath"), mount.get("subPathExpr")
        causes += field_tables.local_path(f"{field}.subPath", path)
        if path and expanded:
            text = "subPathExpr and subPath are mutually exclusive"
            causes += checks.refused(f"{field}[{index}].subPathExpr", expanded, [text])
        causes += field_tables.local_path(f"{field}.subPathExpr", expanded)
    return causes


def _driver(field: str, value: Any) -> list[FieldCause]:
    if len(str(value or "")) > 63:
        return [FieldCause(field, "FieldValueTooLong", "Too long: may not be more than 63 bytes")]
    complaints = names.subdomain(str(value).lower()) if value else []
    return checks.refused(field, str(value), complaints) if value else []  # that it is missing is told elsewhere


def _claim_template(field: str, value: Any) -> list[FieldCause]:
    template = (value or {}).get("volumeClaimTemplate")
    if template is None:
        return [errors.required(f"{field}.volumeClaimTemplate")]
    return checks.claim(template.get("spec") or {}, f"{field}.volumeClaimTemplate.spec")


def _down(field: str, value: Any) -> list[FieldCause]:
    """Check a file made of what a pod says of itself."""
    item, where = value if isinstance(value, dict) else {}, re.sub(r"\.items\[\d+\]$", "", field)
    causes = checks.needed(f"{where}.path", item.get("path")) + field_tables.local_path(
        f"{where}.path", item.get("path")
    )
    if item.get("fieldRef") is not None:
        causes += _field_path(f"{where}.fieldRef.fieldPath", item["fieldRef"].get("fieldPath"))
    elif item.get("resourceFieldRef") is not None:
        causes += checks.needed(
            f"{where}.resourceFieldRef.containerName", item["resourceFieldRef"].get("containerName")
        )
        causes += _amount_path(f"{where}.resourceFieldRef.resource", item["resourceFieldRef"].get("resource"))
    else:
        causes.append(errors.required(where, "one of fieldRef and resourceFieldRef is required"))
    return causes


def _lasting(field: str, value: Any) -> list[FieldCause]:
    wrong = isinstance(value, int) and not 600 <= value <= 2**32
    text = "may not specify a duration less than 10 minutes" if wrong and value < 600 else "may not specify more"
    return [errors.invalid_value(field, str(value), text)] if wrong else []


_ITEMS: Final = (
    ("items[].key", checks.needed),
    ("items[].path", checks.needed),
    ("items[].path", field_tables.local_path),
    ("items[].mode", field_tables.mode),
)
_FILES: Final = (("defaultMode", field_tables.mode), *_ITEMS)
_SOURCES: Final = (
    ("configMap.name", checks.needed),
    *below("configMap", _ITEMS),
    ("secret.name", checks.needed),
    *below("secret", _ITEMS),
    ("serviceAccountToken.path", checks.needed),
    ("serviceAccountToken.path", field_tables.local_path),
    ("serviceAccountToken.expirationSeconds", _lasting),
    ("downwardAPI.items[]", _down),
)
_VOLUME: Final = (
    *below("configMap", _FILES),
    *below("secret", _FILES),
    ("hostPath.path", field_tables.without_steps_up),
    (
        "hostPath.type",
        field_tables.one_of(
            *("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
        ),
    ),
    ("nfs.path", field_tables.absolute),
    ("csi.driver", _driver),
    ("downwardAPI.defaultMode", field_tables.mode),
    ("downwardAPI.items[]", _down),
    ("projected.defaultMode", field_tables.mode),
    *below("projected.sources[]", _SOURCES),
    ("ephemeral", lambda field, value: [] if value is None else _claim_template(field, value)),
)
_CONTAINER: Final = (
    ("ports[].hostPort", lambda field, value: field_tables.between(1, 65535)(field, value or None)),
    ("env[].valueFrom.configMapKeyRef.key", lambda field, value: field_tables.config_key(field, value or None)),
    ("env[].valueFrom.secretKeyRef.key", lambda field, value: field_tables.config_key(field, value or None)),
    ("env[].valueFrom.fieldRef.fieldPath", _field_path),
    ("env[].valueFrom.fieldRef.apiVersion", field_tables.one_of("", "v1")),
    ("env[].valueFrom.resourceFieldRef.resource", _amount_path),
    ("envFrom[].configMapRef.name", field_tables.filled_subdomain),
    ("envFrom[].secretRef.name", field_tables.filled_subdomain),
    ("volumeMounts", _sub_paths),
    ("volumeMounts[].mountPropagation", field_tables.one_of("Bidirectional", "HostToContainer", "None")),
    *(
        row
        for probe in ("livenessProbe", "readinessProbe", "startupProbe")
        for row in (
            (f"{probe}.httpGet.httpHeaders[].name", field_tables.header),
            (f"{probe}.terminationGracePeriodSeconds", field_tables.above_zero),
        )
    ),
    ("securityContext", _context),
    ("securityContext.procMount", field_tables.one_of("Default", "Unmasked")),
    ("securityContext.seccompProfile", _handled),
    ("securityContext.appArmorProfile", _handled),
)
_AFFINITY: Final = "affinity.nodeAffinity"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
NODE_TERMS: Final = (("nodeSelectorTerms[].matchExpressions[]", _node_term),)
_POD: Final = Table(
    (
        (
            "dnsConfig.searches[]",
            _like(_SEARCH, "a lowercase RFC 1123 subdomain must consist of lower case characters"),
        ),
        ("dnsConfig.options[].name", checks.needed),
        ("dnsConfig.nameservers[]", field_tables.address),
        ("hostAliases[].ip", field_tables.address),
        ("hostAliases[].hostnames[]", field_tables.subdomain),
        ("readinessGates[].conditionType", lambda field, value: field_tables.qualified(field, value or "")),
        ("securityContext.fsGroup", field_tables.between(0, _LARGEST)),
        ("securityContext.supplementalGroups[]", field_tables.between(0, _LARGEST)),
        ("securityContext.fsGroupChangePolicy", field_tables.one_of("Always", "OnRootMismatch")),
        ("securityContext.seccompProfile", _handled),
        ("securityContext.appArmorProfile", _handled),
        ("securityContext.sysctls[].name", _sysctl),
        ("securityContext.sysctls", field_tables.unlike("name")),
        ("tolerations[]", _toleration),
        ("topologySpreadConstraints[]", _spread),
        ("topologySpreadConstraints[].minDomains", field_tables.above_zero),
        ("topologySpreadConstraints[].matchLabelKeys[]", field_tables.qualified),
        ("topologySpreadConstraints", field_tables.unlike("topologyKey", "whenUnsatisfiable")),
        *below(f"{_AFFINITY}.{_REQUIRED}", NODE_TERMS),
        (f"{_AFFINITY}.{_PREFERRED}[].weight", lambda field, value: field_tables.between(1, 100)(field, value or 0)),
        (f"{_AFFINITY}.{_PREFERRED}[].preference.matchExpressions[]", _node_term),
        *(
            (f"affinity.{part}.{_REQUIRED}[].namespaces[]", field_tables.label)
            for part in ("podAffinity", "podAntiAffinity")
        ),
        *below("volumes[]", _VOLUME),
        *below("containers[]", _CONTAINER),
        *below("initContainers[]", _CONTAINER),
    )
)


def check(spec: Mapping[str, Any], field: str) -> list[FieldCause]:
    """Return what is wrong with single fields of a pod spec."""
    causes = _POD.check(spec, field)
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None" and config is None:
        text = "must provide `dnsConfig` when `dnsPolicy` is None"
        causes.append(errors.required(f"{field}.dnsConfig", text))
    elif spec.get("dnsPolicy") == "None" and not (config or {}).get("nameservers"):
        text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        causes.append(errors.required(f"{field}.dnsConfig.nameservers", text))
    return causes + (_check_host_ports(spec, field) if spec.get("hostNetwork") else []) + _check_twice(spec, field)


def _check_host_ports(spec: Mapping[str, Any], field: str) -> list[FieldCause]:
    text = "must match `containerPort` when `hostNetwork` is true"
    return [
        errors.invalid_value(f"{field}.containers[{index}].ports[{number}].hostPort", str(port["hostPort"]), text)
        for index, container in enumerate(spec.get("containers") or ())
        for number, port in enumerate(container.get("ports") or ())
        if port.get("hostPort") and port["hostPort"] != port.get("containerPort")
    ]


def _check_twice(spec: Mapping[str, Any], field: str) -> list[FieldCause]:
    """Refuse a port of the host that a pod asks for twice."""
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, container in enumerate(spec.get("containers") or ()):
        for number, port in enumerate(container.get("ports") or ()):
            if port.get("hostPort"):
                named = f"{port.get('protocol') or 'TCP'}/{port.get('hostIP') or ''}/{port['hostPort']}"
                where = f"{field}.containers[{index}].ports[{number}].hostPort"
                if named in seen:
                    causes.append(FieldCause(where, "FieldValueDuplicate", f'Duplicate value: "{named}"'))
                seen.add(named)
    return causes
