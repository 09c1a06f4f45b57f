"""Runs one throw-away control plane: API server, etcd, controllers, scheduler, and KWOK for nodes and pods.

Started as a process of its own by `tests.real.sharing`, which keeps one for all test processes; by hand
`python -m tests.cluster.plane` runs one until interrupted and says where its kubeconfig is.
Workloads live here: Deployments roll out, Jobs end, garbage is collected, namespaces go. Containers do not: what their
pods do is `tests/cluster/stages.yaml`, by image, within a second.
"""

import json
import pathlib
import signal
import sys
import tempfile
import time

from tests.cluster import build
from tests.real import api as client
from tests.real import build as servers
from tests.real import cluster, sharing

STAGES = pathlib.Path(__file__).parent / "stages.yaml"
NODES = {
    "node-1": {"zone": "a", "disk": "ssd"},
    "node-2": {"zone": "b", "disk": "ssd"},
    "node-3": {"zone": "c", "disk": "hdd"},
}
ROOM = {"cpu": "16", "memory": "64Gi", "pods": "500"}


def start(folder: pathlib.Path) -> cluster.Running:
    """Start a control plane whose files live in the folder, and return when its nodes take pods."""
    programs = build.build(say=False)
    running = cluster.start(folder, programs.servers, accounts=True)
    try:
        _add_programs(running, folder, programs)
        _wait_until_whole(running)
    except BaseException:
        running.stop()
        raise
    return running


def node(name: str, labels: dict[str, str], taints: list[client.Json] | None = None) -> client.Json:
    """Return a Node for KWOK to play; make one that you change in a test yourself, with a name of your own."""
    body: client.Json = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "status": {"allocatable": ROOM, "capacity": ROOM},
    }
    if taints:
        body["spec"] = {"taints": taints}
    return body


def _add_programs(running: cluster.Running, folder: pathlib.Path, programs: build.Programs) -> None:
    kubeconfig = running.cluster.kubeconfig_path
    parts = [path.read_text() for path in (*programs.node_stages, STAGES)]
    (folder / "stages.yaml").write_text("\n---\n".join(parts))
    add_controllers(running, folder, programs)
    running.add(
        [
            str(programs.kwok),
            f"--kubeconfig={kubeconfig}",
            "--manage-all-nodes=true",
            f"--config={folder / 'stages.yaml'}",
            "--server-address=127.0.0.1:0",
            "--node-ip=127.0.0.1",
        ],
        "kwok",
    )


def add_controllers(running: cluster.Running, folder: pathlib.Path, programs: build.Programs) -> None:
    """Start the controller manager and the scheduler of a cluster whose files live in the folder."""
    kubeconfig = running.cluster.kubeconfig_path
    running.add(
        [
            str(programs.manager),
            f"--kubeconfig={kubeconfig}",
            f"--service-account-private-key-file={folder / 'accounts.key'}",
            f"--root-ca-file={folder / 'ca.crt'}",
            "--use-service-account-credentials=false",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
            "--secure-port=0",
            "--controllers=*,-node-ipam-controller",
            # Looked at more often than every 15 s, so that a story with an autoscaler ends in seconds.
            "--horizontal-pod-autoscaler-sync-period=2s",
            "--kube-api-qps=200",
            "--kube-api-burst=400",
        ],
        "kube-controller-manager",
    )
    running.add(
        [str(programs.scheduler), f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0"],
        "kube-scheduler",
    )


def _wait_until_whole(running: cluster.Running) -> None:
    api = client.Api(running.cluster)
    try:
        for name, labels in NODES.items():
            api.ok("POST", "/api/v1/nodes", node(name, labels))
        deadline = time.monotonic() + cluster.START_LIMIT
        missing = _missing(api)
        while missing:
            if not running.alive() or time.monotonic() > deadline:
                raise cluster.ClusterError(_failure(running, missing))
            time.sleep(0.2)
            missing = _missing(api)
    finally:
        api.close()


def _missing(api: client.Api) -> str:
    """Return what the control plane has not done yet, nothing when it is whole."""
    status, _ = api.request("GET", "/api/v1/namespaces/default/serviceaccounts/default")
    if status != 200:
        return "no ServiceAccount in namespace default"
    for one in api.ok("GET", "/api/v1/nodes")["items"]:
        ready = [each["status"] for each in one["status"].get("conditions", []) if each["type"] == "Ready"]
        if ready != ["True"] or one["spec"].get("taints"):
            return f"{one['metadata']['name']} takes no pods: {json.dumps(one['spec'].get('taints'))}"
    return ""


def _failure(running: cluster.Running, what: str) -> str:
    parts = [f"The control plane for the tests did not start: {what}."]
    for name in ("kube-controller-manager", "kube-scheduler", "kwok"):
        log = pathlib.Path(running.cluster.folder) / f"{name}.log"
        lines = log.read_text(errors="replace").splitlines()[-12:] if log.exists() else []
        parts.append(f"Last lines of {log.name}:\n  " + "\n  ".join(lines or ["(empty)"]))
    return "\n".join(parts)


def main() -> int:
    """Own a shared control plane for a folder, or run one in the foreground for a look around by hand."""
    if len(sys.argv) > 1:
        return sharing.own(pathlib.Path(sys.argv[1]), start)
    try:
        with tempfile.TemporaryDirectory(prefix="syncline-plane-") as folder:
            running = start(pathlib.Path(folder))
            try:
                path = running.cluster.kubeconfig_path
                print(f"ready: export KUBECONFIG={path}   (Ctrl-C stops it)", flush=True)
                signal.signal(signal.SIGTERM, signal.default_int_handler)
                while running.alive():
                    time.sleep(1)
            finally:
                running.stop()
    except KeyboardInterrupt:
        return 0
    except (servers.BuildError, cluster.ClusterError) as error:
        print(error, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
