"""Sources of apps that are not in order are rendered where they are at hand; one that is not concerns its app alone."""

import asyncio
import dataclasses
from typing import Any

import pytest

from syncline.adapters.render.renderer import ToolRenderer
from syncline.controller.app_key import AppKey
from syncline.controller.sources.capabilities import Capabilities
from syncline.controller.sources.desired import DesiredSources
from syncline.model import application
from syncline.model.desired import Desired
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Rendered
from syncline.model.project import ProjectSpec
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree
from syncline.verbs.fleet.rendering import LATE, here, with_rendered
from tests.support import manifests
from tests.support.loops.hybrid import run_hybrid
from tests.support.loops.simulated import run_simulated
from tests.support.stores import MemoryStore
from tests.support.world import SandboxBed


def an_app(bed: SandboxBed, name: str, health: str = "Degraded", **source: str) -> dict[str, Any]:
    app = bed.application(name=name)
    app["spec"] = {**app["spec"], "source": {**app["spec"]["source"], **source}}
    return {**app, "status": {"sync": {"status": "Synced"}, "health": {"status": health}}}


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "chart/values.yaml": "tolerations: []\npassword: ''\n",
    "chart/templates/web.yaml": manifests.deployment(),
    "values/dev.yaml": "password: hunter2\ntolerations:\n- {key: env, value: dev, effect: NoSchedule}\n",
    "values/web.yaml": "replicas: 2\npassword: ''\ntolerations: []\n",
    "sets/web.yaml": "app: web\n",
    "sets/cart.yaml": "app: cart\n",
}


def a_set(bed: SandboxBed, name: str, repo_url: str) -> dict[str, Any]:
    files = {"git": {"repoURL": repo_url, "revision": "main", "files": [{"path": "sets/*.yaml"}]}}
    template = {"metadata": {"name": "{{.app}}"}, "spec": bed.application("web")["spec"]}
    spec = {"goTemplate": True, "generators": [files], "template": template}
    metadata = {"name": name, "namespace": bed.control}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": metadata, "spec": spec}


def read_sources() -> FleetSnapshot:
    found: list[FleetSnapshot] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        bed.source.commit(CHART)
        app = an_app(bed, "web", path="chart")
        app["spec"]["source"]["helm"] = {"valueFiles": ["/values/dev.yaml", "/values/web.yaml"]}
        url = app["spec"]["source"]["repoURL"]
        sets = (a_set(bed, "here", url), a_set(bed, "elsewhere", "https://git.example.com/other.git"))
        cluster = ClusterSnapshot(name="a", objects=(app, *sets))
        is_here = here({url: "/copy"}, by_path=False)
        snapshot = FleetSnapshot(as_of="", origin="", clusters=(cluster,))
        found.append(await with_rendered(snapshot, bed.world(bed.transport()), is_here))
        await bed.stop()

    run_hybrid(main())
    return found[0]


def test_tolerations_that_an_empty_value_hides_come_along_and_no_other_value_does() -> None:
    snapshot = read_sources()
    [app] = snapshot.rendered
    [hidden] = app.layers.hidden
    assert (hidden.path, hidden.empty) == (("tolerations",), "tolerations: []")
    assert (str(hidden.place), str(hidden.hides)) == ("values/web.yaml:3", "values/dev.yaml:2")
    assert hidden.hidden == [{"key": "env", "value": "dev", "effect": "NoSchedule"}]
    assert "hunter2" not in str(snapshot.rendered)
    assert [(one.appset.name, one.names) for one in snapshot.generated] == [("here", ("cart", "web"))]


def parent_of(app: dict[str, Any], child: str) -> dict[str, Any]:
    row = {"group": "argoproj.io", "kind": "Application", "namespace": app["metadata"]["namespace"], "name": child}
    return {**app, "status": {**app["status"], "resources": [row]}}


def rendered() -> dict[str, Rendered]:
    found: dict[str, Rendered] = {}

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        bed.source.commit({"apps/web/web.yaml": manifests.deployment()})
        apps = (
            an_app(bed, "bad"),
            an_app(bed, "good", "Healthy"),
            an_app(bed, "lost", path="apps/nowhere"),
            an_app(bed, "elsewhere", repoURL="https://git.example.com/other.git"),
            parent_of(an_app(bed, "root", "Healthy"), "bad"),
            parent_of(an_app(bed, "other-root", "Healthy"), "good"),
        )
        snapshot = FleetSnapshot(as_of="", origin="", clusters=(ClusterSnapshot(name="a", objects=apps),))
        copies = {apps[0]["spec"]["source"]["repoURL"]: "/copy"}
        is_here = here(copies, by_path=False)
        result = await with_rendered(snapshot, bed.world(bed.transport()), is_here)
        found.update({one.app.name: one for one in result.rendered})
        await bed.stop()

    run_simulated(main)
    return found


