"""Plays the cases: makes repositories and objects, waits until nothing moves, takes the steps, and reads the verdicts.

Whoever delivers is started by the caller: Argo CD beside a kube-apiserver, or a controller of ours. All cases take
their steps together, so that a fleet takes as long as its slowest story.
"""

import pathlib
from collections.abc import Iterable, Sequence
from typing import Any

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import GroupKind, Object, split_api_version
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource
from tests.support.git_http import Repository
from tests.support.referee import resting
from tests.support.referee.case import (
    API,
    CONTROL,
    Case,
    Change,
    Commit,
    Delete,
    Edit,
    Json,
    Remove,
    Step,
    Sync,
)
from tests.support.referee.normal import Words, verdict
from tests.support.referee.resting import REFRESH, Look, Pace

KINDS = (
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("v1", "Pod"),
    ("v1", "PersistentVolumeClaim"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "Job"),
    ("networking.k8s.io/v1", "Ingress"),
    ("example.com/v1", "Widget"),
)
_EVERYTHING: Json = {
    "sourceRepos": ["*"],
    "destinations": [{"namespace": "*", "server": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
}


_WIDGETS: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {"size": {"type": "integer"}},
                            }
                        },
                    }
                },
            }
        ],
    },
}
_REFUSAL: Json = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicy",
    "metadata": {"name": "no-denied"},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
            ]
        },
        "validations": [
            {
                "expression": "!has(object.metadata.labels) || !('denied' in object.metadata.labels)",
                "message": "what is called denied is refused",
            }
        ],
    },
}
_BINDING: Json = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicyBinding",
    "metadata": {"name": "no-denied"},
    "spec": {"policyName": "no-denied", "validationActions": ["Deny"]},
}


LIVE = Pace(look=1.0, quiet=7.0, limit=1200.0)
VIRTUAL = Pace(look=5.0, quiet=15.0, limit=2000.0)


class Repositories:
    """The repositories of a fleet: one for all cases that stay as they are, and one for each that changes."""

    def __init__(self, folder: pathlib.Path, cases: Sequence[Case]) -> None:
        self._folder = folder
        self._made: dict[str, Repository] = {}
        self.commits: dict[str, str] = {}
        texts: dict[str, dict[str, str | None]] = {}
        for case in cases:
            texts.setdefault(self._name(case), {}).update(case.written(case.files))
        for name, files in texts.items():
            self._made[name] = Repository(folder / name)
            self._commit(name, files)

    @property
    def root(self) -> str:
        return f"file://{self._folder}"

    def url(self, case: Case) -> str:
        return f"{self.root}/{self._name(case)}"

    def urls(self) -> dict[str, str]:
        return {name: f"{self.root}/{name}" for name in self._made}

    def commit(self, case: Case, files: Any) -> None:
        self._commit(self._name(case), case.written(files))

    def _commit(self, name: str, files: dict[str, str | None]) -> None:
        url = f"{self.root}/{name}"
        sha = self._made[name].commit({path: text and text.replace("REPOSITORY", url) for path, text in files.items()})
        taken = sum(1 for label in self.commits.values() if label.startswith(f"{name} "))
        self.commits[sha] = f"{name} commit {taken + 1}"

    @staticmethod
    def _name(case: Case) -> str:
        return case.name if case.changing else "fleet"


