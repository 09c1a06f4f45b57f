"""Runs one throw-away API server with its etcd, on loopback, with TLS, tokens, RBAC and an audit log.

`start` and `Running.stop` are called by `tests.real.sharing`, which keeps one cluster for all test processes;
`python -m tests.real.cluster` runs one by hand until interrupted.
There is no controller manager: no default ServiceAccounts, no pods for a Deployment, no garbage collection.
Tests play those parts themselves by patching status. `tests.cluster.plane` adds the rest of a control plane.
"""

import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping

import msgspec

from tests.real import build, certificates

# Limits that only a machine at a standstill meets: how long a start takes is not what is tested.
START_LIMIT = 240.0
STOP_LIMIT = 60.0
ATTEMPTS = 3
# Name, uid and groups of those who have a token. Anybody else is impersonated by admin.
USERS = {"admin": ("1", "system:masters"), "viewer": ("2", "")}
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "RequestResponse", "verbs": ["create", "update", "patch", "delete", "deletecollection"]},
        {"level": "Metadata"},
    ],
}


class ClusterError(Exception):
    """The cluster did not come up; the message quotes the last log lines."""


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """How to reach a running cluster. Paths are absolute texts."""

    address: str
    ca_path: str
    tokens: dict[str, str]
    audit_log_path: str
    kubeconfig_path: str
    folder: str


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where an API server listens, which addresses Services get, and further flags."""

    host: str = "127.0.0.1"
    # Wide, because nothing frees addresses here, and because a range this wide hands out 10.0.0.x last:
    # tests may name those themselves.
    services: str = "10.0.0.0/16"
    flags: tuple[str, ...] = (
        # No Endpoints object for the API server itself: a loopback address is not allowed in one.
        "--endpoint-reconciler-type=none",
    )
    certified: tuple[str, ...] = ()
    """Further addresses that its certificate is for."""


LOOPBACK = Place()


class Running:
    """The processes of one cluster; stop it, whatever happened."""

    def __init__(self, cluster: Cluster, processes: list[subprocess.Popen[bytes]]) -> None:
        self.cluster = cluster
        self._processes = processes

    def add(self, argv: list[str], name: str) -> None:
        """Start one more program that belongs to the cluster; its log is beside the others'."""
        self._processes.append(spawn(argv, pathlib.Path(self.cluster.folder) / f"{name}.log"))

    def alive(self) -> bool:
        """Tell whether all programs still run."""
        return all(process.poll() is None for process in self._processes)

    def stop(self) -> None:
        """Stop the programs, the last one started first; kill what does not go by itself."""
        stop_all(self._processes)


def start(
    folder: pathlib.Path,
    binaries: build.Binaries,
    audit_policy: Mapping[str, object] = AUDIT_POLICY,
    *,
    accounts: bool = False,
    place: Place = LOOPBACK,
) -> Running:
    """Start a cluster whose files live in the folder, and return when it is ready.

    With `accounts` pods need their ServiceAccount, as on a whole control plane that creates one in each namespace.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    certificates.write(folder, place.certified)
    tokens = {user: secrets.token_hex(16) for user in USERS}
    lines = [f'{tokens[user]},{user},{uid},"{groups}"' for user, (uid, groups) in USERS.items()]
    (folder / "tokens.csv").write_text("\n".join(lines) + "\n")
    (folder / "audit-policy.yaml").write_text(json.dumps(audit_policy))
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _start_once(folder, binaries, tokens, place, accounts=accounts)
        except ClusterError as error:
            # Another program may take a free port between our look and the bind.
            if attempt == ATTEMPTS or "address already in use" not in str(error):
                raise
    raise AssertionError("unreachable")


@contextlib.contextmanager
def serving(folder: pathlib.Path, binaries: build.Binaries) -> Iterator[Cluster]:
    """Run a cluster of one's own until the block ends."""
    running = start(folder, binaries)
    try:
        yield running.cluster
    finally:
        running.stop()


def _start_once(
    folder: pathlib.Path, binaries: build.Binaries, tokens: dict[str, str], place: Place, *, accounts: bool
) -> Running:
    client_port, peer_port, port = free_ports(3)
    cluster = Cluster(
        address=f"https://{place.host}:{port}",
        ca_path=str(folder / "ca.crt"),
        tokens=tokens,
        audit_log_path=str(folder / "audit.log"),
        kubeconfig_path=str(folder / "kubeconfig"),
        folder=str(folder),
    )
    (folder / "kubeconfig").write_text(json.dumps(kubeconfig(cluster, "admin")))
    processes: list[subprocess.Popen[bytes]] = []
    try:
        etcd = _etcd_arguments(folder, client_port, peer_port)
        processes.append(spawn([str(binaries.etcd), *etcd], folder / "etcd.log"))
        server = _server_arguments(folder, f"https://127.0.0.1:{client_port}", port, place)
        if not accounts:
            # Nobody creates default ServiceAccounts then, and pods would be refused for the want of one.
            server.append("--disable-admission-plugins=ServiceAccount")
        processes.append(spawn([str(binaries.kube_apiserver), *server], folder / "kube-apiserver.log"))
        _wait_until_ready(cluster, processes)
    except BaseException:
        stop_all(processes)
        raise
    return Running(cluster, processes)


