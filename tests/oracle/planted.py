"""A bug to plant, so that everybody can see the oracles catch it: one key of the lists with several keys is dropped.

The ports of containers and services are known by number and protocol; planted, they are known by the number alone, and
strategic merge no longer knows by what to merge them. `test_planted.py` beside this file and the one in tests/real
plant it for single comparisons. To see whole suites turn red, give this module to pytest as a plugin:

    make test ARGS="-p tests.oracle.planted tests/oracle/patch tests/oracle/merge"
    make test-real ARGS="-p tests.oracle.planted tests/real/test_structured_merge.py tests/real/test_patches.py"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node

_right = builtin._read_merge_words


def _wrong(node: Node, schema: Mapping[str, Any]) -> None:
    _right(node, schema)
    if len(node.list_keys) > 1:
        node.list_keys = node.list_keys[:-1]
        node.merge_key = ""


def _use(reader: Any) -> None:
    builtin._read_merge_words = reader
    builtin._nodes.cache_clear()


@contextmanager
def planted() -> Iterator[None]:
    """Plant the bug for a while."""
    _use(_wrong)
    try:
        yield
    finally:
        _use(_right)


def pytest_configure() -> None:
    """Plant the bug for a whole run, when this module is named with `-p`."""
    _use(_wrong)
