"""Patches and image overrides of a kustomization that change nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from syncline.apimachinery import yaml
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.pointing import dig, entries, field_texts
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="SRC-110",
    name="override-without-effect",
    severity=Severity.WARNING,
    summary="A kustomization patches an object, or overrides an image, that is not there.",
    fix="name an object or image as the resources have it, or remove the entry",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="Kustomize passes over targets and images that match nothing, without a message: the patch or the new tag "
    "looks set but is not. Only the kustomization that an Application names is judged, by what it renders.",
)
_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_RENAMING = ("/metadata/name", "$patch", "/kind", "allowNameChange", "allowKindChange")
"""What a patch says that changes or deletes its own target, which is then not among what is rendered."""


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per entry without effect in the kustomization of an app; all apps that share it must agree."""
    apps: dict[str, list[RepoApp]] = defaultdict(list)
    for app in repo.apps:
        sources = list(sources_with_paths(app.manifest.obj))
        source = sources[0][1] if len(sources) == 1 else {}
        folder = str(source.get("path") or "").strip("/")
        if (
            repository_urls.spelling(str(source.get("repoURL") or "")) in repo.own_addresses
            and folder in repo.kustomizations
        ):
            apps[folder].append(app)
    for folder, users in sorted(apps.items()):
        if all(app.desired is not None and not app.incomplete for app in users):
            yield from _of_folder(repo, folder, users)


def _of_folder(repo: Repo, folder: str, users: Sequence[RepoApp]) -> Iterator[Finding]:
    file = next((name for one in _FILES if (name := f"{folder}/{one}") in repo.files), "")
    content = repo.files.get(file, b"")
    if b"patches" not in content and b"images" not in content:
        return
    try:
        document = next(iter(yaml.load_documents(content)), None)
    except yaml.YamlError:
        return
    if document is None:
        return
    objects = [item for app in users for item in app.objects]
    for steps, message, fix, text in (
        *_patches(document.value, objects),
        *(() if any(_overrides_images(app) for app in users) else _images(document.value, objects)),
    ):
        place = Place(file, document.position_or_parent(steps).line)
        evidence = [Evidence(kind=EvidenceKind.FILE, text=text, place=place)]
        yield RULE.finding(file, f"{folder}: {message}", evidence=evidence, fix=fix)


_Told = tuple[tuple[str | int, ...], str, Fix, str]


def _patches(kustomization: Any, objects: Sequence[DesiredObject]) -> Iterator[_Told]:
    for number, one in enumerate(entries(kustomization, "patches")):
        target = one.get("target")
        words = f"{one.get('patch')}{one.get('options')}"
        if not isinstance(target, Mapping) or any(word in words for word in _RENAMING) or one.get("path"):
            continue
        kind, name = str(target.get("kind") or ""), str(target.get("name") or "")
        if set(target) - {"group", "version", "kind", "name"} or not (kind or name):
            continue
        of_kind = [item for item in objects if not kind or _matches(kind, item.key.kind)]
        if any(not name or _matches(name, item.key.name, whole=False) for item in of_kind):
            continue
        if not of_kind:
            near = nearest(kind, sorted({item.key.kind for item in objects}))
            message = f"a patch is for {kind}{f' {name}' if name else ''}, and there is no {kind}"
            field = "kind"
        else:
            near = nearest(name, sorted({item.key.name for item in of_kind}))
            message = f"a patch is for {kind or 'an object'} {name}, which is not there"
            field = "name"
        hint = f"; did you mean {near[0]}?" if near else ""
        fix = Fix(text=f"write {field}: {near[0]}") if near else RULE.usual_fix
        yield ("patches", number, "target", field), f"{message}{hint}", fix, name or kind


def _matches(pattern: str, text: str, *, whole: bool = True) -> bool:
    """Whether a target means a name: as an expression, and whatever was put before or behind the name later."""
    try:
        found = re.fullmatch(pattern, text) if whole else re.search(pattern, text)
    except re.error:
        return True
    return found is not None


def _overrides_images(app: RepoApp) -> bool:
    return any(dig(source, "kustomize", "images") for _, source in sources_with_paths(app.manifest.obj))


def _images(kustomization: Any, objects: Sequence[DesiredObject]) -> Iterator[_Told]:
    texts = {text for item in objects for _, text in field_texts(item.obj, "")}
    for number, one in enumerate(entries(kustomization, "images")):
        name, other = str(one.get("name") or ""), str(one.get("newName") or "")
        if not name or any(_is_of(text, other or name) for text in texts):
            continue
        images = sorted(
            {text.partition("@")[0].rpartition(":")[0] or text for item in objects for text in _own(item.obj)}
        )
        near = nearest(name, images)
        hint = f"; did you mean {near[0]}?" if near else ""
        fix = Fix(text=f"write name: {near[0]}") if near else RULE.usual_fix
        yield ("images", number, "name"), f"nothing has the image {name}{hint}", fix, name


def _is_of(text: str, name: str) -> bool:
    return text == name or text.startswith((f"{name}:", f"{name}@"))


def _own(value: Any) -> Iterator[str]:
    """Yield the images of containers, wherever those are."""
    if isinstance(value, dict):
        if isinstance(image := value.get("image"), str):
            yield image
        for inner in value.values():
            yield from _own(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _own(inner)
