"""What one look at a repository leaves for the next: files as read, what they hold, and renders.

Kept by `syncline check --watch` from one look to the next and by `syncline.api.preview` for both sides of a change;
handed to `syncline.api.repository.snapshot`. Nothing in it is believed without a look at what it was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from syncline import wiring
from syncline.api.repository.files import FileFacts
from syncline.controller.sources.render_stores import MemoryRenders
from syncline.core.diagnose.findings.memory import FindingMemory
from syncline.core.diagnose.repository.world import KnownDeliveries
from syncline.core.diagnose.subjects import RepoApp
from syncline.model.desired import Desired, DesiredObject
from syncline.model.sources.source import ApplicationSource


class KnownApps:
    """The apps of the last look: one that is equal is the very same, which is how rules know it again."""

    def __init__(self) -> None:
        self._known: dict[_Place, RepoApp] = {}

    def same(self, apps: Iterable[RepoApp]) -> tuple[RepoApp, ...]:
        """Return apps, those of the last look in place of equal ones."""
        known, self._known, found = self._known, {}, []
        for app in apps:
            place = _place_of(app.manifest, app.roots)
            old = known.get(place)
            self._known[place] = same = old if old is not None and _equal(old, app) else app
            found.append(same)
        return tuple(found)


def _equal(one: RepoApp, other: RepoApp) -> bool:
    # Most of their parts are the same objects, which a comparison of the whole would not see.
    return (
        (one.desired is other.desired or one.desired == other.desired)
        and (one.manifest is other.manifest or one.manifest == other.manifest)
        and (one.problem, one.missing, one.place, one.incomplete, one.roots)
        == (other.problem, other.missing, other.place, other.incomplete, other.roots)
    )


@dataclass(frozen=True, slots=True)
class _Rendered:
    """An app, and what its render has read: address of the repository, path and digest."""

    app: RepoApp
    read: tuple[tuple[str, str, str], ...]


class RenderedApps:
    """Apps as they were rendered at the last look, to be taken over without rendering.

    Only those are kept whose every file is in a folder of this machine, and that fetched nothing besides.
    """

    def __init__(self) -> None:
        self._means: object = None
        self._known: dict[_Place, _Rendered] = {}
        self._next: dict[_Place, _Rendered] = {}

    def begin(self, means: object) -> None:
        """Begin a look; `means` is all that renders depend on besides the Application and its files."""
        self._known, self._next = self._next if means == self._means else {}, {}
        self._means = means

    def get(self, item: DesiredObject, roots: tuple[str, ...], digest: Callable[[str, str], str]) -> RepoApp | None:
        """Return the app of a manifest, where that and every file it was rendered from are what they were."""
        place = _place_of(item, roots)
        known = self._known.get(place)
        if known is None or not (known.app.manifest is item or known.app.manifest == item):
            return None
        if any(digest(url, path) != old for url, path, old in known.read):
            return None
        self._next[place] = known
        return known.app

    def keep(self, app: RepoApp, sources: Sequence[ApplicationSource], parts: Sequence[Desired]) -> None:
        """Keep an app whose sources rendered to these parts, unless one does not say what it has read."""
        lent = {source.ref: source.repo_url for source in sources if source.ref}
        read: list[tuple[str, str, str]] = []
        for source, part in zip(sources, parts, strict=True):
            if not part.inputs and (source.path or source.chart or not source.ref):
                return
            read += [(lent[one.ref] if one.ref else source.repo_url, one.path, one.digest) for one in part.inputs]
        self._next[_place_of(app.manifest, app.roots)] = _Rendered(app, tuple(dict.fromkeys(read)))


_Place = tuple[str, int, str, str, tuple[str, ...]]


def _place_of(item: DesiredObject, roots: tuple[str, ...]) -> _Place:
    metadata = item.obj.get("metadata") or {}
    return item.origin.file, item.origin.line, str(metadata.get("namespace")), str(metadata.get("name")), roots


@dataclass(slots=True)
class CheckMemory:
    """All that may be used again."""

    renders: MemoryRenders = field(default_factory=MemoryRenders)
    looks: wiring.FolderLooks = field(default_factory=wiring.FolderLooks)
    facts: FileFacts = field(default_factory=FileFacts)
    rendered: RenderedApps = field(default_factory=RenderedApps)
    apps: KnownApps = field(default_factory=KnownApps)
    deliveries: KnownDeliveries = field(default_factory=KnownDeliveries)
    findings: FindingMemory = field(default_factory=FindingMemory)
