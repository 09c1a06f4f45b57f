"""Deleting Applications: the finalizers that say what becomes of their objects."""

from __future__ import annotations

import pytest

from syncline.apimachinery import times
from syncline.model import names
from syncline.verbs.delete import DeleteRequest, Propagation, confirm_deletion, delete_application
from syncline.verbs.errors import Conflict
from tests.support.asking import KEY, stored, tell
from tests.support.world import SandboxBed

FINALIZER = "resources-finalizer.argocd.argoproj.io"
OTHER = "example.com/keep"


async def with_finalizers(bed: SandboxBed, *finalizers: str) -> str:
    app = bed.application()
    app["metadata"]["finalizers"] = list(finalizers)
    await bed.apply(app)
    return str((await bed.app())["metadata"]["uid"])


@pytest.mark.parametrize(
    ("cascade", "propagation", "before", "after"),
    [
        (True, Propagation.DEFAULT, [OTHER], [OTHER, FINALIZER]),
        (True, Propagation.FOREGROUND, [OTHER], [OTHER, f"{FINALIZER}/foreground"]),
        (True, Propagation.BACKGROUND, [OTHER, FINALIZER], [OTHER, f"{FINALIZER}/background"]),
        (True, Propagation.FOREGROUND, [f"{FINALIZER}/background", OTHER], [OTHER, f"{FINALIZER}/foreground"]),
        (False, Propagation.DEFAULT, [FINALIZER, OTHER], [OTHER]),
        (False, Propagation.DEFAULT, [f"{FINALIZER}/background", OTHER], [OTHER]),
    ],
)
def test_the_finalizer_says_what_becomes_of_the_objects(
    cascade: bool, propagation: Propagation, before: list[str], after: list[str]
) -> None:
    async def story(bed: SandboxBed) -> None:
        await with_finalizers(bed, *before)
        await delete_application(bed.user, DeleteRequest(app=KEY, cascade=cascade, propagation=propagation))
        metadata = (await bed.app())["metadata"]
        assert metadata["finalizers"] == after
        assert metadata["deletionTimestamp"]

    tell(story)


def test_without_cascade_an_application_goes_at_once() -> None:
    async def story(bed: SandboxBed) -> None:
        await with_finalizers(bed, FINALIZER)
        await delete_application(bed.user, DeleteRequest(app=KEY, cascade=False))
        assert await bed.find_app() is None

    tell(story)


def test_another_application_of_the_same_name_is_left_alone() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed)
        with pytest.raises(Conflict, match="another one has its name"):
            await delete_application(bed.user, DeleteRequest(app=KEY, uid="of-the-one-before"))
        metadata = (await bed.app())["metadata"]
        assert "finalizers" not in metadata
        assert "deletionTimestamp" not in metadata

    tell(story)


def test_agreeing_to_a_deletion_writes_when() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed)
        await bed.clock.sleep(90)
        found = await confirm_deletion(bed.user, KEY, bed.clock)
        expected = times.format_time(bed.clock.now())
        assert found.obj["metadata"]["annotations"] == {names.DELETION_APPROVED: expected}

    tell(story)
