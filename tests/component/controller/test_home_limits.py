"""A cluster Secret for the home cluster says how much of it is read; the installation is read in its own namespaces."""

from __future__ import annotations

import base64
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import GroupKind, GroupVersionKind
from syncline.controller.clusters.home import HomeLimits, home_scope, read_home_limits
from syncline.controller.controller import Controller
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiResource
from syncline.sandbox.server import Handled
from tests.support.loops.simulated import run_simulated
from tests.support.world import SETTINGS, SandboxBed

HOME = "https://kubernetes.default.svc"
SECRET = GroupKind("", "Secret")
APPLICATION = GroupKind("argoproj.io", "Application")
SERVED = {
    kind: ApiResource(
        gvk=GroupVersionKind(kind.group, "v1", kind.kind),
        plural=f"{kind.kind.lower()}s",
        namespaced=kind.kind != "Node",
        verbs=frozenset({"list", "watch"}),
    )
    for kind in (SECRET, APPLICATION, GroupKind("", "Pod"), GroupKind("", "Node"))
}


def secret(title: str, **fields: str) -> dict[str, Any]:
    data = {key: base64.b64encode(text.encode()).decode() for key, text in fields.items()}
    labels = {"argocd.argoproj.io/secret-type": "cluster"}
    metadata = {"name": title, "namespace": "argocd", "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def watched(scope: Any) -> set[str]:
    return {str(one) for resource in SERVED.values() for one in scope.watches(resource)}


@pytest.mark.parametrize(
    ("limits", "namespaces", "seen"),
    [
        (None, (), {"Secret", "argoproj.io/Application", "Pod", "Node"}),
        (HomeLimits(), ("team",), {"Secret", "argoproj.io/Application", "Pod", "Node"}),
        (
            HomeLimits(namespaces=("web",)),
            ("team",),
            {
                "Secret in argocd",
                "Secret in web",
                "argoproj.io/Application in argocd",
                "argoproj.io/Application in team",
                "argoproj.io/Application in web",
                "Pod in web",
            },
        ),
        (
            HomeLimits(namespaces=("web",), cluster_resources=True),
            ("team-*",),
            {"Secret in argocd", "Secret in web", "argoproj.io/Application", "Pod in web", "Node"},
        ),
    ],
)
def test_what_is_followed_is_what_the_secret_names_and_the_installation(
    limits: HomeLimits | None, namespaces: tuple[str, ...], seen: set[str]
) -> None:
    settings = Settings(namespace="argocd", application_namespaces=namespaces)
    assert watched(home_scope(limits, settings, (SECRET, APPLICATION))) == seen


@pytest.mark.parametrize(
    ("secrets", "limits"),
    [
        ([], HomeLimits()),
        ([secret("far", server="https://far.example", namespaces="a")], HomeLimits()),
        ([secret("home", server=HOME, namespaces="b, a")], HomeLimits(namespaces=("a", "b"))),
        (
            [secret("home", server=HOME, namespaces="a", clusterResources="true")],
            HomeLimits(namespaces=("a",), cluster_resources=True),
        ),
        (
            [secret("bad", server=HOME, config="{"), secret("home", server=HOME, namespaces="a")],
            HomeLimits(namespaces=("a",)),
        ),
    ],
)
def test_the_secret_of_the_home_cluster_is_read(secrets: list[dict[str, Any]], limits: HomeLimits) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        try:
            for one in secrets:
                await bed.apply(one)
            assert await read_home_limits(bed.user, "argocd") == limits
        finally:
            await bed.stop()

    run_simulated(main)


def test_nothing_outside_is_listed_and_an_application_is_delivered() -> None:
    async def main() -> None:
        bed = SandboxBed(settings=msgspec.structs.replace(SETTINGS, application_namespaces=("team",)))
        await bed.start()
        listed: set[str] = set()
        note = bed.sandbox.on_request

        def noted(done: Handled) -> None:
            if done.user == "syncline" and done.method == "GET":
                listed.add(done.path.partition("?")[0])
            if note is not None:
                note(done)

        bed.sandbox.on_request = noted
        try:
            await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}})
            await bed.apply(secret("home", server=HOME, name="in-cluster", namespaces="web", config="{}"))
            bed.source.commit({"apps/web/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
            world = bed.world()
            world.home_limits = await read_home_limits(bed.user, "argocd")
            controller: Controller = bed.controller_of(world)
            await controller.start()
            await bed.apply(bed.application(automated={}, syncPolicy={"automated": {}}))
            await bed.until_delivered()
            await controller.stop()
        finally:
            await bed.stop()
        collections = {path for path in listed if path.startswith(("/api/v1/", "/apis/")) and path.count("/") > 3}
        outside = {path for path in collections if "/namespaces/" not in path}
        assert outside == set()
        assert {path.split("/namespaces/")[1].split("/")[0] for path in collections} <= {"argocd", "team", "web"}

    run_simulated(main)
