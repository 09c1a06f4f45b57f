"""Asking the controller for a new look, and waiting for it."""

from __future__ import annotations

import pytest

from syncline.verbs.errors import Refused
from syncline.verbs.refresh import RefreshRequest, refresh
from tests.support import asking, manifests, played
from tests.support.asking import KEY
from tests.support.world import Bed, SandboxBed


@pytest.mark.parametrize("hard", [False, True])
def test_a_refresh_returns_the_application_after_the_new_look(hard: bool) -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
        await bed.apply(bed.application())
        await bed.until_status("OutOfSync", "Missing")
        sha = bed.source.commit({"apps/web/config.yaml": manifests.CONFIG.replace("blue", "red")})
        found = await refresh(bed.user, RefreshRequest(app=KEY, hard=hard))
        assert found.obj["status"]["sync"]["revision"] == sha
        assert found.obj["metadata"].get("annotations", {}) == {}

    played.tell(story, refresh_interval=3600.0)


def test_nobody_who_looks_is_told_after_the_time_that_was_given() -> None:
    async def story(bed: SandboxBed) -> None:
        await asking.stored(bed)
        began = bed.clock.monotonic()
        with pytest.raises(Refused) as refused:
            await refresh(bed.user, RefreshRequest(app=KEY, timeout=7))
        assert refused.value.what == "web was not refreshed within 7 s"
        assert bed.clock.monotonic() - began == pytest.approx(7)

    asking.tell(story)
