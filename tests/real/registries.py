"""Builds and runs a real container registry, for tests that push to it with the real helm.

The version is in `tests/real/registry/go.mod`, a module of its own so that another registry does not build another API
server. `with serve(folder) as place:` yields `host:port`; with `login` it asks for user `ada` and password `canary`.
"""

import contextlib
import hashlib
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

from tests.real import build

MODULE = pathlib.Path(__file__).parent / "registry"
PACKAGE = "github.com/distribution/distribution/v3/cmd/registry"
# The password file of user ada, password canary.
PASSWORDS = "ada:$2a$05$SYJETST77/7kDJreC2Tps.bVznkfVYWQTYWMlvrImN1yJR9sNNsaO\n"
START_LIMIT = 120.0
ATTEMPTS = 3


def program() -> pathlib.Path:
    """Return the registry, built once for each version."""
    digest = hashlib.sha256((MODULE / "go.mod").read_bytes() + (MODULE / "go.sum").read_bytes()).hexdigest()[:16]
    made = build.cache_folder() / f"registry-{digest}" / "registry"
    if not made.is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        part = made.with_name(f"part-{os.getpid()}")
        environment = os.environ | {"GOWORK": "off"}
        command = ["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", str(part), PACKAGE]
        done = subprocess.run(command, cwd=MODULE, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise build.BuildError(f"the registry cannot be built: {done.stderr.strip()[-500:]}")
        part.replace(made)
    return made


@contextlib.contextmanager
def serve(folder: pathlib.Path, *, login: bool = False, host: str = "127.0.0.1") -> Iterator[str]:
    """Run a registry that keeps its content in a folder."""
    for attempt in range(1, ATTEMPTS + 1):
        place, running = _start(folder, login=login, host=host)
        try:
            if not _answers(place, running) and attempt < ATTEMPTS:
                # Another program may take a free port between our look and the bind.
                continue
            assert running.poll() is None, "the registry did not start"
            yield place
            return
        finally:
            running.terminate()
            running.wait(60)


def _start(folder: pathlib.Path, *, login: bool, host: str) -> tuple[str, subprocess.Popen[bytes]]:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind((host, 0))
        place = f"{host}:{probe.getsockname()[1]}"
    config = [
        "version: 0.1",
        "log: {level: error, accesslog: {disabled: true}}",
        f"storage: {{filesystem: {{rootdirectory: {folder / 'content'}}}}}",
        f"http: {{addr: '{place}'}}",
    ]
    if login:
        (folder / "passwords").write_text(PASSWORDS)
        config.append(f"auth: {{htpasswd: {{realm: tests, path: {folder / 'passwords'}}}}}")
    (folder / "config.yaml").write_text("\n".join(config) + "\n")
    running = subprocess.Popen(
        [str(program()), "serve", str(folder / "config.yaml")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "OTEL_TRACES_EXPORTER": "none"},
    )
    return place, running


def _answers(place: str, running: subprocess.Popen[bytes]) -> bool:
    """Wait until the registry answers; say whether it did before it ended."""
    deadline = time.monotonic() + START_LIMIT
    while running.poll() is None:
        try:
            urllib.request.urlopen(f"http://{place}/v2/", timeout=30).close()
        except urllib.error.HTTPError as answer:
            answer.close()
        except OSError:
            assert time.monotonic() < deadline, f"the registry did not start within {START_LIMIT:.0f} seconds"
            time.sleep(0.05)
            continue
        return True
    return False