class Fleet:
    """The cases on one cluster."""

    def __init__(
        self, user: KubeCluster, clock: Clock, cases: Sequence[Case], folder: pathlib.Path, pace: Pace = LIVE
    ) -> None:
        self._user = user
        self._clock = clock
        self._cases = cases
        self._pace = pace
        self._served: dict[tuple[str, str], ApiResource] = {}
        self._known: set[str] = set()
        self.repositories = Repositories(folder, cases)
        self._words = Words(self.repositories.root, self.repositories.commits)

    async def play(self) -> dict[str, list[Json]]:
        """Return the verdicts of every case: the first, and one after each step."""
        await self._prepare()
        for case in self._cases:
            await self._apply(case.application(self.repositories.url(case)))
        seen: dict[str, list[Json]] = {case.name: [] for case in self._cases}
        await self._settle()
        await self._note(self._cases, seen)
        for turn in range(max(len(case.steps) for case in self._cases)):
            moving = [case for case in self._cases if len(case.steps) > turn]
            for case in moving:
                await self._take(case, case.steps[turn])
            await self._settle()
            await self._note(moving, seen)
        return seen

    async def _prepare(self) -> None:
        for obj in (_WIDGETS, _REFUSAL, _BINDING):
            await self._apply(obj)
        for name, url in self.repositories.urls().items():
            secret = {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {
                    "name": f"repository-{name}",
                    "namespace": CONTROL,
                    "labels": {"argocd.argoproj.io/secret-type": "repository"},
                },
                "stringData": {"url": url, "type": "git"},
            }
            await self._apply(secret)
        for case in self._cases:
            if case.namespace:
                await self._apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": case.name}})
            if case.project is not None:
                spec = {**_EVERYTHING, **case.project}
                metadata = {"name": case.name, "namespace": CONTROL}
                await self._apply({"apiVersion": API, "kind": "AppProject", "metadata": metadata, "spec": spec})
            for obj in case.before:
                await self._before(case, obj)

    async def _before(self, case: Case, obj: Json) -> None:
        resource = await self._resource(obj["apiVersion"], obj["kind"])
        if resource.namespaced:
            obj = {**obj, "metadata": {"namespace": case.name, **obj["metadata"]}}
        await self._user.create(resource, obj, manager="kubectl-create")

    async def _take(self, case: Case, step: Step) -> None:
        match step:
            case Commit(files):
                self.repositories.commit(case, files)
            case Change() | Remove():
                await self._meddle(case, step)
            case Sync(sync, retry, info):
                operation: Json = {"initiatedBy": {"username": "tester"}, "sync": sync, "info": list(info)}
                if retry is not None:
                    operation["retry"] = retry
                await self._edit(case.name, {"operation": operation})
                return
            case Edit(patch):
                await self._edit(case.name, patch)
            case Delete():
                await self._user.delete(await self._applications(), CONTROL, case.name, propagation="Background")
                return
        await self._refresh(case.name)

    async def _meddle(self, case: Case, step: Change | Remove) -> None:
        """Change or delete a live object; one that was never delivered stays absent, which the verdict shows."""
        resource = await self._resource(step.api_version, step.kind)
        try:
            if isinstance(step, Remove):
                await self._user.delete(resource, case.name, step.name, propagation="Background")
            else:
                await self._user.patch(resource, case.name, step.name, step.patch, manager="kubectl-edit")
        except ApiError as error:
            if error.code != 404:
                raise

    async def _refresh(self, name: str) -> None:
        await self._edit(name, {"metadata": {"annotations": {REFRESH: "normal"}}})

    async def _edit(self, name: str, patch: Json) -> None:
        await self._user.patch(await self._applications(), CONTROL, name, patch, manager="kubectl-edit")

    async def _settle(self) -> None:
        """Wait for rest, and once more where health may still change: Argo CD may have looked too early for the last
        time, at a definition that was not established yet.
        """
        await resting.settle(self._look, self._clock, self._pace)
        apps = (await self._user.list(await self._applications(), namespace=CONTROL)).items
        unsure = [app["metadata"]["name"] for app in apps if _is_unsure(app)]
        for name in unsure:
            await self._refresh(name)
        if unsure:
            await resting.settle(self._look, self._clock, self._pace)

    async def _look(self) -> Look:
        apps = (await self._user.list(await self._applications(), namespace=CONTROL)).items
        told = {app["metadata"]["name"]: verdict(app, (), self._words) for app in apps}
        return Look(told, resting.waiting(apps))

    async def _note(self, cases: Iterable[Case], seen: dict[str, list[Json]]) -> None:
        apps = {app["metadata"]["name"]: app for app in await self._list(API, "Application")}
        objects: dict[str, list[Object]] = {}
        for api_version, kind in KINDS:
            for obj in await self._list(api_version, kind):
                objects.setdefault(obj["metadata"].get("namespace", ""), []).append(
                    {**obj, "apiVersion": api_version, "kind": kind}
                )
        for namespace in await self._list("v1", "Namespace"):
            objects.setdefault(namespace["metadata"]["name"], []).append({**namespace, "kind": "Namespace"})
        for case in cases:
            seen[case.name].append(verdict(apps.get(case.name), objects.get(case.name, []), self._words))
            for name in case.further:
                seen[case.name][-1][f"app {name}"] = verdict(apps.get(name), (), self._words)

    async def _list(self, api_version: str, kind: str) -> Sequence[Object]:
        try:
            return (await self._user.list(await self._resource(api_version, kind))).items
        except LookupError:
            return ()

    async def _applications(self) -> ApiResource:
        return await self._resource(API, "Application")

    async def _apply(self, obj: Json) -> None:
        resource = await self._resource(obj["apiVersion"], obj["kind"])
        await self._user.apply(resource, obj, manager="kubectl")

    async def _resource(self, api_version: str, kind: str) -> ApiResource:
        known = self._served.get((api_version, kind))
        if known is None:
            group, version = split_api_version(api_version)
            known = (await self._user.discover()).find(GroupKind(group, kind), version)
            if known is None:
                raise LookupError(f"{api_version} {kind} is not served")
            self._served[api_version, kind] = known
        return known


def _is_unsure(app: Object) -> bool:
    health = ((app.get("status") or {}).get("health") or {}).get("status")
    return health in ("Degraded", "Progressing") and not app["metadata"].get("deletionTimestamp")
