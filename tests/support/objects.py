"""Builders of the objects and values that the engine's tests are about; only what a test names differs from plain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from syncline.apimachinery import merge
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.schema import builtin, defaults
from syncline.apimachinery.schema.node import ANY, Node
from syncline.core.assess import Assessment, assess_app
from syncline.core.compare.compare import Context, compare
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.model import application, names
from syncline.model.application import Application
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.plan import HookDeletePolicy, Phase, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import KindFact, Snapshot, Trouble

SETTINGS = Settings()
NOW = "2026-03-01T08:30:00Z"
EARLIER = "2026-03-01T08:00:00Z"
LATER = "2026-03-01T09:00:00Z"
APPLIER = SETTINGS.field_manager
SHA = "a" * 40
CLUSTER_SCOPED = ("Namespace", "ClusterRole", "CustomResourceDefinition", "PersistentVolume")


def obj(kind: str, name: str, *, api: str = "v1", namespace: str = "shop", **rest: Any) -> Object:
    """Return any object; `annotations` and `labels` go into its metadata."""
    metadata: dict[str, Any] = {"name": name}
    if namespace and kind not in CLUSTER_SCOPED:
        metadata["namespace"] = namespace
    for part in ("annotations", "labels", "finalizers", "deletionTimestamp", "generateName", "ownerReferences"):
        if part in rest:
            metadata[part] = rest.pop(part)
    if not name:
        del metadata["name"]
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def config_map(name: str = "settings", data: Mapping[str, str] | None = None, **rest: Any) -> Object:
    return obj("ConfigMap", name, data=dict(data if data is not None else {"colour": "blue"}), **rest)


def secret(name: str = "keys", data: Mapping[str, str] | None = None, **rest: Any) -> Object:
    return obj("Secret", name, **rest) | ({"data": dict(data)} if data is not None else {})


def service(name: str = "web", port: int = 80, **rest: Any) -> Object:
    return obj("Service", name, spec={"selector": {"app": name}, "ports": [{"port": port}]}, **rest)


def deployment(
    name: str = "web", *, image: str = "shop/web:1", replicas: int | None = 1, ready: int | None = None, **rest: Any
) -> Object:
    """Return a Deployment; with `ready` it is a live one of which so many pods are available."""
    spec: dict[str, Any] = {
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "web", "image": image}]},
        },
    }
    if replicas is not None:
        spec["replicas"] = replicas
    found = obj("Deployment", name, api="apps/v1", spec=spec, **rest)
    if ready is not None:
        found["metadata"]["generation"] = 1
        found["status"] = {
            "observedGeneration": 1,
            "replicas": replicas,
            "updatedReplicas": replicas,
            "availableReplicas": ready,
        }
    return found


def job(name: str = "migrate", *, done: bool | None = None, **rest: Any) -> Object:
    """Return a Job: not started (None), succeeded or failed."""
    status = {} if done is None else {"conditions": [{"type": "Complete" if done else "Failed", "status": "True"}]}
    return obj("Job", name, api="batch/v1", spec={"template": {}}, status=status, **rest)


def hook(name: str = "migrate", phases: str = "PreSync", *, policy: str = "", wave: int = 0, **rest: Any) -> Object:
    """Return a Job that is a hook."""
    annotations = {names.HOOK: phases, names.SYNC_WAVE: str(wave), **rest.pop("annotations", {})}
    if policy:
        annotations[names.HOOK_DELETE_POLICY] = policy
    return job(name, annotations=annotations, **rest)


def crd(kind: str = "Widget", group: str = "example.com", scope: str = "Namespaced", **rest: Any) -> Object:
    schema = rest.pop("schema", {"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    plural = f"{kind.lower()}s"
    spec = {
        "group": group,
        "scope": scope,
        "names": {"kind": kind, "plural": plural},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
    }
    return obj(
        "CustomResourceDefinition", f"{plural}.{group}", api="apiextensions.k8s.io/v1", spec=spec, namespace="", **rest
    )


def with_wave(value: Object, wave: int) -> Object:
    metadata = value["metadata"]
    annotations = {**metadata.get("annotations", {}), names.SYNC_WAVE: str(wave)}
    return {**value, "metadata": {**metadata, "annotations": annotations}}


def application_object(name: str = "shop", **spec: Any) -> Object:
    """Return an Application as the API server has it; `status`, `operation` and `metadata` are taken out of `spec`."""
    whole: dict[str, Any] = {part: spec.pop(part) for part in ("status", "operation") if part in spec}
    metadata = {"name": name, "namespace": "argocd", **spec.pop("metadata", {})}
    body = {
        "project": "default",
        "source": {"repoURL": "https://git.example.com/shop.git", "path": "deploy"},
        "destination": {"server": names.IN_CLUSTER_SERVER, "namespace": "shop"},
        **spec,
    }
    return {"apiVersion": names.API_VERSION, "kind": "Application", "metadata": metadata, "spec": body, **whole}


def typed_application(name: str = "shop", **spec: Any) -> Application:
    return application.parse(application_object(name, **spec))


def desired(*objects: Object | DesiredObject, revision: str = SHA) -> Desired:
    wrapped = (item if isinstance(item, DesiredObject) else DesiredObject(item, origin()) for item in objects)
    return Desired(tuple(wrapped), revisions=(revision,))


def origin(file: str = "deploy/web.yaml", line: int = 1, **lines: int) -> Origin:
    """Return an origin; lines of fields are given as `data_colour=7` for `data.colour`."""
    return placed({path.replace("_", "."): number for path, number in lines.items()}, file=file, line=line)


def placed(lines: Mapping[str, int], *, file: str = "deploy/web.yaml", line: int = 1) -> Origin:
    return Origin(file=file, line=line, positions=Positions(tuple(lines), tuple(lines.values())))


def prepared(
    *objects: Object | DesiredObject,
    settings: Settings = SETTINGS,
    app: Application | None = None,
    scopes: Mapping[GroupKind, bool] | None = None,
) -> PreparedSet:
    """Return objects as they would be applied; without `scopes` the built-in cluster-scoped kinds are known."""
    found = desired(*objects)
    if scopes is None:
        scopes = {gvk_of(item.obj).group_kind: gvk_of(item.obj).kind not in CLUSTER_SCOPED for item in found.objects}
    return prepare(found, app or typed_application(), settings, scopes)


def node_for(gvk: GroupVersionKind) -> Node:
    return builtin.for_kind(gvk) or ANY


def context(*, settings: Settings = SETTINGS, synced_before: bool = False) -> Context:
    server = names.IN_CLUSTER_SERVER
    return Context(settings=settings, node_for=node_for, as_of=NOW, synced_before=synced_before, cluster=server)


def as_applied(value: Object, *, manager: str = APPLIER, now: str = EARLIER) -> Object:
    """Return the live object that a server-side apply of `value` creates, defaults filled in."""
    gvk = gvk_of(value)
    merged = merge.apply(None, value, manager=manager, node=node_for(gvk), force=True, now=now).obj
    return defaults.apply(merged, gvk)


def edited(live: Object, changed: Object, *, manager: str = "kubectl-edit", now: str = LATER) -> Object:
    """Return a live object after somebody else wrote it as `changed`."""
    keep = {**changed, "metadata": {**changed["metadata"], "managedFields": live["metadata"].get("managedFields")}}
    return merge.update(live, keep, manager=manager, node=node_for(gvk_of(live)), now=now)


def by_key(*objects: Object) -> dict[ObjectKey, Object]:
    return {key_of(item): item for item in objects}


def compared(
    wanted: PreparedSet, *live: Object, owned: Iterable[Object] = (), in_context: Context | None = None
) -> Comparison:
    return compare(wanted, by_key(*live), frozenset(map(key_of, owned)), in_context or context())


def row(
    key: ObjectKey,
    verdict: Verdict = Verdict.OUT_OF_SYNC,
    *,
    version: str = "v1",
    reasons: tuple[Reason, ...] = (Reason.FIELDS_DIFFER,),
    **rest: Any,
) -> ComparedObject:
    return ComparedObject(key=key, version=version, verdict=verdict, reasons=reasons, **rest)


def key(kind: str, name: str, *, group: str = "", namespace: str = "shop") -> ObjectKey:
    return ObjectKey(group, kind, "" if kind in CLUSTER_SCOPED else namespace, name)


def task(name: str = "web", *, kind: str = "ConfigMap", group: str = "", **rest: Any) -> Task:
    """Return a task of the Sync phase, wave 0, that applies a ConfigMap."""
    fields = {"version": "v1", "phase": Phase.SYNC, "wave": 0, "action": TaskAction.APPLY, **rest}
    return Task(key=key(kind, name, group=group), **fields)


def hook_task(
    name: str = "migrate",
    phase: Phase = Phase.PRE_SYNC,
    policies: tuple[HookDeletePolicy, ...] = (HookDeletePolicy.BEFORE_CREATION,),
    **rest: Any,
) -> Task:
    fields = {"phase": phase, "action": TaskAction.HOOK, "hook_type": phase.value, "delete_policies": policies, **rest}
    return task(name, kind="Job", group="batch", **fields)


def snapshot(
    app: Object | None = None,
    *,
    wanted: Desired | None = None,
    live: Iterable[Object] = (),
    settings: Settings = SETTINGS,
    troubles: tuple[Trouble, ...] = (),
    as_of: str = NOW,
    **rest: Any,
) -> Snapshot:
    """Return a snapshot; the kinds of all objects in it are known to the cluster."""
    live = tuple(live)
    objects = [*live, *(item.obj for item in (wanted.objects if wanted else ()))]
    found = {gvk_of(item).group_kind: gvk_of(item).kind not in CLUSTER_SCOPED for item in objects}
    served = {
        kind: tuple(sorted({gvk_of(item).version for item in objects if gvk_of(item).group_kind == kind}))
        for kind in found
    }
    kinds = rest.pop("kinds", None) or tuple(
        KindFact(kind, namespaced, served[kind]) for kind, namespaced in sorted(found.items())
    )
    return Snapshot(
        as_of=as_of,
        app=app or application_object(),
        settings=settings,
        desired=wanted,
        live=live,
        kinds=kinds,
        troubles=troubles,
        **rest,
    )


def assessed(app: Object | None = None, **rest: Any) -> Assessment:
    return assess_app(snapshot(app, **rest))


def tracked(value: Object, instance: str = "shop") -> Object:
    """Return an object marked as belonging to an app."""
    found = key_of(value)
    annotations = {**value["metadata"].get("annotations", {}), names.TRACKING_ID: f"{instance}:{found}"}
    return {**value, "metadata": {**value["metadata"], "annotations": annotations}}
