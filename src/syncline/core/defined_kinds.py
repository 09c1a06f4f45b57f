"""Which kind a CustomResourceDefinition defines, and whether objects of that kind have a namespace.

Asked wherever definitions from Git count before the cluster knows them: `syncline.core.compare.prepare` (scopes),
`syncline.core.compare.schemas` and `syncline.core.sync.plan`. Git may hold anything, so a definition that has not its
form defines nothing; it is the API server that says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncline.apimachinery.keys import GroupKind, Object

DEFINITION = "CustomResourceDefinition"


def defined_kind(definition: Object) -> GroupKind | None:
    """Return the kind that a definition defines; None where it names none."""
    spec = definition.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    kind = names.get("kind") if isinstance(names, dict) else None
    if not isinstance(spec, dict) or not isinstance(kind, str) or not kind:
        return None
    return GroupKind(str(spec.get("group") or ""), kind)


def scopes(objects: Iterable[Object]) -> Iterator[tuple[GroupKind, bool]]:
    """Yield the kinds that the definitions among some objects define, and whether they are namespaced."""
    for obj in objects:
        kind = defined_kind(obj) if obj.get("kind") == DEFINITION else None
        if kind is not None:
            yield kind, obj["spec"].get("scope") != "Cluster"
