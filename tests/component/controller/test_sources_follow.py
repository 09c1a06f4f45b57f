"""What sources may use and must be, under a running controller: credentials, signing keys, what renders stand on."""

import base64
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from syncline.adapters.git.source import GitSource
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.remote import RemoteSources
from syncline.adapters.render.renderer import ToolRenderer
from syncline.apimachinery.keys import Object
from syncline.net import urls
from tests.support import git_http, manifests, this_machine
from tests.support.gpg import Gpg, key_ring
from tests.support.loops.hybrid import run_hybrid
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SandboxBed

ADA = "Ada <ada@example.com>"


@pytest.fixture
def repository(tmp_path: pathlib.Path) -> git_http.Repository:
    made = git_http.Repository(tmp_path / "served" / "shop")
    made.commit(dict(FILES))
    return made


@pytest.fixture(scope="module")
def gpg() -> Iterator[Gpg]:
    with key_ring() as made:
        yield made


def application(bed: SandboxBed, url: str, **spec: Any) -> Object:
    app = bed.application(automated=AUTO, **spec)
    app["spec"]["source"]["repoURL"] = url
    return app


def repository_secret(bed: SandboxBed, url: str, **fields: str) -> Object:
    labels = {"argocd.argoproj.io/secret-type": "repository"}
    data = {name: base64.b64encode(text.encode()).decode() for name, text in {"url": url, **fields}.items()}
    metadata = {"name": "shop", "namespace": bed.control, "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def condition(status: dict[str, Any]) -> tuple[str, str]:
    (only,) = status["conditions"]
    return only["type"], only["message"]


def deliveries(bed: SandboxBed) -> list[str]:
    return [write for write in bed.writes if "/applications/" not in write and "/events" not in write]


async def told(bed: SandboxBed, words: str) -> None:
    """Wait until the one condition of the app says something."""

    async def said() -> bool:
        conditions = (await bed.app_status()).get("conditions") or []
        return len(conditions) == 1 and words in conditions[0]["message"]

    await bed.until(said, f"the condition says {words!r}")


def test_a_repository_that_needs_a_password_is_delivered_once_its_secret_is_there(
    repository: git_http.Repository, tmp_path: pathlib.Path
) -> None:
    with git_http.serve(tmp_path / "served", password="ada:canary") as server:

        async def main() -> None:
            bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), reach=this_machine.REACH))
            await bed.start()
            controller = bed.controller()
            await controller.start()
            await bed.apply(application(bed, server.url("shop")))
            await told(bed, "authentication required")
            assert condition(await bed.app_status())[0] == "ComparisonError"
            assert deliveries(bed) == []
            await bed.apply(repository_secret(bed, server.url("shop"), username="ada", password="canary"))
            await bed.until_delivered()
            assert "canary" not in str(await bed.app()) + str(bed.events.seen)
            assert not bed.failures
            await controller.stop()
            await bed.stop()

        run_hybrid(main())


def test_the_password_of_a_project_is_for_its_own_applications_alone(
    repository: git_http.Repository, tmp_path: pathlib.Path
) -> None:
    with git_http.serve(tmp_path / "served", password="ada:canary") as server:

        async def main() -> None:
            bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), reach=this_machine.REACH))
            await bed.start()
            project = await bed.get("AppProject", "default", API, bed.control)
            assert project is not None
            await bed.apply(
                {
                    "apiVersion": API,
                    "kind": "AppProject",
                    "metadata": {"name": "games", "namespace": bed.control},
                    "spec": project["spec"],
                }
            )
            secret = repository_secret(bed, server.url("shop"), username="ada", password="canary", project="default")
            await bed.apply(secret)
            controller = bed.controller()
            await controller.start()
            await bed.apply(application(bed, server.url("shop")))
            await bed.until_delivered()
            await bed.apply(
                {
                    **application(bed, server.url("shop"), project="games"),
                    "metadata": {
                        "name": "other",
                        "namespace": bed.control,
                    },
                }
            )
            await bed.until_status("Unknown", "Healthy", "other")
            kind, message = condition(await bed.app_status("other"))
            assert kind == "ComparisonError"
            assert "authentication required" in message
            await controller.stop()
            await bed.stop()

        run_hybrid(main())


