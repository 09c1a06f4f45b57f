"""Brings what was seen of a story into a form in which two clusters can be compared.

Called by `tests.workloads.playing`. Random names become numbers by order of creation (`web-[1]` is the first ReplicaSet
of web) or a star (`web-[1]-*` is one of its pods); ids, times and addresses become words. Of a pod only what
controllers decide is kept: its phase counts, its containers do not, because KWOK is no kubelet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from tests.workloads.steps import Json, Story

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
_NODE = re.compile(r"\bnode-\d\b")
_ACCESS = re.compile(r"kube-api-access-[a-z0-9]{5}")
_RANDOM = re.compile(r"[bcdfghjklmnpqrstvwxz2456789]{5}")
_NEVER_MADE = re.compile(r"(\]-)[bcdfghjklmnpqrstvwxz2456789]{5}\b")
_HASHES = ("pod-template-hash", "controller.kubernetes.io/hash", "controller-revision-hash")
_HIDDEN = ("ca.crt", "resourceVersion")
_MANAGER = "kube-controller-manager"
# Who is no controller: what they tell of containers is not compared.
_NODES_OWN = ("kubelet", "kwok", "node-controller")
# How often something was tried before tellings are combined depends on time.
_COMBINED = "(combined from similar events)"
_POD_DEFAULTS = {
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "preemptionPolicy": "PreemptLowerPriority",
    "priority": 0,
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "serviceAccount": "default",
    "serviceAccountName": "default",
    "terminationGracePeriodSeconds": 30,
}
_CONTAINER_DEFAULTS = {
    "imagePullPolicy": "IfNotPresent",
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_FIRST_TOLERATIONS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def masked(story: Story, looks: dict[str, Json], history: dict[str, list[Json]], namespace: str) -> Json:
    """Return looks, Events and the order of pods, comparable."""
    names = _Names(history, namespace)
    found: Json = {"looks": {name: _look(story, look, names) for name, look in looks.items()}}
    if story.events:
        found["events"] = _events(history["events"], names)
    if story.ordered:
        found["order"] = _order(history["pods"], names)
    return found


class _Names:
    """Replaces what is random in texts."""

    def __init__(self, history: dict[str, list[Json]], namespace: str) -> None:
        self._words: dict[str, str] = {}
        self._hashes: dict[str, str] = {}
        self._namespace = namespace
        counts: dict[str, int] = {}
        for plural in ("replicasets", "controllerrevisions", "jobs"):
            for obj in _added(history[plural]):
                self._number(obj, counts)
        for pod in _added(history["pods"]):
            start = pod["metadata"].get("generateName")
            if start and _RANDOM.fullmatch(pod["metadata"]["name"].removeprefix(start)):
                self._words[pod["metadata"]["name"]] = f"{self.text(start)}*"

    def _number(self, obj: Json, counts: dict[str, int]) -> None:
        metadata = obj["metadata"]
        owner = next((one["name"] for one in metadata.get("ownerReferences") or () if one.get("controller")), "")
        if not owner or not metadata["name"].startswith(f"{owner}-"):
            return
        key = f"{obj['kind']}/{owner}"
        counts[key] = counts.get(key, 0) + 1
        word = f"[{counts[key]}]"
        self._words[metadata["name"]] = f"{owner}-{word}"
        for label in _HASHES:
            value = (metadata.get("labels") or {}).get(label)
            if value:
                self._hashes[value] = word

    def text(self, text: str) -> str:
        """Return a text without anything random."""
        for name in sorted(self._words, key=len, reverse=True):
            text = text.replace(name, self._words[name])
        text = self._hashes.get(text, text)
        text = text.replace(self._namespace, "trial")
        for pattern, word in ((_UID, "UID"), (_TIME, "TIME"), (_ADDRESS, "ADDRESS"), (_NODE, "NODE")):
            text = pattern.sub(word, text)
        return _NEVER_MADE.sub(r"\1*", _ACCESS.sub("kube-api-access-*", text))

    def mask(self, value: Any) -> Any:
        """Return a value whose texts hold nothing random, without what is empty."""
        if isinstance(value, dict):
            return {self.text(key): "*" if key in _HIDDEN else self.mask(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.mask(item) for item in value]
        return self.text(value) if isinstance(value, str) else value


def _added(notifications: Iterable[Json]) -> Iterable[Json]:
    known = set()
    for one in notifications:
        uid = one["object"]["metadata"]["uid"]
        if uid not in known:
            known.add(uid)
            yield one["object"]


def _look(story: Story, look: Json, names: _Names) -> Json:
    found: Json = {}
    for plural in story.looks_at:
        shown = [names.mask(_shown(plural, obj)) for obj in look[plural]]
        if plural in ("pods", "endpointslices"):
            found[plural] = _collapsed(shown)
        else:
            found[plural] = {one["metadata"].pop("name"): one for one in sorted(shown, key=_name)}
    return found


def _name(obj: Json) -> str:
    return str(obj["metadata"]["name"])


def _collapsed(shown: list[Json]) -> list[Json]:
    """Return objects that look the same once, with their number."""
    texts = sorted(json.dumps(one, sort_keys=True) for one in shown)
    return [{"times": texts.count(text), **json.loads(text)} for text in dict.fromkeys(texts)]


def _shown(plural: str, obj: Json) -> Json:
    shown = {key: value for key, value in obj.items() if key not in ("apiVersion", "kind", "metadata")}
    shown["metadata"] = _metadata(obj["metadata"], managers=plural != "pods")
    if plural == "pods":
        return {"metadata": shown["metadata"], "spec": _pod_spec(obj["spec"]), "phase": obj["status"]["phase"]}
    if plural == "endpointslices":
        shown["metadata"]["name"] = obj["metadata"].get("generateName", obj["metadata"]["name"])
        # How often a slice is written on the way depends on how many changes one look finds.
        shown["metadata"].pop("generation", None)
        shown["endpoints"] = sorted(obj.get("endpoints") or (), key=lambda one: json.dumps(one, sort_keys=True))
        for endpoint in shown["endpoints"]:
            (endpoint.get("targetRef") or {}).pop("resourceVersion", None)
        return shown
    if plural == "controllerrevisions":
        shown.pop("data", None)
    spec, status = shown.get("spec"), shown.get("status")
    if isinstance(spec, dict):
        shown["spec"] = {key: value for key, value in spec.items() if key not in ("template", "jobTemplate")}
    if isinstance(status, dict) and status.get("conditions"):
        shown["status"] = {**status, "conditions": sorted(status["conditions"], key=lambda one: str(one["type"]))}
    return shown


def _metadata(metadata: Json, *, managers: bool) -> Json:
    kept = {
        key: metadata[key]
        for key in ("name", "generateName", "labels", "annotations", "finalizers", "generation")
        if metadata.get(key)
    }
    if "deletionTimestamp" in metadata:
        kept["deleting"] = True
    owners = metadata.get("ownerReferences") or ()
    if owners:
        kept["owners"] = [{key: value for key, value in one.items() if key != "uid"} for one in owners]
    if managers:
        entries = [one for one in metadata.get("managedFields") or () if one.get("manager") == _MANAGER]
        kept["managers"] = sorted({f"{one['operation']} {one.get('subresource', '')}".strip() for one in entries})
    return kept


def _pod_spec(spec: Json) -> Json:
    """Return a pod's spec without defaults, and without the volume that every pod gets."""
    kept = {key: value for key, value in spec.items() if _POD_DEFAULTS.get(key) != value and key != "nodeName"}
    kept["volumes"] = [one for one in kept.get("volumes") or () if not _ACCESS.fullmatch(one["name"])]
    kept["tolerations"] = [
        one
        for one in kept.get("tolerations") or ()
        if one.get("key") not in _FIRST_TOLERATIONS or "tolerationSeconds" not in one
    ]
    for field in ("containers", "initContainers"):
        if field in kept:
            kept[field] = [_container(one) for one in kept[field]]
    return {key: value for key, value in kept.items() if value != []}


