"""Remarks on rendered Applications that need no cluster: objects of two of them, objects without a namespace, none.

Made for `syncline app manifests`, which prints them as warnings. Scopes are known for built-in kinds, and for custom
ones whose definition is rendered along; of others nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.schema import resources

if TYPE_CHECKING:
    from syncline.api.applications import Opened
    from syncline.model.desired import Desired, DesiredObject

_MAX = 20


def remarks(rendered: Sequence[tuple[Opened, Desired]]) -> list[str]:
    """Return what is worth saying about Applications that were rendered together."""
    scopes = dict(_scopes(desired for _opened, desired in rendered))
    found: list[str] = []
    for opened, desired in rendered:
        found += _empty(opened, desired)
        found += _without_namespace(opened, desired, scopes)
    shared = list(_shared(rendered, scopes))
    found += shared[:_MAX]
    if len(shared) > _MAX:
        found.append(f"{len(shared) - _MAX} more objects are part of several applications")
    return found


def _scopes(all_desired: Iterator[Desired]) -> Iterator[tuple[GroupKind, bool]]:
    """Yield which custom kinds live in namespaces, of definitions that are rendered."""
    for desired in all_desired:
        for item in desired.objects:
            spec = item.obj.get("spec")
            if item.key.kind == "CustomResourceDefinition" and isinstance(spec, dict):
                names = spec.get("names")
                kind = str(names.get("kind")) if isinstance(names, dict) else ""
                yield GroupKind(str(spec.get("group")), kind), spec.get("scope") == "Namespaced"


def _is_namespaced(item: DesiredObject, scopes: dict[GroupKind, bool]) -> bool | None:
    kind = item.key.group_kind
    known = resources.for_group_kind(kind)
    return known.namespaced if known else scopes.get(kind)


def _empty(opened: Opened, desired: Desired) -> Iterator[str]:
    if desired.objects:
        return
    deeper = any(
        source.path and any("/" in file.path.removeprefix(f"{source.path.strip('/')}/") for file in tree.files())
        for source, tree in zip(opened.sources, opened.trees, strict=True)
    )
    hint = ": read subfolders with spec.source.directory.recurse" if deeper else ""
    yield f"{opened.name} renders no objects{hint}"


def _without_namespace(opened: Opened, desired: Desired, scopes: dict[GroupKind, bool]) -> Iterator[str]:
    if opened.app.spec.destination.namespace:
        return
    for item in desired.objects:
        if not item.key.namespace and _is_namespaced(item, scopes):
            key, version = item.key, str(item.obj.get("apiVersion") or "")
            named = f"{key.name} {version if '/' in version else '/' + version}, Kind={key.kind}"
            where = "its file names none, and neither does spec.destination"
            yield f"{opened.name}: Namespace for {named} is missing. ({item.origin.place()}: {where})"


def _shared(rendered: Sequence[tuple[Opened, Desired]], scopes: dict[GroupKind, bool]) -> Iterator[str]:
    """Yield a sentence for each object that two Applications deliver to the same cluster."""
    makers: dict[tuple[str, ObjectKey], dict[str, str]] = {}
    for opened, desired in rendered:
        destination = opened.app.spec.destination
        for item in desired.objects:
            scope = _is_namespaced(item, scopes)
            # A custom kind that nobody describes most likely lives in namespaces, unless its name says otherwise.
            inside = not item.key.kind.startswith("Cluster") if scope is None else scope
            namespace = item.key.namespace or (destination.namespace if inside else "")
            key = ObjectKey(item.key.group, item.key.kind, namespace, item.key.name)
            there = makers.setdefault((destination.server or destination.name, key), {})
            there.setdefault(opened.name, str(item.origin.place()))
    for (_cluster, key), apps in makers.items():
        if len(apps) > 1:
            named = " and ".join(f"{name} ({place})" for name, place in apps.items())
            yield f"{key.kind}/{key.name} is part of applications {named}"
