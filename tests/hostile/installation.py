"""One installation to attack: a real kube-apiserver, `syncline controller` and `syncline server` as processes.

The fixture `installation` of `tests.hostile.conftest` starts it once. Both processes have a service account with the
rights of `tests.hostile.roles`, a home and an environment of their own. There are the projects team-a and
team-b with a repository each, accounts with rights on one of them, a private repository that no project permits, a
listener that records requests, and canaries wherever something must not get out. Teams deliver into namespaces named
after them (`team-a-…`); `vault` belongs to nobody.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import bcrypt
import yaml

from tests.hostile import network, roles
from tests.hostile.canaries import Canaries
from tests.hostile.client import Client
from tests.hostile.listener import Listener, listening
from tests.hostile.rebinding import Resolver
from tests.real import audit
from tests.real.api import Api
from tests.real.cluster import Cluster, free_ports, spawn
from tests.support import chart_server, git_http, registry

Json = dict[str, Any]
T = TypeVar("T")
HOME = "argocd"
VAULT = "vault"
API = "argoproj.io/v1alpha1"
IN_CLUSTER = "https://kubernetes.default.svc"
PATIENCE = 240.0
"""Seconds that only an installation that hangs needs."""
PASSWORDS = {name: f"{name}-Password-9" for name in ("admin", "alice", "bob", "nobody", "victim")}
TARGETS = (
    "team-a-main",
    "team-b-main",
    "team-a-e1-secrets",
    "team-a-e2-refused",
    "team-a-g1-later",
    "team-a-ghost",
    "team-a-o1",
    "team-a-p1-refs",
    "team-a-stubs",
    "team-a-xss",
)
"""Namespaces of teams; those of attacks by Applications come with them."""
POLICY = """\
p, role:team-a, applications, *, team-a/*, allow
p, role:team-a, applications, *, open-a/*, allow
p, role:team-a, applicationsets, *, team-a/*, allow
p, role:team-a, repositories, *, team-a/*, allow
p, role:team-a, clusters, *, team-a/*, allow
p, role:team-a, logs, get, team-a/*, allow
p, role:team-a, projects, get, team-a, allow
p, role:team-b, applications, *, team-b/*, allow
p, role:team-b, applicationsets, *, team-b/*, allow
p, role:team-b, repositories, *, team-b/*, allow
p, role:team-b, logs, get, team-b/*, allow
p, role:team-b, projects, get, team-b, allow
g, alice, role:team-a
g, bob, role:team-b
"""
_PLURALS = {
    "Namespace": "namespaces",
    "ServiceAccount": "serviceaccounts",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "Pod": "pods",
    "Deployment": "deployments",
    "Event": "events",
    "CustomResourceDefinition": "customresourcedefinitions",
    "Application": "applications",
    "ApplicationSet": "applicationsets",
    "AppProject": "appprojects",
}


@dataclass(slots=True)
class Installation:
    """What attacks are made against, and what they are judged by."""

    folder: pathlib.Path
    cluster: Cluster
    api: Api
    canaries: Canaries
    git: git_http.Server
    charts: chart_server.Server
    registry: registry.Registry
    listener: Listener
    server_port: int
    metrics_port: int
    targets: frozenset[str]
    """The namespaces that can be delivered to; no other is followed, apart from `vault` and the installation's own."""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    repositories: dict[str, git_http.Repository] = field(default_factory=dict)
    resolver: Resolver = field(default_factory=Resolver)
    """The resolver of both processes, whose answers an attack chooses."""
    attacker: Listener | None = None
    """A server of the attacker at a public address, which no rule about this machine refuses."""
    metadata: list[Listener] = field(default_factory=list)
    """Listeners at the addresses of metadata services, which loopback has in this network."""
    delivery_writes: list[Json] = field(default_factory=list)
    """What both processes wrote, or tried to, while the attacks by Applications were delivered."""
    _tokens: dict[str, str] = field(default_factory=dict)

    # What the operator does.

    def apply(self, *objects: Json) -> None:
        """Create or replace objects as the operator does with kubectl."""
        for obj in objects:
            path = f"{path_of(obj)}?fieldManager=operator&force=true"
            self.api.ok("PATCH", path, obj, content_type="application/apply-patch+yaml")

    def create(self, obj: Json) -> None:
        """Create an object; unlike `apply` this also takes fields that no schema knows, and drops them."""
        self.api.ok("POST", path_of(obj).rpartition("/")[0], obj)

    def delete(self, obj: Json) -> None:
        """Delete an object, which may be gone."""
        status, answer = self.api.request("DELETE", path_of(obj))
        assert status in (200, 202, 404), answer

    def read(self, kind: str, name: str, namespace: str = HOME) -> Json | None:
        """Return an object as an operator reads it."""
        metadata: Json = {"name": name, "namespace": namespace}
        version = API if kind.startswith("App") else "v1"
        status, answer = self.api.request("GET", path_of({"apiVersion": version, "kind": kind, "metadata": metadata}))
        return answer if status == 200 else None

    def application(self, name: str, namespace: str = HOME) -> Json | None:
        return self.read("Application", name, namespace)

    def target(self, name: str) -> str:
        """Return the name of a namespace that the controller follows and may deliver into."""
        assert name in self.targets, f"{name} is not followed: add it to TARGETS"
        return name

    def repository(self, name: str) -> git_http.Repository:
        """Return a repository that the Git server has, created when first asked for."""
        if name not in self.repositories:
            self.repositories[name] = git_http.Repository(self.folder / "repositories" / name)
        return self.repositories[name]

    def url(self, name: str) -> str:
        return self.git.url(name)

    # Who attacks.

    def outside(self) -> Listener:
        """Return the attacker's server."""
        assert self.attacker is not None
        return self.attacker

    def as_(self, name: str) -> Client:
        """Return the client of an account, signed in; `ci` is the role token of team-a, "" is a stranger."""
        if name and name not in self._tokens:
            self._tokens[name] = self.signed_in(name).token
        return Client(self.server_port, token=self._tokens[name] if name else "")

    def signed_in(self, name: str) -> Client:
        """Return the client of an account with a session of its own, which nobody else misses when it ends."""
        answer = Client(self.server_port).post("/api/v1/session", {"username": name, "password": PASSWORDS[name]})
        assert answer.status == 200, f"{name} cannot sign in: {answer.status} {answer.text}"
        return Client(self.server_port, token=answer.json["token"])

    def remember(self, name: str, token: str) -> None:
        self._tokens[name] = token

    # What attacks are judged by.

    def alive(self) -> None:
        """Fail if one of the processes ended."""
        for name, process in self.processes.items():
            assert process.poll() is None, f"{name} ended with {process.returncode}:\n{self.log(name)[-3000:]}"

    def log(self, name: str) -> str:
        """Return everything a process printed."""
        return (self.folder / name / f"{name}.log").read_text(errors="replace")

    def writes(self, since: int = 0) -> list[Json]:
        """Return the audit entries of writes that the two processes tried, refused ones included."""
        self.settled()
        with pathlib.Path(self.cluster.audit_log_path).open("rb") as log:
            log.seek(since)
            lines = log.read().splitlines()
        users = {f"system:serviceaccount:{HOME}:syncline-{name}" for name in ("controller", "server")}
        found = []
        for line in lines:
            if b"syncline-" in line and line.endswith(b"}"):
                entry = json.loads(line)
                if (
                    entry["verb"] in audit.WRITES
                    and entry["user"]["username"] in users
                    and "dryRun" not in entry["requestURI"]
                ):
                    found.append(entry)
        return found

    def mark(self) -> int:
        """Return the place in the audit log behind everything answered so far."""
        self.settled()
        return pathlib.Path(self.cluster.audit_log_path).stat().st_size

    def settled(self) -> None:
        """Wait until the audit log has everything that was answered."""
        audit.settle(self.api, str(time.monotonic_ns()))

    def until(self, look: Callable[[], T | None], what: str, patience: float = PATIENCE) -> T:
        """Look again and again until there is something to see."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            self.alive()
            seen = look()
            if seen is not None and seen is not False:
                return seen
            time.sleep(0.25)
        raise AssertionError(f"{what} did not happen within {patience:.0f} s\n{self.log('controller')[-3000:]}")

    # The processes.

    def start(self, name: str, *arguments: str, environment: dict[str, str] | None = None) -> None:
        """Start one of the processes with its own service account, home and environment."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True, mode=0o700)
        (folder / "kubeconfig").write_text(json.dumps(self._kubeconfig(name)))
        kept = {key: os.environ[key] for key in ("PATH", "PYTHONPYCACHEPREFIX") if key in os.environ}
        own = {
            "HOME": str(folder),
            "SYNCLINE_CACHE": str(folder / "cache"),
            "CANARY": self.canaries["environment"],
            "AWS_SECRET_ACCESS_KEY": self.canaries["environment"],
            # A tenth of what is usual: attacks on the time of a render end in that time.
            "ARGOCD_EXEC_TIMEOUT": "10s",
            "TMPDIR": str(folder),
        }
        program = str(pathlib.Path(sys.executable).with_name("syncline"))
        command = [program, name, "--kubeconfig", str(folder / "kubeconfig"), *arguments]
        self.processes[name] = spawn(command, folder / f"{name}.log", {**kept, **own, **(environment or {})})

    def restart(self, name: str, *, kill: bool = False) -> None:
        """End a process and start it again with the same arguments; what it printed so far stays readable."""
        process = self.processes[name]
        log = self.folder / name / f"{name}.log"
        process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        process.wait(60)
        log.rename(log.with_name(f"{name}-{time.monotonic_ns()}.log"))
        (self.start_controller if name == "controller" else self.start_server)()

    def start_controller(self) -> None:
        self.start(
            "controller", "--metrics-port", str(self.metrics_port), "--log-format", "json", "--identity", "hostile"
        )

    def start_server(self) -> None:
        self.start("server", "--port", str(self.server_port))
        client = Client(self.server_port)

        def ready() -> bool:
            with contextlib.suppress(OSError):
                return client.get("/readyz").status == 200
            return False

        self.until(ready, "the server's start")

    def stop(self) -> None:
        """Kill the processes that were started here."""
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)

    def _kubeconfig(self, name: str) -> Json:
        path = f"/api/v1/namespaces/{HOME}/serviceaccounts/syncline-{name}/token"
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
        token = self.api.ok("POST", path, asked)["status"]["token"]
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "own",
            "clusters": [
                {
                    "name": "own",
                    "cluster": {"server": self.cluster.address, "certificate-authority": self.cluster.ca_path},
                }
            ],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": "own", "context": {"cluster": "own", "user": name}}],
        }


@contextlib.contextmanager
def installed(folder: pathlib.Path, cluster: Cluster, api: Api, places: Iterable[str]) -> Iterator[Installation]:
    """Install and start everything; end it with the block. `places` are the namespaces of attacks."""
    targets = frozenset(TARGETS) | frozenset(places)
    canaries = Canaries()
    (folder / "repositories").mkdir(parents=True)
    (folder / "charts").mkdir()
    with (
        contextlib.ExitStack() as stack,
        listening() as listener,
        git_http.serve(folder / "repositories") as git,
        chart_server.serve(folder / "charts") as charts,
        registry.serve() as artifacts,
    ):
        server_port, metrics_port = free_ports(2)
        made = Installation(
            folder, cluster, api, canaries, git, charts, artifacts, listener, server_port, metrics_port, targets
        )
        network.own_addresses(network.PUBLIC, *network.METADATA)
        made.attacker = stack.enter_context(listening(network.PUBLIC))
        made.metadata = [stack.enter_context(listening(address, 80)) for address in network.METADATA]
        _install(made)
        made.start_controller()
        try:
            made.start_server()
            yield made
        finally:
            made.stop()


def _install(made: Installation) -> None:
    canaries, folder = made.canaries, made.folder
    (folder / "canary.yaml").write_text(canary_manifest(canaries["file"]))
    for crd in crds():
        made.apply(crd)
    made.apply(namespace_of(HOME), namespace_of(VAULT), *roles.own(HOME), *roles.reading(VAULT, HOME))
    for name in sorted(made.targets):
        # Before both start: what is followed has to be there to be read.
        made.apply(namespace_of(name), *roles.delivery_into(name, HOME))
    made.until(lambda: made.api.request("GET", f"/apis/{API}/applications")[0] == 200, "serving Applications")
    made.repository("team-a/main").commit({"honest/config.yaml": config("honest", note="team-a")})
    made.repository("team-b/main").commit(
        {
            "honest/config.yaml": config("honest", note=canaries["other-team-repository"]),
            "params.json": json.dumps({"name": canaries["other-team-repository"]}),
        }
    )
    made.repository("private/vault").commit(
        {
            "app/config.yaml": config("vault", note=canaries["private-repository"]),
            "params.json": json.dumps({"name": canaries["private-repository"]}),
            "Chart.yaml": "apiVersion: v2\nname: vault\nversion: 1.0.0\n",
            f"templates/{canaries['private-repository']}.yaml": config("vault"),
        }
    )
    made.apply(
        config_map("argocd-cm", HOME, settings(made)),
        config_map("argocd-rbac-cm", HOME, {"policy.csv": POLICY}),
        secret("argocd-secret", HOME, accounts(canaries)),
        *[project(name, made) for name in ("team-a", "team-b")],
        project("open-a", made, sourceRepos=["*"], destinations=[{"server": IN_CLUSTER, "namespace": "team-a-*"}]),
        config_map("argocd-cmd-params-cm", HOME, {"controller.repo.server.timeout.seconds": "20"}),
        project("default", made, destinations=[], sourceRepos=[]),
        repository_secret("team-a-main", made.url("team-a/main"), project="team-a"),
        repository_secret("team-b-main", made.url("team-b/main"), project="team-b"),
        repository_secret("charts", made.charts.url, type="helm"),
        repository_secret("registry", made.registry.place, type="helm", enableOCI="true", insecureOCIForceHttp="true"),
        repository_secret(
            "private", made.url("private/vault"), password=canaries["repository-password"], username="git"
        ),
        secret("payments", VAULT, {"token": canaries["foreign-secret"]}),
        config_map("payments", VAULT, {"note": canaries["foreign-config"]}),
        secret("payments", "team-a-main", {"token": canaries["own-secret"]}),
        home_cluster(sorted({*made.targets, VAULT})),
        secret("scm", HOME, {"token": canaries["scm-token"]}),
        secret(
            "far",
            HOME,
            {
                "name": "far",
                "server": "https://far.example.invalid",
                "config": json.dumps({"bearerToken": canaries["cluster-token"]}),
            },
            **{"argocd.argoproj.io/secret-type": "cluster"},
        ),
    )
    made.apply(
        application("honest", "team-a", made.url("team-a/main"), "honest", "team-a-main"),
        application("neighbour", "team-b", made.url("team-b/main"), "honest", "team-b-main"),
    )


def settings(made: Installation) -> dict[str, str]:
    """Return argocd-cm: accounts, short periods, and no right for strangers."""
    return {
        "accounts.alice": "login, apiKey",
        "accounts.bob": "login, apiKey",
        "accounts.nobody": "login, apiKey",
        "accounts.victim": "login",
        "url": f"http://127.0.0.1:{made.server_port}",
        "timeout.reconciliation": "600s",
    }


def accounts(canaries: Canaries) -> dict[str, str]:
    """Return argocd-secret: passwords, the signing key, the secrets of webhooks."""
    found = {"server.secretkey": canaries["signing-key"] * 2, "webhook.github.secret": canaries["webhook-secret"]}
    for name, password in PASSWORDS.items():
        prefix = "admin" if name == "admin" else f"accounts.{name}"
        found[f"{prefix}.password"] = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()
        found[f"{prefix}.passwordMtime"] = "2020-01-01T00:00:00Z"
    return found


def project(name: str, made: Installation, **more: Any) -> Json:
    """Return the project of a team: its own repositories and namespaces, nothing of the cluster."""
    spec = {
        "sourceRepos": [made.url(f"{name}/*"), f"http://127.0.0.1:{made.git.port}/{name}/*"],
        "destinations": [{"server": IN_CLUSTER, "namespace": f"{name}-*"}],
        "roles": [{"name": "ci", "policies": [f"p, proj:{name}:ci, applications, sync, {name}/*, allow"]}],
        **more,
    }
    return {"apiVersion": API, "kind": "AppProject", "metadata": {"name": name, "namespace": HOME}, "spec": spec}


def application(
    name: str,
    project: str,
    url: str,
    path: str,
    namespace: str,
    *,
    source: Json | None = None,
    auto: bool = True,
    **spec: Any,
) -> Json:
    """Return an Application that syncs at once, so that an attack that succeeds shows as a write."""
    sync: Json = {"automated": {"prune": True, "selfHeal": True}} if auto else {}
    chosen = {"repoURL": url, "targetRevision": "HEAD", "path": path, **(source or {})}
    return {
        "apiVersion": API,
        "kind": "Application",
        "metadata": {"name": name, "namespace": HOME},
        "spec": {
            "project": project,
            "source": {key: value for key, value in chosen.items() if value is not None},
            "destination": {"server": IN_CLUSTER, "namespace": namespace},
            "syncPolicy": {**sync, "retry": {"limit": 0}},
            **spec,
        },
    }


def config(name: str, **data: str) -> str:
    """Return the text of a ConfigMap."""
    return yaml.safe_dump(config_map(name, "", data))


def canary_manifest(canary: str) -> str:
    """Return a file that a renderer would happily read: manifest, values and parameters at once."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: canary}}\ndata: {{note: {canary}}}\n"


def config_map(name: str, namespace: str, data: dict[str, str]) -> Json:
    about = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": about, "data": data}


def secret(name: str, namespace: str, data: dict[str, str], **labels: str) -> Json:
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    about: Json = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": about, "data": encoded}


def repository_secret(name: str, url: str, **entries: str) -> Json:
    """Return a repository Secret of the operator, which also permits the address on this machine."""
    labels = {"argocd.argoproj.io/secret-type": "repository"}
    return secret(f"repo-{name}", HOME, {"url": url, "type": "git", **entries}, **labels)


def home_cluster(namespaces: Sequence[str]) -> Json:
    """Return the Secret that limits what is followed of the home cluster to some namespaces."""
    entries = {"name": "in-cluster", "server": IN_CLUSTER, "namespaces": ",".join(namespaces), "config": "{}"}
    return secret("home", HOME, entries, **{"argocd.argoproj.io/secret-type": "cluster"})


def namespace_of(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def path_of(obj: Json) -> str:
    """Return the address of an object at the API server."""
    version, kind, about = obj["apiVersion"], obj["kind"], obj["metadata"]
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    plural = _PLURALS.get(kind) or f"{kind.lower()}s"
    inside = f"/namespaces/{about['namespace']}" if about.get("namespace") else ""
    return f"{base}{inside}/{plural}/{about['name']}"


def crds() -> Sequence[Json]:
    """Return the CRDs as the program prints them."""
    program = str(pathlib.Path(sys.executable).with_name("syncline"))
    done = subprocess.run([program, "admin", "crds"], capture_output=True, text=True, check=True)
    return [crd for crd in yaml.safe_load_all(done.stdout) if crd]