def _container(container: Json) -> Json:
    kept = {key: value for key, value in container.items() if _CONTAINER_DEFAULTS.get(key) != value}
    kept["volumeMounts"] = [one for one in kept.get("volumeMounts") or () if not _ACCESS.fullmatch(one["name"])]
    return {key: value for key, value in kept.items() if value != []}


def _events(notifications: list[Json], names: _Names) -> Json:
    """Return what was told of each object, in order; alike tellings are counted, warnings only named."""
    told: dict[str, dict[str, list[str]]] = {}
    for event in _added(notifications):
        component = event.get("reportingComponent") or (event.get("source") or {}).get("component", "")
        about = event["involvedObject"]
        if component in _NODES_OWN or about["kind"] == "Node" or event["message"].startswith(_COMBINED):
            continue
        shown = names.text(f"{about['kind']}/{about['name']}")
        text = names.text(f"{event['type']} {event['reason']} by {component}: {event['message']}")
        told.setdefault(shown, {}).setdefault(about.get("uid", ""), []).append(text)
    return {shown: _tellings(each) for shown, each in sorted(told.items())}


def _tellings(by_object: dict[str, list[str]]) -> list[Any]:
    sequences = [_counted(texts) for texts in by_object.values()]
    unique = sorted({json.dumps(one) for one in sequences})
    decoded = [json.loads(one) for one in unique]
    return decoded[0] if len(decoded) == 1 else decoded


def _counted(texts: list[str]) -> list[str]:
    groups: list[list[Any]] = []
    for text in texts:
        if groups and groups[-1][0] == text:
            groups[-1][1] += 1
        else:
            groups.append([text, 1])
    return [text if count == 1 or text.startswith("Warning") else f"{text} ({count} times)" for text, count in groups]


def _order(notifications: list[Json], names: _Names) -> list[str]:
    """Return when pods were made and when their deletion was asked for."""
    order: list[str] = []
    known: set[str] = set()
    leaving: set[str] = set()
    for one in notifications:
        metadata = one["object"]["metadata"]
        name = names.text(metadata["name"])
        if metadata["uid"] not in known:
            known.add(metadata["uid"])
            order.append(f"+ {name}")
        if metadata["uid"] not in leaving and ("deletionTimestamp" in metadata or one["type"] == "DELETED"):
            leaving.add(metadata["uid"])
            order.append(f"- {name}")
    return order