def kubeconfig(cluster: Cluster, user: str) -> dict[str, object]:
    """Return a kubeconfig for one of the users with a token."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [
            {
                "name": "test",
                "cluster": {"server": cluster.address, "certificate-authority": cluster.ca_path},
            }
        ],
        "users": [{"name": user, "user": {"token": cluster.tokens[user]}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}],
    }


def _etcd_arguments(folder: pathlib.Path, client_port: int, peer_port: int) -> list[str]:
    client, peer = f"https://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    return [
        f"--data-dir={folder / f'etcd-{client_port}'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        f"--cert-file={folder / 'server.crt'}",
        f"--key-file={folder / 'server.key'}",
        f"--trusted-ca-file={folder / 'ca.crt'}",
        "--client-cert-auth",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def _server_arguments(folder: pathlib.Path, etcd: str, port: int, place: Place) -> list[str]:
    return [
        f"--etcd-servers={etcd}",
        f"--etcd-cafile={folder / 'ca.crt'}",
        f"--etcd-certfile={folder / 'server.crt'}",
        f"--etcd-keyfile={folder / 'server.key'}",
        f"--bind-address={place.host}",
        f"--advertise-address={place.host}",
        *place.flags,
        f"--secure-port={port}",
        f"--tls-cert-file={folder / 'server.crt'}",
        f"--tls-private-key-file={folder / 'server.key'}",
        f"--service-cluster-ip-range={place.services}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={folder / 'accounts.pub'}",
        f"--service-account-signing-key-file={folder / 'accounts.key'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--allow-privileged=true",
        "--profiling=false",
        f"--audit-policy-file={folder / 'audit-policy.yaml'}",
        f"--audit-log-path={folder / 'audit.log'}",
        # Never begun anew, in megabytes: a test reads the log from its beginning.
        "--audit-log-maxsize=100000",
    ]


def spawn(argv: list[str], log: pathlib.Path, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a program of a harness, which writes to a log and stands in the log's folder."""
    with log.open("wb") as output:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=log.parent,
            env=environment,
        )


def _wait_until_ready(cluster: Cluster, processes: list[subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + START_LIMIT
    last = "no answer yet"
    for path in ("/readyz", "/api/v1/namespaces/default"):
        while True:
            last = _probe(cluster, path)
            if last == "":
                break
            if any(process.poll() is not None for process in processes):
                raise ClusterError(_failure(cluster, "a program ended while starting"))
            if time.monotonic() > deadline:
                raise ClusterError(_failure(cluster, f"not ready within {START_LIMIT:.0f} s, {path}: {last}"))
            time.sleep(0.1)


def _probe(cluster: Cluster, path: str) -> str:
    """Return nothing when the path answers 200, else what was wrong."""
    host, port = cluster.address.removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=cluster.ca_path)
    connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=30)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {cluster.tokens['admin']}"})
        response = connection.getresponse()
        body = response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return str(error)
    finally:
        connection.close()
    return "" if response.status == http.HTTPStatus.OK else f"{response.status} {body[:500]}"


def _failure(cluster: Cluster, what: str) -> str:
    parts = [f"The API server for the tests did not start: {what}."]
    for name in ("etcd.log", "kube-apiserver.log"):
        log = pathlib.Path(cluster.folder) / name
        lines = log.read_text(errors="replace").splitlines()[-12:] if log.exists() else []
        parts.append(f"Last lines of {name}:\n  " + "\n  ".join(lines or ["(empty)"]))
    return "\n".join(parts)


def stop_all(processes: list[subprocess.Popen[bytes]]) -> None:
    """Kill programs that `spawn` started, the last one first."""
    # The data is thrown away and the API server would drain its watches for a long time: no farewell.
    for process in reversed(processes):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for process in processes:
        process.wait(timeout=STOP_LIMIT)


def free_ports(count: int) -> list[int]:
    """Return ports on loopback that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def main() -> int:
    """Run one cluster in the foreground, for a look around by hand."""
    try:
        binaries = build.build()
        with tempfile.TemporaryDirectory(prefix="syncline-real-") as folder:
            running = start(pathlib.Path(folder), binaries)
            try:
                print(
                    f"ready: export KUBECONFIG={running.cluster.kubeconfig_path}   (Ctrl-C stops it)",
                    flush=True,
                )
                signal.signal(signal.SIGTERM, signal.default_int_handler)
                while running.alive():
                    time.sleep(1)
            finally:
                running.stop()
    except KeyboardInterrupt:
        return 0
    except (build.BuildError, ClusterError) as error:
        print(error, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
