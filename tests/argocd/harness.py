"""Runs the real Argo CD against any API server that a kubeconfig leads to: a judge for what Syncline does.

    with cluster.serving(folder / "cluster", real.build()) as where:
        with harness.running(folder / "argocd", where.kubeconfig_path, build.build()) as argocd:
            argocd.apply([an_application])

`running` installs what Argo CD wants to find in its namespace (`install`), starts redis and the parts that are named,
and returns when they answer; it ends them all, whatever happened. The API server may be a kube-apiserver of
`tests.real` or a sandbox. The destination https://kubernetes.default.svc is that same server. Git repositories may be
`file://` addresses once a repository Secret names them (`repository`).
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.argocd.build import Programs
from tests.real.cluster import free_ports, spawn, stop_all
from tests.real.registries import PASSWORDS

Json = dict[str, Any]

NAMESPACE = "argocd"
PARTS = ("repo-server", "application-controller", "applicationset-controller", "server")
# The password of the user admin of argocd-server.
PASSWORD = "canary"
# Limits that only a machine at a standstill meets.
START_LIMIT = 240.0
ATTEMPTS = 3


class HarnessError(Exception):
    """Argo CD did not start; the message quotes the last log lines."""


@dataclasses.dataclass(frozen=True, slots=True)
class ArgoCD:
    """A running Argo CD."""

    folder: pathlib.Path
    kubeconfig: str
    programs: Programs
    ports: Mapping[str, int]
    processes: Mapping[str, subprocess.Popen[bytes]]

    @property
    def server(self) -> str:
        """The address of argocd-server, which speaks plain HTTP; user admin, password `PASSWORD`."""
        return f"http://127.0.0.1:{self.ports['server']}"

    def apply(self, objects: Sequence[Json]) -> None:
        """Apply objects with kubectl, server-side."""
        kubectl(self.kubeconfig, "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=_listed(objects))

    def token(self) -> str:
        """Return a token of the user admin for argocd-server."""
        body = json.dumps({"username": "admin", "password": PASSWORD}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.server}/api/v1/session", body, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(json.load(answer)["token"])

    def cli(self, token: str, *arguments: str) -> str:
        """Return what Argo CD's own command line says to whoever has a token."""
        server = ["--server", self.server.removeprefix("http://"), "--plaintext", "--auth-token", token]
        environment = _environment(self.folder, self.kubeconfig, self.programs)
        command = [str(self.programs.argocd), *arguments, *server]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def log(self, part: str) -> str:
        """Return what a part has logged."""
        return (self.folder / f"{part}.log").read_text(errors="replace")

    def ended(self) -> list[str]:
        """Return the parts that do not run any more."""
        return [part for part, process in self.processes.items() if process.poll() is not None]

    def processor_seconds(self) -> dict[str, float]:
        """Return the processor time that each part has used."""
        ticks = os.sysconf("SC_CLK_TCK")
        used = {}
        for part, process in self.processes.items():
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            used[part] = (int(fields[11]) + int(fields[12]) + int(fields[13]) + int(fields[14])) / ticks
        return used


