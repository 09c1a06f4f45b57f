"""Runs the benchmark modules and prints one table: `python -m bench [--list] [NAME…]`.

NAME is a module below `bench`, such as `startup` or `apimachinery.merge`, or a folder; without one, all run.
"""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import bench
from bench.rows import Row, table

# These serve the measurements, or are not one of them: soak takes too long, recount needs checkouts.
SERVING = {"__main__", "rows", "apps", "world", "program", "six_clusters", "soak", "recount"}


def modules() -> list[str]:
    """Return the names of all measurements, without importing them."""
    found = pkgutil.walk_packages(bench.__path__, prefix="bench.")
    names = [item.name.removeprefix("bench.") for item in found if not item.ispkg]
    return sorted(name for name in names if name.rpartition(".")[2] not in SERVING)


def chosen(names: list[str]) -> list[str]:
    """Return the measurements that are named, or lie in a folder that is named; raises ValueError for others."""
    known = modules()
    picked = [one for one in known if not names or any(one == name or one.startswith(f"{name}.") for name in names)]
    for name in names:
        if not any(one == name or one.startswith(f"{name}.") for one in known):
            raise ValueError(f"there is no benchmark {name}; there are: {', '.join(known)}")
    return picked


def measure(name: str) -> list[Row]:
    """Run one module."""
    rows: list[Row] = import_module(f"bench.{name}").rows()
    return rows


def main(arguments: list[str]) -> int:
    """Print the table; the exit code says only whether everything could be measured."""
    try:
        names = chosen([argument for argument in arguments if argument != "--list"])
    except ValueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    if "--list" in arguments:
        print("\n".join(names))
        return 0
    found: list[Row] = []
    for name in names:
        print(f"measuring {name}", file=sys.stderr)
        found += measure(name)
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
