"""Pairs the Applications of two revisions of a repository, and tells those that are proven equal from the others.

Called by `syncline.core.preview.preview`. One Application is the same on both sides by its name; where several have one
name (alternatives for different clusters), by the file it comes from, then by its destination. What is left over on
both sides and delivers mostly the same objects to the same cluster was renamed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from syncline.apimachinery import equality
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.repository.world import cluster_of
from syncline.core.diagnose.subjects import RepoApp
from syncline.model import application
from syncline.model.application import Application
from syncline.model.desired import Desired
from syncline.model.errors import InvalidSpec

_ALIKE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One Application on both sides; None where it is not there."""

    before: RepoApp | None
    after: RepoApp | None

    @property
    def name(self) -> str:
        """What it is named now, else what it was."""
        return str(self.after or self.before)

    @property
    def equal(self) -> bool:
        """Whether it is proven that nothing about it changes."""
        before, after = self.before, self.after
        if before is None or after is None or before.desired is None or after.desired is None:
            return False
        return same_manifest(before, after) and same_objects(before.desired, after.desired)

    @property
    def unknown(self) -> bool:
        """Whether a side could not be rendered, and nothing about the Application itself changes or is wrong."""
        before, after = self.before, self.after
        if before is None or after is None or (before.desired is not None and after.desired is not None):
            return False
        return same_manifest(before, after) and after.problem == before.problem

    def takes_from(self, is_here: Callable[[str], bool]) -> bool:
        """Whether a source of the Application may be the repository that changes; True where that is not known."""
        read = typed(self.after)
        return read is None or any(is_here(source.repo_url) for source in read.spec.all_sources)


def same_manifest(before: RepoApp, after: RepoApp) -> bool:
    """Whether an Application says the same as before."""
    return all(
        equality.equal(before.manifest.obj.get(part), after.manifest.obj.get(part)) for part in ("metadata", "spec")
    )


def same_objects(before: Desired, after: Desired) -> bool:
    """Whether two renders make the same objects, in whatever order."""
    if before is after:
        return True
    if len(before.objects) != len(after.objects):
        return False
    pairs = zip(_sorted(before), _sorted(after), strict=True)
    return all(one == other and equality.equal(left, right) for (one, left), (other, right) in pairs)


def _sorted(desired: Desired) -> list[tuple[ObjectKey, object]]:
    return sorted(((item.key, item.obj) for item in desired.objects), key=lambda one: one[0])


def typed(app: RepoApp | None) -> Application | None:
    """Return an Application that can be read; None where there is none."""
    try:
        return application.parse(app.manifest.obj) if app is not None else None
    except InvalidSpec:
        return None


def pairs(before: Sequence[RepoApp], after: Sequence[RepoApp]) -> list[Pair]:
    """Return every Application of either side once, by name."""
    olds, news = _by(before, str), _by(after, str)
    found: list[Pair] = []
    left: tuple[list[RepoApp], list[RepoApp]] = ([], [])
    for name in sorted({*olds, *news}):
        for pair in _matched(olds.get(name, []), news.get(name, [])):
            if pair.before is not None and pair.after is not None:
                found.append(pair)
            elif pair.before is not None:
                left[0].append(pair.before)
            elif pair.after is not None:
                left[1].append(pair.after)
    found += _renamed(*left)
    return sorted(found, key=lambda one: one.name)


def _matched(olds: list[RepoApp], news: list[RepoApp]) -> Iterator[Pair]:
    """Pair Applications of one name, by what they have in common, most of it first."""
    for trait in (_exact, _file, _destination, _nothing):
        left = _by(olds, trait)
        for new in list(news):
            if same := left.get(trait(new)):
                old = same.pop(0)
                olds, news = [one for one in olds if one is not old], [one for one in news if one is not new]
                yield Pair(old, new)
    yield from (Pair(old, None) for old in olds)
    yield from (Pair(None, new) for new in news)


def _renamed(olds: list[RepoApp], news: list[RepoApp]) -> Iterator[Pair]:
    """Pair what is only on one side where it delivers mostly the same to the same cluster."""
    waiting = list(news)
    for old in olds:
        keys = _keys(old)
        same = next((new for new in waiting if keys and _alike(keys, _keys(new))), None)
        if same is not None:
            waiting.remove(same)
        yield Pair(old, same)
    yield from (Pair(None, new) for new in waiting)


def _keys(app: RepoApp) -> frozenset[tuple[str, ObjectKey]]:
    read = typed(app)
    if app.desired is None or read is None:
        return frozenset()
    namespace, cluster = read.spec.destination.namespace, cluster_of(read)
    return frozenset((f"{cluster} {namespace}", item.key) for item in app.desired.objects)


def _alike(one: frozenset[tuple[str, ObjectKey]], other: frozenset[tuple[str, ObjectKey]]) -> bool:
    return len(one & other) > _ALIKE * len(one | other)


def _by(apps: Iterable[RepoApp], trait: Callable[[RepoApp], str]) -> dict[str, list[RepoApp]]:
    found: dict[str, list[RepoApp]] = defaultdict(list)
    for app in apps:
        found[trait(app)].append(app)
    return found


def _file(app: RepoApp) -> str:
    return app.manifest.origin.file


def _destination(app: RepoApp) -> str:
    return str((app.manifest.obj.get("spec") or {}).get("destination"))


def _exact(app: RepoApp) -> str:
    return f"{_file(app)} {_destination(app)}"


def _nothing(_app: RepoApp) -> str:
    return ""