@contextlib.contextmanager
def running(
    folder: pathlib.Path,
    kubeconfig: str,
    programs: Programs,
    *,
    parts: Sequence[str] = PARTS,
    settings: Mapping[str, str] | None = None,
    flags: Mapping[str, Sequence[str]] | None = None,
    environment: Mapping[str, str] | None = None,
    namespace: str = NAMESPACE,
) -> Iterator[ArgoCD]:
    """Run Argo CD until the block ends; settings go into argocd-cm, flags to the part they are given for."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    install(kubeconfig, programs, settings or {}, namespace)
    home = {"ARGOCD_NAMESPACE": namespace}
    variables = _environment(folder, kubeconfig, programs) | home | dict(environment or {})
    argocd = _started(folder, kubeconfig, programs, parts, flags or {}, variables)
    try:
        yield argocd
    finally:
        stop_all(list(argocd.processes.values()))


def install(kubeconfig: str, programs: Programs, settings: Mapping[str, str], namespace: str = NAMESPACE) -> None:
    """Create what Argo CD wants to find: its kinds, namespace, settings, secrets and project."""
    kubectl(kubeconfig, "apply", "--server-side", "-k", str(programs.definitions))
    _wait_until_served(kubeconfig)
    objects: list[Json] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}]
    objects.append(_owned("ConfigMap", "argocd-cm", data=dict(settings)))
    empty = ("rbac-cm", "cmd-params-cm", "ssh-known-hosts-cm", "tls-certs-cm", "gpg-keys-cm")
    objects += [_owned("ConfigMap", f"argocd-{name}", data={}) for name in empty]
    keys = {"server.secretkey": "canary", "admin.password": PASSWORDS.strip().partition(":")[2]}
    objects.append(_owned("Secret", "argocd-secret", stringData=keys))
    objects.append(_owned("Secret", "argocd-redis", stringData={"auth": ""}))
    everything: Json = {
        "sourceRepos": ["*"],
        "destinations": [{"namespace": "*", "server": "*"}],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
    }
    objects.append(project("default", everything))
    for obj in objects[1:]:
        obj["metadata"]["namespace"] = namespace
    kubectl(kubeconfig, "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=_listed(objects))


def project(name: str, spec: Json) -> Json:
    """Return an AppProject."""
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": metadata, "spec": spec}


def repository(name: str, url: str, /, **fields: str) -> Json:
    """Return the Secret that makes a repository known."""
    secret = _owned("Secret", f"repository-{name}", stringData={"url": url, **fields})
    secret["metadata"]["labels"]["argocd.argoproj.io/secret-type"] = "repository"
    return secret


def kubectl(kubeconfig: str, *arguments: str, stdin: str = "") -> str:
    """Return what the real kubectl says."""
    command = [str(_beside_python("kubectl")), "--kubeconfig", kubeconfig, *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
    return done.stdout


def _wait_until_served(kubeconfig: str) -> None:
    """Wait for the kinds; `kubectl wait` gives up where a definition has no conditions yet."""
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            kubectl(kubeconfig, "get", "applications,applicationsets,appprojects", "-n", NAMESPACE)
            return
        except AssertionError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.2)


def _owned(kind: str, name: str, **content: Json) -> Json:
    labels = {"app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/name": name}
    metadata = {"name": name, "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **content}


def _listed(objects: Sequence[Json]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def _beside_python(name: str) -> pathlib.Path:
    path = pathlib.Path(sys.executable).with_name(name)
    assert path.exists(), f"{name} is not in the virtual environment: run `make setup`"
    return path


def _started(
    folder: pathlib.Path,
    kubeconfig: str,
    programs: Programs,
    parts: Sequence[str],
    flags: Mapping[str, Sequence[str]],
    environment: Mapping[str, str],
) -> ArgoCD:
    for attempt in range(1, ATTEMPTS + 1):
        names = [f"{part}{suffix}" for part in parts for suffix in ("", " metrics", " webhook")]
        ports = dict(zip(["redis", *names], free_ports(1 + len(names)), strict=True))
        redis = spawn([str(programs.redis), f"127.0.0.1:{ports['redis']}"], folder / "redis.log", dict(environment))
        processes = {"redis": redis}
        argocd = ArgoCD(folder, kubeconfig, programs, ports, processes)
        home = environment["ARGOCD_NAMESPACE"]
        try:
            for part in parts:
                argv = [str(programs.argocd), *_arguments(part, ports, kubeconfig, home), *flags.get(part, ())]
                called = {**environment, "ARGOCD_BINARY_NAME": f"argocd-{part}"}
                processes[part] = spawn(argv, folder / f"{part}.log", called)
            for part in parts:
                _wait_until_answering(argocd, part)
            return argocd
        except HarnessError as error:
            stop_all(list(processes.values()))
            # Another program may take a free port between our look and the bind.
            if attempt == ATTEMPTS or "address already in use" not in str(error):
                raise
        except BaseException:
            stop_all(list(processes.values()))
            raise
    raise AssertionError("unreachable")


def _arguments(part: str, ports: Mapping[str, int], kubeconfig: str, namespace: str) -> list[str]:
    redis = ["--redis", f"127.0.0.1:{ports['redis']}"]
    reading = [f"127.0.0.1:{ports['repo-server']}", "--repo-server-plaintext"]
    reaching = ["--namespace", namespace, "--kubeconfig", kubeconfig]
    port, metrics = str(ports[part]), str(ports[f"{part} metrics"])
    if part == "repo-server":
        return ["--disable-tls", "--address", "127.0.0.1", "--port", port, "--metrics-port", metrics, *redis]
    if part == "application-controller":
        return [*reaching, *redis, "--repo-server", *reading, "--metrics-port", metrics]
    if part == "applicationset-controller":
        places = ["--metrics-addr", f"127.0.0.1:{metrics}", "--probe-addr", f"127.0.0.1:{port}"]
        webhook = ["--webhook-addr", f"127.0.0.1:{ports[f'{part} webhook']}"]
        return [*reaching, "--argocd-repo-server", *reading, *places, *webhook]
    assert part == "server", f"Argo CD has no part {part}"
    places = ["--address", "127.0.0.1", "--port", port, "--metrics-port", metrics]
    return [*reaching, *redis, "--repo-server", *reading, *places, "--insecure"]


def _environment(folder: pathlib.Path, kubeconfig: str, programs: Programs) -> dict[str, str]:
    """Return an environment in which nothing is read or written outside of the folder."""
    tools = folder / "tools"
    if not tools.is_dir():
        tools.mkdir()
        for name in ("helm", "kubectl"):
            (tools / name).symlink_to(_beside_python(name))
        for name in ("kustomize", "argocd"):
            (tools / name).symlink_to(programs.folder / name)
    places = {}
    for name in (
        "HOME",
        "TMPDIR",
        "TLS_DATA_PATH",
        "SSH_DATA_PATH",
        "GNUPGHOME",
        "GPG_DATA_PATH",
        "PLUGINSOCKFILEPATH",
    ):
        place = folder / name.lower()
        place.mkdir(mode=0o700, exist_ok=True)
        places[name if name in ("HOME", "TMPDIR") else f"ARGOCD_{name}"] = str(place)
    return {
        **places,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "KUBECONFIG": kubeconfig,
        "HOSTNAME": "argocd-application-controller-0",
        "ARGOCD_FAKE_IN_CLUSTER": "true",
        "ARGOCD_GPG_ENABLED": "false",
        "ARGOCD_ASK_PASS_SOCK": str(folder / "ask.sock"),
        "ARGOCD_NAMESPACE": NAMESPACE,
    }


def _wait_until_answering(argocd: ArgoCD, part: str) -> None:
    address = f"http://127.0.0.1:{argocd.ports[f'{part} metrics']}/metrics"
    if part == "server":
        address = f"{argocd.server}/healthz"
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            urllib.request.urlopen(address, timeout=30).close()
            return
        except urllib.error.HTTPError as error:
            error.close()
            told = str(error)
        except OSError as error:
            told = str(error)
        if argocd.ended():
            raise HarnessError(_failure(argocd, f"{', '.join(argocd.ended())} ended while starting"))
        if time.monotonic() > deadline:
            raise HarnessError(_failure(argocd, f"{part} does not answer within {START_LIMIT:.0f} s: {told}"))
        time.sleep(0.1)


def _failure(argocd: ArgoCD, what: str) -> str:
    told = [f"Argo CD did not start: {what}."]
    for part in argocd.processes:
        lines = argocd.log(part).splitlines()[-8:]
        told.append(f"Last lines of {part}:\n  " + "\n  ".join(lines or ["(empty)"]))
    return "\n".join(told)
