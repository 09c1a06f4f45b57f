"""What one ApplicationSet of the comparison is, and the steps that its story takes.

`tests.support.judged_sets.playing` plays cases, all of them in one namespace. In every text of a case `CASE` stands for
its name, so that no two make Applications of the same name.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]

Places = Mapping[str, str]
"""The addresses that REPO (the repository with the files of `world`) and HOST (the code hosts) stand for."""

API = "argoproj.io/v1alpha1"
CONTROL = "argocd"
SERVER = "https://kubernetes.default.svc"


@dataclasses.dataclass(frozen=True)
class Respec:
    """Fields of the set's spec become others."""

    spec: Json


@dataclasses.dataclass(frozen=True)
class EditApp:
    """Somebody changes an Application by a merge patch."""

    name: str
    patch: Json


@dataclasses.dataclass(frozen=True)
class DeleteApp:
    """Somebody deletes an Application."""

    name: str


@dataclasses.dataclass(frozen=True)
class DeleteSet:
    """Somebody deletes the set."""


Step = Respec | EditApp | DeleteApp | DeleteSet


@dataclasses.dataclass(frozen=True)
class Case:
    """One ApplicationSet."""

    name: str
    spec: Json
    steps: Sequence[Step] = ()
    finalizers: Sequence[str] = ()
    before: Sequence[Json] = ()
    """Objects that are there beforehand."""

    def applicationset(self, places: Places) -> Json:
        """Return the set, asking at these addresses."""
        metadata: Json = {"name": self.name, "namespace": CONTROL}
        if self.finalizers:
            metadata["finalizers"] = list(self.finalizers)
        return {
            "apiVersion": API,
            "kind": "ApplicationSet",
            "metadata": metadata,
            "spec": self.filled(self.spec, places),
        }

    def filled(self, value: Any, places: Places) -> Any:
        """Return a value with the case's name and the addresses filled in."""
        return filled(value, {"CASE": self.name, **places})


def filled(value: Any, words: Mapping[str, str]) -> Any:
    """Return a value in which words stand for others, wherever they are in a text."""
    text = json.dumps(value)
    for word, meant in words.items():
        text = text.replace(word, meant)
    return json.loads(text)


def fast(name: str, *generators: Json, steps: Sequence[Step] = (), **spec: Any) -> Case:
    """Return a case without Go templates; see `template` for what else may be said."""
    return _case(name, generators, "CASE-{{name}}", steps, spec)


def go(name: str, *generators: Json, steps: Sequence[Step] = (), **spec: Any) -> Case:
    """Return a case with Go templates."""
    return _case(name, generators, "CASE-{{.name}}", steps, {"goTemplate": True, **spec})


def _case(name: str, generators: Sequence[Json], default: str, steps: Sequence[Step], spec: Json) -> Case:
    finalizers, before = spec.pop("finalizers", ()), spec.pop("before", ())
    called = spec.pop("called", default)
    shown, labels, app, meta = (spec.pop(key, {}) for key in ("show", "labels", "app", "meta"))
    made = template(called, show=shown, labels=labels, app=app, meta=meta)
    return Case(name, {"generators": list(generators), "template": made, **spec}, steps, finalizers, before)


def template(
    called: str,
    *,
    show: Json | None = None,
    labels: Json | None = None,
    app: Json | None = None,
    meta: Json | None = None,
) -> Json:
    """Return the template of a set: `show` are annotations, `app` goes over the spec, `meta` over the metadata."""
    metadata: Json = {"name": called, **(meta or {})}
    if show:
        metadata["annotations"] = show
    if labels:
        metadata["labels"] = labels
    spec: Json = {
        "project": "default",
        "source": {"repoURL": "REPO", "path": "apps/web", "targetRevision": "main"},
        "destination": {"server": SERVER, "namespace": "web"},
        **(app or {}),
    }
    return {"metadata": metadata, "spec": {key: value for key, value in spec.items() if value is not None}}


def elements(*given: Any, **more: Any) -> Json:
    """Return a list generator; a text stands for an element of that name."""
    return {"list": {"elements": [{"name": one} if isinstance(one, str) else one for one in given], **more}}