def test_each_app_has_its_objects_or_why_not() -> None:
    found = rendered()
    # Whoever delivers a bad app is rendered too: its files name the app.
    assert sorted(found) == ["bad", "elsewhere", "lost", "root"]
    desired = found["bad"].desired
    assert desired is not None
    assert [(one.obj["kind"], one.origin.file) for one in desired.objects] == [("Deployment", "apps/web/web.yaml")]
    assert "apps/nowhere" in found["lost"].problem
    assert found["elsewhere"].problem == "its repository is not on this machine"


class Counted(ToolRenderer):
    """A renderer that counts what it really does."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    async def render(self, request: RenderRequest, tree: Tree, refs: Any = None) -> Desired:
        self.count += 1
        return await super().render(request, tree, refs)


@pytest.mark.parametrize(("fetching", "renders"), [(True, 1), (False, 2)])
def test_who_may_fetch_all_that_a_source_leads_to_finds_what_the_controller_rendered(
    fetching: bool, renders: int
) -> None:
    """Charts that read nothing of a cluster are the same for whoever knows the cluster and for whoever does not."""
    renderer = Counted()

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        bed.source.commit(CHART)
        world = dataclasses.replace(bed.world(bed.transport()), renderer=renderer, store=MemoryStore())
        obj = an_app(bed, "web", path="chart")
        app = application.parse(obj)
        rules = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": app.spec.project}}
        rules["spec"] = {"sourceRepos": ["*"], "signatureKeys": [{"keyID": "0123456789ABCDEF"}]}
        sources = DesiredSources(world, lambda _app: None)
        newest = await sources.newest(AppKey("argocd", "web"), app.spec.all_sources)
        cluster = Capabilities("v1.37.1", ("apps/v1",))
        permits = ProjectSpec(source_repos=("*",))
        await sources.render(app, app.spec.all_sources, newest, cluster, project=permits)
        await sources.stop()
        snapshot = FleetSnapshot(as_of="", origin="", clusters=(ClusterSnapshot(name="a", objects=(obj, rules)),))
        [found] = (await with_rendered(snapshot, world, lambda _url: True, fetching=fetching)).rendered
        assert (found.problem, found.desired is None) == ("", False)
        await bed.stop()

    run_hybrid(main())
    assert renderer.count == renders


class Slow(ToolRenderer):
    """A renderer that takes longer than anybody waits."""

    async def render(self, request: RenderRequest, tree: Tree, refs: Any = None) -> Desired:
        await asyncio.sleep(60)
        return await super().render(request, tree, refs)


def test_what_sets_generate_is_known_although_renders_take_too_long() -> None:
    found: list[FleetSnapshot] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        bed.source.commit(CHART)
        app = an_app(bed, "web", path="chart")
        url = app["spec"]["source"]["repoURL"]
        world = dataclasses.replace(bed.world(bed.transport()), renderer=Slow())
        cluster = ClusterSnapshot(name="a", objects=(app, a_set(bed, "here", url)))
        snapshot = FleetSnapshot(as_of="", origin="", clusters=(cluster,))
        found.append(await with_rendered(snapshot, world, lambda _url: True))
        await bed.stop()

    run_hybrid(main())
    assert [one.problem for one in found[0].rendered] == [LATE]
    assert [(one.appset.name, one.names) for one in found[0].generated] == [("here", ("cart", "web"))]


def test_a_path_in_a_file_of_somebody_else_is_not_followed() -> None:
    assert not here({}, by_path=False)("file:///home/me/private")
    assert here({}, by_path=True)("file:///home/me/private")
    assert here({"https://git.example.com/a.git": "/copy"}, by_path=False)("git@git.example.com:a.git")


OVERLAY = {
    "base/kustomization.yaml": "resources: [web.yaml, login.yaml]\n",
    "base/web.yaml": manifests.deployment(image="example/web:1"),
    "base/login.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  user: web\n",
    "prod/kustomization.yaml": "resources: [../base]\nimages:\n  - name: example/web\n    newTag: '2'\n"
    "patches:\n  - path: login.yaml\n",
    "prod/login.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  user: hunter2\n",
}


def test_fields_that_an_overlay_sets_come_along_and_none_of_a_secret_does() -> None:
    found: list[FleetSnapshot] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        bed.source.commit(OVERLAY)
        app = an_app(bed, "web", path="prod")
        is_here = here({app["spec"]["source"]["repoURL"]: "/copy"}, by_path=False)
        snapshot = FleetSnapshot(as_of="", origin="", clusters=(ClusterSnapshot(name="a", objects=(app,)),))
        found.append(await with_rendered(snapshot, bed.world(bed.transport()), is_here))
        await bed.stop()

    run_hybrid(main())
    [app] = found[0].rendered
    [image] = app.layers.patched
    assert (image.key.name, image.path) == ("web", "spec.template.spec.containers[0].image")
    assert (str(image.place), image.value, image.hidden) == ("prod/kustomization.yaml:4", "2", "example/web:1")
    assert "hunter2" not in str(app.layers)
