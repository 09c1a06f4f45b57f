"""An app that Argo CD delivered: observed, taken over, delivered by us, and handed back.

Played on the sandbox and on a real API server. What must hold: observing only reads and agrees; taking over changes no
object and restarts nothing; a key removed in Git goes away live; handing back leaves nothing to change for the other.
"""

import copy
from typing import Any, Literal

import orjson

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.controller import beside
from syncline.controller.beside import Mode
from syncline.controller.controller import Controller
from syncline.ports.transport import Request, Response, Transport
from tests.support import manifests
from tests.support.stories import AUTO
from tests.support.world import Bed

How = Literal["client-side", "server-side"]
MANAGER = "argocd-controller"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
BEFORE = {
    "apps/web/config.yaml": manifests.CONFIG + "  size: big\n",
    "apps/web/web.yaml": manifests.deployment(replicas=2),
}
AFTER = {**BEFORE, "apps/web/config.yaml": manifests.CONFIG}


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
        metadata["namespace"] = bed.target
        key = f"{group}/{obj['kind']}:{bed.target}/{metadata['name']}"
        metadata.setdefault("annotations", {})["argocd.argoproj.io/tracking-id"] = f"web:{key}"
        if bed.settings.installation_id:
            metadata["annotations"]["argocd.argoproj.io/installation-id"] = bed.settings.installation_id
        found.append(obj)
    return found


async def deliver_as_argocd(bed: Bed, how: How) -> None:
    """Leave the cluster as Argo CD would after a sync of the first commit."""
    sha = bed.source.commit(BEFORE)
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
    rows = []
    for obj in as_delivered(bed, BEFORE):
        resource = await bed.resource(obj["apiVersion"], obj["kind"])
        if how == "server-side":
            await bed.user.apply(resource, obj, manager=MANAGER)
        else:
            text = orjson.dumps(obj, option=orjson.OPT_SORT_KEYS).decode() + "\n"
            annotations = {**obj["metadata"]["annotations"], LAST_APPLIED: text}
            with_text = {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}
            await bed.user.create(resource, with_text, manager=MANAGER)
        group, _, version = obj["apiVersion"].rpartition("/")
        row = {"kind": obj["kind"], "version": version, "namespace": bed.target, "name": obj["metadata"]["name"]}
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
        status = (await bed.must_get("Deployment", "web")).get("status") or {}
        return bool(status.get("availableReplicas") == 2)

    await bed.until(available, "the Deployment is available")


async def identities(bed: Bed) -> dict[str, tuple[str, Any]]:
    """Return UID and generation of the app's objects: what a restart or a change would move."""
    found = [await bed.must_get("Deployment", "web"), await bed.must_get("ConfigMap", "settings", "v1")]
    return {obj["kind"]: (obj["metadata"]["uid"], obj["metadata"].get("generation")) for obj in found}


async def observe(bed: Bed) -> tuple[Controller, Recording]:
    """Observe until every verdict is known; nothing may have been asked but to read."""
    wire = Recording(bed.transport())
    controller = bed.controller(wire, mode=Mode.OBSERVE)
    await controller.start()
    await controller.live.ready()

    async def looked() -> bool:
        return controller.observed() and controller.report().apps > 0

    await bed.until(looked, "every app was looked at")
    await bed.quiet()
    assert wire.writes == []
    return controller, wire


async def take_over_and_hand_back(bed: Bed, how: How) -> None:
    await deliver_as_argocd(bed, how)
    before = await identities(bed)
    finalizers = (await bed.app())["metadata"]["finalizers"]
    controller, wire = await observe(bed)
    report = controller.report()
    assert (report.apps, report.equal, report.differing) == (1, 1, ())
    taken = await beside.take_over(bed.user, [await bed.app()])
    assert taken.changed == (f"{bed.control}/web",)

    async def ours() -> bool:
        return controller.report().taken_over == 1

    await bed.until(ours, "taken over")
    await bed.quiet()
    assert await identities(bed) == before, "nothing changed hands by being written again"
    assert await bed.status() == ("Synced", "Healthy")

    sha = bed.source.commit(AFTER)

    async def arrived() -> bool:
        history = (await bed.app_status()).get("history") or []
        return bool(history[-1]["revision"] == sha)

    await bed.until(arrived, "the next commit is delivered")
    await bed.until_delivered()
    assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "blue"}
    assert (await identities(bed))["Deployment"] == before["Deployment"], "no restart"

    given = await beside.hand_back(bed.user, [await bed.app()])
    assert given.changed == (f"{bed.control}/web",)
    await bed.quiet()
    wire.asked.clear()
    await bed.quiet()
    assert wire.writes == []
    app = await bed.app()
    assert not app["metadata"].get("annotations")
    assert app["metadata"]["finalizers"] == finalizers
    await controller.stop()