Demand = Callable[[str], dict[str, Any]]


def by_keys(key: str) -> dict[str, Any]:
    return {"signatureKeys": [{"keyID": key[-16:]}]}


def by_policy(key: str) -> dict[str, Any]:
    policy = {"repos": [{"url": "*"}], "gpg": {"mode": "head", "keys": [key]}}
    return {"sourceIntegrity": {"git": {"policies": [policy]}}}


@pytest.mark.parametrize("demand", [by_keys, by_policy])
def test_a_commit_that_is_not_signed_as_its_project_demands_is_never_delivered(
    gpg: Gpg, repository: git_http.Repository, tmp_path: pathlib.Path, demand: Demand
) -> None:
    ada = gpg.key(f"ada-{demand.__name__}")
    unsigned = repository.git("rev-parse", "HEAD")

    async def main() -> None:
        bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), local_folders=[str(tmp_path / "served")]))
        await bed.start()
        await bed.patch("AppProject", "default", {"spec": demand(ada)}, API, bed.control)
        controller = bed.controller()
        await controller.start()
        await bed.apply(application(bed, str(repository.folder)))
        await told(bed, "unsigned")
        verdict = f"GIT/GPG: Failed verifying revision {unsigned} by '{ADA}': unsigned (key_id=)"
        assert condition(await bed.app_status()) == ("ComparisonError", verdict)
        assert deliveries(bed) == []

        signed = gpg.commit(repository, ada, {"apps/web/web.yaml": manifests.deployment(replicas=3)})
        await told(bed, f"{signed} by '{ADA}': signed with key not in keyring (key_id={ada[-16:]})")
        assert deliveries(bed) == []
        metadata = {"name": "argocd-gpg-keys-cm", "namespace": bed.control}
        keys = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {ada[-16:]: gpg.public(ada)}}
        await bed.apply(keys)
        await bed.until_delivered()
        assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 3

        before = len(deliveries(bed))
        repository.commit({"apps/web/web.yaml": manifests.deployment(replicas=9)})
        await told(bed, "unsigned (key_id=); stale: objects are compared with the last good render")
        await bed.quiet()
        assert deliveries(bed)[before:] == []
        assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 3
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    run_hybrid(main())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            {
                "sourceIntegrity": {
                    "git": {"policies": [{"repos": [{"url": "*"}], "gpg": {"mode": "some", "keys": []}}]}
                }
            },
            'unknown GPG mode "some" configured for GIT source integrity',
        ),
        (
            {"sourceIntegrity": {"git": {"policies": [{"repos": [{"url": "*"}], "gpg": {"mode": "head"}}] * 2}}},
            "multiple (2) git source integrity policies found for repo URL: ",
        ),
    ],
)
def test_an_unclear_demand_lets_nothing_through(
    repository: git_http.Repository, tmp_path: pathlib.Path, spec: dict[str, Any], words: str
) -> None:
    async def main() -> None:
        bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), local_folders=[str(tmp_path / "served")]))
        await bed.start()
        await bed.patch("AppProject", "default", {"spec": spec}, API, bed.control)
        controller = bed.controller()
        await controller.start()
        await bed.apply(application(bed, str(repository.folder)))
        await told(bed, words)
        await bed.quiet()
        assert condition(await bed.app_status())[0] == "ComparisonError"
        assert deliveries(bed) == []
        await controller.stop()
        await bed.stop()

    run_hybrid(main())


