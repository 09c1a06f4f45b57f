"""Rows of calls that are timed beside a JSON copy of the object they work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import orjson

from bench.rows import Row, microseconds


def beside_copy(obj: object, calls: Mapping[str, Callable[[], object]], goals: Mapping[str, float]) -> list[Row]:
    """Time calls in microseconds; a goal holds for every row whose name begins with its key."""
    copy = microseconds(lambda: orjson.loads(orjson.dumps(obj)))
    return [
        Row(
            name=name,
            figure=microseconds(call),
            unit="µs",
            raw=copy,
            raw_is="JSON copy",
            at_most=next((goal for begin, goal in goals.items() if name.startswith(begin)), None),
        )
        for name, call in calls.items()
    ]
