"""Stories that are drawn by chance: requests of every verb on many kinds, with bodies that are right and wrong.

`tests.real.test_walks` sends them to a real kube-apiserver and to the sandbox. A seed gives the same walk for ever, so
a failure can be repeated; few names are used, so that requests meet objects that earlier ones made.
"""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import (
    APPLY,
    JSON,
    JSON_PATCH,
    MERGE,
    METADATA,
    METADATA_LIST,
    STRATEGIC,
    TABLE,
    Step,
    Story,
    post,
)

Body = dict[str, Any]
ACCOUNT = {"serviceAccountName": "default", "automountServiceAccountToken": False}
POD: Body = {"containers": [{"name": "c", "image": "example/app:1"}], **ACCOUNT}
TEMPLATE: Body = {"metadata": {"labels": {"app": "w"}}, "spec": POD}
SELECTOR: Body = {"matchLabels": {"app": "w"}}
RULE: Body = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
PATH: Body = {"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "w", "port": {"number": 80}}}}
SCALED: Body = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "w"}
CPU: Body = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 5}},
}
CLAIM: Body = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
KINDS: dict[str, tuple[str, str, str, Body]] = {
    "configmaps": ("/api/v1", "v1", "ConfigMap", {"data": {"a": "1", "b": "2"}}),
    "secrets": ("/api/v1", "v1", "Secret", {"stringData": {"a": "1"}, "data": {"b": "eA=="}}),
    "serviceaccounts": ("/api/v1", "v1", "ServiceAccount", {"automountServiceAccountToken": False}),
    "services": ("/api/v1", "v1", "Service", {"spec": {"selector": {"app": "w"}, "ports": [{"port": 80}]}}),
    "pods": ("/api/v1", "v1", "Pod", {"spec": POD}),
    "persistentvolumeclaims": ("/api/v1", "v1", "PersistentVolumeClaim", {"spec": CLAIM}),
    "limitranges": ("/api/v1", "v1", "LimitRange", {"spec": {"limits": [{"type": "Pod", "max": {"memory": "9Gi"}}]}}),
    "deployments": ("/apis/apps/v1", "apps/v1", "Deployment", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    "statefulsets": (
        "/apis/apps/v1",
        "apps/v1",
        "StatefulSet",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE, "serviceName": "w"}},
    ),
    "daemonsets": ("/apis/apps/v1", "apps/v1", "DaemonSet", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    "jobs": (
        "/apis/batch/v1",
        "batch/v1",
        "Job",
        {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}},
    ),
    "cronjobs": (
        "/apis/batch/v1",
        "batch/v1",
        "CronJob",
        {
            "spec": {
                "schedule": "* * * * *",
                "jobTemplate": {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}},
            }
        },
    ),
    "ingresses": (
        "/apis/networking.k8s.io/v1",
        "networking.k8s.io/v1",
        "Ingress",
        {"spec": {"rules": [{"host": "w.example.io", "http": {"paths": [PATH]}}]}},
    ),
    "networkpolicies": (
        "/apis/networking.k8s.io/v1",
        "networking.k8s.io/v1",
        "NetworkPolicy",
        {"spec": {"podSelector": SELECTOR, "ingress": [{"ports": [{"port": 80}]}]}},
    ),
    "poddisruptionbudgets": (
        "/apis/policy/v1",
        "policy/v1",
        "PodDisruptionBudget",
        {"spec": {"selector": SELECTOR, "minAvailable": 1}},
    ),
    "roles": ("/apis/rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1", "Role", {"rules": [RULE]}),
    "rolebindings": (
        "/apis/rbac.authorization.k8s.io/v1",
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "w"},
            "subjects": [{"kind": "ServiceAccount", "name": "w", "namespace": "trial"}],
        },
    ),
    "horizontalpodautoscalers": (
        "/apis/autoscaling/v2",
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        {"spec": {"scaleTargetRef": SCALED, "maxReplicas": 3, "metrics": [CPU]}},
    ),
    "gauges": (
        "/apis/trial.example.io/v1",
        "trial.example.io/v1",
        "Gauge",
        {"spec": {"size": 1, "color": "red", "parts": [{"name": "a", "weight": 1}]}},
    ),
}
PART = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "weight": {"type": "integer"}},
}
PARTS = {"type": "array", "items": PART, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
COLOR = {"type": "string", "enum": ["red", "blue"], "default": "red"}
SIZE = {"type": "integer", "minimum": 1}
SPEC = {"type": "object", "required": ["size"], "properties": {"size": SIZE, "color": COLOR, "parts": PARTS}}
STATUS = {"type": "object", "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}}}
SCHEMA = {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC, "status": STATUS}}}
DEFINITION: Body = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "gauges.trial.example.io"},
    "spec": {
        "group": "trial.example.io",
        "scope": "Namespaced",
        "names": {"plural": "gauges", "kind": "Gauge"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": SCHEMA, "subresources": {"status": {}}},
        ],
    },
}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BEGINNING = (
    NAMESPACE,
    post(DEFINITIONS, DEFINITION),
    Step(method="GET", path="/apis/trial.example.io/v1", until=('"gauges"',)),
    Step(method="GET", path="/apis/trial.example.io/v1/namespaces/trial/gauges", until=("GaugeList",)),
)
NAMES = ("a", "b", "c")
JUNK: tuple[Any, ...] = ("", "x", "Not Valid", -1, 0, 3, 1.5, True, None, [], {}, ["x"], {"x": "y"}, "x" * 70)
ACCEPTS = (JSON, JSON, JSON, JSON, TABLE, METADATA, METADATA_LIST, "application/yaml", "text/html", "*/*")
LABELS: tuple[Any, ...] = ({"app": "w"}, {"team": "a", "app": "v"}, {"not valid": "x"}, {"a": "Not Valid"}, {"n": 1})
WRITING = ("", "", "", "?dryRun=All", "?fieldValidation=Strict", "?fieldValidation=Warn", "?dryRun=Some")
READING = (
    *("", "", "?limit=1", "?limit=0", "?limit=x", "?labelSelector=app%3Dw", "?labelSelector=app%20in%20(w,v)"),
    *("?labelSelector=%3D%3D", "?fieldSelector=metadata.name%3Da", "?fieldSelector=spec.nope%3Da"),
    *("?resourceVersion=0", "?resourceVersion=x", "?resourceVersionMatch=Exact", "?continue=nope", "?limit=-1"),
)
DELETING = (
    *("", "", "?propagationPolicy=Orphan", "?propagationPolicy=Foreground", "?propagationPolicy=Nope"),
    *("?gracePeriodSeconds=0", "?dryRun=All", "?gracePeriodSeconds=-1"),
)


