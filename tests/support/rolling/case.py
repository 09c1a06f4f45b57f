"""What one ApplicationSet with a rolling sync is, and the steps that its story takes; `cases.py` lists them.

Each case has a namespace and a repository of its own, with a folder for each of its Applications. In the names of
Applications and files the name of the case comes first.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.referee.case import API, CONTROL, SERVER, Json

Files = Mapping[str, Any]
"""By the name of an Application: the object that its folder holds, or None where that goes."""


@dataclasses.dataclass(frozen=True)
class Commit:
    """Files change; the Applications are refreshed."""

    files: Files


@dataclasses.dataclass(frozen=True)
class Respec:
    """Fields of the set's spec become others."""

    spec: Json


@dataclasses.dataclass(frozen=True)
class Drift:
    """Somebody changes what a ConfigMap of an Application holds; it is refreshed."""

    app: str


@dataclasses.dataclass(frozen=True)
class Delete:
    """Somebody deletes the set."""


Step = Commit | Respec | Drift | Delete


@dataclasses.dataclass(frozen=True)
class Case:
    """One set: its Applications with the label that steps go by, and what each delivers."""

    name: str
    apps: Mapping[str, str]
    rollout: Sequence[Json]
    files: Files
    steps: Sequence[Step] = ()
    strategy: Json = dataclasses.field(default_factory=dict)
    finalizers: Sequence[str] = ()
    """Of the set and of its Applications."""

    def applicationset(self, url: str) -> Json:
        """Return the set, with Applications that read from a repository."""
        rolling = {"type": "RollingSync", "rollingSync": {"steps": list(self.rollout)}, **self.strategy}
        template: Json = {
            "metadata": {"name": f"{self.name}-{{{{name}}}}", "labels": {"env": "{{env}}"}},
            "spec": {
                "project": "default",
                "source": {"repoURL": url, "path": "{{name}}", "targetRevision": "main"},
                "destination": {"server": SERVER, "namespace": self.name},
                "syncPolicy": {"automated": {"prune": True}, "retry": {"limit": 0}},
            },
        }
        if self.finalizers:
            template["metadata"]["finalizers"] = list(self.finalizers)
        metadata: Json = {"name": self.name, "namespace": CONTROL}
        if self.finalizers:
            metadata["finalizers"] = list(self.finalizers)
        return {
            "apiVersion": API,
            "kind": "ApplicationSet",
            "metadata": metadata,
            "spec": {"generators": [elements(self.apps)], "template": template, "strategy": rolling},
        }


def elements(apps: Mapping[str, str]) -> Json:
    """Return the generator of some Applications, each with its label."""
    return {"list": {"elements": [{"name": name, "env": env} for name, env in apps.items()]}}


def written(files: Files) -> dict[str, str | None]:
    """Return files as texts, by their paths in the repository."""
    return {f"{name}/one.yaml": None if obj is None else json.dumps(obj) for name, obj in files.items()}
