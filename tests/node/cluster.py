"""One throw-away Kubernetes with real nodes: control plane, kubelets, containerd, DNS, and registries.

Started by the fixtures of `tests.node.conftest`; `python -m tests.node.cluster` runs one until interrupted and prints
its kubeconfig. Image names begin with `registry.example/` (open), `private.example/` (asks for a login),
`down.example/` (nothing listens there) or `tls.example/` (serves plain HTTP where HTTPS is expected).
"""

import base64
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator

from tests.cluster import plane
from tests.node import build, dns, images
from tests.node.machine import PAUSE, Machine
from tests.node.network import Network, NoNetwork, open_network
from tests.real import api as client
from tests.real import build as servers
from tests.real import cluster, registries

LOGIN = {"Authorization": "Basic " + base64.b64encode(b"ada:canary").decode()}
START_LIMIT = 180.0


@dataclasses.dataclass(slots=True)
class NodeCluster:
    """A running cluster: how to reach it, its machines, its registry."""

    running: cluster.Running
    network: Network
    machines: dict[str, Machine]
    registry: str
    folder: pathlib.Path

    @property
    def cluster(self) -> cluster.Cluster:
        """Return how to reach the API server."""
        return self.running.cluster

    def push(self, archive: pathlib.Path, repository: str, tag: str) -> str:
        """Push an image to the registry and return the name under which pods find it."""
        images.push(archive, self.registry, repository, tag)
        return f"registry.example/{repository}:{tag}"


@contextlib.contextmanager
def serving(folder: pathlib.Path, nodes: int = 2) -> Iterator[NodeCluster]:
    """Run a cluster whose files live in the folder until the block ends."""
    programs = build.build(say=False)
    with contextlib.ExitStack() as stack:
        network = stack.enter_context(open_network())
        (folder / "open").mkdir(parents=True)
        (folder / "private").mkdir()
        registry = stack.enter_context(registries.serve(folder / "open", host=network.host))
        private = stack.enter_context(registries.serve(folder / "private", host=network.host, login=True))
        running = _control_plane(folder / "plane", programs, network)
        stack.callback(running.stop)
        shipped = _write_images(folder / "images", programs, network)
        known = {
            "registry.example": f"http://{registry}",
            "private.example": f"http://{private}",
            "down.example": f"http://{network.host}:9",
            "tls.example": f"https://{registry}",
        }
        machines = {}
        for index in range(1, nodes + 1):
            name = f"node-{index}"
            machine = Machine(
                name=name,
                index=index,
                folder=folder / name,
                network=network,
                programs=programs,
                kubeconfig=running.cluster.kubeconfig_path,
                nodes=nodes,
                images=shipped,
                registries=known,
            )
            stack.callback(machine.stop)
            machine.start()
            machines[name] = machine
        made = NodeCluster(running, network, machines, registry, folder)
        _push_images(made, private)
        dns.install(made.cluster, network)
        wait_until_ready(made)
        yield made


def wait_until_ready(made: NodeCluster) -> None:
    """Wait until every node takes pods and names are resolved."""
    api = client.Api(made.cluster)
    deadline = time.monotonic() + START_LIMIT
    try:
        while missing := _missing(api, made):
            if time.monotonic() > deadline:
                logs = "\n".join(
                    f"{name}:\n{machine.log('kubelet')[-3000:]}" for name, machine in made.machines.items()
                )
                raise cluster.ClusterError(f"The cluster with real nodes is not ready: {missing}.\n{logs}")
            time.sleep(0.3)
    finally:
        api.close()


def _missing(api: client.Api, made: NodeCluster) -> str:
    nodes = {node["metadata"]["name"]: node for node in api.ok("GET", "/api/v1/nodes")["items"]}
    for name in made.machines:
        conditions = nodes.get(name, {}).get("status", {}).get("conditions", [])
        if not any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions):
            return f"{name} is not Ready"
        if nodes[name]["spec"].get("taints"):
            return f"{name} has taints: {json.dumps(nodes[name]['spec']['taints'])}"
    return dns.missing(api)


def _control_plane(folder: pathlib.Path, programs: build.Programs, network: Network) -> cluster.Running:
    place = cluster.Place(
        host=network.host,
        services=network.services,
        # Webhooks are called at the address of their pod: this machine has no route to Services.
        flags=("--enable-aggregator-routing=true", "--kubelet-preferred-address-types=InternalIP"),
        certified=(network.host, network.api_service),
    )
    running = cluster.start(folder, programs.plane.servers, accounts=True, place=place)
    try:
        plane.add_controllers(running, folder, programs.plane)
    except BaseException:
        running.stop()
        raise
    return running


def _write_images(folder: pathlib.Path, programs: build.Programs, network: Network) -> tuple[pathlib.Path, ...]:
    """Write the images that every node ships with."""
    folder.mkdir(parents=True)
    pause = images.busybox(PAUSE, command=("sleep", "2147483647"))
    coredns = images.Image(dns.IMAGE, {"bin/coredns": programs.coredns}, entrypoint=("/bin/coredns",))
    return (
        images.write(pause, folder / "pause.tar"),
        images.write(coredns, folder / "coredns.tar"),
    )


def _push_images(made: NodeCluster, private: str) -> None:
    folder = made.folder / "images"
    root = images.write(images.busybox("busybox"), folder / "busybox.tar")
    unprivileged = images.write(images.busybox("busybox", user="1000"), folder / "unprivileged.tar")
    named_user = images.write(images.busybox("busybox", user="app"), folder / "named-user.tar")
    foreign = images.write(images.busybox("busybox", architecture="arm64"), folder / "foreign.tar")
    for tag in ("1.0", "1.1"):
        made.push(root, "busybox", tag)
    made.push(unprivileged, "busybox", "unprivileged")
    made.push(named_user, "busybox", "named-user")
    made.push(foreign, "busybox", "arm64")
    images.push(root, private, "busybox", "1.0", LOGIN)


def main() -> int:
    """Run one cluster in the foreground, for a look around by hand."""
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    folder = pathlib.Path(tempfile.mkdtemp(prefix="syncline-node-"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with serving(folder, nodes) as made:
            print(f"ready: export KUBECONFIG={made.cluster.kubeconfig_path}   (Ctrl-C stops it)", flush=True)
            while made.running.alive():
                time.sleep(1)
    except KeyboardInterrupt:
        return 0
    except (servers.BuildError, cluster.ClusterError, NoNetwork) as error:
        print(error, file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
