"""Whether a node suits a pod by taints, labels and the pods around it.

Pure: handed specs, labels and neighbours by `syncline.sandbox.controllers.scheduling.placement`, by the DaemonSet and
the node controllers. Required terms only decide; preferred ones are weighed by `preference`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery import selectors

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
Labels = Mapping[str, str]


def tolerated(taint: Mapping[str, Any], tolerations: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether one of the tolerations covers a taint."""
    for one in tolerations:
        if one.get("effect") and one["effect"] != taint.get("effect"):
            continue
        if one.get("operator") == "Exists":
            if not one.get("key") or one["key"] == taint.get("key"):
                return True
        elif one.get("key") == taint.get("key") and (one.get("value") or "") == (taint.get("value") or ""):
            return True
    return False


def selected(spec: Mapping[str, Any], labels: Labels, name: str) -> bool:
    """Tell whether a pod's node selector and required node affinity pick a node."""
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED)
    return not required or in_terms(required.get("nodeSelectorTerms") or (), labels, name)


def in_terms(terms: Iterable[Mapping[str, Any]], labels: Labels, name: str) -> bool:
    """Tell whether one of several node selector terms picks a node."""
    return any(_term_holds(term, labels, name) for term in terms)


def preference(spec: Mapping[str, Any], labels: Labels, name: str) -> int:
    """Return the weight of all preferred node terms that a node meets."""
    preferred = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_PREFERRED) or ()
    return sum(
        int(one.get("weight") or 0) for one in preferred if _term_holds(one.get("preference") or {}, labels, name)
    )


def pod_terms(spec: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    """Return the required terms of `podAffinity` or `podAntiAffinity`."""
    return list(((spec.get("affinity") or {}).get(kind) or {}).get(_REQUIRED) or ())


def picks(term: Mapping[str, Any], namespace: str, other: str, labels: Labels) -> bool:
    """Tell whether a pod term of a pod in `namespace` is about a pod with these labels in the namespace `other`."""
    namespaces = term.get("namespaces") or ()
    everywhere = term.get("namespaceSelector") == {}
    if not everywhere and other not in (namespaces or (namespace,)):
        return False
    selector = term.get("labelSelector")
    return selector is not None and selectors.LabelSelector.from_object(selector).matches(labels)


def _term_holds(term: Mapping[str, Any], labels: Labels, name: str) -> bool:
    fields = {"metadata.name": name}
    return all(_holds(one, labels) for one in term.get("matchExpressions") or ()) and all(
        _holds(one, fields) for one in term.get("matchFields") or ()
    )


def _holds(one: Mapping[str, Any], labels: Labels) -> bool:
    value, values = labels.get(one.get("key", "")), list(one.get("values") or ())
    match one.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and value.lstrip("-").isdigit() and int(value) > int(values[0])
        case "Lt":
            return value is not None and value.lstrip("-").isdigit() and int(value) < int(values[0])
    return False
