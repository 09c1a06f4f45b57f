"""Pods and pod templates: what admission fills in, what must be there, what may not change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, containers, outdated, pod_updates, statuses
from syncline.sandbox.kinds.rules import KindRules
from syncline.sandbox.store.store import Bucket

_TOKEN_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path
_PRIORITIES: Final = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
_EVICTING: Final = tuple(
    {"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for what in ("not-ready", "unreachable")
)


def _complete(backend: Backend, obj: Object, live: Object | None) -> Object:
    """Do what admission does to a new pod: service account and token, tolerations, priority, first status."""
    spec = dict(obj.get("spec") or {})
    if live is not None:
        _tolerate(spec)
        return {**obj, "spec": spec}
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1
    namespace = obj["metadata"].get("namespace", "")
    account = spec["serviceAccountName"] = spec.get("serviceAccountName") or "default"
    spec.setdefault("serviceAccount", account)
    row = backend.store.get(Bucket("", "serviceaccounts"), namespace, account)
    if row is None and backend.settings.simulate:
        detail = f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
        raise errors.forbidden("pods", "", obj["metadata"].get("name", ""), detail)
    given = row.decode() if row is not None else {}
    if given.get("imagePullSecrets") and not spec.get("imagePullSecrets"):
        spec["imagePullSecrets"] = given["imagePullSecrets"]
    if spec.get("automountServiceAccountToken", given.get("automountServiceAccountToken")) is not False:
        _mount_token(backend, spec)
    _tolerate(spec)
    _set_priority(backend, obj, spec)
    _set_runtime(backend, obj, spec)
    return {**obj, "spec": spec, "status": {"phase": "Pending", "qosClass": quality(spec)}}


def _tolerate(spec: Object) -> None:
    """Let a pod outlive its node for a while, unless it says for how long itself."""
    tolerations = list(spec.get("tolerations") or ())
    for wanted in _EVICTING:
        if not any(
            (one.get("key") or wanted["key"]) == wanted["key"] and one.get("effect") in (None, "", "NoExecute")
            for one in tolerations
        ):
            tolerations.append(dict(wanted))
    spec["tolerations"] = tolerations


def _set_priority(backend: Backend, obj: Object, spec: Object) -> None:
    """Work out the priority from its class; a number that somebody sends must be the same."""
    name = spec.get("priorityClassName") or ""
    found: Object = {"value": _PRIORITIES.get(name, 0)}
    if name not in _PRIORITIES:
        found = _priority_class(backend, obj, name) or found
    value = found.get("value", 0)
    if spec.setdefault("priority", value) != value:
        detail = (
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; priority admission "
            f"controller computed {value} from the given PriorityClass name"
        )
        raise errors.forbidden("pods", "", obj["metadata"].get("name", ""), detail)
    spec.setdefault("preemptionPolicy", found.get("preemptionPolicy") or "PreemptLowerPriority")
    if found.get("metadata"):
        spec["priorityClassName"] = found["metadata"]["name"]


def _set_runtime(backend: Backend, obj: Object, spec: Object) -> None:
    """Take over what the RuntimeClass of a pod asks for: nodes, tolerations, overhead."""
    name = spec.get("runtimeClassName")
    if not name:
        return
    row = backend.store.get(Bucket("node.k8s.io", "runtimeclasses"), "", name)
    if row is None:
        detail = f'pod rejected: RuntimeClass "{name}" not found'
        raise errors.forbidden("pods", "", obj["metadata"].get("name", ""), detail)
    found = row.decode()
    scheduling, overhead = found.get("scheduling") or {}, (found.get("overhead") or {}).get("podFixed")
    if overhead:
        spec["overhead"] = overhead
    if scheduling.get("nodeSelector"):
        spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **scheduling["nodeSelector"]}
    added = [one for one in scheduling.get("tolerations") or () if one not in spec["tolerations"]]
    spec["tolerations"] = [*spec["tolerations"], *added]


def _priority_class(backend: Backend, obj: Object, name: str) -> Object | None:
    bucket = Bucket("scheduling.k8s.io", "priorityclasses")
    if not name:
        standard = (row.decode() for row in backend.store.rows(bucket))
        return max((one for one in standard if one.get("globalDefault")), key=lambda one: -one["value"], default=None)
    row = backend.store.get(bucket, "", name)
    if row is None:
        detail = f"no PriorityClass with name {name} was found"
        raise errors.forbidden("pods", "", obj["metadata"].get("name", ""), detail)
    return row.decode()


def _mount_token(backend: Backend, spec: Object) -> None:
    every = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    mounted = [mount.get("mountPath") for one in every for mount in one.get("volumeMounts") or ()]
    if mounted and all(_TOKEN_PATH in mounted for _ in every) and mounted.count(_TOKEN_PATH) == len(every):
        return
    name = f"kube-api-access-{backend.ids.suffix(5)}"
    spec["volumes"] = [*(spec.get("volumes") or ()), _token_volume(name)]
    for field in ("initContainers", "containers"):
        if spec.get(field):
            spec[field] = [_with_token(container, name) for container in spec[field]]


def _with_token(container: Object, volume: str) -> Object:
    mounts = list(container.get("volumeMounts") or ())
    if any(mount.get("mountPath") == _TOKEN_PATH for mount in mounts):
        return container
    mounts.append({"name": volume, "readOnly": True, "mountPath": _TOKEN_PATH})
    return {**container, "volumeMounts": mounts}


def _token_volume(name: str) -> Object:
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": name, "projected": {"sources": sources, "defaultMode": 420}}


def quality(spec: Mapping[str, Any]) -> str:
    """Return the quality-of-service class of a pod."""
    every = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    resources = [container.get("resources") or {} for container in every]
    if not any((one.get("requests") or one.get("limits")) for one in resources):
        return "BestEffort"
    guaranteed = all(
        {"cpu", "memory"} <= set(one.get("limits") or ())
        and all((one.get("requests") or one["limits"]).get(key) == value for key, value in one["limits"].items())
        for one in resources
    )
    return "Guaranteed" if guaranteed else "Burstable"


def check_template(template: Any, claimed: Iterable[str] = (), field: str = "spec.template") -> list[FieldCause]:
    """Return what is wrong with the pod template of a workload; `claimed` volumes are added to its pods later."""
    given = template or {}
    causes = checks.label_keys(f"{field}.labels", meta.metadata(given).get("labels"))
    return causes + containers.check_spec(given.get("spec") or {}, f"{field}.spec", claimed)


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    causes = containers.check_spec(spec, "spec") + containers.check_restart_policy(spec)
    return causes if live is None else causes + pod_updates.check(spec, live.get("spec") or {})


POD = KindRules(
    complete=_complete, validate=_validate, prepare_status=statuses.fill_pod, warn=outdated.of_pod, returns_deleted=True
)
