"""What `up` does about an API server that cannot answer yet, and about disks that cannot be written."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from syncline import wiring
from syncline.cli.run import starting
from syncline.cli.run.install import create, missing
from syncline.cli.run.sandbox_options import SandboxOptions
from syncline.cli.run.up import UpFlags, _up
from syncline.ports.kube import ApiError, Cluster
from syncline.sandbox.cluster.controls import Controls, Fault
from syncline.sandbox.cluster.settings import SandboxSettings


@asynccontextmanager
async def faulty(*faults: Fault) -> AsyncIterator[tuple[Cluster, str]]:
    """Yield a cluster whose API server fails some requests, and the words for it."""
    sandbox = wiring.sandbox(SandboxSettings(simulate=False))
    sandbox.controls = Controls(faults=faults)
    await sandbox.start()
    try:
        yield wiring.client(sandbox.transport(user="syncline")), "sandbox"
    finally:
        await sandbox.stop()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Wait for nothing; return what would have been waited."""
    asked: list[float] = []

    async def sleep(seconds: float) -> None:
        asked.append(seconds)

    monkeypatch.setattr(starting, "sleep", sleep)
    return asked


@pytest.mark.parametrize("code", [429, 500, 503])
@pytest.mark.parametrize("path", ["/apis", "/apis/apiextensions.k8s.io/*"])
def test_the_installation_waits_for_the_api_server(
    code: int, path: str, pauses: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    async def run() -> list[object]:
        async with faulty(Fault(code=code, path=path, times=3, message="starting")) as (cluster, _):
            lacking = await starting.until_answered(lambda: missing(cluster, "argocd"))
            await starting.until_answered(lambda: create(cluster, lacking))
            return list(await missing(cluster, "argocd"))

    assert asyncio.run(run()) == []
    told = capsys.readouterr().err.splitlines()
    assert told == [f"the API server answers {code} (starting); trying again in {pause} s" for pause in (1, 2, 4)]
    assert pauses == [1, 2, 4]


def test_a_refusal_is_not_waited_for(pauses: list[float]) -> None:
    async def run() -> None:
        async with faulty(Fault(code=403, reason="Forbidden", path="/apis")) as (cluster, _):
            await starting.until_answered(lambda: missing(cluster, "argocd"))

    with pytest.raises(ApiError, match="told to fail"):
        asyncio.run(run())
    assert pauses == []


def observing(cluster: AbstractAsyncContextManager[tuple[Cluster, str]]) -> int:
    """Run `up --observe --once`; return its exit code."""
    flags = UpFlags(
        namespace="argocd",
        apps=(),
        local_repos=(),
        copies={},
        refresh=None,
        customized=lambda settings: settings,
        port=0,
        take_over=(),
        hand_back=(),
        output="text",
        ask=False,
        once=True,
        observe=True,
        sandbox=SandboxOptions(),
    )
    return asyncio.run(_up(cluster, flags))


def test_up_starts_once_the_api_server_answers(pauses: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    assert observing(faulty(Fault(code=503, path="/apis", times=2, message="starting"))) == 0
    assert capsys.readouterr().err.count("the API server answers 503 (starting); trying again in ") == 2
    assert pauses == [1, 2]


def test_up_runs_without_a_cache_folder_that_cannot_be_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "file"))
    assert observing(faulty()) == 0
    folder = tmp_path / "file" / "syncline"
    assert (
        f"the cache folder {folder} cannot be written (Not a directory), so caches end with this process: free space "
        "there, make it writable or set SYNCLINE_CACHE to another folder"
    ) in capsys.readouterr().err


@pytest.mark.parametrize("command", [("sandbox", "--data", "kept"), ("up", "--data", "kept")], ids=" ".join)
def test_a_data_folder_on_a_full_disk_is_one_sentence(command: tuple[str, ...], tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("syncline")

    def nothing_may_be_written() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    ended = subprocess.run(
        [str(program), *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=nothing_may_be_written,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("syncline: The data folder kept")
    assert ended.stderr.endswith("free space there, make it writable or choose another folder.\n")
    assert ended.stderr.count("\n") == 1
