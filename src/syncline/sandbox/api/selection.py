"""Which objects a label or field selector picks.

Parsed once per request by `syncline.sandbox.api.reads` and `syncline.sandbox.api.watches`, asked once per row. Labels
are kept with the row; fields need its body decoded, so they are asked last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery import selectors
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Row

_FIELDS: Final = {
    ("", "Pod"): (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.nominatedNodeName",
    ),
    ("", "Event"): (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    ("events.k8s.io", "Event"): (
        "regarding.kind",
        "regarding.namespace",
        "regarding.name",
        "regarding.uid",
        "regarding.apiVersion",
        "regarding.resourceVersion",
        "regarding.fieldPath",
        "reason",
        "reportingController",
        "type",
    ),
    ("", "Namespace"): ("status.phase",),
    ("", "Node"): ("spec.unschedulable",),
    ("", "Secret"): ("type",),
    ("", "Service"): ("spec.clusterIP", "spec.type"),
    ("", "ReplicationController"): ("status.replicas",),
    ("apps", "ReplicaSet"): ("status.replicas",),
    ("batch", "Job"): ("status.successful",),
}


_STORED: Final = {"source": ("source", "component"), "reportingController": ("reportingComponent",)}


def matches_selector(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Tell whether a LabelSelector value (matchLabels, matchExpressions) picks these labels; None picks nothing."""
    try:
        return selectors.LabelSelector.from_object(selector).matches(labels)
    except selectors.InvalidSelector:
        return False


class RowSelector:
    """A label and a field selector, ready to be asked about rows."""

    def __init__(self, resource: Resource, label_selector: str, field_selector: str) -> None:
        try:
            labels = selectors.LabelSelector.parse(label_selector)
            fields = selectors.FieldSelector.parse(field_selector)
        except selectors.InvalidSelector as error:
            raise errors.bad_request(str(error)) from None
        self._labels = labels if labels.requirements else None
        self._terms = fields.terms
        self._paths: list[tuple[str, tuple[str, ...]]] = []
        self.everything = self._labels is None and not self._terms
        for term in self._terms:
            self._add_field(resource, term.field)

    def picks(self, row: Row) -> bool:
        """Tell whether a row is selected."""
        if self._labels is not None and not self._labels.matches(row.labels):
            return False
        if not self._terms:
            return True
        values = {"metadata.name": row.place.name, "metadata.namespace": row.place.namespace}
        if self._paths:
            obj = row.decode()
            values.update((field, _text(obj, path)) for field, path in self._paths)
        return all(term.matches(values) for term in self._terms)

    def _add_field(self, resource: Resource, field: str) -> None:
        if field in ("metadata.name", "metadata.namespace"):
            return
        known = _FIELDS.get((resource.group, resource.kind), ())
        if resource.custom is not None:
            known = tuple(path.removeprefix(".") for path in resource.custom.selectable_fields)
        if field not in known:
            if (resource.group, resource.kind) == ("batch", "Job"):
                raise errors.bad_request(f'field label "{field}" not supported for Job')
            raise errors.bad_request(_unknown_field(field, named=bool(known) or resource.custom is not None))
        self._paths.append((field, _STORED.get(field) or _stored_path(field)))


def _stored_path(field: str) -> tuple[str, ...]:
    """Return where the stored object keeps a field; events.k8s.io names some otherwise."""
    first, *rest = field.split(".")
    return ("involvedObject" if first == "regarding" else first, *rest)


def _text(obj: Object, path: tuple[str, ...]) -> str:
    value: Any = obj
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    if value is None:
        return "false" if path in (("spec", "unschedulable"), ("spec", "hostNetwork")) else ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unknown_field(field: str, *, named: bool) -> str:
    """Return the words of a server for a kind that has fields of its own to select by, or could have."""
    if named:
        return f"field label not supported: {field}"
    return f'"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"'
