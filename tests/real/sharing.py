"""Keeps one cluster for all test processes of a run, and stops it when the last of them is gone.

`tests.real.conftest` calls `joined` in every pytest worker. The first one starts this module as a process of its own,
which owns the cluster; `tests.cluster.plane` is the owner of a whole control plane. Users hold a shared lock on a file;
the owner stops the cluster when it gets that lock for itself. A lock vanishes with its process, so a killed worker
leaves nothing running.
"""

import contextlib
import fcntl
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import msgspec

from tests.real import build, cluster

READY = "cluster.json"
FAILED = "failed.txt"


@contextlib.contextmanager
def joined(folder: pathlib.Path, owner: str = "tests.real.sharing") -> Iterator[cluster.Cluster]:
    """Yield the cluster of this folder, starting it if nobody did; hold it while the block runs.

    `owner` is the module that runs as a process of its own and hands its start to `own`.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "users.lock").open("a") as users, (folder / "start.lock").open("a") as starting:
        fcntl.flock(users, fcntl.LOCK_SH)
        fcntl.flock(starting, fcntl.LOCK_EX)
        try:
            if not (folder / READY).exists():
                _start_owner(folder, owner)
            found = msgspec.json.decode((folder / READY).read_bytes(), type=cluster.Cluster)
        finally:
            fcntl.flock(starting, fcntl.LOCK_UN)
        yield found


def _start_owner(folder: pathlib.Path, module: str) -> None:
    (folder / FAILED).unlink(missing_ok=True)
    with (folder / "owner.log").open("wb") as log:
        # A session of its own: Ctrl-C ends the tests first, then the owner sees that they are gone.
        owner = subprocess.Popen(
            [sys.executable, "-m", module, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=pathlib.Path(__file__).parents[2],
        )
    while not (folder / READY).exists():
        if owner.poll() is not None:
            told = folder / FAILED if (folder / FAILED).exists() else folder / "owner.log"
            raise cluster.ClusterError(told.read_text(errors="replace"))
        time.sleep(0.05)
    # The owner may outlive this process and nobody waits for it; Popen would warn about that.
    owner.returncode = 0


def own(folder: pathlib.Path, start: Callable[[pathlib.Path], cluster.Running]) -> int:
    """Run the cluster until no process uses the folder any more; `start` gets a folder for its files."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="syncline-real-"))
    try:
        running = start(scratch)
        try:
            _publish(folder / READY, msgspec.json.encode(running.cluster))
            with (folder / "users.lock").open("a") as users:
                _wait_until_unused(users.fileno(), running)
                (folder / READY).unlink()
        finally:
            running.stop()
    except (build.BuildError, cluster.ClusterError) as error:
        _publish(folder / FAILED, str(error).encode())
        return 1
    except KeyboardInterrupt:
        (folder / READY).unlink(missing_ok=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


def _wait_until_unused(users: int, running: cluster.Running) -> None:
    while running.alive():
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.2)


def _publish(path: pathlib.Path, content: bytes) -> None:
    # Readers look for the name, so it must not appear before the content is whole.
    partial = path.with_suffix(".partial")
    partial.write_bytes(content)
    partial.rename(path)


if __name__ == "__main__":
    sys.exit(own(pathlib.Path(sys.argv[1]), lambda scratch: cluster.start(scratch, build.build(say=False))))
