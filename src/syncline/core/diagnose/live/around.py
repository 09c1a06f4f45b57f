"""What the rules share about objects around an app: those it names, those its pods need, other apps.

Read from the snapshot, where `syncline.verbs.surroundings` has put them.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.subjects import App
from syncline.core.references import read

LIMIT_RANGE = GroupKind("", "LimitRange")


def get(app: App, key: ObjectKey) -> Object | None:
    """Return an object of the app or around it."""
    found = app.assessment.live.get(key)
    if found is not None:
        return found
    return next((obj for obj in app.assessment.snapshot.surroundings if key_of(obj) == key), None)


def of_kind(app: App, kind: GroupKind, namespace: str = "") -> Iterator[tuple[ObjectKey, Object]]:
    """Yield the objects of a kind (in a namespace), of the app and around it, by key."""
    found = {key_of(obj): obj for obj in app.assessment.snapshot.surroundings}
    found |= app.assessment.live
    for key in sorted(found):
        if key.group_kind == kind and namespace in ("", key.namespace):
            yield key, found[key]


def makers(app: App, key: ObjectKey) -> Iterator[tuple[ObjectKey, Object]]:
    """Yield the objects that should make an object: an ExternalSecret, a Certificate, a SealedSecret."""
    found = {key_of(obj): obj for obj in app.assessment.snapshot.surroundings}
    found |= app.assessment.live
    for one, obj in sorted(found.items()):
        if one != key and any(reference.makes and reference.key == key for reference in read.references(obj)):
            yield one, obj


def title(app: App, other: ObjectKey) -> str:
    """Return the name of another Application for people: bare in the namespace of this one."""
    return other.name if other.namespace == app.assessment.app.metadata.namespace else f"{other.namespace}/{other.name}"


def plural(count: int, word: str) -> str:
    """Return a number of things in words."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def listed(words: list[str], most: int = 3) -> str:
    """Return some names in words, and how many there are beyond them."""
    shown = words[:most]
    more = len(words) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
