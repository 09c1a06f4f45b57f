"""What an Application's repository keeps elsewhere, under a running controller: submodules, and the switch for them."""

import pathlib

import msgspec
import pytest

from syncline.adapters.git.source import GitSource
from syncline.apimachinery.keys import Object
from syncline.model.settings.parts import SourceSettings
from tests.support import git_http, this_machine
from tests.support.loops.hybrid import run_hybrid
from tests.support.stories import AUTO, FILES
from tests.support.world import SandboxBed

EXTRA = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n"


@pytest.fixture
def repository(tmp_path: pathlib.Path) -> git_http.Repository:
    """A repository whose folder of the app has a submodule."""
    library = git_http.Repository(tmp_path / "served" / "library")
    inner = library.commit({"extra.yaml": EXTRA})
    made = git_http.Repository(tmp_path / "served" / "shop")
    folder = pathlib.PurePosixPath(next(iter(FILES))).parent
    module = f'[submodule "x"]\n\tpath = {folder}/more\n\turl = ../../library/.git\n'
    made.write({**FILES, ".gitmodules": module})
    made.git("add", "--all")
    made.git("update-index", "--add", "--cacheinfo", f"160000,{inner},{folder}/more")
    made.git("commit", "--quiet", "-m", "first")
    return made


def application(bed: SandboxBed, url: str) -> Object:
    app = bed.application(automated={**AUTO, "prune": True})
    app["spec"]["source"] |= {"repoURL": url, "directory": {"recurse": True}}
    return app


def test_objects_of_a_submodule_are_delivered_and_not_pruned_when_it_cannot_be_had(
    repository: git_http.Repository, tmp_path: pathlib.Path
) -> None:
    async def main(server: git_http.Server) -> None:
        bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), reach=this_machine.REACH))
        await bed.start()
        controller = bed.controller()
        await controller.start()
        await bed.apply(application(bed, server.url("shop")))
        await bed.until_delivered()
        assert await bed.get("ConfigMap", "extra", "v1") is not None
        folder = pathlib.PurePosixPath(next(iter(FILES))).parent
        repository.git("update-index", "--cacheinfo", f"160000,{'1' * 40},{folder}/more")
        repository.git("commit", "--quiet", "-m", "gone")

        async def told() -> bool:
            conditions = (await bed.app_status()).get("conditions") or []
            return any("its submodule cannot be fetched" in one["message"] for one in conditions)

        await bed.until(told, "the condition names the submodule")
        assert await bed.get("ConfigMap", "extra", "v1") is not None
        await controller.stop()
        await bed.stop()

    with git_http.serve(tmp_path / "served") as server:
        run_hybrid(main(server))


def test_submodules_are_left_out_where_the_installation_says_so(
    repository: git_http.Repository, tmp_path: pathlib.Path
) -> None:
    async def main(server: git_http.Server) -> None:
        bed = SandboxBed(source=GitSource(str(tmp_path / "cache"), reach=this_machine.REACH))
        bed.settings = msgspec.structs.replace(bed.settings, sources=SourceSettings(git_submodules=False))
        await bed.start()
        controller = bed.controller()
        await controller.start()
        await bed.apply(application(bed, server.url("shop")))
        await bed.until_delivered()
        assert await bed.get("ConfigMap", "extra", "v1") is None
        assert not [line for line in server.requests if "library" in line]
        await controller.stop()
        await bed.stop()

    with git_http.serve(tmp_path / "served") as server:
        run_hybrid(main(server))
