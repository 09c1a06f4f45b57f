"""Tells which source of an Application could not be read or rendered: Argo CD's words, then ours.

Used by `syncline.controller.sources` around everything that is done for one source. The address is shown without any
login.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from syncline.model.errors import RenderError, SourceError
from syncline.model.source import ApplicationSource


@contextlib.contextmanager
def told(number: int, count: int, source: ApplicationSource, revision: str) -> Iterator[None]:
    """Put which source it is, its repository and the revision that was tried into whatever goes wrong."""
    try:
        yield
    except (RenderError, SourceError) as error:
        chart = f" {source.chart}" if source.chart else ""
        where = f"{source.shown_url}{chart} at {revision[:7] if len(revision) == 40 else revision}"
        place = f"{error.place}: " if error.place else ""
        what = f"failed to generate manifest for source {number} of {count}: {place}{error.what}"
        raise type(error)(what, hint="; ".join(filter(None, (error.hint, where)))) from None
