"""The columns of what extends or tunes a cluster: admission, classes, drivers, certificates, devices, and Endpoints."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.tables.columns import (
    AGE,
    NAME,
    Cell,
    TableColumn,
    at,
    dig,
    human_duration,
    labels_text,
    number,
)
from syncline.sandbox.tables.columns import name as name_of

_SHOWN_ADDRESSES = 3
_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def _count(*path: str) -> Cell:
    def cell(obj: Object, _now: datetime) -> int:
        return len(dig(obj, path, ()))

    return cell


def _filled(*path: str) -> Cell:
    def cell(obj: Object, _now: datetime) -> str:
        return str(dig(obj, path, "") or "<none>")

    return cell


def _endpoints(obj: Object, _now: datetime) -> str:
    subsets = obj.get("subsets") or ()
    if not subsets:
        return "<none>"
    found: list[str] = []
    for subset in subsets:
        addresses = [str(one.get("ip") or "") for one in subset.get("addresses") or ()]
        if not subset.get("ports"):
            found += addresses
        for port in subset.get("ports") or ():
            found += [f"[{one}]:{port['port']}" if ":" in one else f"{one}:{port['port']}" for one in addresses]
    more = f" + {len(found) - _SHOWN_ADDRESSES} more..." if len(found) > _SHOWN_ADDRESSES else ""
    return ",".join(found[:_SHOWN_ADDRESSES]) + more


def _of_containers(field: str) -> Cell:
    def cell(obj: Object, _now: datetime) -> str:
        return ",".join(str(one.get(field) or "") for one in dig(obj, ("template", "spec", "containers"), ()))

    return cell


def _template_labels(obj: Object, _now: datetime) -> str:
    return labels_text(dig(obj, ("template", "metadata", "labels"), {}))


def _parameters_kind(obj: Object, _now: datetime) -> str:
    kind = dig(obj, ("spec", "paramKind"), None)
    return "<unset>" if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def _parameters(obj: Object, _now: datetime) -> str:
    reference = dig(obj, ("spec", "paramRef"), None) or {}
    if reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    selector = reference.get("selector")
    return "<unset>" if selector is None else _go_selector(selector)


def _go_selector(selector: Object) -> str:
    """Print a selector as Go's own printer does, which nobody else uses."""
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    terms = "".join(
        f"LabelSelectorRequirement{{Key:{one.get('key')},Operator:{one.get('operator')},"
        f"Values:[{' '.join(one.get('values') or ())}],}},"
        for one in selector.get("matchExpressions") or ()
    )
    expressions = f"MatchExpressions:[]LabelSelectorRequirement{{{terms}}}"
    return f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},{expressions},}}"


def _class_name(obj: Object, now: datetime) -> str:
    standard = (obj["metadata"].get("annotations") or {}).get(_DEFAULT) == "true"
    return f"{name_of(obj, now)}{' (default)' if standard else ''}"


def _class_parameters(obj: Object, _now: datetime) -> str:
    given = dig(obj, ("spec", "parameters"), None)
    if given is None:
        return "<none>"
    group = f".{given['apiGroup']}" if given.get("apiGroup") is not None else ""
    return f"{given.get('kind', '')}{group}/{given.get('name', '')}"


def _audiences(obj: Object, _now: datetime) -> str:
    requests = dig(obj, ("spec", "tokenRequests"), None)
    return "<unset>" if requests is None else ",".join(str(one.get("audience") or "") for one in requests)


def _joined(*path: str, default: str = "") -> Cell:
    def cell(obj: Object, _now: datetime) -> str:
        return ",".join(dig(obj, path, ())) or default

    return cell


def _request_duration(obj: Object, _now: datetime) -> str:
    seconds = dig(obj, ("spec", "expirationSeconds"), None)
    return "<none>" if seconds is None else human_duration(seconds)


def _request_state(obj: Object, _now: datetime) -> str:
    types = {one.get("type") for one in dig(obj, ("status", "conditions"), ())}
    state = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    state += ",Failed" if "Failed" in types else ""
    return state + (",Issued" if dig(obj, ("status", "certificate")) else "")


def _parent(obj: Object, _now: datetime) -> str:
    given = dig(obj, ("spec", "parentRef"), None)
    if given is None:
        return "<none>"
    resource = f"{given.get('resource', '')}{'.' + given['group'] if given.get('group') else ''}".lower()
    return "/".join([resource, *([given["namespace"]] if given.get("namespace") else []), str(given.get("name", ""))])


def _claim_state(obj: Object, _now: datetime) -> str:
    deleted, status = "deletionTimestamp" in obj["metadata"], obj.get("status") or {}
    states = ["deleted"] if deleted else []
    if status.get("allocation") is None:
        states += [] if deleted else ["pending"]
    else:
        states += ["allocated", *(["reserved"] if status.get("reservedFor") else [])]
    return ",".join(states)


