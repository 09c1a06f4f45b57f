"""What of a repository could not be looked at, why, and what would help: named once and counted.

Filled by `syncline.api.repository.snapshot`, `syncline.api.repository.apps` and `syncline.api.repository.sets`, shown
by `check`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from syncline.api.repository.addresses import git_generators
from syncline.api.repository.found import place_of
from syncline.core.diagnose.subjects import RepoApp
from syncline.core.sources import is_chart
from syncline.model.desired import DesiredObject, Fetched
from syncline.model.errors import RenderError, SourceError, SynclineError
from syncline.model.logins import without_logins

if TYPE_CHECKING:
    from syncline.model.application import Application
    from syncline.wiring import RenderTools


class LeftOut(msgspec.Struct, frozen=True):
    """Something that could not be looked at, why, what would help, and how many Applications it concerns."""

    what: str
    remedy: str
    count: int


class LeftOuts:
    """Collects what is left out, with the roots that lead to it."""

    def __init__(self) -> None:
        self._found: list[tuple[tuple[str, ...], str, str]] = []

    def add(self, roots: tuple[str, ...], what: str, remedy: str) -> None:
        """Take note of one."""
        self._found.append((roots, what, remedy))

    def __len__(self) -> int:
        return len(self._found)

    def take_back(self, count: int) -> list[str]:
        """Forget all but the first so many; return what the others were."""
        found, self._found = self._found[count:], self._found[:count]
        return [what for _roots, what, _remedy in found]

    def counted(self, delivered: frozenset[str]) -> tuple[LeftOut, ...]:
        """Return each cause once, the commonest first, without what a root that is `delivered` by another led to.

        Those as common as one another are in the order of their names: which was found first is chance.
        """
        counts = Counter((what, remedy) for roots, what, remedy in self._found if not is_elses(roots, delivered))
        found = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        return tuple(LeftOut(what, remedy, count) for (what, remedy), count in found)


def delivered_places(apps: Sequence[RepoApp]) -> frozenset[str]:
    """Return the places of everything that other roots deliver and that may lead further.

    A root that delivers itself stays one, and so does the first of several that deliver each other.
    """
    leads: dict[str, set[str]] = {}
    for app in apps:
        places = {place_of(child) for child in app.children if child.origin.file}
        for root in app.roots if places else ():
            leads.setdefault(root, set()).update(places)
    found: set[str] = set()
    reached = {root: _reached(root, leads) for root in leads}
    for root, places in reached.items():
        for place in places - {root}:
            if root not in reached.get(place, ()) or root < place:
                found.add(place)
    return frozenset(found)


def _reached(root: str, leads: Mapping[str, set[str]]) -> set[str]:
    """Return what a root leads to, over other roots too."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        more = leads.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return found


def is_elses(roots: tuple[str, ...], delivered: frozenset[str]) -> bool:
    """Whether a root is none: another one delivers it from the file in which it also stands by itself."""
    return len(roots) == 1 and roots[0] in delivered


def source_missing(app: Application, tools: RenderTools, *, fetch: bool) -> tuple[str, str] | None:
    """Return a source that would have to be fetched, and what would help."""
    for source in app.spec.all_sources:
        if fetch or tools.folder_of(source.repo_url):
            continue
        if "{{" in source.repo_url:
            return "Applications whose repository is a placeholder", "--clusters FILE with what fills it"
        if is_chart(source):
            return f"chart {source.chart or ''} of {source.shown_url}".replace("  ", " "), "--fetch"
        return f"repository {source.shown_url}", f"--repo {source.shown_url}=PATH, or --fetch"
    return None


def generator_missing(item: DesiredObject, tools: RenderTools, *, fetch: bool) -> tuple[str, str] | None:
    """Return a repository that a generator would have to fetch, and what would help."""
    for generator in git_generators((item.obj.get("spec") or {}).get("generators")):
        url = str(generator.get("repoURL") or "")
        if url and "{{" not in url and not fetch and not tools.folder_of(url):
            shown = without_logins(url)
            return f"repository {shown}", f"--repo {shown}=PATH, or --fetch"
    return None


def not_to_blame(error: SynclineError) -> tuple[str, str] | None:
    """Return what kept an Application from being rendered that says nothing against it, and what would help."""
    if isinstance(error, RenderError):
        for one in error.fetched:
            if not one.found:
                return unfetched(one)
    if isinstance(error, SourceError) and error.is_unanswered:
        return error.what, error.hint
    if "--enable-helm" in error.sentence():
        return "kustomizations with charts, which kustomize.buildOptions may permit", "--kustomize-build-options=…"
    if "is not fetched" in error.what or "plugin" in error.what:
        return error.what, error.hint
    return None


def unfetched(one: Fetched) -> tuple[str, str]:
    """Return what a render would have fetched besides its source, and what would help."""
    chart = f"chart {one.chart} of " if one.chart else ""
    return f"{chart}{without_logins(one.repo_url)}", "--fetch"


def dangling_links(app: RepoApp) -> list[str]:
    """Return the links among an app's manifests that lead to nothing, or in a ring: they are left out as in Argo CD."""
    told = app.desired.warnings if app.desired is not None else ()
    return [one.partition(" is left out")[0] + ", a link that leads to nothing" for one in told if "symlink" in one]
