"""An innocent commit beside a hostile tenant, as a multiple of the same commit alone in the same run.

Run: python -m bench render.neighbours
Goal: beside 50 charts that loop, of one project or of fifty, a commit of another project takes at most 3 times as long.
"""

from __future__ import annotations

import asyncio
import statistics

from bench.rows import Row
from tests.support import neighbours

_HOSTILE = 50
_ROUNDS = 15


def rows() -> list[Row]:
    """Measure beside one hostile project, and beside many."""
    found: list[Row] = []
    for projects, words in ((1, "50 hostile charts"), (_HOSTILE, "50 hostile projects")):
        story = neighbours.Neighbours(neighbours.CHARTS, _HOSTILE, projects=projects)
        measured = asyncio.run(story.measure(_ROUNDS))
        beside, alone = statistics.median(measured.beside), statistics.median(measured.alone)
        name = f"innocent commit beside {words}"
        found += [
            Row(name=f"{name}, seconds", figure=beside, unit="s", raw=alone, raw_is="the same commit alone"),
            Row(name=name, figure=measured.ratio, unit="×", at_most=3.0),
        ]
    return found