def _method(obj: Object, _now: datetime) -> str:
    return str(dig(obj, ("spec", "distinguisherMethod", "type"), "<none>"))


def _dangling(obj: Object, _now: datetime) -> str:
    conditions = dig(obj, ("status", "conditions"), ())
    return next((str(one.get("status")) for one in conditions if one.get("type") == "Dangling"), "?")


def _limited(*path: str) -> Cell:
    def cell(obj: Object, _now: datetime) -> Any:
        return dig(obj, ("spec", "limited", *path), "<none>")

    return cell


def _whole(name: str, cell: Cell) -> TableColumn:
    return TableColumn(name, cell, type="integer")


def _flag(name: str, *path: str, default: bool = False) -> TableColumn:
    return TableColumn(name, at(*path, default=default), type="boolean")


_QUEUES = ("limitResponse", "queuing")
ENDPOINTS = (NAME, TableColumn("Endpoints", _endpoints), AGE)
POD_TEMPLATES = (
    NAME,
    TableColumn("Containers", _of_containers("name")),
    TableColumn("Images", _of_containers("image")),
    TableColumn("Pod Labels", _template_labels),
)
POLICIES = (NAME, _whole("Validations", _count("spec", "validations")), TableColumn("ParamKind", _parameters_kind), AGE)
CHANGES = (NAME, _whole("Mutations", _count("spec", "mutations")), TableColumn("ParamKind", _parameters_kind), AGE)
POLICY_BINDINGS = (NAME, TableColumn("PolicyName", at("spec", "policyName")), TableColumn("ParamRef", _parameters), AGE)
WEBHOOKS = (NAME, _whole("Webhooks", _count("webhooks")), AGE)
INGRESS_CLASSES = (
    TableColumn("Name", _class_name, format="name"),
    TableColumn("Controller", at("spec", "controller")),
    TableColumn("Parameters", _class_parameters),
    AGE,
)
RUNTIME_CLASSES = (NAME, TableColumn("Handler", at("handler")), AGE)
PRIORITY_CLASSES = (
    NAME,
    _whole("Value", number("value")),
    _flag("Global-Default", "globalDefault"),
    AGE,
    TableColumn("PreemptionPolicy", at("preemptionPolicy")),
)
DRIVERS = (
    NAME,
    _flag("AttachRequired", "spec", "attachRequired", default=True),
    _flag("PodInfoOnMount", "spec", "podInfoOnMount"),
    _flag("StorageCapacity", "spec", "storageCapacity"),
    TableColumn("TokenRequests", _audiences),
    _flag("RequiresRepublish", "spec", "requiresRepublish"),
    TableColumn("Modes", _joined("spec", "volumeLifecycleModes", default="<none>")),
    AGE,
)
DRIVER_NODES = (NAME, _whole("Drivers", _count("spec", "drivers")), AGE)
ATTACHMENTS = (
    NAME,
    TableColumn("Attacher", at("spec", "attacher"), format="name"),
    TableColumn("PV", at("spec", "source", "persistentVolumeName")),
    TableColumn("Node", at("spec", "nodeName")),
    _flag("Attached", "status", "attached"),
    AGE,
)
VOLUME_ATTRIBUTES = (NAME, TableColumn("DriverName", at("driverName")), AGE)
SIGNING_REQUESTS = (
    NAME,
    AGE,
    TableColumn("SignerName", _filled("spec", "signerName")),
    TableColumn("Requestor", at("spec", "username")),
    TableColumn("RequestedDuration", _request_duration),
    TableColumn("Condition", _request_state),
)
TRUST_BUNDLES = (NAME, TableColumn("SignerName", _filled("spec", "signerName")))
ADDRESSES = (NAME, TableColumn("ParentRef", _parent))
NETWORKS = (NAME, TableColumn("CIDRs", _joined("spec", "cidrs")), AGE)
DEVICE_CLAIMS = (NAME, TableColumn("State", _claim_state), AGE)
DEVICE_SLICES = (
    NAME,
    TableColumn("Node", at("spec", "nodeName")),
    TableColumn("Driver", at("spec", "driver")),
    TableColumn("Pool", at("spec", "pool", "name")),
    AGE,
)
FLOWS = (
    NAME,
    TableColumn("PriorityLevel", at("spec", "priorityLevelConfiguration", "name")),
    TableColumn("MatchingPrecedence", number("spec", "matchingPrecedence")),
    TableColumn("DistinguisherMethod", _method),
    AGE,
    TableColumn("MissingPL", _dangling),
)
LEVELS = (
    NAME,
    TableColumn("Type", at("spec", "type")),
    TableColumn("NominalConcurrencyShares", _limited("nominalConcurrencyShares")),
    TableColumn("Queues", _limited(*_QUEUES, "queues")),
    TableColumn("HandSize", _limited(*_QUEUES, "handSize")),
    TableColumn("QueueLengthLimit", _limited(*_QUEUES, "queueLengthLimit")),
    AGE,
)
