"""The Applications that the ApplicationSets of a repository generate, as far as files can tell.

Asked by `syncline.api.repository.snapshot` for each set that it meets. The templates of sets take long to import, so
that is done where there is a set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncline.api.repository.found import Found
from syncline.api.repository.left_out import LeftOuts, generator_missing
from syncline.core.diagnose.subjects import RepoSet
from syncline.model.desired import DesiredObject, Origin, Positions
from syncline.model.errors import SynclineError

if TYPE_CHECKING:
    from syncline.api.applicationsets import GeneratedApplication
    from syncline.model.cluster import KnownCluster
    from syncline.wiring import RenderTools

_TEMPLATE = "spec.template."


class Sets:
    """Generates from one set after the other, and keeps what became of each."""

    def __init__(self, clusters: Sequence[KnownCluster], tools: RenderTools, left: LeftOuts, *, fetch: bool) -> None:
        self._clusters, self._tools, self._left, self._fetch = tuple(clusters), tools, left, fetch
        self.found: dict[tuple[str, str], RepoSet] = {}
        """By file and name."""

    async def generated(self, one: Found) -> list[Found]:
        """Return the Applications of a set."""
        roots = one.led_by
        made, problem, unknown = await self._of_set(one.item, roots)
        names = tuple(app.application["metadata"]["name"] for app in made)
        taken = RepoSet(manifest=one.item, apps=names, problem=problem, unknown=unknown, roots=roots)
        self.found[one.item.origin.file, one.item.key.name] = taken
        return [Found(DesiredObject(app.application, _origin(app, one.item)), roots) for app in made]

    async def _of_set(
        self, item: DesiredObject, roots: tuple[str, ...]
    ) -> tuple[list[GeneratedApplication], str, bool]:
        """Return what a set generates, why it fails, and whether only what is elsewhere decides."""
        from syncline.api.applicationsets import generated

        if missing := generator_missing(item, self._tools, fetch=self._fetch):
            self._left.add(roots, *missing)
            return [], "", True
        try:
            made = await generated([item], self._tools, self._clusters)
        except SynclineError as error:
            needs_cluster = "need a cluster" in error.what
            if needs_cluster:  # any other failure is a finding
                self._left.add(roots, error.what, error.hint)
            return [], error.what, needs_cluster
        if not made and not self._clusters and "'clusters'" in str(item.obj):
            remedy = "--clusters FILE, or syncline facts > .syncline/clusters/NAME.yaml"
            self._left.add(roots, "ApplicationSets that generate nothing without clusters", remedy)
            return [], "", True
        # That no cluster has the labels of a set is how add-ons are switched off.
        return made, "", not made and "'clusters'" in str(item.obj)


def _origin(made: GeneratedApplication, item: DesiredObject) -> Origin:
    """Return where an Application that was generated comes from: the line of its parameters, else the set.

    Its fields are those of the set's template.
    """
    place = made.origins[-1] if made.origins and made.origins[-1].line else item.origin.place()
    positions = item.origin.positions
    known = [
        (path.removeprefix(_TEMPLATE), line)
        for path, line in zip(positions.paths, positions.lines, strict=True)
        if path.startswith(_TEMPLATE)
    ]
    fields = Positions(tuple(path for path, _ in known), tuple(line for _, line in known))
    return Origin(file=place.file, line=place.line, positions=fields, field_file=item.origin.file)
