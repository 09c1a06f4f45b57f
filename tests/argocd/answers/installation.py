"""One installation for both servers: a Git repository, projects, accounts, repositories, clusters and Applications.

`tests.argocd.answers.servers` writes it into a sandbox. Argo CD delivers it, so that both servers speak of the
very same objects, down to their uids and times.
"""

import json
import pathlib
import subprocess
from typing import Any

from tests.argocd import harness
from tests.argocd.harness import NAMESPACE, Json
from tests.argocd.test_harness import IDENTITY
from tests.real.registries import PASSWORDS

HOME = "https://kubernetes.default.svc"
FAR = "https://127.0.0.1:1"
SECRET_VALUES = ("do-not-show-this", "nor-this-password", "nor-this-token")
_HASH = PASSWORDS.strip().partition(":")[2]

POLICY = """\
p, role:team, applications, get, team/*, allow
p, role:team, applications, sync, team/*, allow
p, role:team, projects, get, team, allow
g, ann, role:team
g, ben, role:readonly
"""
SETTINGS = {
    "accounts.ann": "login, apiKey",
    "accounts.ben": "login",
    "accounts.eve": "login",
    "url": "https://argocd.example",
    "statusbadge.enabled": "true",
    "help.chatUrl": "https://chat.example",
    "help.chatText": "Ask us",
    "globalProjects": json.dumps(
        [
            {
                "labelSelector": {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["low"]}]},
                "projectName": "shared",
            }
        ]
    ),
}

FILES = {
    "web/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n",
    "web/secret.yaml": f"""\
apiVersion: v1
kind: Secret
metadata: {{name: login}}
stringData: {{password: {SECRET_VALUES[0]}}}
""",
    "web/service.yaml": """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
""",
    "web/ingress.yaml": """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  rules:
  - host: web.example
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}
""",
    "web/web.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: '1'}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: 'nginx:1.27'}]}}
""",
    "web/before.yaml": """\
apiVersion: batch/v1
kind: Job
metadata: {name: before, annotations: {argocd.argoproj.io/hook: PreSync}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: 'busybox:1'}]}}}
""",
    "drift/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n",
    "drift/later.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: later}\ndata: {colour: red}\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: charted\nversion: 1.0.0\n",
    "chart/values.yaml": "colour: blue\n",
    "chart/templates/settings.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: charted}\ndata: {colour: '{{ .Values.colour }}'}\n"
    ),
    "kust/kustomization.yaml": "resources: [settings.yaml]\nnamePrefix: made-\n",
    "kust/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n",
}


def repository(folder: pathlib.Path) -> str:
    """Make the Git repository and return its address."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    steps = (["init", "-q", "-b", "main"], ["add", "."], [*IDENTITY, "commit", "-q", "-m", "First of all\n\nAnd why."])
    for arguments in (*steps, ["tag", "v1.0.0"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return f"file://{folder}"


def objects(url: str) -> list[Json]:
    """Return all that is written into the cluster, Applications last."""
    namespaces = ["web", "drift", "charts", "kust"]
    return [
        *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in namespaces),
        _config("argocd-rbac-cm", {"policy.csv": POLICY}),
        *_projects(),
        harness.repository("first", url, name="first"),
        harness.repository(
            "private", "https://git.example/private.git", username="robot", password=SECRET_VALUES[1], project="team"
        ),
        harness.repository("charts", "https://charts.example", type="helm", name="charts"),
        _template(),
        _cluster(),
        application("web", url, "web", "team", automated=True),
        application("drift", url, "drift", "team"),
        application("kust", url, "kust", "default", automated=True),
        application("broken", url, "nowhere", "default", automated=True),
        application("idle", url, "drift", "default"),
        _set(url),
    ]


def accounts() -> Json:
    """Return entries of argocd-secret: every account has the password of admin."""
    return {f"accounts.{name}.password": _HASH for name in ("ann", "ben", "eve")}


def application(name: str, url: str, path: str, project: str, *, automated: bool = False) -> Json:
    """Return an Application whose namespace has the name of its path."""
    spec: Json = {
        "project": project,
        "source": {"repoURL": url, "path": path, "targetRevision": "main"},
        "destination": {"server": HOME, "namespace": path if path != "nowhere" else "web"},
    }
    if automated:
        spec["syncPolicy"] = {"automated": {"prune": True}}
    if name == "web":
        spec["info"] = [{"name": "url", "value": "https://web.example"}]
    metadata: Json = {"name": name, "namespace": NAMESPACE, "labels": {"tier": "high" if name == "web" else "low"}}
    if name == "web":
        metadata["annotations"] = {"link.argocd.argoproj.io/wiki": "Wiki|https://wiki.example/web"}
    if name == "idle":
        # Nobody looks at it, so it has no status.
        metadata["annotations"] = {"argocd.argoproj.io/skip-reconcile": "true"}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec}


def _projects() -> list[Json]:
    everywhere: Json = {
        "sourceRepos": ["*"],
        "destinations": [{"namespace": "*", "server": "*"}],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
    }
    window = {"kind": "deny", "schedule": "0 3 1 1 *", "duration": "1h", "applications": ["none-of-this-name"]}
    open_now = {"kind": "allow", "schedule": "* * * * *", "duration": "24h", "applications": ["*"], "manualSync": True}
    role = {"name": "ci", "description": "for CI", "policies": ["p, proj:team:ci, applications, get, team/*, allow"]}
    team: Any = harness.project("team", {**everywhere, "roles": [role], "syncWindows": [open_now, window]})
    team["metadata"]["labels"] = {"tier": "low"}
    team["spec"]["orphanedResources"] = {"warn": False}
    shared = harness.project("shared", {"namespaceResourceBlacklist": [{"group": "", "kind": "LimitRange"}]})
    return [team, shared]


def _config(name: str, data: dict[str, str]) -> Json:
    labels = {"app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/name": name}
    metadata = {"name": name, "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _template() -> Json:
    made = harness.repository("template", "https://git.example", username="robot", password=SECRET_VALUES[1])
    made["metadata"]["labels"]["argocd.argoproj.io/secret-type"] = "repo-creds"
    return made


def _cluster() -> Json:
    config = json.dumps({"bearerToken": SECRET_VALUES[2], "tlsClientConfig": {"insecure": True}})
    made = harness.repository("far", FAR, name="far", server=FAR, config=config)
    del made["stringData"]["url"]
    made["metadata"]["name"] = "cluster-far"
    made["metadata"]["labels"] |= {"argocd.argoproj.io/secret-type": "cluster", "stage": "test"}
    return made


def _set(url: str) -> Json:
    template = application("{{name}}", url, "chart", "default", automated=True)
    template["spec"]["destination"]["namespace"] = "charts"
    template["spec"]["source"]["helm"] = {"parameters": [{"name": "colour", "value": "{{name}}"}]}
    metadata = {"name": "{{name}}", "labels": {"from": "set"}}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "charts", "namespace": NAMESPACE, "labels": {"tier": "low"}},
        "spec": {
            "generators": [{"list": {"elements": [{"name": "green"}]}}],
            "template": {"metadata": metadata, "spec": template["spec"]},
        },
    }
