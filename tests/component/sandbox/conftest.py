"""A sandbox served over HTTP in this process, and the real kubectl to talk to it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from syncline.adapters.clock import SystemClock, SystemIds
from syncline.sandbox.cluster.settings import Container, ExecRule, Images, PortRule, SandboxSettings, Speeds
from syncline.sandbox.server import Sandbox
from syncline.sandbox.serving.http import Served, serve
from syncline.sandbox.serving.kubeconfig import kubeconfig

SETTINGS = SandboxSettings(
    images=Images(unknown=("*:missing",)),
    containers=(
        Container(
            image="example/talk:*",
            lines=("hello from the sandbox",),
            ports=(PortRule(port=80, answer="hello from a port"),),
            exec=(
                ExecRule(command="cat /etc/motd", lines=("welcome",)),
                ExecRule(command="migrate *", exit_code=7, lines=("step 1",), errors=("no such table",)),
            ),
        ),
        Container(image="example/crash:*", exit_code=3, run_seconds=0.1, lines=("it crashed",)),
    ),
    speeds=Speeds(schedule=0.01, pull=0.05, start=0.02, stop=0.05),
)


class Kubectl:
    """The real kubectl with a kubeconfig of its own."""

    def __init__(self, program: str, config: Path, home: Path) -> None:
        self._program = program
        self._environment = {**os.environ, "KUBECONFIG": str(config), "HOME": str(home), "KUBECTL_KUBERC": "false"}

    def begin(self, *arguments: str, way: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Begin a command that goes on until it is ended."""
        return subprocess.Popen(
            [self._program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self._environment, **(way or {})},
        )

    def run(
        self, *arguments: str, given: str = "", code: int = 0, editor: str = "", way: Mapping[str, str] | None = None
    ) -> str:
        """Run one command and return what it prints; any other exit code than `code` fails the test.

        `way` sets variables that choose how kubectl talks.
        """
        done = subprocess.run(
            [self._program, *arguments],
            input=given,
            capture_output=True,
            text=True,
            env={**self._environment, "KUBE_EDITOR": editor, **(way or {})},
            timeout=90,
        )
        assert done.returncode == code, f"kubectl {' '.join(arguments)}: {done.stdout}{done.stderr}"
        return done.stdout if code == 0 else done.stdout + done.stderr


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """One sandbox for all tests of the folder; each test keeps to names of its own."""
    ready: list[Served] = []
    begun, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def run() -> None:
        sandbox = Sandbox(SystemClock(), SystemIds(), settings=SETTINGS)
        await sandbox.start()
        async with serve(sandbox, tls=True) as found:
            ready.append(found)
            begun.set()
            await stop.wait()
        await sandbox.stop()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    assert begun.wait(60)
    yield ready[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join(60)
    loop.close()


@pytest.fixture(scope="session")
def kubeconfig_path(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that any client reads."""
    path = tmp_path_factory.mktemp("client") / "kubeconfig"
    path.write_text(json.dumps(kubeconfig(served)))
    return path


@pytest.fixture(scope="session")
def kubectl(kubeconfig_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    """The kubectl beside this Python, else the one on PATH."""
    folder = str(Path(sys.executable).parent)
    program = shutil.which("kubectl", path=folder) or shutil.which("kubectl")
    if program is None:
        pytest.skip("kubectl is not installed: make setup installs it where there is a wheel for the platform")
    return Kubectl(program, kubeconfig_path, tmp_path_factory.mktemp("kubectl"))
