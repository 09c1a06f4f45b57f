"""Which Secrets, ConfigMaps and keys pods of an app wait for in vain, by the words of the kubelet.

Shared by the rules on references. The kubelet tells in the state of a container what its environment lacks, and in
Events what its volumes lack; where those have expired, a ConfigMap that is named and not there tells the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.pods import CONFIG_REASON, PodOf, pods, template
from syncline.core.diagnose.live.written import item
from syncline.core.diagnose.subjects import App
from syncline.core.health import events
from syncline.core.health.pods import container_troubles
from syncline.core.references import read
from syncline.core.references.pods import CONFIG_MAP
from syncline.model.reference import Reference

_ABSENT = re.compile(r'(?P<kind>secret|configmap) "(?P<name>[^"]+)" not found', re.IGNORECASE)
_NO_KEY = re.compile(
    r"couldn't find key (?P<key>\S+) in (?P<kind>Secret|ConfigMap) (?P<namespace>[^/\s]+)/(?P<name>[\w.-]+)"
)
_NO_ITEM = re.compile(r'references non-existent (?:config|secret) key: (?P<key>[^\s"]+)')
_KINDS = {"secret": "Secret", "configmap": "ConfigMap"}


class MissingPart(msgspec.Struct, frozen=True):
    """Something that a workload names and that is not there: an object, or one key of an object that is."""

    root: ObjectKey
    key: ObjectKey
    part: str
    said: str
    pod: ObjectKey
    pods: int = 1


def missing_parts(app: App) -> list[MissingPart]:
    """Return what is missing, once for each workload."""
    found: dict[tuple[ObjectKey, ObjectKey, str], MissingPart] = {}
    for one in _told(app):
        same = (one.root, one.key, one.part)
        before = found.get(same)
        found[same] = msgspec.structs.replace(before, pods=before.pods + 1) if before else one
    return list(found.values())


def _told(app: App) -> Iterator[MissingPart]:
    for pod in pods(app):
        told = {(one.key, one.part): one for said in _sentences(app, pod) for one in _read(pod, said)}
        yield from told.values()
        if not told:
            yield from _unnamed(app, pod)


def _sentences(app: App, pod: PodOf) -> Iterator[str]:
    for trouble in container_troubles(pod.pod.get("status") or {}):
        if trouble.reason == CONFIG_REASON:
            yield trouble.message
    for event in app.assessment.snapshot.events:
        if events.subject(event) == pod.key and event.get("reason") in ("FailedMount", "Failed"):
            yield events.message(event)


def _read(pod: PodOf, said: str) -> Iterator[MissingPart]:
    for found in _NO_KEY.finditer(said):
        key = ObjectKey("", found["kind"], found["namespace"], found["name"])
        yield MissingPart(pod.root, key, found["key"], said, pod.key)
    for found in _ABSENT.finditer(said):
        key = ObjectKey("", _KINDS[found["kind"].lower()], pod.key.namespace, found["name"])
        yield MissingPart(pod.root, key, "", said, pod.key)
    for found in _NO_ITEM.finditer(said):
        for reference in read.references(pod.pod):
            if found["key"] in _items(pod, reference):
                yield MissingPart(pod.root, reference.key, found["key"], said, pod.key)


def _items(pod: PodOf, reference: Reference) -> list[str]:
    """Return the keys that a volume wants of an object."""
    volumes = (pod.pod.get("spec") or {}).get("volumes") or ()
    entries = [volume.get("configMap") or volume.get("secret") or {} for volume in volumes if isinstance(volume, dict)]
    wanted = [entry for entry in entries if reference.key.name in (entry.get("name"), entry.get("secretName"))]
    return [str(one.get("key")) for entry in wanted for one in entry.get("items") or ()]


def _unnamed(app: App, pod: PodOf) -> Iterator[MissingPart]:
    """Yield the ConfigMaps that a pod which does not start mounts, and that are not there."""
    waiting = [one.reason for one in container_troubles(pod.pod.get("status") or {})]
    if "ContainerCreating" not in waiting:
        return
    for reference in read.references(pod.pod):
        absent = reference.key.group_kind == CONFIG_MAP and around.get(app, reference.key) is None
        if absent and not reference.optional:
            yield MissingPart(pod.root, reference.key, "", f'configmap "{reference.key.name}" not found', pod.key)


def field_of(app: App, one: MissingPart) -> str:
    """Return the field of the workload in Git that names what is missing; empty where Git does not have it."""
    found = item(app, one.root)
    if found is None:
        return ""
    base, spec = template(found.obj)
    if one.part and (mounted := _item_path(spec, one)):
        return f"{base}.{mounted}"
    for reference in read.references(found.obj):
        if reference.key == one.key and (not one.part or reference.part == one.part):
            above = reference.path.rpartition(".")[0]
            return f"{above}.key" if one.part and above.startswith(base) else reference.path
    return ""


def _item_path(spec: Object, one: MissingPart) -> str:
    """Return where a volume of a pod's spec wants the key that is missing; empty where none does."""
    for at, volume in enumerate(spec.get("volumes") or ()):
        for field, name in (("configMap", "name"), ("secret", "secretName")):
            entry = volume.get(field) or {}
            if entry.get(name) != one.key.name:
                continue
            for index, wanted in enumerate(entry.get("items") or ()):
                if wanted.get("key") == one.part:
                    return f"volumes[{at}].{field}.items[{index}].key"
    return ""
