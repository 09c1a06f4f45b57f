"""The real API server would notice: with a planted bug, sequences that agree now no longer do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from syncline.apimachinery import merge
from tests.oracle.planted import planted
from tests.real import merge_kinds
from tests.real import merge_sequences as sequences

pytestmark = pytest.mark.real

NOTICED = [
    "ports are known by number and protocol, tcp when unsaid",
    "service ports by number and protocol",
]
CASES = {case["name"]: case for case in sequences.BOOK["cases"]}


@pytest.fixture
def bug() -> Iterator[None]:
    with planted():
        merge_kinds.node_for.cache_clear()
        yield
    merge_kinds.node_for.cache_clear()


@pytest.mark.parametrize("name", NOTICED)
def test_a_sequence_notices_a_dropped_key(api: sequences.Api, namespace: str, bug: None, name: str) -> None:
    case = CASES[name]
    sequence = sequences.Sequence(api, namespace, case["kind"])

    def run() -> None:
        for step in case["steps"]:
            sequence.run(step)

    with pytest.raises((AssertionError, merge.SchemaError)):
        run()