def test_objects_that_are_handed_in_do_not_go_around_signatures(
    gpg: Gpg, repository: git_http.Repository, tmp_path: pathlib.Path
) -> None:
    ada = gpg.key("ada-handed")

    async def main() -> None:
        bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), local_folders=[str(tmp_path / "served")]))
        await bed.start()
        await bed.patch("AppProject", "default", {"spec": by_keys(ada)}, API, bed.control)
        app = application(bed, str(repository.folder))
        del app["spec"]["syncPolicy"]["automated"]
        await bed.apply({**app, "operation": {"sync": {"manifests": [manifests.CONFIG]}}})
        controller = bed.controller()
        await controller.start()
        await told(bed, "unsigned")
        await bed.quiet()
        assert deliveries(bed) == []
        assert await bed.phase() == "Error"
        operation = (await bed.app_status())["operationState"]
        assert "Cannot use local manifests when source integrity is enforced" in operation["message"]
        await controller.stop()
        await bed.stop()

    run_hybrid(main())


class Counted(ToolRenderer):
    """A renderer that counts."""

    renders = 0

    async def render(self, *arguments: Any, **options: Any) -> Any:
        self.renders += 1
        return await super().render(*arguments, **options)


def test_a_remote_base_at_a_branch_is_looked_at_again_and_rendered_when_it_moved(tmp_path: pathlib.Path) -> None:
    shop = git_http.Repository(tmp_path / "served" / "shop")
    bases = git_http.Repository(tmp_path / "served" / "bases")
    bases.commit(
        {"web/kustomization.yaml": "resources: [web.yaml]\n", "web/web.yaml": manifests.deployment(replicas=2)}
    )
    with git_http.serve(tmp_path / "served") as server:
        base = server.url("bases").removesuffix("/.git")
        shop.commit({"apps/web/kustomization.yaml": f"resources: ['{base}/.git//web?ref=main']\n"})

        async def main() -> None:
            source = GitSource(str(tmp_path / "cache"), reach=this_machine.REACH)
            bed = SandboxBed(source=source)
            renderer = Counted(means=RenderMeans(remote=RemoteSources(source=source)))
            bed.renderer = renderer
            await bed.start()
            controller = bed.controller()
            await controller.start()
            await bed.apply(application(bed, server.url("shop")))
            await bed.until_delivered()
            await bed.quiet()
            assert renderer.renders == 1
            bases.commit({"web/web.yaml": manifests.deployment(replicas=5)})

            async def moved() -> bool:
                return bool((await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 5)

            await bed.until(moved, "the new base is delivered")
            await bed.until_delivered()
            await bed.quiet()
            assert renderer.renders == 2
            assert not bed.failures
            await controller.stop()
            await bed.stop()

        run_hybrid(main())


def test_files_that_could_not_be_fetched_are_tried_again_at_the_next_interval(
    repository: git_http.Repository, tmp_path: pathlib.Path
) -> None:
    with git_http.serve(tmp_path / "served") as server:

        async def main() -> None:
            source = GitSource(str(tmp_path / "cache"), reach=this_machine.REACH)
            bed = SandboxBed(source=source)
            bed.renderer = Failing(times=1)
            await bed.start()
            controller = bed.controller()
            await controller.start()
            await bed.apply(application(bed, server.url("shop")))
            await bed.until_delivered()
            await controller.stop()
            await bed.stop()

        run_hybrid(main())


class Failing(ToolRenderer):
    """A renderer whose files cannot be fetched the first times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._times = times

    async def render(self, *arguments: Any, **options: Any) -> Any:
        from syncline.model.errors import SourceError

        if self._times:
            self._times -= 1
            raise SourceError("the connection was lost")
        return await super().render(*arguments, **options)


def test_a_controller_that_runs_for_others_asks_this_machine_only_where_a_secret_names_it(
    repository: git_http.Repository, tmp_path: pathlib.Path
) -> None:
    with git_http.serve(tmp_path / "served") as server:

        async def main() -> None:
            bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), reach=urls.Reach(loopback=False)))
            await bed.start()
            controller = bed.controller()
            await controller.start()
            await bed.apply(application(bed, server.url("shop")))
            await told(bed, "repository not permitted: ")
            assert "127.0.0.1 is this machine" in condition(await bed.app_status())[1]
            assert server.requests == []
            await bed.apply(repository_secret(bed, server.url("shop")))
            await bed.until_delivered()
            await controller.stop()
            await bed.stop()

        run_hybrid(main())
