"""What a fleet is delivered on, by whoever delivers it: a bare kube-apiserver, a whole control plane, or a sandbox.

Each is started for one delivery by `tests.argocd.deliveries` and ends with it.
"""

import base64
import contextlib
import dataclasses
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from syncline.apimachinery import yaml
from tests.argocd.test_harness import eventually
from tests.cluster import plane
from tests.real import build, cluster
from tests.support.referee.case import CLUSTER_FILE


@dataclasses.dataclass(frozen=True)
class Ground:
    """How one is started, and whether somebody has to play the controllers that it lacks."""

    start: Callable[[pathlib.Path], cluster.Running]
    played: bool

    @contextlib.contextmanager
    def serving(self, folder: pathlib.Path) -> Iterator[cluster.Cluster]:
        """Run a server of one's own until the block ends."""
        folder.mkdir(parents=True, exist_ok=True)
        running = self.start(folder)
        try:
            yield running.cluster
        finally:
            running.stop()


def _sandbox(folder: pathlib.Path) -> cluster.Running:
    """Start `syncline sandbox` as a process of its own, which goes by the clock."""
    kubeconfig = folder / "kubeconfig"
    (folder / "cluster.yaml").write_text(CLUSTER_FILE)
    program = str(pathlib.Path(sys.executable).with_name("syncline"))
    told = ["--cluster", str(folder / "cluster.yaml"), "--write-kubeconfig", str(kubeconfig)]
    process = cluster.spawn([program, "sandbox", *told], folder / "sandbox.log")
    try:
        eventually(kubeconfig.exists, True)
        return cluster.Running(_reached_by(kubeconfig), [process])
    except BaseException:
        cluster.stop_all([process])
        raise


def _reached_by(kubeconfig: pathlib.Path) -> cluster.Cluster:
    read: Any = yaml.load(kubeconfig.read_bytes())
    server, user = read["clusters"][0]["cluster"], read["users"][0]["user"]
    authority = kubeconfig.with_name("ca.crt")
    authority.write_bytes(base64.b64decode(server["certificate-authority-data"]))
    return cluster.Cluster(
        address=server["server"],
        ca_path=str(authority),
        tokens={"admin": user["token"]},
        audit_log_path="",
        kubeconfig_path=str(kubeconfig),
        folder=str(kubeconfig.parent),
    )


BARE = Ground(lambda folder: cluster.start(folder, build.build(say=False)), played=True)
WHOLE = Ground(plane.start, played=False)
SANDBOX = Ground(_sandbox, played=False)
