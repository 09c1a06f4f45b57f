"""What a sync costs beyond the API calls it makes, on a real API server.

Run: python -m bench fleet.real.overhead
The goal is that of `bench.fleet.overhead`.
"""

from __future__ import annotations

from bench.fleet import overhead
from bench.fleet.real import world
from bench.rows import Row


def rows() -> list[Row]:
    return world.with_server(lambda serve: [overhead.measured("real", serve)])
