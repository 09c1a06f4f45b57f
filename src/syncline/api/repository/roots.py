"""Which Applications of a repository belong together though nothing delivers them: those side by side in a folder.

Asked by `syncline.api.repository.snapshot` once everything is rendered, since alternatives are known by what they
deliver.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.subjects import RepoApp

_ALIKE = 0.5


def together(apps: Sequence[RepoApp]) -> tuple[RepoApp, ...]:
    """Return apps with one root for those that stand side by side in a folder: somebody applies them all.

    Not those that have one name or deliver nearly the same: they are alternatives for different clusters.
    """
    beside: dict[str, list[RepoApp]] = defaultdict(list)
    for app in apps:
        if app.roots == (str(app.manifest.origin.place()),):
            beside[posixpath.dirname(app.manifest.origin.file) or "."].append(app)
    shared = {id(app): folder for folder, found in beside.items() for app in _less_alternatives(found)}
    return tuple(
        msgspec.structs.replace(app, roots=(f"{shared[id(app)]}/",)) if id(app) in shared else app for app in apps
    )


def _less_alternatives(apps: Sequence[RepoApp]) -> list[RepoApp]:
    names = Counter(str(app) for app in apps)
    alike = _alike(apps)
    return [app for number, app in enumerate(apps) if names[str(app)] == 1 and number not in alike]


def _alike(apps: Sequence[RepoApp]) -> set[int]:
    """Return the places of apps that deliver nearly the same as another; one object in common says nothing yet."""
    sizes: list[int] = []
    shared: Counter[tuple[int, int]] = Counter()
    makers: dict[ObjectKey, list[int]] = defaultdict(list)
    for number, keys in enumerate(app.placed_keys for app in apps):
        sizes.append(len(keys))
        for key in keys:
            # Only apps that share something are compared: of a thousand that is hardly any.
            shared.update((other, number) for other in makers[key])
            makers[key].append(number)
    return {
        number
        for pair, both in shared.items()
        if both > 1 and both > _ALIKE * (sum(sizes[one] for one in pair) - both)
        for number in pair
    }
