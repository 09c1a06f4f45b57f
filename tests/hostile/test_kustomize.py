"""C1 to C3: kustomizations that read files, start programs, or fetch from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, kustomize
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(kustomize.ATTACKS) if attack.name.startswith("c1-")],
    ids=lambda attack: attack.name,
)
def test_kustomizations_read_their_own_files_alone(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(kustomize.ATTACKS) if attack.name.startswith("c2-")],
    ids=lambda attack: attack.name,
)
def test_kustomizations_start_no_program(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(kustomize.ATTACKS) if attack.name.startswith("c3-")],
    ids=lambda attack: attack.name,
)
def test_kustomizations_fetch_nothing_that_the_project_does_not_permit(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
