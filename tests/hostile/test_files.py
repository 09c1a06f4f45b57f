"""A1, A2, A4: links, paths and Git objects that lead out of the checkout; A3: nobody can swap what is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, files
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(files.ATTACKS) if attack.name.startswith("a1-")],
    ids=lambda attack: attack.name,
)
def test_links_out_of_the_checkout_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(files.ATTACKS) if attack.name.startswith("a2-")],
    ids=lambda attack: attack.name,
)
def test_paths_out_of_the_checkout_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(files.ATTACKS) if attack.name.startswith("a4-")],
    ids=lambda attack: attack.name,
)
def test_git_content_runs_and_fetches_nothing(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
