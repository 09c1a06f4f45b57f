"""Plays an installation on a real server under exactly the generated roles: what people and controllers do in a day.

`played` is started by `tests.real.test_rights`. The controllers and the server are processes of their own, each with
the token of its ServiceAccount; delivery is a Role of its own, in the one namespace that is delivered to. The audit log
says afterwards what was asked, what was refused, and which binding permitted it.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import http.client
import json
import pathlib
import re
import time
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import quote

from syncline.core import rights
from syncline.model.crds import all_crds
from syncline.model.published_crd import diagnosis_crd
from tests.e2e.program import Machine, Running, until
from tests.real import audit
from tests.real.api import Api, Json
from tests.support import git_http

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
FAR = "https://far.example.invalid:6443"


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """The namespaces of one installation: its own, one with further Applications, and the one that is delivered to."""

    control: str
    teams: str
    target: str

    def account(self, component: str) -> str:
        return f"system:serviceaccount:{self.control}:syncline-{component}"


@dataclasses.dataclass(frozen=True, slots=True)
class Played:
    """What came of it: the roles that were in force, and the requests that were made under them."""

    place: Place
    roles: dict[str, list[Json]]
    requests: dict[str, list[Json]]


@contextlib.contextmanager
def played(api: Api, folder: pathlib.Path) -> Iterator[Played]:
    """Play a day; yield what was asked of the API server meanwhile."""
    name = uuid.uuid4().hex[:8]
    place = Place(f"argocd-{name}", f"teams-{name}", f"web-{name}")
    roles = {
        component: rights.manifests(component, place.control, application_namespaces=(place.teams,))
        for component in ("controller", "server")
    }
    repository = git_http.Repository(folder / "repos" / "shop")
    repository.commit(
        {"web/settings.yaml": config_map("settings"), "bad/settings.yaml": config_map("bad") + "data: 5\n"}
    )
    with git_http.serve(folder / "repos") as served:
        url = served.url("shop")
        _prepare(api, place, roles, url)
        story = Story(api, place, url, folder)
        with story.running():
            story.deliver()
            story.generate()
            story.conflict()
            story.people()
        audit.settle(api, place.target)
    yield Played(place, roles, {component: _asked(api, place.account(component)) for component in roles})


def _asked(api: Api, user: str) -> list[Json]:
    lines = pathlib.Path(api.cluster.audit_log_path).read_text().splitlines()
    entries = [json.loads(line) for line in lines if user in line and line.endswith("}")]
    return [entry for entry in entries if entry["user"]["username"] == user]


def is_patch(entry: Json, resource: str) -> bool:
    return bool(entry["verb"] == "patch" and entry["objectRef"]["resource"] == resource)


def delivered(namespace: str) -> str:
    """Return the name of the Application of a namespace that is delivered; both deliver to one namespace."""
    return f"web-{namespace.partition('-')[0]}"


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"


def _prepare(api: Api, place: Place, roles: dict[str, list[Json]], url: str) -> None:
    for crd in (*all_crds(), diagnosis_crd()):
        name = crd["metadata"]["name"]
        path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}?fieldManager=test&force=true"
        api.ok("PATCH", path, crd, APPLY)
    for namespace in (place.control, place.teams, place.target):
        api.ok("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    for obj in [obj for made in roles.values() for obj in made]:
        _create(api, obj)
    rules = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "patch", "update", "delete"]},
    ]
    group = "rbac.authorization.k8s.io"
    _create(api, {**_object(f"{group}/v1", "Role", "delivery", place.target), "rules": rules})
    accounts = [{"kind": "ServiceAccount", "name": f"syncline-{name}", "namespace": place.control} for name in roles]
    bound = {"roleRef": {"apiGroup": group, "kind": "Role", "name": "delivery"}, "subjects": accounts}
    _create(api, {**_object(f"{group}/v1", "RoleBinding", "delivery", place.target), **bound})
    settings = {
        "argocd-cm": {"timeout.reconciliation": "10s"},
        "argocd-cmd-params-cm": {
            "application.namespaces": place.teams,
            "applicationsetcontroller.namespaces": place.teams,
        },
        "argocd-notifications-cm": {"context": "argocdUrl: https://argocd.example.invalid"},
    }
    for name, data in settings.items():
        _create(api, {**_object("v1", "ConfigMap", name, place.control), "data": data})
    home = {
        "name": "in-cluster",
        "server": "https://kubernetes.default.svc",
        "namespaces": place.target,
        "config": "{}",
    }
    for name, kind, data in (("home", "cluster", home), ("shop", "repository", {"url": url, "type": "git"})):
        secret = _object("v1", "Secret", name, place.control)
        secret["metadata"]["labels"] = {"argocd.argoproj.io/secret-type": kind}
        _create(api, {**secret, "stringData": data})
    project = _object("argoproj.io/v1alpha1", "AppProject", "default", place.control)
    everything = {"group": "*", "kind": "*"}
    spec = {
        "sourceRepos": ["*"],
        "destinations": [{"server": "*", "namespace": "*"}],
        "namespaceResourceWhitelist": [everything],
        "sourceNamespaces": [place.teams],
    }
    until(lambda: api.request("POST", _path(project), {**project, "spec": spec})[0] < 300 or None, lambda: "not served")


def _object(api_version: str, kind: str, name: str, namespace: str) -> Json:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace}}


_PLURALS = {"AppProject": "appprojects", "Application": "applications", "ApplicationSet": "applicationsets"}


def _path(obj: Json) -> str:
    version, kind = obj["apiVersion"], obj["kind"]
    plural = _PLURALS.get(kind, f"{kind.lower()}s")
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{base}/namespaces/{obj['metadata']['namespace']}/{plural}"


def _create(api: Api, obj: Json) -> Json:
    return api.ok("POST", _path(obj), obj)


class Story:
    """One installation while it runs."""

    def __init__(self, api: Api, place: Place, url: str, folder: pathlib.Path) -> None:
        self.api = api
        self.place = place
        self.url = url
        self._folder = folder
        self._machine = Machine(folder)
        self._server: Running | None = None
        self._address = ""

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Run a server and two controllers, so that one asks the other for a share of the work."""
        # Held by the first already: it would leave each but its first to others for half a minute.
        lease = _object("coordination.k8s.io/v1", "Lease", "syncline-controller-shard-1", self.place.control)
        _create(self.api, {**lease, "spec": {"holderIdentity": "one", "leaseDurationSeconds": 15}})
        with contextlib.ExitStack() as stack:
            for identity in ("one", "two"):
                config = self._kubeconfig("controller")
                flags = ("--namespace", self.place.control, "--shards", "2", "--identity", identity)
                stack.enter_context(self._machine.running("controller", "--kubeconfig", config, *flags))
                self._until(lambda: len(self._leases()) == 2, "the first controller holds all Leases")
            config = self._kubeconfig("server")
            serving = ("--app-namespace", self.place.control, "--port", "0", "--insecure")
            served = stack.enter_context(self._machine.running("server", "--kubeconfig", config, *serving))
            self._server = served
            said = until(lambda: re.search(r"serving http://(\S+)", served.err), lambda: served.err)
            self._address = said[1]
            yield
            self._until(lambda: self._leases() == ["one", "two"], "the second controller got a Lease by asking")

    def deliver(self) -> None:
        """Have Applications of both namespaces delivered."""
        for namespace in (self.place.control, self.place.teams):
            self._apply(self._application(delivered(namespace), namespace))
        for namespace in (self.place.control, self.place.teams):
            self._until(partial(self._is_synced, namespace), f"{namespace} is delivered")
        self._until(lambda: self.api.request("GET", self._named("configmaps", "settings"))[0] == 200, "delivered")
        # One that nothing can be rendered of, so that there is a cause to publish.
        self._apply(self._application("bad", self.place.control, path="gone"))
        self._until(lambda: self._diagnosis() >= 1, "a diagnosis with a cause")

    def generate(self) -> None:
        """Have sets of both namespaces create, change and delete Applications."""
        for namespace in (self.place.control, self.place.teams):
            self._apply(self._set(namespace, "a", "b"))
        for namespace in (self.place.control, self.place.teams):
            self._until(partial(self._has_apps, namespace, "gen-a", "gen-b"), "a set generates")
            self._apply(self._set(namespace, "a", annotations={"argocd.argoproj.io/application-set-refresh": "true"}))
        for namespace in (self.place.control, self.place.teams):
            self._until(partial(self._lacks_app, namespace, "gen-b"), "a set deletes")

    def conflict(self) -> None:
        """Write to Applications while they are synced, so that the controller has to read them again."""
        for namespace in (self.place.control, self.place.teams):
            path = f"/apis/argoproj.io/v1alpha1/namespaces/{namespace}/applications/{delivered(namespace)}"
            self._until(partial(self._interfere, path), "an Application is read again after a conflict")

    def _interfere(self, path: str) -> bool:
        """Ask for a sync and write to its Application as soon as it runs; tell whether it was read again then."""
        self.api.request("PATCH", path, {"operation": {"sync": {"revision": "main"}}}, MERGE)
        limit = time.monotonic() + 5.0
        while time.monotonic() < limit:
            app = self.api.ok("GET", path)
            if "operation" not in app:
                break
            if ((app.get("status") or {}).get("operationState") or {}).get("phase") == "Running":
                self.api.request("PATCH", path, {"metadata": {"annotations": {"turn": uuid.uuid4().hex}}}, MERGE)
        asked = _asked(self.api, self.place.account("controller"))
        return any(entry["verb"] == "get" and entry["requestURI"].partition("?")[0] == path for entry in asked)

    def people(self) -> None:
        """Do over the API what people do."""
        self._ask("POST", "/api/v1/session", {"username": "admin", "password": "wrong"}, status=401)
        self._ask("POST", "/api/v1/session", {"username": "admin", "password": "wrong"}, status=401)
        token = self._signed_in()
        for namespace in (self.place.control, self.place.teams):
            self._applications(token, namespace)
            self._sets(token, namespace)
        self._push()
        self._projects(token)
        self._connections(token)
        for _ in range(2):
            self._ask("DELETE", "/api/v1/session", token=self._signed_in())
        change = {"currentPassword": self._password(), "newPassword": "a new one that is long"}
        self._ask("PUT", "/api/v1/account/password", change, token=token)

    def _applications(self, token: str, namespace: str) -> None:
        app = self._application("by-hand", namespace)
        self._ask("POST", "/api/v1/applications", app, token=token)
        query = f"?appNamespace={namespace}"
        one = f"/api/v1/applications/by-hand{query}"
        self._until(lambda: self._status("GET", one, token) == 200, "it is served")
        self._ask("GET", f"/api/v1/applications/by-hand/events{query}", token=token)
        # A null inside of values is more than a merge patch can say, so the whole object is written.
        source = {**app["spec"]["source"], "helm": {"valuesObject": {"nothing": None}}}
        self._ask("PUT", f"/api/v1/applications/by-hand/spec{query}", {**app["spec"], "source": source}, token=token)
        self._ask("PUT", f"/api/v1/applications/by-hand/spec{query}", app["spec"], token=token)
        self._ask("POST", f"/api/v1/applications/by-hand/sync{query}", {}, token=token)
        self._ask("GET", f"{one}&refresh=normal", token=token)
        # One that is not there: its neighbours are listed to say what was meant.
        self._ask("DELETE", f"/api/v1/applications/by-hand{query}&cascade=false", token=token)

    def _sets(self, token: str, namespace: str) -> None:
        made = self._set(namespace, "c", name="people")
        self._ask("POST", "/api/v1/applicationsets", made, token=token)
        changed, path = self._set(namespace, "d", name="people"), "/api/v1/applicationsets?upsert=true"
        # The controller writes to it too, and whoever comes second is asked to try again.
        self._until(lambda: self._exchange("POST", path, changed, token)[0] == 200, "the set is changed")
        one = f"/api/v1/applicationsets/people?appsetNamespace={namespace}"
        self._until(lambda: self._status("GET", one, token) == 200, "the set is served")
        self._ask("DELETE", one, token=token)

    def _push(self) -> None:
        """Tell of a push, which has sets look again that ask a plugin: it may read what was pushed."""
        for namespace in (self.place.control, self.place.teams):
            asking = self._set(namespace, name="asking")
            asking["spec"]["generators"] = [{"plugin": {"configMapRef": {"name": "nobody"}}}]
            self._apply(asking)
        known = {"stringData": {"webhook.gitlab.secret": "hush"}}
        self.api.ok("PATCH", f"/api/v1/namespaces/{self.place.control}/secrets/argocd-secret", known, MERGE)
        self._until(self._pushed, "both sets are looked at again after a push")

    def _pushed(self) -> bool:
        project = {"web_url": self.url, "default_branch": "main"}
        if self._exchange("POST", "/api/webhook", {"ref": "refs/heads/main", "project": project}, "")[0] != 200:
            return False
        time.sleep(0.5)
        asked = _asked(self.api, self.place.account("server"))
        patched = {entry["objectRef"]["namespace"] for entry in asked if is_patch(entry, "applicationsets")}
        return patched == {self.place.control, self.place.teams}

    def _projects(self, token: str) -> None:
        spec = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]}
        self._ask("POST", "/api/v1/projects", {"project": {"metadata": {"name": "shop"}, "spec": spec}}, token=token)
        self._until(lambda: self._status("GET", "/api/v1/projects/shop", token) == 200, "the project is served")
        stored = self._ask("GET", "/api/v1/projects/shop", token=token)
        changed = {**stored, "spec": {**spec, "description": "changed"}}
        self._ask("PUT", "/api/v1/projects/shop", {"project": changed}, token=token)
        self._ask("DELETE", "/api/v1/projects/shop", token=token)

    def _connections(self, token: str) -> None:
        cluster = {"server": FAR, "name": "far", "config": {"bearerToken": "x"}}
        self._ask("POST", "/api/v1/clusters", cluster, token=token)
        one = f"/api/v1/clusters/{quote(FAR, safe='')}"
        self._until(lambda: self._status("GET", one, token) == 200, "the cluster is served")
        self._ask("PUT", f"{one}?updatedFields=labels", {**cluster, "labels": {"a": "b"}}, token=token)
        self._ask("POST", f"{one}/invalidate-cache", token=token)
        self._ask("DELETE", one, token=token)
        template = {"url": "https://git.example.invalid", "username": "robot"}
        self._ask("POST", "/api/v1/repocreds", template, token=token)
        self._ask("POST", "/api/v1/repocreds?upsert=true", {**template, "username": "other"}, token=token)
        self._ask("DELETE", f"/api/v1/repocreds/{quote(template['url'], safe='')}", token=token)

    def _signed_in(self) -> str:
        answer = self._ask("POST", "/api/v1/session", {"username": "admin", "password": self._password()})
        return str(answer["token"])

    def _password(self) -> str:
        found = self.api.ok("GET", f"/api/v1/namespaces/{self.place.control}/secrets/argocd-initial-admin-secret")
        return base64.b64decode(found["data"]["password"]).decode()

    def _ask(self, method: str, path: str, body: Any = None, *, token: str = "", status: int = 200) -> Json:
        found, answer = self._exchange(method, path, body, token)
        assert found == status, f"{method} {path}: {found} {answer!r}"
        return dict(json.loads(answer or b"{}"))

    def _status(self, method: str, path: str, token: str) -> int:
        return self._exchange(method, path, None, token)[0]

    def _exchange(self, method: str, path: str, body: Any, token: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self._address, timeout=60)
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        headers |= {"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "hush"} if path == "/api/webhook" else {}
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _kubeconfig(self, component: str) -> pathlib.Path:
        account = f"/api/v1/namespaces/{self.place.control}/serviceaccounts/syncline-{component}/token"
        made = self.api.ok("POST", account, {"spec": {"expirationSeconds": 7200}})
        cluster = {"server": self.api.cluster.address, "certificate-authority": self.api.cluster.ca_path}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": component, "user": {"token": made["status"]["token"]}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": component}}],
        }
        file = self._folder / f"{component}.kubeconfig"
        file.write_text(json.dumps(config))
        return file

    def _application(self, name: str, namespace: str, *, path: str = "web") -> Json:
        return {
            **_object("argoproj.io/v1alpha1", "Application", name, namespace),
            "spec": self._spec(path) | {"syncPolicy": {"automated": {}} if name.startswith("web") else {}},
        }

    def _spec(self, path: str) -> Json:
        return {
            "project": "default",
            "source": {"repoURL": self.url, "path": path, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": self.place.target},
        }

    def _set(self, namespace: str, *elements: str, name: str = "gen", annotations: Json | None = None) -> Json:
        made = _object("argoproj.io/v1alpha1", "ApplicationSet", name, namespace)
        made["metadata"]["annotations"] = annotations or {}
        listed = [{"element": element, "path": "web"} for element in elements]
        metadata = {"name": f"{name}-{{{{element}}}}", "labels": {"elements": str(len(elements))}}
        template = {"metadata": metadata, "spec": self._spec("{{path}}")}
        return {**made, "spec": {"generators": [{"list": {"elements": listed}}], "template": template}}

    def _apply(self, obj: Json) -> None:
        self.api.ok("PATCH", f"{_path(obj)}/{obj['metadata']['name']}?fieldManager=test&force=true", obj, APPLY)

    def _named(self, plural: str, name: str) -> str:
        return f"/api/v1/namespaces/{self.place.target}/{plural}/{name}"

    def _apps(self, namespace: str) -> set[str]:
        listed = self.api.ok("GET", f"/apis/argoproj.io/v1alpha1/namespaces/{namespace}/applications")
        return {item["metadata"]["name"] for item in listed["items"]}

    def _has_apps(self, namespace: str, *names: str) -> bool:
        return set(names) <= self._apps(namespace)

    def _lacks_app(self, namespace: str, name: str) -> bool:
        return name not in self._apps(namespace)

    def _is_synced(self, namespace: str) -> bool:
        path = f"/apis/argoproj.io/v1alpha1/namespaces/{namespace}/applications/{delivered(namespace)}"
        found = self.api.ok("GET", path)
        return bool(((found.get("status") or {}).get("sync") or {}).get("status") == "Synced")

    def _diagnosis(self) -> int:
        status, found = self.api.request(
            "GET", f"/apis/syncline.io/v1alpha1/namespaces/{self.place.control}/diagnoses/syncline"
        )
        return len((found.get("status") or {}).get("causes") or ()) if status == 200 else 0

    def _leases(self) -> list[str]:
        """Return who holds a shard, for each of them."""
        listed = self.api.ok("GET", f"/apis/coordination.k8s.io/v1/namespaces/{self.place.control}/leases")
        return sorted(str(item["spec"].get("holderIdentity") or "") for item in listed["items"])

    def _until(self, look: Callable[[], bool], what: str) -> None:
        until(lambda: look() or None, lambda: f"still not: {what}\n{self._told()}")

    def _told(self) -> str:
        runs = sorted(self._folder.glob("run-*/*"))
        return "\n".join(f"{file}:\n{file.read_text()[-3000:]}" for file in runs)
