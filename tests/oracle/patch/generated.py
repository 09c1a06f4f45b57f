"""Makes objects and strategic merge patches from a seed, for comparison with what Kubernetes makes of them."""

from __future__ import annotations

import random
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema.node import Node

KINDS = ("Deployment", "Pod", "Service", "ConfigMap", "ServiceAccount", "StatefulSet")


def some(rng: random.Random, choices: dict[str, Any], *, keep: float = 0.6) -> Object:
    """Return a random part of a map."""
    return {key: value for key, value in choices.items() if rng.random() < keep}


def pick(rng: random.Random, items: list[Any]) -> list[Any]:
    """Return a random part of a list, in random order."""
    return rng.sample(items, rng.randint(0, len(items)))


def object_of(rng: random.Random, kind: str) -> Object:
    """Return a random object of one of the kinds."""
    builders = {
        "Deployment": ("apps/v1", _deployment),
        "StatefulSet": ("apps/v1", _stateful_set),
        "Pod": ("v1", lambda r: {"spec": _pod_spec(r)}),
        "Service": ("v1", _service),
        "ConfigMap": ("v1", _config_map),
        "ServiceAccount": ("v1", _service_account),
    }
    api_version, build = builders[kind]
    return {"apiVersion": api_version, "kind": kind, "metadata": _metadata(rng), **build(rng)}


def _words(rng: random.Random) -> dict[str, str]:
    return some(rng, {key: rng.choice("xyz") for key in ("a", "b", "c.d/e")})


def _metadata(rng: random.Random) -> Object:
    optional = {
        "labels": _words(rng),
        "annotations": _words(rng),
        "finalizers": pick(rng, ["x.io/one", "x.io/two", "x.io/three"]),
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": rng.choice("mn"), "uid": uid}
            for uid in pick(rng, ["u1", "u2", "u3"])
        ],
    }
    return {"name": "web", "namespace": "default", **some(rng, optional)}


def _deployment(rng: random.Random) -> Object:
    optional = {
        "replicas": rng.randint(0, 3),
        "paused": rng.random() < 0.5,
        "strategy": rng.choice(
            [
                {"type": "Recreate"},
                {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": rng.choice([1, "25%"])}},
                {"rollingUpdate": {"maxUnavailable": rng.randint(0, 2)}},
            ]
        ),
    }
    return {"spec": {**some(rng, optional), **_template(rng)}}


def _stateful_set(rng: random.Random) -> Object:
    claims = [
        {"metadata": {"name": name}, "spec": some(rng, {"storageClassName": rng.choice("pq"), "volumeName": "v"})}
        for name in pick(rng, ["data", "logs"])
    ]
    return {"spec": {**some(rng, {"serviceName": "web", "volumeClaimTemplates": claims}), **_template(rng)}}


def _template(rng: random.Random) -> Object:
    template = {"metadata": some(rng, {"labels": _words(rng)}), "spec": _pod_spec(rng)}
    return {"selector": {"matchLabels": {"app": "web"}}, "template": template}


def _pod_spec(rng: random.Random) -> Object:
    optional = {
        "initContainers": [_container(rng, name) for name in pick(rng, ["setup", "wait"])],
        "volumes": [_volume(rng, name) for name in pick(rng, ["tmp", "config", "secret"])],
        "tolerations": [{"key": key, "operator": "Exists"} for key in pick(rng, ["t1", "t2"])],
        "imagePullSecrets": [{"name": name} for name in pick(rng, ["r1", "r2", "r3"])],
        "hostAliases": [{"ip": ip, "hostnames": pick(rng, ["h1", "h2"])} for ip in pick(rng, ["10.0.0.1", "10.0.0.2"])],
        "topologySpreadConstraints": [
            {"topologyKey": key, "maxSkew": rng.randint(1, 3), "whenUnsatisfiable": "ScheduleAnyway"}
            for key in pick(rng, ["zone", "host"])
        ],
        "nodeSelector": _words(rng),
        "dnsConfig": some(rng, {"nameservers": pick(rng, ["8.8.8.8", "1.1.1.1"]), "searches": pick(rng, ["a", "b"])}),
        "securityContext": some(rng, {"runAsUser": rng.randint(1, 9), "sysctls": [{"name": "s", "value": "1"}]}),
        "restartPolicy": "Always",
    }
    return {"containers": [_container(rng, name) for name in pick(rng, ["web", "proxy", "log"])], **some(rng, optional)}


def _container(rng: random.Random, name: str) -> Object:
    optional = {
        "image": rng.choice(["i:1", "i:2"]),
        "command": pick(rng, ["run", "--fast", "--x"]),
        "env": [
            {
                "name": key,
                **rng.choice([{"value": "1"}, {"value": "2"}, {"valueFrom": {"fieldRef": {"fieldPath": "f"}}}]),
            }
            for key in pick(rng, ["A", "B", "C", "D"])
        ],
        "ports": [
            {"containerPort": port, **some(rng, {"name": rng.choice(["http", "alt"]), "protocol": "TCP"})}
            for port in pick(rng, [80, 81, 443])
        ],
        "volumeMounts": [
            {"mountPath": path, "name": rng.choice(["tmp", "config"]), **some(rng, {"readOnly": True})}
            for path in pick(rng, ["/a", "/b", "/c"])
        ],
        "resources": some(rng, {"limits": some(rng, {"cpu": "1", "memory": "1Gi"}), "requests": {"cpu": "500m"}}),
        "livenessProbe": {"httpGet": {"path": rng.choice(["/h", "/l"]), "port": rng.choice([80, "http"])}},
        "securityContext": {"capabilities": {"add": pick(rng, ["NET_ADMIN", "SYS_TIME"])}},
    }
    return {"name": name, **some(rng, optional, keep=0.45)}


def _volume(rng: random.Random, name: str) -> Object:
    sources: list[Object] = [
        {"emptyDir": {}},
        {"emptyDir": {"medium": "Memory"}},
        {"configMap": {"name": "c", "items": [{"key": key, "path": key} for key in pick(rng, ["k1", "k2"])]}},
        {"secret": {"secretName": rng.choice("st"), "defaultMode": 420}},
    ]
    return {"name": name, **rng.choice(sources)}


def _service(rng: random.Random) -> Object:
    optional = {
        "selector": _words(rng),
        "type": rng.choice(["ClusterIP", "NodePort"]),
        "ports": [
            {"port": port, **some(rng, {"name": rng.choice(["n1", "n2"]), "targetPort": rng.choice([8080, "web"])})}
            for port in pick(rng, [80, 443, 9090])
        ],
        "externalIPs": pick(rng, ["1.2.3.4", "5.6.7.8"]),
        "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": rng.randint(1, 5)}},
    }
    return {"spec": some(rng, optional, keep=0.8)}


