"""Which revisions to use in place of those an Application names: one, or one for each of some of its sources."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from syncline.model.application import Application
from syncline.model.operation import SyncOperation
from syncline.model.sources.source import ApplicationSource
from syncline.verbs.errors import InvalidRequest


class RevisionChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One revision, or as many `revisions` as `positions` (counted from 1) or `names` of sources."""

    revision: str = ""
    revisions: tuple[str, ...] = ()
    positions: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def of(self, app: Application) -> SyncOperation:
        """Return a sync of an Application with just these revisions; sources that are not named keep their own."""
        if not self.revisions:
            return SyncOperation(revision=self.revision)
        sources = app.spec.sources
        wanted = [source.target_revision for source in sources]
        places = self.positions or self._named(sources)
        if len(places) != len(self.revisions):
            raise InvalidRequest(f"{len(self.revisions)} revisions for {len(places)} sources: name a source for each")
        for position, revision in zip(places, self.revisions, strict=True):
            if not 1 <= position <= len(sources):
                raise InvalidRequest(f"no source {position}: this Application has {len(sources)} sources in a list")
            wanted[position - 1] = revision
        return SyncOperation(revisions=tuple(wanted))

    def _named(self, sources: Sequence[ApplicationSource]) -> tuple[int, ...]:
        known = {source.name: place for place, source in enumerate(sources, start=1) if source.name}
        for name in self.names:
            if name not in known:
                hint = f"known: {', '.join(known) or 'none has a name'}"
                raise InvalidRequest(f"no source named {name}", hint=hint)
        return tuple(known[name] for name in self.names)
