"""Plays pods on their nodes: mounts, pulls, starts, restarts and stops their containers.

The steps of a container are `syncline.sandbox.controllers.kubelet.containers`; the status people read is
`syncline.sandbox.controllers.kubelet.pod_status`. What is playing lives in memory only; pods that are there when a
sandbox starts are taken up again by `syncline.sandbox.controllers.kubelet.resuming`.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import Object
from syncline.sandbox.access import rbac
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.kubelet import containers, guarding, pod_status, probes, pulling, references, resuming
from syncline.sandbox.controllers.kubelet.containers import ContainerStage, Play, Played, PlayedPod
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

_PODS = Bucket("", "pods")
_NODES = Bucket("", "nodes")
_CLAIMS = Bucket("", "persistentvolumeclaims")
_SHARED = frozenset({"ReadWriteMany", "ReadOnlyMany"})
_CONFIGS = (Bucket("", "configmaps"), Bucket("", "secrets"))
UNREADY = "sandbox.syncline.io/unready"
"""The annotation that makes all readiness probes of a pod fail, with its text."""


class Kubelet:
    """Plays the kubelets of all nodes."""

    name = "kubelet"
    buckets = (_PODS, *_CONFIGS, references.DRIVERS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="kubelet", manager="kubelet")
        self._attacher = Client(backend, component="attachdetach-controller")
        self._runs: dict[str, PlayedPod] = {}
        self._waiting: dict[RowKey, None] = {}
        self._present: dict[str, set[str]] = {}

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at pods on nodes, and at pods that wait for a changed ConfigMap, Secret or CSI driver."""
        place = event.row.place
        if place.bucket == _PODS:
            if event.type == "DELETED":
                self._runs.pop(event.row.uid, None)
                self._waiting.pop(place, None)
            else:
                yield place
            view = views.pod(event.row)
            if view.claims and (event.type == "DELETED" or view.ended):
                yield from (one for one in tuple(self._waiting) if one.namespace == place.namespace)
        elif event.type != "DELETED":
            yield from (one for one in tuple(self._waiting) if place.namespace in ("", one.namespace))

    def reconcile(self, place: RowKey) -> float | None:
        """Bring one pod further."""
        pod = self._client.get(place)
        node = (pod.get("spec") or {}).get("nodeName") if pod is not None else ""
        if pod is None or not node:
            return None
        if "deletionTimestamp" in pod["metadata"]:
            return self._stop(pod)
        if readiness.phase(pod) in ("Succeeded", "Failed"):
            return None
        if self._backend.store.get(_NODES, "", node) is None:
            return None  # no kubelet there
        now = self._backend.clock.monotonic()
        run = self._run(pod, now)
        if self._is_overdue(pod, run, now):
            self._write(pod, run, now)
            return None
        self._follow_images(pod, run)
        self._follow_unready(pod, run)
        if not run.mounted and not self._mount(place, pod, run):
            self._write(pod, run, now)
            return None
        self._advance(place, pod, run, now)
        self._write(pod, run, now)
        looks = [one for one in (_next_look(run, now), run.ends_at - now) if one is not None and one != float("inf")]
        return min(looks, default=None)

    def _is_overdue(self, pod: Object, run: PlayedPod, now: float) -> bool:
        """End a pod whose deadline has passed."""
        if now < run.ends_at:
            return False
        run.failure = "DeadlineExceeded"
        self._client.record(pod, "Normal", run.failure, pod_status.OVERDUE)
        for played in run.containers:
            if played.step is ContainerStage.RUNNING:
                containers.end_by_signal(played, self._backend.timestamp())
        return True

    def _run(self, pod: Object, now: float) -> PlayedPod:
        run = self._runs.get(pod["metadata"]["uid"])
        if run is None:
            run = self._runs[pod["metadata"]["uid"]] = _run_of(pod)
            run.ends_at = now + float(pod["spec"].get("activeDeadlineSeconds") or "inf")
            resuming.resume(run, pod, self._play(pod, now))
        return run

    def _mount(self, place: RowKey, pod: Object, run: PlayedPod) -> bool:
        problems = references.volume_problems(self._backend.store, place.namespace, pod["spec"])
        if problems:
            self._waiting[place] = None
            for problem in problems:
                self._client.record(pod, "Warning", "FailedMount", problem)
            return False
        taken = self._attached_elsewhere(pod)
        if taken:
            self._waiting[place] = None
            self._attacher.record(pod, "Warning", "FailedAttachVolume", taken)
            return False
        self._waiting.pop(place, None)
        run.mounted = True
        if not run.address:
            host_network = pod["spec"].get("hostNetwork")
            run.address = self._host(pod) if host_network else self._backend.next_address("10.244")
        return True

    def _attached_elsewhere(self, pod: Object) -> str:
        """Return which volume of a pod is held by pods on another node, in the attach controller's words."""
        store, namespace = self._backend.store, pod["metadata"]["namespace"]
        for name in views.PodView(pod).claims:
            row = store.get(_CLAIMS, namespace, name)
            spec = (row.decode().get("spec") or {}) if row is not None else {}
            if not spec or _SHARED & set(spec.get("accessModes") or ()):
                continue
            users = [
                other.place.name
                for other in store.rows(_PODS, namespace)
                if name in (view := views.pod(other)).claims
                and view.node != pod["spec"]["nodeName"]
                and not view.ended
                and other.uid in self._runs
                and self._runs[other.uid].mounted
            ]
            if users:
                volume = spec.get("volumeName", "")
                return f'Multi-Attach error for volume "{volume}" Volume is already used by pod(s) {", ".join(users)}'
        return ""

    def _advance(self, place: RowKey, pod: Object, run: PlayedPod, now: float) -> None:
        play = self._play(pod, now)
        for played in _eligible(run):
            if played.step is ContainerStage.UNCONFIGURED:
                played.due = now
            containers.advance(played, play)
        # The next init container, or the main ones, may start in the same instant.
        for played in _eligible(run):
            if played.step is ContainerStage.WAITING:
                played.due = now
                containers.advance(played, play)
        if any(played.step is ContainerStage.UNCONFIGURED for played in run.containers):
            self._waiting[place] = None
        else:
            self._waiting.pop(place, None)

    def _play(self, pod: Object, now: float) -> Play:
        metadata = pod["metadata"]
        node = pod["spec"]["nodeName"]

        def tell(played: Played, kind: str, reason: str, message: str) -> None:
            field = f"spec.{'initContainers' if played.init else 'containers'}{{{played.name}}}"
            self._client.record(pod, kind, reason, message, field=field)

        def problem_of(played: Played) -> str:
            missing = references.container_problem(self._backend.store, metadata["namespace"], played.spec)
            return missing or guarding.problem(pod, {**played.spec, "image": played.image})

        return Play(
            settings=self._backend.settings,
            now=now,
            stamp=self._backend.timestamp(),
            restart_policy=pod["spec"].get("restartPolicy") or "Always",
            new_id=lambda: f"simulated://{self._backend.ids.uid().replace('-', '')}",
            problem_of=problem_of,
            pull_problem=lambda image: self._pull_problem(pod, image),
            answers=lambda service: references.answers(self._backend.store, metadata["namespace"], service),
            permits=lambda what: self._permits(pod, what),
            present=self._present.setdefault(node, set()),
            tell=tell,
            pod_words=f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})",
        )

    def _permits(self, pod: Object, what: str) -> bool:
        """Tell whether the account of a pod may do something in its namespace: verb and resource with its group."""
        namespace = pod["metadata"]["namespace"]
        account = pod["spec"].get("serviceAccountName") or "default"
        verb, _, resource = what.partition(" ")
        plural, _, group = resource.partition(".")
        attempt = rbac.Attempt(verb=verb, group=group, plural=plural, namespace=namespace)
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
        user = rbac.User(f"{rbac.SERVICE_ACCOUNT}{namespace}:{account}", groups)
        return rbac.allowed(self._backend, user, attempt) is not None

    def _pull_problem(self, pod: Object, image: str) -> str:
        settings = self._backend.settings
        keys = pulling.keys_of(self._backend.store, pod)
        if keys.missing:
            named = ", ".join(keys.missing)
            text = (
                f"Unable to retrieve some image pull secrets ({named}); attempting to pull the image may not succeed."
            )
            self._client.record(pod, "Warning", "FailedToRetrieveImagePullSecret", text)
        store = self._backend.store
        built = pulling.is_built(store, image)
        images = pulling.with_pushed(store, settings.images)
        return pulling.problem(images, image, keys.credentials, built=built)

    def _follow_unready(self, pod: Object, run: PlayedPod) -> None:
        """Let readiness probes fail while the pod is annotated so."""
        unready = (pod["metadata"].get("annotations") or {}).get(UNREADY, "")
        if unready and unready != run.unready:
            for played in run.containers:
                probe = played.spec.get("readinessProbe")
                if probe and not played.init:
                    why = probes.refusal(probe) if unready == "true" else unready
                    field = f"spec.containers{{{played.name}}}"
                    self._client.record(pod, "Warning", "Unhealthy", f"Readiness probe failed: {why}", field=field)
        run.unready = unready

    def _follow_images(self, pod: Object, run: PlayedPod) -> None:
        """Restart containers whose image was changed in place."""
        images = {one["name"]: one.get("image", "") for one in pod["spec"].get("containers") or ()}
        for played in run.containers:
            wanted = images.get(played.name)
            if not played.init and wanted and wanted != played.image:
                text = f"Container {played.name} definition changed, will be restarted"
                self._client.record(pod, "Normal", "Killing", text)
                played.image, played.step, played.due, played.crashes = wanted, ContainerStage.WAITING, 0.0, 0
                played.restarts += 1 if played.container_id else 0

    def _write(self, pod: Object, run: PlayedPod, now: float) -> None:
        stamp = self._backend.timestamp()
        status = pod_status.build(pod, run, now=now, stamp=stamp, host=self._host(pod))
        self._client.set_status(pod, status)

    def _host(self, pod: Object) -> str:
        row = self._backend.store.get(_NODES, "", pod["spec"]["nodeName"])
        addresses = (row.decode().get("status") or {}).get("addresses") or () if row is not None else ()
        return next((one["address"] for one in addresses if one.get("type") == "InternalIP"), "10.0.0.10")

    def _stop(self, pod: Object) -> float | None:
        """End a deleted pod after the time its containers take to stop."""
        if not pod["metadata"].get("deletionGracePeriodSeconds"):
            return None
        now = self._backend.clock.monotonic()
        run = self._run(pod, now)
        if run.stopping_at is None:
            grace = float(pod["metadata"]["deletionGracePeriodSeconds"])
            run.stopping_at = now + min(self._backend.settings.speeds.stop, grace)
            for played in run.containers:
                if played.step is ContainerStage.RUNNING:
                    field = f"spec.containers{{{played.name}}}"
                    text = f"Stopping container {played.name}"
                    self._client.record(pod, "Normal", "Killing", text, field=field)
        if run.stopping_at > now:
            return run.stopping_at - now
        self._client.delete(pod, propagation="", grace=0)
        return None


def _run_of(pod: Object) -> PlayedPod:
    played = []
    for field, init in (("initContainers", True), ("containers", False)):
        played += [
            Played(
                name=one["name"],
                image=one.get("image", ""),
                init=init,
                sidecar=init and one.get("restartPolicy") == "Always",
                spec=one,
            )
            for one in pod["spec"].get(field) or ()
        ]
    return PlayedPod(played)


def _eligible(run: PlayedPod) -> list[Played]:
    """Return the containers that may be worked on: started sidecars, then one init container, then all others."""
    found: list[Played] = []
    for played in run.containers:
        if not played.init:
            break
        found.append(played)
        if not played.initialized:
            return found
    return [*found, *(played for played in run.containers if not played.init)]


def _next_look(run: PlayedPod, now: float) -> float | None:
    moments = [played.due for played in _eligible(run) if played.step is not ContainerStage.ENDED]
    moments += [
        played.ready_at for played in run.containers if played.step is ContainerStage.RUNNING and played.ready_at > now
    ]
    soonest = min(moments, default=float("inf"))
    return None if soonest == float("inf") else max(0.0, soonest - now)
