"""Which Applications of a repository belong together though nothing delivers them: those side by side in a folder.

Asked by `syncline.api.repo_snapshot` once everything is rendered, since alternatives are known by what they deliver.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.subjects import RepoApp

_ALIKE = 0.5


def together(apps: Sequence[RepoApp]) -> tuple[RepoApp, ...]:
    """Return apps with one root for those that stand side by side in a folder: somebody applies them all.

    Not where two of them have one name or deliver nearly the same: those are alternatives for different clusters.
    """
    beside: dict[str, list[RepoApp]] = defaultdict(list)
    for app in apps:
        if app.roots == (str(app.manifest.origin.place()),):
            beside[str(PurePosixPath(app.manifest.origin.file).parent)].append(app)
    shared = {id(app): folder for folder, found in beside.items() if not _alternatives(found) for app in found}
    return tuple(
        msgspec.structs.replace(app, roots=(f"{shared[id(app)]}/",)) if id(app) in shared else app for app in apps
    )


def _alternatives(apps: Sequence[RepoApp]) -> bool:
    if len({str(app) for app in apps}) < len(apps):
        return True
    sizes: list[int] = []
    shared: Counter[tuple[int, int]] = Counter()
    makers: dict[ObjectKey, list[int]] = defaultdict(list)
    for number, keys in enumerate(app.placed_keys for app in apps):
        sizes.append(len(keys))
        for key in keys:
            # Only apps that share something are compared: of a thousand that is hardly any.
            shared.update((other, number) for other in makers[key])
            makers[key].append(number)
    return any(both > _ALIKE * (sizes[a] + sizes[b] - both) for (a, b), both in shared.items())
