"""Sources of apps that are not in order are rendered where they are at hand; one that is not concerns its app alone."""

from typing import Any

from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Rendered
from syncline.verbs.fleet.rendering import here, with_rendered
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed


def an_app(bed: SandboxBed, name: str, health: str = "Degraded", **source: str) -> dict[str, Any]:
    app = bed.application(name=name)
    app["spec"] = {**app["spec"], "source": {**app["spec"]["source"], **source}}
    return {**app, "status": {"sync": {"status": "Synced"}, "health": {"status": health}}}


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


def test_a_path_in_a_file_of_somebody_else_is_not_followed() -> None:
    assert not here({}, by_path=False)("file:///home/me/private")
    assert here({}, by_path=True)("file:///home/me/private")
    assert here({"https://git.example.com/a.git": "/copy"}, by_path=False)("git@git.example.com:a.git")
