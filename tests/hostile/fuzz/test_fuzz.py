"""A bounded search for inputs that break a reader, and everything that ever broke one: no exception but a sentence."""

from __future__ import annotations

import json
import pathlib

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.hostile.fuzz.targets import TARGETS, Target

CORPUS = pathlib.Path(__file__).parent / "corpus"
KEPT = sorted(CORPUS.glob("*/*.json"))
BY_NAME = {target.name: target for target in TARGETS}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_no_input_breaks_a_reader(target: Target) -> None:
    @settings(
        max_examples=target.examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def run(value: object) -> None:
        target.check(value)

    run()


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_broke_a_reader_once_does_so_no_more(path: pathlib.Path) -> None:
    BY_NAME[path.parent.name].check(json.loads(path.read_text()))


def test_corpus_has_seeds_for_every_target() -> None:
    assert {path.parent.name for path in KEPT} == set(BY_NAME)
