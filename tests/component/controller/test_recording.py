"""What a sync did is written down although somebody writes to the Application at that very moment."""

from typing import Any

import orjson
import pytest

from syncline.ports.transport import Request, Response, Transport
from tests.support.loops.simulated import run_simulated
from tests.support.world import API, SandboxBed

AUTO = {"prune": True}


def config(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


FILES = {f"apps/web/{name}.yaml": config(name) for name in ("one", "two")}


class Meddling:
    """A transport on which somebody else writes to the Application just before rows are recorded, so many times."""

    def __init__(self, inner: Transport, bed: SandboxBed, patch: dict[str, Any], times: int) -> None:
        self._inner = inner
        self._bed = bed
        self._patch = patch
        self.left = times

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if self.left and request.method == "PATCH" and "/applications/web" in request.path and _has_rows(request):
            self.left -= 1
            patch = orjson.loads(orjson.dumps(self._patch).replace(b"TIME", str(self.left).encode()))
            await self._bed.patch("Application", "web", patch, API, self._bed.control)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()


def _has_rows(request: Request) -> bool:
    state = (orjson.loads(request.body or b"{}").get("status") or {}).get("operationState") or {}
    return bool((state.get("syncResult") or {}).get("resources"))


def played(patch: dict[str, Any], times: int, *, prune: bool) -> dict[str, Any]:
    """Return the state of a sync during which somebody meddles: the first one, or the one that prunes."""
    found: dict[str, Any] = {}

    async def main() -> None:
        bed = SandboxBed(0)
        await bed.start()
        meddling = Meddling(bed.transport(), bed, patch, 0 if prune else times)
        controller = bed.controller(meddling)
        await controller.start()
        sha = bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await until_over(bed, sha)
        if prune:
            meddling.left = times
            sha = bed.source.commit({path: text for path, text in FILES.items() if "two" not in path})
            await until_over(bed, sha)
        await bed.quiet()
        found.update((await bed.app_status())["operationState"])
        assert meddling.left == 0
        await controller.stop()
        await bed.stop()

    run_simulated(main, seed=0)
    return found


async def until_over(bed: SandboxBed, sha: str) -> None:
    async def over() -> bool:
        state = (await bed.app_status()).get("operationState") or {}
        return (state.get("syncResult") or {}).get("revision") == sha and bool(state.get("finishedAt"))

    await bed.until(over, "the sync is over")


def rows(state: dict[str, Any]) -> dict[str, str]:
    return {row["name"]: row["message"] for row in state["syncResult"]["resources"] if row["kind"] == "ConfigMap"}


LABELLED = {"metadata": {"labels": {"seen": "TIME"}}}
REFRESHED = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal", "time": "TIME"}}}


@pytest.mark.parametrize("patch", [LABELLED, REFRESHED], ids=["labelled", "refreshed"])
@pytest.mark.parametrize("times", [1, 3])
def test_the_rows_of_a_sync_are_those_of_what_it_did(patch: dict[str, Any], times: int) -> None:
    state = played(patch, times, prune=False)
    assert state["phase"] == "Succeeded"
    assert rows(state) == {"one": "configmap/one created", "two": "configmap/two created"}


def test_an_object_that_was_pruned_keeps_its_row() -> None:
    state = played(LABELLED, 1, prune=True)
    assert rows(state)["two"] == "pruned"


def test_a_sync_that_somebody_ends_meanwhile_is_ended() -> None:
    state = played({"status": {"operationState": {"phase": "Terminating"}}}, 1, prune=False)
    assert state["phase"] in ("Failed", "Error")
