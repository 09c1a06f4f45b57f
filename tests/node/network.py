"""The network of one test cluster: a bridge on this machine and one network namespace per node.

Used by `tests.node.cluster`. Cluster number n has the addresses 10.(100+n).0.0/16: the machine itself is .0.1, node i
is .0.(10+i), its pods have .i.0/24, Services have .255.0/24. There is no route from a node to anything else, so nothing
that runs there can reach another machine. Clusters of several test runs side by side take different numbers.
"""

import contextlib
import dataclasses
import fcntl
import pathlib
import subprocess
from collections.abc import Iterator

LOCKS = pathlib.Path("/run/syncline-test-node")
CLUSTERS = 20


class NoNetwork(Exception):
    """The network cannot be set up; the message says what is missing."""


@dataclasses.dataclass(frozen=True, slots=True)
class Network:
    """The addresses of one cluster."""

    number: int

    @property
    def bridge(self) -> str:
        """Return the name of the bridge on this machine."""
        return f"syncline{self.number}"

    @property
    def host(self) -> str:
        """Return the address of this machine on the bridge."""
        return self._address(0, 1)

    @property
    def services(self) -> str:
        """Return the range of Service addresses."""
        return f"{self._address(255, 0)}/24"

    @property
    def api_service(self) -> str:
        """Return the address of the Service `kubernetes`, the first of the range."""
        return self._address(255, 1)

    @property
    def dns(self) -> str:
        """Return the address of the Service of the cluster's DNS."""
        return self._address(255, 10)

    @property
    def whole(self) -> str:
        """Return the range that holds all addresses of the cluster."""
        return f"{self._address(0, 0)}/16"

    def node(self, index: int) -> str:
        """Return the address of a node."""
        return self._address(0, 10 + index)

    def pods(self, index: int) -> str:
        """Return the range of the pods of a node."""
        return f"{self._address(index, 0)}/24"

    def _address(self, third: int, fourth: int) -> str:
        return f"10.{100 + self.number}.{third}.{fourth}"


@contextlib.contextmanager
def open_network() -> Iterator[Network]:
    """Take the first free cluster number and set up its bridge; both are gone after the block."""
    LOCKS.mkdir(parents=True, exist_ok=True)
    with _free_number() as number:
        network = Network(number)
        _run("ip", "link", "del", network.bridge, check=False)  # left behind by a run that was killed
        _run("ip", "link", "add", network.bridge, "type", "bridge")
        try:
            _run("ip", "addr", "add", f"{network.host}/24", "dev", network.bridge)
            _run("ip", "link", "set", network.bridge, "up")
            yield network
        finally:
            _run("ip", "link", "del", network.bridge, check=False)


def connect(network: Network, index: int, process: int, nodes: int) -> None:
    """Give the network namespace of a process the address of a node, with routes to the other nodes and their pods."""
    outside, inside = f"sl{network.number}n{index}", "eth0"
    _run("ip", "link", "del", outside, check=False)
    _run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", str(process))
    _run("ip", "link", "set", outside, "master", network.bridge, "up")
    # Pods answer through their node, and the API server calls webhooks in pods.
    _run("ip", "route", "replace", network.pods(index), "via", network.node(index), "dev", network.bridge)
    enter = ["nsenter", f"--net=/proc/{process}/ns/net"]
    _run(*enter, "ip", "link", "set", "lo", "up")
    _run(*enter, "ip", "addr", "add", f"{network.node(index)}/24", "dev", inside)
    _run(*enter, "ip", "link", "set", inside, "up")
    # Service addresses are rewritten after a route was found for them.
    _run(*enter, "ip", "route", "add", network.services, "dev", inside)
    for other in range(1, nodes + 1):
        if other != index:
            _run(*enter, "ip", "route", "add", network.pods(other), "via", network.node(other))
    _run(*enter, "sysctl", "-qw", "net.ipv4.ip_forward=1")


@contextlib.contextmanager
def _free_number() -> Iterator[int]:
    for number in range(CLUSTERS):
        with (LOCKS / f"{number}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield number
            return
    raise NoNetwork(f"{CLUSTERS} test clusters run on this machine already; wait for one to end.")


def _run(*argv: str, check: bool = True) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        raise NoNetwork(f"`{' '.join(argv)}` failed: {done.stderr.strip()}")
