"""A running installation for tests of the command line: sandbox behind HTTP, controller, Git repository.

The installation runs in a thread with a loop of its own; commands run in the test's thread through the program's own
`main`, so that exit codes, standard output and standard error are what a user gets.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from syncline import wiring
from syncline.cli.main import main
from syncline.cli.run.install import create, missing
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.model.settings.settings import Settings
from syncline.server.access.bootstrap import INITIAL, ensure_keys
from syncline.server.app import Listening, serving

_IDENTITY = ("-c", "user.name=Tester", "-c", "user.email=tester@syncline.invalid")


class Answer(NamedTuple):
    """What a command gave."""

    code: int
    output: str
    errors: str


class Installation:
    """A cluster with a controller, and a repository whose folder `web` holds one ConfigMap and one Deployment."""

    def __init__(self, folder: Path, *, served: bool = False, pair: tuple[str, str] = ("", ""), dex: str = "") -> None:
        self.kubeconfig = folder / "kubeconfig"
        self.repository = folder / "repo"
        self._folder = folder
        self.server = ""
        """Host and port of its API server, where one runs."""
        self._served = served
        self._pair = pair
        self._dex = dex

    def run(self, *arguments: str) -> Answer:
        """Run a command of the program on this installation."""
        return self.run_apart(*arguments, "--kubeconfig", str(self.kubeconfig))

    def run_apart(self, *arguments: str) -> Answer:
        """Run a command of the program that needs no cluster."""
        output, errors = io.StringIO(), io.StringIO()
        nobody = mock.patch.object(sys, "stdin", io.StringIO())
        with nobody, contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                main(list(arguments))
            except SystemExit as end:
                return Answer(int(end.code or 0), output.getvalue(), errors.getvalue())
        raise AssertionError("the program did not leave with an exit code")

    def kubectl(self, *arguments: str) -> str:
        """Run the real kubectl."""
        program = Path(sys.executable).with_name("kubectl")
        command = [str(program), "--kubeconfig", str(self.kubeconfig), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def apply(self, obj: dict[str, Any]) -> None:
        """Apply an object with the real kubectl."""
        file = self._folder / "applied.json"
        file.write_text(json.dumps(obj))
        self.kubectl("apply", "-f", str(file))

    def write(self, path: str, text: str) -> None:
        """Put a file into the repository, without committing it."""
        file = self.repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def commit(self, message: str) -> str:
        """Commit everything; return the SHA."""
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "-m", message)
        return self._git("rev-parse", "HEAD").strip()

    def tag(self, name: str) -> None:
        """Tag the newest commit."""
        self._git("tag", name)

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.repository), *_IDENTITY, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def start_repository(self) -> None:
        """Make the repository, with its first commit."""
        self.repository.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        self.write("web/settings.yaml", SETTINGS)
        self.write("web/web.yaml", _DEPLOYMENT)
        self.commit("first")

    async def serve(self, ready: threading.Event, ended: asyncio.Event) -> None:
        """Run cluster and controller until somebody ends them."""
        sandbox = wiring.sandbox()
        settings = Settings(refresh_interval=0.5, refresh_jitter=0.0)
        async with wiring.serving(sandbox, self.kubeconfig):
            cluster = wiring.client(sandbox.transport(user="syncline"))
            await create(cluster, await missing(cluster, settings.namespace))
            ports = wiring.world(cluster, settings, _Silent(), [str(self._folder)])
            controller = wiring.controller(ports)
            await controller.start()
            try:
                async with self._serving(ports, controller.live) if self._served else contextlib.nullcontext():
                    ready.set()
                    await ended.wait()
            finally:
                await controller.stop()
                await ports.evaluator.close()

    @contextlib.asynccontextmanager
    async def _serving(self, world: World, live: LiveCluster) -> AsyncIterator[None]:
        tools = wiring.server_tools("test", self._dex)
        await ensure_keys(world.home, world.settings.namespace, tools.passwords, tools.secrets, world.clock)
        listening = Listening(certificate=self._pair[0], key=self._pair[1])
        async with serving(world, live, tools, listening) as served:
            self.server = served.address.partition("://")[2]
            yield

    def password(self) -> str:
        """Return the first password of admin, from the Secret it was put into."""
        secret = json.loads(self.kubectl("get", "secret", INITIAL, "-n", "argocd", "-o", "json"))
        return base64.b64decode(secret["data"]["password"]).decode()


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing: commands of the test write to the same standard output."""


SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {part: settings}
data:
  colour: blue
"""
_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: registry.example/web:1
"""


@contextlib.contextmanager
def installed(
    folder: Path, *, served: bool = False, pair: tuple[str, str] = ("", ""), dex: str = ""
) -> Iterator[Installation]:
    """Start an installation in a thread, with an API server where one is wanted, and end it.

    With the paths of a certificate and its key the server is reached over TLS; with that of Dex it can run one.
    """
    installation = Installation(folder, served=served, pair=pair, dex=dex)
    installation.start_repository()
    ready, holder = threading.Event(), dict[str, Any]()

    async def run() -> None:
        holder["loop"], holder["ended"] = asyncio.get_running_loop(), asyncio.Event()
        await installation.serve(ready, holder["ended"])

    def in_thread() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            holder["failure"] = error
            ready.set()

    thread = threading.Thread(target=in_thread, name="installation", daemon=True)
    thread.start()
    ready.wait(30)
    if "failure" in holder:
        raise holder["failure"]
    try:
        yield installation
    finally:
        holder["loop"].call_soon_threadsafe(holder["ended"].set)
        thread.join(20)
