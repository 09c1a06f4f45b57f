"""An app that Argo CD delivered: observed, taken over, delivered by us, and handed back.

Played on the sandbox and on a real API server. What must hold: observing only reads and agrees; taking over changes no
object and restarts nothing; a key removed in Git goes away live; handing back leaves nothing to change for the other,
and what the other removes next goes away as if we had never been there.
"""

import copy
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import orjson

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import GroupKind, Object, split_api_version
from syncline.controller.coexistence import ownership as beside
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.controller.controller import Controller
from syncline.ports.transport import Request, Response, Transport
from tests.support import manifests
from tests.support.stories import AUTO
from tests.support.world import Bed

How = Literal["client-side", "server-side", "kubectl"]
"""As Argo CD applies, in either way, or as kubectl did before there was any Argo CD."""
Apply = Callable[[list[Object]], Awaitable[None]]
MANAGER = "argocd-controller"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
CONFIG, SECRET, SERVICE, PODS = (
    "apps/web/config.yaml",
    "apps/web/secret.yaml",
    "apps/web/service.yaml",
    "apps/web/web.yaml",
)
_SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData:\n  user: ada\n  word: canary\n"
_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports:
    - {name: http, port: 80, targetPort: 8080}
    - {name: metrics, port: 9090}
"""
_SET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  serviceName: store
  replicas: 1
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
        - name: main
          image: example/store:1
          ports: [{containerPort: 5432}]
          env: [{name: A, value: "1"}, {name: B, valueFrom: {secretKeyRef: {name: login, key: user}}}]
        - {name: side, image: "example/side:1"}
"""


_ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: NAME}
rules:
  - {apiGroups: [""], resources: [pods], verbs: [get, list]}
"""


def before(bed: Bed) -> dict[str, str]:
    """Return the first commit: workloads, an address, a Secret, a kind of its own and an object of it."""
    group = f"{bed.target}.example.io"
    return {
        CONFIG: manifests.CONFIG + "  size: big\n  shape: round\n",
        SECRET: _SECRET,
        SERVICE: _SERVICE,
        PODS: manifests.deployment(replicas=2),
        "apps/web/store.yaml": _SET,
        "apps/web/crd.yaml": manifests.WIDGETS.replace("example.io", group),
        "apps/web/role.yaml": _ROLE.replace("NAME", f"reader-{bed.target}"),
        "apps/web/widget.yaml": manifests.WIDGET.replace("example.io", group),
    }


def after(bed: Bed) -> dict[str, str]:
    """Return the next commit: a key, a Secret's entry and a port are gone."""
    return {
        **before(bed),
        CONFIG: manifests.CONFIG + "  shape: round\n",
        SECRET: _SECRET.replace("  word: canary\n", ""),
        SERVICE: _SERVICE.replace("    - {name: metrics, port: 9090}\n", ""),
    }


def further(bed: Bed) -> dict[str, str]:
    """Return what the other delivers once it has the app back: another key is gone."""
    return {**after(bed), CONFIG: manifests.CONFIG}


