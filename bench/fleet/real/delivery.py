"""A whole fleet from nothing to Synced, and one changed app among many, on a real API server.

Run: python -m bench fleet.real.delivery
Goals and figures are those of `bench.fleet.delivery`; memory is the controller's alone.
"""

from __future__ import annotations

from bench.fleet import delivery
from bench.fleet.real import world
from bench.rows import Row


def rows() -> list[Row]:
    return world.with_server(lambda serve: delivery.measured("real", serve))
