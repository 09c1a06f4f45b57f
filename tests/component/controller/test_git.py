"""Real Git under the controller: real processes, real transports, virtual time in between."""

import pathlib

import pytest

from syncline.adapters.git.source import GitSource
from tests.support import git_http, manifests, this_machine
from tests.support.loops.hybrid import run_hybrid
from tests.support.stories import AUTO, FILES
from tests.support.world import SandboxBed


async def deliver_twice(bed: SandboxBed, repository: git_http.Repository, url: str) -> None:
    await bed.start()
    controller = bed.controller()
    await controller.start()
    app = bed.application(automated=AUTO)
    app["spec"]["source"]["repoURL"] = url
    await bed.apply(app)
    await bed.until_delivered()
    second = repository.commit({"apps/web/web.yaml": manifests.deployment(replicas=4)})

    async def seen() -> bool:
        return bool((await bed.app_status())["sync"]["revision"] == second)

    await bed.until(seen, "the second commit was seen")
    await bed.until_delivered()
    assert (await bed.must_get("Deployment", "web"))["spec"]["replicas"] == 4
    assert not bed.failures
    await controller.stop()
    await bed.stop()


@pytest.fixture
def repository(tmp_path: pathlib.Path) -> git_http.Repository:
    made = git_http.Repository(tmp_path / "served" / "shop")
    made.commit(dict(FILES))
    return made


def test_a_repository_named_by_its_path(repository: git_http.Repository, tmp_path: pathlib.Path) -> None:
    async def main() -> None:
        bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), local_folders=[str(tmp_path / "served")]))
        await deliver_twice(bed, repository, str(repository.folder))

    run_hybrid(main())


def test_a_repository_over_http(repository: git_http.Repository, tmp_path: pathlib.Path) -> None:
    with git_http.serve(tmp_path / "served") as server:

        async def main() -> None:
            bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), reach=this_machine.REACH))
            await deliver_twice(bed, repository, server.url("shop"))

        run_hybrid(main())


def test_a_missing_branch_names_those_there_are(repository: git_http.Repository, tmp_path: pathlib.Path) -> None:
    async def main() -> None:
        bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), local_folders=[str(tmp_path / "served")]))
        await bed.start()
        controller = bed.controller()
        await controller.start()
        app = bed.application(automated=AUTO)
        app["spec"]["source"] |= {"repoURL": str(repository.folder), "targetRevision": "mian"}
        await bed.apply(app)
        await bed.until_status("Unknown", "Healthy")
        message = (await bed.app_status())["conditions"][0]["message"]
        assert "unable to resolve 'mian' to a commit SHA" in message
        assert "main" in message
        repository.git("branch", "mian")
        await bed.until_delivered()
        await controller.stop()
        await bed.stop()

    run_hybrid(main())
