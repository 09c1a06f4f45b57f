"""What a project forbids is not contacted: no connection is made, and the words do not tell what is at an address."""

import pathlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from syncline.adapters.charts.source import ChartSource
from syncline.adapters.git.source import GitSource
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.remote import RemoteSources
from syncline.adapters.render.renderer import ToolRenderer
from syncline.apimachinery.keys import Object
from tests.support import git_http, manifests, this_machine
from tests.support.listener import Listener, listening
from tests.support.loops.hybrid import run_hybrid
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SETTINGS, SandboxBed, default_project

GOOD = "https://git.example/*"
HOME = "https://kubernetes.default.svc"


def project(bed: SandboxBed, **spec: Any) -> Object:
    made = default_project(bed.control)
    return {**made, "spec": {**made["spec"], "sourceRepos": [GOOD], **spec}}


def forbidden_app(bed: SandboxBed, listener: Listener) -> Object:
    app = bed.application(automated=AUTO)
    app["spec"]["source"]["repoURL"] = listener.url("x.git")
    return app


def by_source(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    return forbidden_app(bed, listener), project(bed)


def by_a_pattern_that_denies(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    return forbidden_app(bed, listener), project(bed, sourceRepos=["*", "!http://127.0.0.1:*/**"])


def as_one_of_several(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    app = forbidden_app(bed, listener)
    bad = app["spec"].pop("source")
    good = {"repoURL": listener.url("good.git"), "path": "apps/web", "targetRevision": "main"}
    app["spec"]["sources"] = [good, {**bad, "ref": "values"}]
    return app, project(bed, sourceRepos=[good["repoURL"]])


def as_a_chart(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    app = forbidden_app(bed, listener)
    app["spec"]["source"] = {"repoURL": listener.url("charts"), "chart": "web", "targetRevision": "1.x"}
    return app, project(bed)


def by_namespace(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    rules = [{"server": "*", "namespace": "elsewhere"}]
    return forbidden_app(bed, listener), project(bed, sourceRepos=["*"], destinations=rules)


def by_server(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    rules = [{"server": "https://other.example", "namespace": "*"}]
    return forbidden_app(bed, listener), project(bed, sourceRepos=["*"], destinations=rules)


def by_a_missing_project(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    app = forbidden_app(bed, listener)
    app["spec"]["project"] = "missing"
    return app, project(bed, sourceRepos=["*"])


def by_where_it_lives(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    app = forbidden_app(bed, listener)
    app["metadata"]["namespace"] = "team"
    return app, project(bed, sourceRepos=["*"], sourceNamespaces=["others"])


def by_the_operation(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    app = bed.application()
    source = {**app["spec"]["source"], "repoURL": listener.url("x.git")}
    return {**app, "operation": {"sync": {"source": source, "revision": "main"}}}, project(bed)


def by_an_unknown_cluster(bed: SandboxBed, listener: Listener) -> tuple[Object, Object]:
    app = forbidden_app(bed, listener)
    app["spec"]["destination"] = {"server": "https://nobody.example", "namespace": bed.target}
    return app, project(bed, sourceRepos=["*"])


Denied = Callable[[SandboxBed, Listener], tuple[Object, Object]]
WAYS: list[Denied] = [
    by_source,
    by_a_pattern_that_denies,
    as_one_of_several,
    as_a_chart,
    by_namespace,
    by_server,
    by_a_missing_project,
    by_where_it_lives,
    by_the_operation,
    by_an_unknown_cluster,
]


async def words_of(bed: SandboxBed, app: Object, rules: Object) -> str:
    """Let a controller look at an app, again at every interval, and return what it says."""
    await bed.start()
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    await bed.apply(rules)
    namespace = app["metadata"]["namespace"]
    controller = bed.controller()
    await controller.start()
    await bed.apply(app)

    async def told() -> bool:
        status = (await bed.get("Application", "web", API, namespace) or {}).get("status") or {}
        return bool(status.get("conditions"))

    await bed.until(told, "the app is denied")
    await bed.clock.sleep(30.0)
    found = await bed.get("Application", "web", API, namespace) or {}
    assert not bed.failures
    await controller.stop()
    await bed.stop()
    status = found["status"]
    return "; ".join([*(one["message"] for one in status["conditions"]), str(status.get("operationState") or "")])


def reading(tmp_path: pathlib.Path) -> SandboxBed:
    settings = msgspec.structs.replace(SETTINGS, application_namespaces=("team",))
    bed = SandboxBed(settings=settings, source=GitSource(str(tmp_path / "git"), reach=this_machine.REACH))
    bed.charts = ChartSource(str(tmp_path / "charts"), reach=this_machine.REACH)
    return bed


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_is_denied_is_not_contacted(way: Denied, tmp_path: pathlib.Path) -> None:
    with listening() as listener:

        async def main() -> None:
            bed = reading(tmp_path)
            await words_of(bed, *way(bed, listener))

        run_hybrid(main())
        assert listener.connections == 0


def test_the_words_are_the_same_whatever_is_at_the_address(tmp_path: pathlib.Path) -> None:
    said = []
    with listening() as listener:
        for place in ("open", "closed"):

            async def main(place: str = place) -> None:
                bed = reading(tmp_path / place)
                said.append(await words_of(bed, *by_source(bed, listener)))

            run_hybrid(main())
            listener.close()
    assert said[0] == said[1]
    assert "is not permitted in project 'default'" in said[0]


def test_a_source_that_becomes_forbidden_is_not_asked_again(tmp_path: pathlib.Path) -> None:
    repository = git_http.Repository(tmp_path / "served" / "shop")
    repository.commit(dict(FILES))
    with git_http.serve(tmp_path / "served") as server:

        async def main() -> None:
            bed = SandboxBed(source=GitSource(str(tmp_path / "git"), reach=this_machine.REACH))
            await bed.start()
            controller = bed.controller()
            await controller.start()
            app = bed.application(automated=AUTO)
            app["spec"]["source"]["repoURL"] = server.url("shop")
            await bed.apply(app)
            await bed.until_delivered()
            await bed.apply(project(bed))
            await bed.until_status("Unknown", "Unknown")
            asked = len(server.requests)
            await bed.clock.sleep(60.0)
            assert len(server.requests) == asked
            kept = (await bed.app_status())["resources"]
            assert {row["status"] for row in kept} == {"Unknown"}
            await controller.stop()
            await bed.stop()

        run_hybrid(main())


def test_a_remote_base_that_becomes_forbidden_is_not_asked_again(tmp_path: pathlib.Path) -> None:
    shop = git_http.Repository(tmp_path / "served" / "shop")
    base = git_http.Repository(tmp_path / "served" / "base")
    base.commit({"kustomization.yaml": "resources: [config.yaml]\n", "config.yaml": manifests.CONFIG})
    with git_http.serve(tmp_path / "served") as server:
        shop.commit({"apps/web/kustomization.yaml": f"resources: ['{server.url('base')}?ref=main']\n"})

        async def main() -> None:
            source = GitSource(str(tmp_path / "git"), reach=this_machine.REACH)
            bed = SandboxBed(source=source)
            bed.renderer = ToolRenderer(means=RenderMeans(remote=RemoteSources(source=source)))
            await bed.start()
            controller = bed.controller()
            await controller.start()
            app = bed.application(automated=AUTO)
            app["spec"]["source"]["repoURL"] = server.url("shop")
            await bed.apply(app)
            await bed.until_delivered()
            await bed.apply(project(bed, sourceRepos=[server.url("shop")]))

            async def refused() -> bool:
                conditions = (await bed.app_status()).get("conditions") or ()
                return any("is not permitted in project 'default'" in one["message"] for one in conditions)

            await bed.until(refused, "the base is refused")
            asked = [path for path in server.requests if "base" in path]
            await bed.clock.sleep(60.0)
            assert [path for path in server.requests if "base" in path] == asked
            await controller.stop()
            await bed.stop()

        run_hybrid(main())


def test_a_submodule_that_the_project_forbids_is_not_contacted(tmp_path: pathlib.Path) -> None:
    shop = git_http.Repository(tmp_path / "served" / "shop")
    shop.commit({"apps/web/config.yaml": manifests.CONFIG})
    with listening() as listener, git_http.serve(tmp_path / "served") as server:
        shop.write({".gitmodules": f'[submodule "x"]\n\tpath = apps/web/x\n\turl = {listener.url("x.git")}\n'})
        shop.git("add", ".gitmodules")
        shop.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},apps/web/x")
        shop.git("commit", "--quiet", "-m", "x")

        async def main() -> None:
            bed = SandboxBed(source=GitSource(str(tmp_path / "git"), reach=this_machine.REACH))
            app = bed.application(automated=AUTO)
            app["spec"]["source"]["repoURL"] = server.url("shop")
            words = await words_of(bed, app, project(bed, sourceRepos=[server.url("shop")]))
            assert f"repository {listener.url('x.git')} is not permitted in project 'default'" in words

        run_hybrid(main())
        assert listener.connections == 0
