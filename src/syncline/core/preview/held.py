"""Applications that are missing after a change only because what makes them fails: nothing deletes those.

Called by `syncline.core.preview.preview`. A parent that cannot be rendered prunes nothing, an ApplicationSet with a
generator that fails changes nothing, and nobody can apply a kustomization that cannot be built.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from syncline.core.diagnose.subjects import Change, RepoApp
from syncline.core.preview.apps import Pair


def held(both: Sequence[Pair], change: Change) -> list[Pair]:
    """Return the pairs that are gone at the head and stay as they are all the same."""
    gone: dict[str, list[RepoApp]] = defaultdict(list)
    for pair in both:
        if pair.before is not None and pair.after is None:
            gone[pair.before.manifest.key.name].append(pair.before)
    made = {one.manifest.key.name: one.apps for one in change.base.sets}
    failing = [one.manifest.key.name for one in change.head.sets if one.problem]
    broken = [pair.before for pair in both if pair.before is not None and _fails(pair)]
    waiting = [*(name for one in failing for name in made.get(one, ())), *_children(broken, made)]
    failed = change.head.failed_roots
    waiting += [name for name, apps in gone.items() if any(failed & {*app.roots} for app in apps)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop().rpartition("/")[2]
        if name in gone and name not in found:
            found.add(name)
            waiting += _children(gone[name], made)
    return [pair for pair in both if pair.after is None and pair.before and pair.before.manifest.key.name in found]


def _fails(pair: Pair) -> bool:
    return pair.after is not None and pair.after.desired is None and bool(pair.after.problem)


def _children(apps: Iterable[RepoApp], made: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the names of the Applications that apps deliver, and those of the sets that they deliver."""
    found: list[str] = []
    for item in (child for app in apps for child in app.children):
        kind = item.obj.get("kind")
        found += made.get(item.key.name, ()) if kind == "ApplicationSet" else [item.key.name]
    return found
