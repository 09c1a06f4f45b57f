"""What one Application of the fleet is, and the steps that its story takes; the tables beside it are made of these.

`tests.support.referee.fleet` plays cases. Each has a namespace of its own, named like it, and a folder of its own in a
repository; a case whose files change has a repository of its own, so that no commit concerns two.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]
Files = Mapping[str, Any]
"""By path below the case's folder: a text, an object, a list of objects, or None for a file that goes."""

API = "argoproj.io/v1alpha1"
CONTROL = "argocd"
SERVER = "https://kubernetes.default.svc"
# What containers do on a sandbox, by their images: those of the fleet as `tests.real.bed.Player` plays their workloads,
# those of example.com as `tests/cluster/stages.yaml` does.
CLUSTER_FILE = """\
containers:
- {image: "example/job:1", exitCode: 0}
- {image: "example/job:bad", exitCode: 3}
- {image: "example.com/fails:1", exitCode: 1}
- {image: "example.com/unready:1", neverReady: true}
images:
  unknown: ["*:missing"]
"""


@dataclasses.dataclass(frozen=True)
class Commit:
    """Files change, and the app is refreshed."""

    files: Files


@dataclasses.dataclass(frozen=True)
class Change:
    """Somebody changes a live object by a merge patch; the app is refreshed."""

    kind: str
    name: str
    patch: Json
    api_version: str = "v1"


@dataclasses.dataclass(frozen=True)
class Remove:
    """Somebody deletes a live object; the app is refreshed."""

    kind: str
    name: str
    api_version: str = "v1"


@dataclasses.dataclass(frozen=True)
class Sync:
    """Somebody asks for a sync, with these fields of the operation's `sync`."""

    sync: Json = dataclasses.field(default_factory=dict)
    retry: Json | None = None
    info: Sequence[Json] = ()


@dataclasses.dataclass(frozen=True)
class Edit:
    """Somebody changes the Application by a merge patch; it is refreshed."""

    patch: Json


@dataclasses.dataclass(frozen=True)
class Delete:
    """Somebody deletes the Application."""


Step = Commit | Change | Remove | Sync | Edit | Delete


@dataclasses.dataclass(frozen=True)
class Case:
    """One Application."""

    name: str
    files: Files
    source: Json = dataclasses.field(default_factory=dict)
    """Further fields of its source; `path` is the case's folder unless said otherwise."""
    sources: Sequence[Json] = ()
    """In place of one source; each gets the repository, and the case's folder before its `path`."""
    automated: Json | None = dataclasses.field(default_factory=dict)
    options: Sequence[str] = ()
    retry: Json = dataclasses.field(default_factory=lambda: {"limit": 0})
    spec: Json = dataclasses.field(default_factory=dict)
    finalizers: Sequence[str] = ()
    annotations: Json = dataclasses.field(default_factory=dict)
    project: Json | None = None
    """The spec of a project of its own, over that of the default one."""
    before: Sequence[Json] = ()
    """Objects that are there beforehand, in the case's namespace unless they name another."""
    namespace: bool = True
    """Whether the namespace is there beforehand."""
    steps: Sequence[Step] = ()
    further: Sequence[str] = ()
    """Names of Applications that the case makes by itself."""

    @property
    def changing(self) -> bool:
        """Whether its files change, so that it needs a repository of its own."""
        return any(isinstance(step, Commit) for step in self.steps)

    def application(self, url: str) -> Json:
        """Return the Application, reading from a repository."""
        policy: Json = {"syncOptions": list(self.options), "retry": dict(self.retry)}
        if self.automated is not None:
            policy["automated"] = dict(self.automated)
        spec: Json = {
            "project": "default" if self.project is None else self.name,
            "destination": {"server": SERVER, "namespace": self.name},
            "syncPolicy": policy,
        }
        if self.sources:
            spec["sources"] = [self._source(url, source) for source in self.sources]
        else:
            spec["source"] = self._source(url, {"path": "", **self.source})
        metadata: Json = {"name": self.name, "namespace": CONTROL, "annotations": dict(self.annotations)}
        if self.finalizers:
            metadata["finalizers"] = list(self.finalizers)
        return {"apiVersion": API, "kind": "Application", "metadata": metadata, "spec": {**spec, **self.spec}}

    def _source(self, url: str, source: Json) -> Json:
        placed = {"repoURL": url, "targetRevision": "main", **source}
        if "path" in source:
            placed["path"] = "/".join(part for part in (self.name, source["path"]) if part)
        return placed

    def written(self, files: Files) -> dict[str, str | None]:
        """Return files as texts, by their paths in the repository."""
        return {f"{self.name}/{path}": _text(content) for path, content in files.items()}


def _text(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content
    listed = content if isinstance(content, list) else [content]
    return "\n---\n".join(json.dumps(obj, indent=1) for obj in listed) + "\n"


def obj(kind: str, name: str, api_version: str = "v1", annotations: Json | None = None, **content: Any) -> Json:
    """Return an object; `labels` and `namespace` go into its metadata."""
    metadata: Json = {"name": name}
    for field in ("labels", "namespace", "finalizers"):
        if field in content:
            metadata[field] = content.pop(field)
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}


def config(name: str, annotations: Json | None = None, **data: str) -> Json:
    """Return a ConfigMap."""
    return obj("ConfigMap", name, annotations=annotations, data=data or {"colour": "blue"})


def argo(**annotations: str) -> Json:
    """Return annotations of Argo CD: `hook`, `sync_wave`, `sync_options` and so on."""
    return {f"argocd.argoproj.io/{name.replace('_', '-')}": value for name, value in annotations.items()}


def job(name: str, annotations: Json | None = None, image: str = "example/job:1") -> Json:
    """Return a Job; one of the image example/job:bad fails."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": image}]}}
    return obj("Job", name, "batch/v1", annotations, spec={"backoffLimit": 0, "template": template})


def deployment(name: str, annotations: Json | None = None, *, image: str = "example/web:1", replicas: int = 1) -> Json:
    """Return a Deployment; one of an image tagged missing gets no pods."""
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": name}},
        "template": {
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "main", "image": image}]},
        },
    }
    return obj("Deployment", name, "apps/v1", annotations, spec=spec)


def service(name: str) -> Json:
    """Return a Service."""
    return obj("Service", name, spec={"selector": {"app": name}, "ports": [{"port": 80, "targetPort": 8080}]})
