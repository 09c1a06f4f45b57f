"""A real API server takes the preconditions of a take-over: UID and version, by every way of applying."""

from __future__ import annotations

import pytest

from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.verbs.adopt import adopt
from syncline.verbs.look import look
from tests.real.bed import RealBed
from tests.real.cluster import Cluster
from tests.support import stories
from tests.support.loops.running import run_real
from tests.support.manifests import files
from tests.support.played import app_with, ask, config, namespace, until_told
from tests.support.world import Bed


async def taken_over_once_approved(bed: Bed, *options: str) -> None:
    await namespace(bed)
    mark = {names.TRACKING_ID: f"elsewhere:/ConfigMap:{bed.target}/one"}
    metadata = {"name": "one", "namespace": bed.target, "annotations": mark}
    theirs: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": "green"}}
    before = await bed.apply(theirs)
    bed.source.commit(files(a=config("one")))
    await bed.apply(app_with(bed, *options))
    await ask(bed)
    await until_told(bed, "ConfigMap/one (tracked for elsewhere)")
    assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "green"}
    await adopt(bed.user, await look(bed.user, bed.control, await bed.app(), lambda _cluster, _settings: bed.world()))
    await bed.until_status("Synced", "Healthy")
    after = await bed.must_get("ConfigMap", "one", "v1")
    assert (after["metadata"]["uid"], after["data"]) == (before["metadata"]["uid"], {"colour": "blue"})


@pytest.mark.parametrize("options", [(), ("ServerSideApply=true",), ("Replace=true",)])
def test_object_of_an_unknown_app_is_taken_over_once_approved(real_cluster: Cluster, options: tuple[str, ...]) -> None:
    async def main() -> None:
        await stories.play(RealBed(real_cluster), lambda bed: taken_over_once_approved(bed, *options))

    run_real(main())
