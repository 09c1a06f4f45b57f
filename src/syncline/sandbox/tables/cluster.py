"""The columns of namespaces, configuration, nodes, volumes, events and definitions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.tables.columns import AGE, CREATED, NAME, TableColumn, at, dig, since

_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_ROLE = "node-role.kubernetes.io/"


def _entries(obj: Object, _now: datetime) -> int:
    return len(obj.get("data") or ()) + len(obj.get("binaryData") or ())


def _secret_entries(obj: Object, _now: datetime) -> int:
    return len(obj.get("data") or ())


def _node_status(obj: Object, _now: datetime) -> str:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    ready = next((one for one in conditions if one.get("type") == "Ready"), None)
    words = ["Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"]
    if (obj.get("spec") or {}).get("unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(obj: Object, _now: datetime) -> str:
    labels = obj["metadata"].get("labels") or {}
    return ",".join(sorted(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE))) or "<none>"


def _address(kind: str) -> Any:
    def cell(obj: Object, _now: datetime) -> str:
        addresses = (obj.get("status") or {}).get("addresses") or ()
        return next((one["address"] for one in addresses if one.get("type") == kind), "<none>")

    return cell


def _modes(*path: str) -> Any:
    def cell(obj: Object, _now: datetime) -> str:
        return ",".join(_MODES.get(mode, mode) for mode in dig(obj, path, []))

    return cell


def _claim_status(obj: Object, _now: datetime) -> str:
    if "deletionTimestamp" in obj["metadata"]:
        return "Terminating"
    return str(dig(obj, ("status", "phase")))


def _claimed_by(obj: Object, _now: datetime) -> str:
    claim = (obj.get("spec") or {}).get("claimRef") or {}
    return f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""


def _involved(obj: Object, _now: datetime) -> str:
    about = obj.get("involvedObject") or {}
    return f"{str(about.get('kind', '')).lower()}/{about.get('name', '')}"


def _source(obj: Object, _now: datetime) -> str:
    source = obj.get("source") or {}
    reporter = (obj.get("reportingComponent") or "", obj.get("reportingInstance") or "")
    parts = (source["component"], source.get("host") or "") if source.get("component") else reporter
    return ", ".join(part for part in parts if part)


def _last_seen(obj: Object, now: datetime) -> str:
    return since(obj.get("lastTimestamp") or obj.get("eventTime") or obj.get("firstTimestamp"), now)


def _first_seen(obj: Object, now: datetime) -> str:
    return since(obj.get("firstTimestamp") or obj.get("eventTime"), now)


def _message(obj: Object, _now: datetime) -> str:
    return str(obj.get("message", "")).strip()


def _versions(obj: Object, _now: datetime) -> str:
    return ",".join(one.get("name", "") for one in (obj.get("spec") or {}).get("versions") or ())


def _short_names(obj: Object, _now: datetime) -> str:
    return ",".join(dig(obj, ("spec", "names", "shortNames"), []))


def _established(obj: Object, _now: datetime) -> bool:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "Established" and one.get("status") == "True" for one in conditions)


def _role(obj: Object, _now: datetime) -> str:
    role = obj.get("roleRef") or {}
    return f"{role.get('kind', '')}/{role.get('name', '')}"


def _subjects(kind: str) -> Any:
    def cell(obj: Object, _now: datetime) -> str:
        found = [one for one in obj.get("subjects") or () if one.get("kind") == kind]
        account = kind == "ServiceAccount"
        return ", ".join(f"{one.get('namespace')}/{one['name']}" if account else one["name"] for one in found)

    return cell


def _default_marked(obj: Object, _now: datetime) -> str:
    marked = (obj["metadata"].get("annotations") or {}).get("storageclass.kubernetes.io/is-default-class")
    return f"{obj['metadata']['name']} (default)" if marked == "true" else str(obj["metadata"]["name"])


def _served_by(obj: Object, _now: datetime) -> str:
    service = (obj.get("spec") or {}).get("service")
    return f"{service.get('namespace')}/{service.get('name')}" if service else "Local"


def _is_available(obj: Object, _now: datetime) -> str:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    found = next((one for one in conditions if one.get("type") == "Available"), None)
    if found is None:
        return "Unknown"
    reason = found.get("reason")
    return str(found["status"] if found["status"] == "True" or not reason else f"{found['status']} ({reason})")


def _flag(field: str) -> Any:
    def cell(obj: Object, _now: datetime) -> bool:
        return bool(obj.get(field))

    return cell


NAMESPACES = (NAME, TableColumn("Status", at("status", "phase")), AGE)
CONFIG_MAPS = (NAME, TableColumn("Data", _entries), AGE)
SECRETS = (NAME, TableColumn("Type", at("type")), TableColumn("Data", _secret_entries), AGE)
NODES = (
    NAME,
    TableColumn("Status", _node_status),
    TableColumn("Roles", _roles),
    AGE,
    TableColumn("Version", at("status", "nodeInfo", "kubeletVersion")),
    TableColumn("Internal-IP", _address("InternalIP"), wide=True),
    TableColumn("External-IP", _address("ExternalIP"), wide=True),
    TableColumn("OS-Image", at("status", "nodeInfo", "osImage"), wide=True),
    TableColumn("Kernel-Version", at("status", "nodeInfo", "kernelVersion"), wide=True),
    TableColumn("Container-Runtime", at("status", "nodeInfo", "containerRuntimeVersion"), wide=True),
)
CLAIMS = (
    NAME,
    TableColumn("Status", _claim_status),
    TableColumn("Volume", at("spec", "volumeName")),
    TableColumn("Capacity", at("status", "capacity", "storage")),
    TableColumn("Access Modes", _modes("status", "accessModes")),
    TableColumn("StorageClass", at("spec", "storageClassName")),
    TableColumn("VolumeAttributesClass", at("spec", "volumeAttributesClassName", default="<unset>")),
    AGE,
    TableColumn("VolumeMode", at("spec", "volumeMode"), wide=True),
)
VOLUMES = (
    NAME,
    TableColumn("Capacity", at("spec", "capacity", "storage")),
    TableColumn("Access Modes", _modes("spec", "accessModes")),
    TableColumn("Reclaim Policy", at("spec", "persistentVolumeReclaimPolicy")),
    TableColumn("Status", _claim_status),
    TableColumn("Claim", _claimed_by),
    TableColumn("StorageClass", at("spec", "storageClassName")),
    TableColumn("VolumeAttributesClass", at("spec", "volumeAttributesClassName", default="<unset>")),
    TableColumn("Reason", at("status", "reason")),
    AGE,
    TableColumn("VolumeMode", at("spec", "volumeMode"), wide=True),
)
EVENTS = (
    TableColumn("Last Seen", _last_seen),
    TableColumn("Type", at("type")),
    TableColumn("Reason", at("reason")),
    TableColumn("Object", _involved),
    TableColumn("Subobject", at("involvedObject", "fieldPath"), wide=True),
    TableColumn("Source", _source, wide=True),
    TableColumn("Message", _message),
    TableColumn("First Seen", _first_seen, wide=True),
    TableColumn("Count", at("count", default=1), wide=True),
    TableColumn("Name", NAME.cell, wide=True, format="name"),
)
DEFINITIONS = (
    NAME,
    TableColumn("Scope", at("spec", "scope")),
    TableColumn("Versions", _versions),
    TableColumn("Created At", CREATED.cell, type="date"),
    TableColumn("Group", at("spec", "group"), wide=True),
    TableColumn("Kind", at("spec", "names", "kind"), wide=True),
    TableColumn("ShortNames", _short_names, wide=True),
    TableColumn("Established", _established, wide=True, type="boolean"),
)
BINDINGS = (
    NAME,
    TableColumn("Role", _role),
    AGE,
    TableColumn("Users", _subjects("User"), wide=True),
    TableColumn("Groups", _subjects("Group"), wide=True),
    TableColumn("ServiceAccounts", _subjects("ServiceAccount"), wide=True),
)
STORAGE_CLASSES = (
    TableColumn("Name", _default_marked, format="name"),
    TableColumn("Provisioner", at("provisioner")),
    TableColumn("ReclaimPolicy", at("reclaimPolicy")),
    TableColumn("VolumeBindingMode", at("volumeBindingMode")),
    TableColumn("AllowVolumeExpansion", _flag("allowVolumeExpansion")),
    AGE,
)
LEASES = (NAME, TableColumn("Holder", at("spec", "holderIdentity")), AGE)
API_SERVICES = (NAME, TableColumn("Service", _served_by), TableColumn("Available", _is_available), AGE)