class Walk:
    """Draws the steps of one walk."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)

    def steps(self, count: int) -> list[Step]:
        """Return so many requests."""
        draws = (
            *([self._create] * 5),
            *([self._apply] * 3),
            *([self._patch] * 5),
            *([self._read] * 3),
            *([self._list] * 3),
            self._replace,
            self._replace,
            self._delete,
            self._delete,
            self._delete_all,
            self._watch,
            self._part,
            self._odd,
        )
        return [self._chance.choice(draws)() for _ in range(count)]

    def _pick(self, among: Any) -> Any:
        return copy.deepcopy(self._chance.choice(among))

    def _place(self) -> tuple[str, str, Body]:
        """Return the path of a kind, the name of an object and what one of that kind looks like."""
        plural = self._pick(tuple(KINDS))
        root, version, kind, rest = KINDS[plural]
        name = self._pick(NAMES)
        body = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **copy.deepcopy(rest)}
        return f"{root}/namespaces/trial/{plural}", name, body

    def _dressed(self, body: Body) -> Body:
        """Return a body with more metadata, and sometimes with something wrong about it."""
        metadata = body["metadata"]
        if self._chance.random() < 0.4:
            metadata["labels"] = self._pick(LABELS)
        if self._chance.random() < 0.2:
            metadata["annotations"] = self._pick(({"note": "x"}, {"note": 1}, {"Not Valid": "x"}, {}))
        if self._chance.random() < 0.1:
            metadata["finalizers"] = self._pick((["example.io/hold"], ["hold"], [], ["Not Valid/x"]))
        if self._chance.random() < 0.35:
            self._spoil(body)
        return body

    def _spoil(self, body: Body) -> None:
        """Put a wrong value somewhere, take one away, or add one that nobody knows."""
        holder: Any = body
        key: Any = self._pick([key for key in body if key not in ("apiVersion", "kind")] or ["metadata"])
        while isinstance(holder.get(key) if isinstance(holder, dict) else holder[key], dict | list):
            inner = holder[key]
            if not inner or self._chance.random() < 0.25:
                break
            holder = inner
            key = self._pick(list(inner) if isinstance(inner, dict) else range(len(inner)))
        way = self._chance.random()
        if way < 0.6 or not isinstance(holder, dict):
            holder[key] = self._pick(JUNK)
        elif way < 0.8:
            holder.pop(key, None)
        else:
            holder["unheardOf"] = 1

    def _create(self) -> Step:
        path, _, body = self._place()
        return post(path + self._pick(WRITING), self._dressed(body), accept=self._pick(ACCEPTS))

    def _replace(self) -> Step:
        path, name, body = self._place()
        return Step(method="PUT", path=f"{path}/{name}{self._pick(WRITING)}", body=self._dressed(body))

    def _apply(self) -> Step:
        path, name, body = self._place()
        manager = self._pick(("one", "two", "two&force=true", ""))
        query = f"fieldManager={manager}" if manager else "force=true"
        return Step(method="PATCH", path=f"{path}/{name}?{query}", body=self._dressed(body), content_type=APPLY)

    def _patch(self) -> Step:
        path, name, body = self._place()
        media = self._pick((MERGE, MERGE, STRATEGIC, STRATEGIC, JSON_PATCH))
        if media == JSON_PATCH:
            target = self._pick(
                ("/metadata/labels", "/metadata/labels/app", "/spec", "/data/a", "/spec/replicas", "/nope")
            )
            operation = self._pick(("add", "replace", "remove", "test", "bogus"))
            found: Any = [{"op": operation, "path": target, "value": self._pick(JUNK)}]
        else:
            found = self._dressed(body)
            if self._chance.random() < 0.5:
                found = {"metadata": {"labels": self._pick((*LABELS, None)), "annotations": {"note": None}}}
        return Step(method="PATCH", path=f"{path}/{name}{self._pick(WRITING)}", body=found, content_type=media)

    def _read(self) -> Step:
        path, name, _ = self._place()
        return Step(method="GET", path=f"{path}/{name}", accept=self._pick(ACCEPTS))

    def _list(self) -> Step:
        path, _, _ = self._place()
        return Step(method="GET", path=path + self._pick(READING), accept=self._pick(ACCEPTS))

    def _delete(self) -> Step:
        path, name, _ = self._place()
        return Step(method="DELETE", path=f"{path}/{name}{self._pick(DELETING)}")

    def _delete_all(self) -> Step:
        path, _, _ = self._place()
        return Step(method="DELETE", path=path + self._pick(("?labelSelector=app%3Dw", "?labelSelector=team%3Da")))

    def _watch(self) -> Step:
        path, _, _ = self._place()
        query = self._pick(("", "&labelSelector=app%3Dw", "&resourceVersion=x", "&fieldSelector=metadata.name%3Da"))
        return Step(method="GET", path=f"{path}?watch=true&timeoutSeconds=1{query}")

    def _part(self) -> Step:
        path, name, _ = self._place()
        part = self._pick(("status", "scale", "nope", "log", "eviction"))
        if self._chance.random() < 0.5:
            return Step(method="GET", path=f"{path}/{name}/{part}")
        body = self._pick(
            ({"status": {"phase": "x"}}, {"spec": {"replicas": 2}}, {"metadata": {"labels": {"app": "w"}}})
        )
        return Step(method="PATCH", path=f"{path}/{name}/{part}", body=body, content_type=MERGE)

    def _odd(self) -> Step:
        """Return a request that no client should send."""
        path, name, body = self._place()
        tried = (
            Step(method="PUT", path=path, body=body),
            Step(method="PATCH", path=path, body={}, content_type=MERGE),
            Step(method="POST", path=f"{path}/{name}", body=body),
            Step(method="POST", path=path, body="{", content_type=JSON),
            Step(method="POST", path=path, body="[]", content_type=JSON),
            Step(method="POST", path=path, body=body, content_type="text/plain"),
            Step(method="POST", path=path, body={**body, "kind": "Nope"}),
            Step(method="POST", path=path, body={**body, "apiVersion": "nope/v1"}),
            Step(method="PATCH", path=f"{path}/{name}", body=body, content_type=JSON),
            Step(method="GET", path=path.replace("/namespaces/trial", "/namespaces/trial-nowhere")),
            Step(method="GET", path=f"{path}/{name}/a/b"),
            Step(method="GET", path=f"{path}s"),
        )
        return self._chance.choice(tried)


def walk(seed: int, count: int) -> Story:
    """Return the walk of a seed."""
    return Story(f"walk-{seed}", (*BEGINNING, *Walk(seed).steps(count)))
