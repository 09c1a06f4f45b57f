"""One node of a test cluster: containerd, kubelet and kube-proxy in namespaces of their own.

Started by `tests.node.cluster`. The first process of the node's PID namespace only reaps; when it is killed the kernel
kills everything on the node with it, as when a machine loses power. The node has its own mounts, so none outlive it.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import time

from tests.node.build import Programs
from tests.node.network import Network, connect
from tests.real import cluster

# The first process of a node: takes in orphans, and lets the kernel reap them.
INIT = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); signal.pause()"
PAUSE = "syncline.test/pause:1"
START_LIMIT = 120.0
CGROUPS = pathlib.Path("/sys/fs/cgroup")


@dataclasses.dataclass(slots=True)
class Machine:
    """One node: where its files are, and the processes that run on it."""

    name: str
    index: int
    folder: pathlib.Path
    network: Network
    programs: Programs
    kubeconfig: str
    nodes: int
    images: tuple[pathlib.Path, ...]
    registries: dict[str, str]
    _init: subprocess.Popen[bytes] | None = None
    _inner: int = 0
    _started: dict[str, subprocess.Popen[bytes]] = dataclasses.field(default_factory=dict)

    @property
    def address(self) -> str:
        """Return the address of the node."""
        return self.network.node(self.index)

    def start(self) -> None:
        """Switch the machine on: its namespaces, its network, its programs, the images it ships with."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_files()
        self._make_cgroups()
        self._init = cluster.spawn(self._unshare(), self.folder / "init.log")
        self._inner = _child_of(self._init.pid)
        connect(self.network, self.index, self._inner, self.nodes)
        self.start_program("containerd")
        for archive in self.images:
            self._import(archive)
        self.start_program("kubelet")
        self.start_program("kube-proxy")

    def start_program(self, name: str) -> None:
        """Start containerd, kubelet or kube-proxy on the node."""
        argv = {"containerd": self._containerd, "kubelet": self._kubelet, "kube-proxy": self._proxy}[name]()
        environment = {**os.environ, "PATH": f"{self.programs.containerd}:{os.environ['PATH']}"}
        log = self.folder / f"{name}.log"
        self._started[name] = cluster.spawn([*self._enter(), *argv], log, environment)
        if name == "containerd":
            self._wait_for_socket()

    def stop_program(self, name: str) -> None:
        """Kill one program, as a crash does; containers go on."""
        cluster.stop_all([self._started.pop(name)])

    def stop(self) -> None:
        """Switch the machine off at once, with all containers."""
        if self._init is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._inner, signal.SIGKILL)
        for process in self._started.values():
            process.wait(timeout=cluster.STOP_LIMIT)
        cluster.stop_all([self._init])
        self._started.clear()
        self._init = None
        self._remove_cgroups()

    def wipe(self) -> None:
        """Delete the disk of a machine that is off."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *argv: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a program on the node, as a person signed in there does."""
        done = subprocess.run([*self._enter(), *argv], capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise cluster.ClusterError(f"`{' '.join(argv)}` on {self.name} failed: {done.stderr.strip()[-2000:]}")
        return done

    def ctr(self, *arguments: str) -> str:
        """Ask the node's containerd, in the namespace of Kubernetes."""
        program = str(self.programs.containerd / "ctr")
        return self.run(program, "-a", str(self._socket()), "-n", "k8s.io", *arguments).stdout

    def log(self, program: str) -> str:
        """Return what a program of the node printed."""
        path = self.folder / f"{program}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def _import(self, archive: pathlib.Path) -> None:
        self.ctr("images", "import", "--local", str(archive))

    def _socket(self) -> pathlib.Path:
        return self.folder / "containerd.sock"

    def _unshare(self) -> list[str]:
        namespaces = ["--fork", "--pid", "--mount-proc", "--net", "--mount", "--uts", "--propagation", "private"]
        return ["unshare", *namespaces, sys.executable, "-S", "-c", INIT]

    def _enter(self) -> list[str]:
        return ["nsenter", "-t", str(self._inner), "--pid", "--net", "--mount", "--uts", "--"]

    def _containerd(self) -> list[str]:
        return [str(self.programs.containerd / "containerd"), "--config", str(self.folder / "containerd.toml")]

    def _kubelet(self) -> list[str]:
        return [
            str(self.programs.kubernetes / "kubelet"),
            f"--config={self.folder / 'kubelet.json'}",
            f"--kubeconfig={self.kubeconfig}",
            f"--hostname-override={self.name}",
            f"--node-ip={self.address}",
            f"--root-dir={self.folder / 'kubelet'}",
            f"--cert-dir={self.folder / 'pki'}",
            f"--node-labels=zone={'abc'[self.index % 3]}",
        ]

    def _proxy(self) -> list[str]:
        return [
            str(self.programs.kubernetes / "kube-proxy"),
            f"--kubeconfig={self.kubeconfig}",
            f"--hostname-override={self.name}",
            f"--cluster-cidr={self.network.whole}",
            f"--bind-address={self.address}",
            "--proxy-mode=iptables",
            "--conntrack-max-per-core=0",
            "--conntrack-tcp-timeout-established=0",
            "--conntrack-tcp-timeout-close-wait=0",
            "--iptables-min-sync-period=100ms",
        ]

    def _write_files(self) -> None:
        (self.folder / "containerd.toml").write_text(self._containerd_config())
        (self.folder / "kubelet.json").write_text(json.dumps(self._kubelet_config()))
        (self.folder / "resolv.conf").write_text(f"nameserver {self.network.host}\n")
        cni = self.folder / "cni"
        cni.mkdir(exist_ok=True)
        (cni / "10-test.conflist").write_text(json.dumps(self._cni_config()))
        for name, address in self.registries.items():
            hosts = self.folder / "registries" / name
            hosts.mkdir(parents=True, exist_ok=True)
            (hosts / "hosts.toml").write_text(f'server = "{address}"\n')

    def _containerd_config(self) -> str:
        return textwrap.dedent(
            f"""\
            version = 3
            root = "{self.folder}/images"
            state = "{self.folder}/run"
            disabled_plugins = ["io.containerd.nri.v1.nri"]
            [grpc]
            address = "{self._socket()}"
            [plugins."io.containerd.cri.v1.images".pinned_images]
            sandbox = "{PAUSE}"
            [plugins."io.containerd.cri.v1.images".registry]
            config_path = "{self.folder}/registries"
            [plugins."io.containerd.cri.v1.runtime"]
            restrict_oom_score_adj = true
            netns_mounts_under_state_dir = true
            [plugins."io.containerd.cri.v1.runtime".cni]
            bin_dirs = ["{self.programs.cni}"]
            conf_dir = "{self.folder}/cni"
            [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
            runtime_type = "io.containerd.runc.v2"
            [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
            BinaryName = "{self.programs.runc}"
            SystemdCgroup = false
            """
        )

    def _kubelet_config(self) -> dict[str, object]:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "address": self.address,
            "containerRuntimeEndpoint": f"unix://{self._socket()}",
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{self._cgroup()}",
            "failCgroupV1": False,
            "failSwapOn": False,
            "clusterDNS": [self.network.dns],
            "clusterDomain": "cluster.local",
            "resolvConf": str(self.folder / "resolv.conf"),
            "podLogsDir": str(self.folder / "logs"),
            # Only this machine reaches the node: `exec` and `logs` need no certificates in tests.
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            # Small nodes, so that a pod can be too large for one.
            "systemReserved": {"memory": _reserved_memory()},
            # A full disk of this machine is not what is tested.
            "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100,
            "nodeStatusUpdateFrequency": "2s",
            "syncFrequency": "10s",
            "serializeImagePulls": False,
            "allowedUnsafeSysctls": [],
            "maxPods": 110,
        }

    def _cni_config(self) -> dict[str, object]:
        ipam = {
            "type": "host-local",
            "ranges": [[{"subnet": self.network.pods(self.index)}]],
            "routes": [{"dst": "0.0.0.0/0"}],
            "dataDir": str(self.folder / "addresses"),
        }
        return {
            "cniVersion": "1.0.0",
            "name": "test",
            # Point to point, so that packets between two pods of a node pass kube-proxy's rules too.
            "plugins": [
                {"type": "ptp", "ipMasq": False, "ipam": ipam},
                {"type": "portmap", "capabilities": {"portMappings": True}, "snat": True},
            ],
        }

    def _cgroup(self) -> str:
        return f"syncline{self.network.number}-{self.name}"

    def _make_cgroups(self) -> None:
        for controller in CGROUPS.iterdir():
            if (controller / "cgroup.procs").exists():
                (controller / self._cgroup()).mkdir(exist_ok=True)

    def _remove_cgroups(self) -> None:
        deadline = time.monotonic() + 20
        for controller in CGROUPS.iterdir():
            top = controller / self._cgroup()
            for folder in [*sorted((path for path in top.rglob("*") if path.is_dir()), reverse=True), top]:
                while folder.is_dir() and time.monotonic() < deadline:
                    with contextlib.suppress(OSError):
                        folder.rmdir()
                        break
                    time.sleep(0.05)

    def _wait_for_socket(self) -> None:
        deadline = time.monotonic() + START_LIMIT
        while True:
            done = self.run(str(self.programs.containerd / "ctr"), "-a", str(self._socket()), "version", check=False)
            if done.returncode == 0:
                return
            if self._started["containerd"].poll() is not None or time.monotonic() > deadline:
                raise cluster.ClusterError(
                    f"containerd of {self.name} did not start:\n{self.log('containerd')[-3000:]}"
                )
            time.sleep(0.1)


def _child_of(process: int) -> int:
    deadline = time.monotonic() + START_LIMIT
    children = pathlib.Path(f"/proc/{process}/task/{process}/children")
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            pids = children.read_text().split()
            # Before the program has started, its first process is still outside of its namespaces' mounts.
            if pids and pathlib.Path(f"/proc/{pids[0]}/cmdline").read_bytes().count(b"SIGCHLD"):
                return int(pids[0])
        time.sleep(0.02)
    raise cluster.ClusterError("the namespaces of a node did not appear: `unshare` needs root")


def _reserved_memory() -> str:
    """Return what a node does not offer: all memory of this machine but three gibibytes."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return str(max(total - 3 * 1024**3, 0))