class Recording:
    """A transport that keeps the method and path of everything that is asked."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.asked: list[str] = []

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        self.asked.append(f"{request.method} {request.path}")
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()

    @property
    def writes(self) -> list[str]:
        return [line for line in self.asked if not line.startswith("GET ")]


def as_delivered(bed: Bed, files: dict[str, str]) -> list[Object]:
    """Return what Argo CD makes of files: in its namespace, with its tracking id."""
    found = []
    for name in sorted(files):
        obj: Any = copy.deepcopy(yaml.load_documents(files[name].encode(), source=name)[0].value)
        group, _, _ = obj["apiVersion"].rpartition("/")
        metadata = obj["metadata"]
        found.append(obj)
        if obj["kind"] == "CustomResourceDefinition":
            # Argo CD marks none of them.
            continue
        if obj["kind"] != "ClusterRole":
            metadata["namespace"] = bed.target
        # One without a namespace is marked with that of the app.
        key = f"{group}/{obj['kind']}:{bed.target}/{metadata['name']}"
        metadata.setdefault("annotations", {})["argocd.argoproj.io/tracking-id"] = f"web:{key}"
        if bed.settings.installation_id:
            metadata["annotations"]["argocd.argoproj.io/installation-id"] = bed.settings.installation_id
    return found


async def _apply_as_argocd(bed: Bed, obj: Object, how: How) -> None:
    await bed.until(lambda: _is_served(bed, obj), f"{obj['kind']} is served")
    resource = await bed.resource(obj["apiVersion"], obj["kind"])
    if how == "server-side":
        await bed.user.apply(resource, obj, manager=MANAGER)
        return
    text = orjson.dumps(obj, option=orjson.OPT_SORT_KEYS).decode() + "\n"
    annotations = {**obj["metadata"].get("annotations", {}), LAST_APPLIED: text}
    with_text = {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}
    await bed.user.create(resource, with_text, manager=MANAGER)


async def _is_served(bed: Bed, obj: Object) -> bool:
    group, version = split_api_version(obj["apiVersion"])
    return (await bed.user.discover()).find(GroupKind(group, obj["kind"]), version) is not None


async def deliver_as_argocd(bed: Bed, how: How, apply: Apply | None = None) -> None:
    """Leave the cluster as Argo CD would after a sync of the first commit; `apply` is whoever applies, if not we."""
    sha = bed.source.commit(before(bed))
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
    objects = as_delivered(bed, before(bed))
    if apply is not None:
        await apply(objects)
    rows = []
    for obj in objects:
        if apply is None:
            await _apply_as_argocd(bed, obj, how)
        group, _, version = obj["apiVersion"].rpartition("/")
        row = {"kind": obj["kind"], "version": version, "name": obj["metadata"]["name"]}
        row |= {"namespace": obj["metadata"]["namespace"]} if "namespace" in obj["metadata"] else {}
        rows.append({**row, **({"group": group} if group else {}), "status": "Synced"})
    app = bed.application(automated=AUTO)
    if how == "server-side":
        app["spec"]["syncPolicy"]["syncOptions"] = ["CreateNamespace=true", "ServerSideApply=true"]
    app["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
    source, destination = app["spec"]["source"], app["spec"]["destination"]
    operation = {"sync": {"revision": sha, "prune": True}, "initiatedBy": {"automated": True}}
    app["status"] = {
        "sync": {"status": "Synced", "revision": sha, "comparedTo": {"source": source, "destination": destination}},
        "health": {"status": "Healthy"},
        "resources": rows,
        "operationState": {
            "operation": operation,
            "phase": "Succeeded",
            "startedAt": "2026-03-01T08:00:00Z",
            "finishedAt": "2026-03-01T08:00:05Z",
            "syncResult": {"revision": sha, "source": source},
        },
        "history": [{"id": 0, "revision": sha, "deployedAt": "2026-03-01T08:00:05Z", "source": source}],
    }
    resource = await bed.resource(app["apiVersion"], "Application")
    await bed.user.create(resource, app, manager=MANAGER)

    async def available() -> bool:
        web = (await bed.must_get("Deployment", "web")).get("status") or {}
        store = (await bed.must_get("StatefulSet", "store")).get("status") or {}
        return (web.get("availableReplicas"), store.get("readyReplicas")) == (2, 1)

    await bed.until(available, "the workloads are available")


async def identities(bed: Bed) -> dict[str, Any]:
    """Return of every object what a change or a restart would move: UID, generation, pod template, address."""
    found: dict[str, Any] = {}
    for obj in as_delivered(bed, before(bed)):
        namespace = obj["metadata"].get("namespace", "")
        resource = await bed.resource(obj["apiVersion"], obj["kind"])
        live = await bed.user.get(resource, namespace, obj["metadata"]["name"])
        assert live is not None, obj["kind"]
        spec = live.get("spec") or {}
        kept = (spec.get("template"), spec.get("clusterIP"))
        found[obj["kind"]] = (live["metadata"]["uid"], live["metadata"].get("generation"), *kept)
    return found


async def observe(bed: Bed) -> tuple[Controller, Recording]:
    """Observe until every verdict is known; nothing may have been asked but to read."""
    wire = Recording(bed.transport())
    controller = bed.controller(wire, mode=OwnershipMode.OBSERVE)
    await controller.start()
    await controller.live.ready()

    async def looked() -> bool:
        return controller.observed() and controller.report().apps > 0

    await bed.until(looked, "every app was looked at")
    await bed.quiet()
    assert wire.writes == []
    return controller, wire


async def take_over_and_hand_back(bed: Bed, how: How, apply: Apply | None = None) -> None:
    await deliver_as_argocd(bed, how, apply)
    known = await identities(bed)
    finalizers = (await bed.app())["metadata"]["finalizers"]
    controller, wire = await observe(bed)
    report = controller.report()
    assert (report.apps, report.equal, report.differing) == (1, 1, ())
    taken = await beside.take_over(bed.user, [await bed.app()])
    assert taken.changed == (f"{bed.control}/web",)

    async def ours() -> bool:
        return controller.report().taken_over == 1

    await bed.until(ours, "taken over")
    await bed.still()
    await bed.quiet()
    assert await identities(bed) == known, "nothing changed hands by being written again"
    assert [line for line in wire.writes if "/applications/" not in line and "/events" not in line] == []
    assert await bed.status() == ("Synced", "Healthy")
    await _deliver_the_next(bed)
    now = await identities(bed)
    for kind in ("Deployment", "StatefulSet", "CustomResourceDefinition", "Widget"):
        assert now[kind] == known[kind], f"{kind}: no change, no restart"
    assert now["Service"][-1] == known["Service"][-1], "the address stays"

    given = await beside.hand_back(bed.user, [await bed.app()])
    assert given.changed == (f"{bed.control}/web",)

    async def given_back() -> bool:
        return controller.report().taken_over == 0

    await bed.until(given_back, "handed back")
    await bed.still()
    wire.asked.clear()
    await bed.quiet()
    assert wire.writes == []
    app = await bed.app()
    assert not app["metadata"].get("annotations")
    assert app["metadata"]["finalizers"] == finalizers
    await controller.stop()


async def _deliver_the_next(bed: Bed) -> None:
    """Commit, and see that what Git no longer has is gone live."""
    sha = bed.source.commit(after(bed))

    async def arrived() -> bool:
        history = (await bed.app_status()).get("history") or []
        return bool(history[-1]["revision"] == sha)

    await bed.until(arrived, "the next commit is delivered")
    await bed.until_delivered()
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "blue", "shape": "round"}
    assert (await bed.must_get("Secret", "login", "v1"))["data"] == {"user": "YWRh"}
    assert [port["name"] for port in (await bed.must_get("Service", "web", "v1"))["spec"]["ports"]] == ["http"]
