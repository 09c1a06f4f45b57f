"""Has the cases worked on by a controller of ours on a sandbox, in virtual time and with a repository in memory."""

from collections.abc import Sequence
from unittest import mock

import orjson

from syncline.adapters.scripts.deletion import delete
from syncline.adapters.scripts.lua import ScriptFailed
from syncline.model.errors import SourceError
from syncline.model.script import Evaluated, Script
from syncline.model.settings.settings import Compat, Settings
from syncline.ports.source import RevisionRequest
from syncline.ports.web import WebAnswer, WebRequest
from tests.support.code_hosts import Hosts, respond
from tests.support.fake_source import MemorySource
from tests.support.judged_sets import world
from tests.support.judged_sets.case import CONTROL, Case, Json
from tests.support.judged_sets.playing import VIRTUAL, Play
from tests.support.loops.simulated import run_simulated
from tests.support.sets import start
from tests.support.world import SandboxBed

_URL = "https://git.example/repository.git"
_HOST = "https://host.example"


class _OneRepository(MemorySource):
    async def resolve(self, request: RevisionRequest) -> str:
        if request.repo_url != _URL:
            raise SourceError(f"{request.repo_url}: no such repository")
        return await super().resolve(request)


class _HereAndNow:
    """Runs jq in this process: the expressions are ours."""

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        return [self._one(script) for script in batch]

    def _one(self, script: Script) -> Evaluated:
        try:
            return Evaluated(value=delete(script.text, script.obj))
        except ScriptFailed as error:
            return Evaluated(error=str(error))

    async def close(self) -> None:
        """Have nothing to close."""


class _Web:
    """Hands what is asked to the code hosts, without a network."""

    def __init__(self, hosts: Hosts) -> None:
        self._hosts = hosts

    async def ask(self, request: WebRequest) -> WebAnswer:
        path = request.url.removeprefix(_HOST)
        told = respond(self._hosts, path, request.authorization, request.headers.get("Private-Token", ""))
        headers = {name.lower(): text for name, text in told.headers.items()}
        return WebAnswer(told.status, headers, orjson.dumps(told.content))


def on_sandbox(cases: Sequence[Case], compat: Compat) -> dict[str, list[Json]]:
    """Return what Syncline makes of the cases."""

    async def main() -> dict[str, list[Json]]:
        source = _OneRepository()
        source.commit(world.FILES)
        settings = Settings(namespace=CONTROL, refresh_interval=100_000.0, compat=compat)
        hosts = Hosts(address=_HOST)
        bed = SandboxBed(settings=settings, source=source, evaluator=_HereAndNow())
        await start(bed)
        ports = bed.world()
        ports.web = _Web(hosts)
        controller = bed.controller_of(ports)
        # Argo CD's Applications are left alone too: only its ApplicationSet controller runs.
        with mock.patch.object(controller.applications, "is_ours", return_value=False):
            await controller.start()
            verdicts = await Play(bed.user, bed.clock, cases, {"REPO": _URL, "HOST": _HOST}, VIRTUAL).play()
            await controller.stop()
            await bed.stop()
        assert not bed.failures, bed.failures
        return verdicts

    return run_simulated(main)
