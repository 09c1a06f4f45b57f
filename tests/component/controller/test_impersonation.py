"""With impersonation on, objects are written and deleted as the service account that the project names."""

from __future__ import annotations

import contextlib
import pathlib
from typing import Any

import msgspec
import pytest

from syncline import wiring
from syncline.adapters.kube import config
from syncline.adapters.kube.http import HttpTransport
from syncline.model.settings.settings import Settings
from syncline.ports.transport import Transport
from syncline.sandbox.server import Handled
from tests.support import stories
from tests.support.impersonation_story import Writers, written_and_deleted_as_the_account
from tests.support.loops.running import run_real
from tests.support.manifests import files
from tests.support.played import app_with, namespace, sync, tell
from tests.support.played import config as config_map
from tests.support.world import SETTINGS, Bed, SandboxBed


def test_objects_are_written_and_deleted_as_the_account_and_only_with_its_rights() -> None:
    async def story(bed: SandboxBed) -> None:
        await written_and_deleted_as_the_account(bed, noted(bed))

    tell(story, impersonation=True)


@pytest.mark.real  # in real time, so it takes seconds
def test_the_same_over_http(tmp_path: pathlib.Path) -> None:
    async def main() -> None:
        settings = msgspec.structs.replace(SETTINGS, impersonation=True, refresh_interval=0.5)
        bed = HttpBed(tmp_path / "kubeconfig", settings)
        await stories.play(bed, lambda _bed: written_and_deleted_as_the_account(bed, noted(bed)))

    run_real(main())


class HttpBed(SandboxBed):
    """A bed whose controller reaches the sandbox over HTTP."""

    still_time = 0.1
    pause = 0.02

    def __init__(self, kubeconfig: pathlib.Path, settings: Settings) -> None:
        super().__init__(settings=settings)
        self._kubeconfig = kubeconfig
        self._open = contextlib.AsyncExitStack()

    def transport(self) -> Transport:
        found = HttpTransport(config.connect(environment={}, clock=self.clock, kubeconfig=str(self._kubeconfig)))
        self._open.push_async_callback(found.close)
        return found

    async def start(self) -> None:
        await self._open.enter_async_context(wiring.serving(self.sandbox, self._kubeconfig))
        await Bed.start(self)

    async def stop(self) -> None:
        await self._open.aclose()


def noted(bed: SandboxBed) -> Writers:
    """Note from now on who writes ConfigMaps."""
    written: set[tuple[str, str]] = set()
    before = bed.sandbox.on_request

    def note(done: Handled) -> None:
        if before is not None:
            before(done)
        if "/configmaps" in done.path and done.method != "GET" and done.code < 300:
            written.add((done.method.lower(), done.user))

    bed.sandbox.on_request = note

    async def writers() -> set[tuple[str, str]]:
        return set(written)

    return writers


def test_without_an_account_that_matches_nothing_is_written_and_the_command_that_adds_one_is_told() -> None:
    async def story(bed: SandboxBed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config_map("a")))
        await bed.apply(app_with(bed))
        bed.writes.clear()
        found: dict[str, Any] = await sync(bed)
        assert found["phase"] == "Error"
        assert "no matching service account found for destination server" in found["message"]
        assert "syncline proj add-destination-service-account default" in found["message"]
        assert not [write for write in bed.writes if "/configmaps" in write]

    tell(story, impersonation=True)