def _config_map(rng: random.Random) -> Object:
    return some(rng, {"data": _words(rng), "binaryData": _words(rng), "immutable": rng.random() < 0.5}, keep=0.8)


def _service_account(rng: random.Random) -> Object:
    optional = {
        "secrets": [{"name": name, "namespace": rng.choice("fg")} for name in pick(rng, ["s1", "s2", "s3"])],
        "imagePullSecrets": [{"name": name} for name in pick(rng, ["r1", "r2"])],
        "automountServiceAccountToken": rng.random() < 0.5,
    }
    return some(rng, optional, keep=0.8)


def blend(rng: random.Random, left: Any, right: Any) -> Any:
    """Return an object between two others: each part from one of them or left out."""
    if not isinstance(left, dict) or not isinstance(right, dict):
        return rng.choice([left, right])
    result = {}
    for key in {**left, **right}:
        if key in left and key in right:
            result[key] = blend(rng, left[key], right[key])
        elif rng.random() < 0.6:
            result[key] = left.get(key, right.get(key))
    return result


def patch_of(rng: random.Random, doc: Object, wanted: Object, node: Node) -> Object:
    """Return a random strategic merge patch, directives included, that more or less fits the document."""
    patch: Object = {}
    for key, value in wanted.items():
        if rng.random() < 0.25:
            continue
        child = node.fields.get(key)
        if child is None:
            patch[key] = value
        elif isinstance(value, dict):
            old = doc.get(key)
            patch[key] = patch_of(rng, old if isinstance(old, dict) else {}, value, child)
        elif isinstance(value, list) and "merge" in child.patch_strategies:
            old = doc.get(key)
            _patch_list(rng, patch, key, (old if isinstance(old, list) else [], value), child)
        else:
            patch[key] = value
    for key in doc:
        if key not in wanted and key not in ("name", "apiVersion", "kind") and rng.random() < 0.5:
            patch[key] = None
    _map_directive(rng, patch, doc, node)
    return patch


def _map_directive(rng: random.Random, patch: Object, doc: Object, node: Node) -> None:
    if "retainKeys" in node.patch_strategies or (patch and "apiVersion" not in doc and rng.random() < 0.03):
        patch["$retainKeys"] = [key for key, value in patch.items() if value is not None and key[0] != "$"]
    if node.fields and "apiVersion" not in doc and "containers" not in doc and rng.random() < 0.04:
        patch["$patch"] = rng.choice(["replace", "delete"])


def _patch_list(rng: random.Random, patch: Object, key: str, pair: tuple[list[Any], list[Any]], node: Node) -> None:
    old, wanted = pair
    if not node.merge_key:
        patch[key] = wanted
        if old and rng.random() < 0.5:
            patch[f"$deleteFromPrimitiveList/{key}"] = [item for item in pick(rng, old) if item not in wanted]
            patch[f"$setElementOrder/{key}"] = wanted
        return
    name = node.merge_key
    by_name = {item[name]: item for item in old}
    items = []
    for item in wanted:
        element = node.elements or Node()
        changed = patch_of(rng, by_name.get(item[name], {}), item, element)
        items.append({**changed, name: item[name]})
    gone = [item[name] for item in old if all(item[name] != other[name] for other in wanted)]
    deletions = [{name: value, "$patch": "delete"} for value in gone if rng.random() < 0.5]
    patch[key] = items + deletions
    if rng.random() < 0.5:
        order = [item[name] for item in wanted]
        for value in gone:
            if rng.random() < 0.5:
                order.insert(rng.randint(0, len(order)), value)
        patch[f"$setElementOrder/{key}"] = [{name: value} for value in order]
    if rng.random() < 0.08:
        patch[key].insert(0, {"$patch": "replace"})
