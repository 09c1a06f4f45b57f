"""A small repository whose files are edited by chance: every edit is one that some rule or render depends on.

For `tests/component/check/test_memory.py`. Each file has versions to choose from; the empty one means it is not there.
"""

from __future__ import annotations

import random
from pathlib import Path

_STAYS = 0.5
HERE = "https://git.example/team/platform"
_APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: {project}
  source: {{repoURL: {url}, path: {path}}}
  destination: {{server: https://kubernetes.default.svc, namespace: {namespace}}}
  {more}
"""
_SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: all, namespace: argocd}}
spec:
  generators: [{{git: {{repoURL: {url}, revision: HEAD, directories: [{{path: {path}}}]}}}}]
  template:
    metadata: {{name: 'set-{{{{path.basename}}}}'}}
    spec:
      project: default
      source: {{repoURL: {url}, targetRevision: HEAD, path: '{{{{path}}}}'}}
      destination: {{server: https://kubernetes.default.svc, namespace: {namespace}}}
"""
_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  {more}
  selector: {{matchLabels: {{app: {label}}}}}
  template:
    metadata: {{labels: {{app: {label}}}}}
    spec: {{containers: [{{name: web, image: 'registry.example/web:1'}}]}}
"""
_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec: {{ports: [{{port: 80}}], selector: {{app: {label}}}}}
"""
_DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: things.example.com}}
spec:
  group: example.com
  scope: {scope}
  names: {{kind: Thing, plural: things}}
  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]
"""
_THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: one}\n"
_SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings, annotations: {{argocd.argoproj.io/sync-wave: '{wave}'}}}}
"""
_MOUNTS = _DEPLOYMENT.replace(
    "image: 'registry.example/web:1'", "image: a, envFrom: [{{configMapRef: {{name: settings}}}}]"
)


def _app(
    name: str, path: str, *, namespace: str = "web", project: str = "default", url: str = HERE, more: str = ""
) -> str:
    return _APP.format(name=name, path=path, namespace=namespace, project=project, url=url, more=more)


_CREATES = "syncPolicy: {automated: {prune: true}, syncOptions: [CreateNamespace=true]}"
_TYPO = "syncPolicy: {syncOptions: [CreateNamspace=true]}"
_IGNORES = "ignoreDifferences: [{group: apps, kind: Deploymnt, jsonPointers: [/spec/replicas]}]"

VERSIONS: dict[str, tuple[str, ...]] = {
    "apps/a.yaml": (_app("a", "a"), _app("a", "a", more=_CREATES), _app("a", "aa"), _app("b", "a"), "a: [", ""),
    "apps/b.yaml": (
        _app("b", "b"),
        _app("b", "b", project="team"),
        _app("b", "a", namespace="b"),
        _app("b", "b", more=_TYPO),
        "",
    ),
    "apps/c.yaml": (_app("c", "c", more=_IGNORES), _app("c", "c", url="https://git.example/other"), ""),
    "apps/root.yaml": (_app("root", "children"), ""),
    "children/d.yaml": (_app("d", "c"), _app("d", "b", more=_CREATES), _app("a", "a"), ""),
    "set.yaml": (
        _SET.format(url=HERE, path="many/*", namespace="many"),
        _SET.format(url=HERE, path="none/*", namespace="x"),
        "",
    ),
    "project.yaml": (
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team, namespace: argocd}\n"
            "spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: b}]}\n"
        ),
        "",
    ),
    "cm.yaml": (
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, namespace: argocd}\n"
            "data: {resource.exclusions: '[{apiGroups: [apps], kinds: [Deployment], clusters: [\"*\"]}]'}\n"
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, namespace: argocd}\n"
            "data: {resource.exclusion: x}\n"
        ),
        "",
    ),
    "a/web.yaml": (
        _DEPLOYMENT.format(name="web", label="web", more="replicas: 1"),
        _DEPLOYMENT.format(name="web", label="other", more="replica: 1"),
        _DEPLOYMENT.format(name="web", label="web", more="replicas: 1") * 2,
        "apiVersion: apps/v1\nkind: [\n",
        "",
    ),
    "a/service.yaml": (_SERVICE.format(name="web", label="web"), _SERVICE.format(name="web", label="other"), ""),
    "b/web.yaml": (
        _DEPLOYMENT.format(name="web", label="other", more=""),
        _MOUNTS.format(name="b", label="b", more=""),
        _THING,
        "",
    ),
    "b/settings.yaml": (_SETTINGS.format(wave="1"), _SETTINGS.format(wave="first"), ""),
    "c/definition.yaml": (_DEFINITION.format(scope="Cluster"), _DEFINITION.format(scope="Namespaced"), _THING, ""),
    "many/x/web.yaml": (_SERVICE.format(name="x", label="web"), _DEPLOYMENT.format(name="x", label="x", more=""), ""),
    "many/y/web.yaml": (_SERVICE.format(name="x", label="x"), ""),
    ".syncline/silence.yaml": ("a: 1\n", ""),
}


def write(root: Path, name: str, version: str) -> None:
    """Write one version of a file, or delete the file."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if version:
        path.write_text(version)
    else:
        path.unlink(missing_ok=True)


def write_all(root: Path) -> None:
    """Write the repository with the first version of every file."""
    for name, versions in VERSIONS.items():
        write(root, name, versions[0])


def edit(root: Path, chance: random.Random) -> list[str]:
    """Give one to three files another version, or delete some; return what was done."""
    done = []
    for name in chance.sample(sorted(VERSIONS), chance.randint(1, 3)):
        number = chance.randrange(len(VERSIONS[name]))
        number -= number == len(VERSIONS[name]) - 1 and chance.random() < _STAYS
        write(root, name, VERSIONS[name][number])
        done.append(f"{name} version {number}")
    return done
