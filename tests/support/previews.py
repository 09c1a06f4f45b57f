"""Changes of repositories, made of plain objects: apps by name with their objects, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from syncline.apimachinery import yaml
from syncline.core.diagnose.subjects import Change, Repo, RepoApp
from syncline.core.preview.lines import changed_lines
from syncline.core.preview.preview import preview
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.preview import Effect, EffectKind, Preview

AT = "2026-03-02T10:00:00Z"
Objects = Sequence[Mapping[str, Any]]


def objects(text: str) -> list[dict[str, Any]]:
    return [document.value for document in yaml.load_documents(text.encode(), source="test")]


def application(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd", **spec.pop("metadata", {})},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://git.example/team/platform", "path": name},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "web"},
            "syncPolicy": {"automated": {"prune": True}},
            **spec,
        },
    }


def app(name: str, made: Objects | None, *, problem: str = "", steady: bool = True, **spec: Any) -> RepoApp:
    """Return an app with what it renders; None where that is not known."""
    desired = None
    if made is not None:
        items = tuple(
            DesiredObject(dict(one), Origin(file=f"{name}/{number}.yaml", line=1)) for number, one in enumerate(made)
        )
        desired = Desired(items, steady=steady)
    manifest = DesiredObject(application(name, **spec), Origin(file=f"apps/{name}.yaml", line=1))
    return RepoApp(manifest=manifest, desired=desired, problem=problem, roots=("root",))


def previewed(
    before: Sequence[RepoApp],
    after: Sequence[RepoApp],
    *,
    projects: Objects = (),
    texts: Mapping[str, tuple[bytes, bytes]] | None = None,
    **more: Any,
) -> Preview:
    known = tuple(DesiredObject(dict(one)) for one in projects)
    change = Change(
        Repo(revision="old", apps=tuple(before), projects=known),
        Repo(revision="new", apps=tuple(after), projects=known),
    )
    return preview(change, changed_lines(texts or {"any": (b"", b"x")}), as_of=AT, **more)


def told(found: Preview, kind: EffectKind) -> list[str]:
    return [one.text for one in found.of(kind)]


def only(found: Preview, kind: EffectKind) -> Effect:
    (one,) = found.of(kind)
    return one
