"""B1 to B4: values, parameters, charts and templates that read files, call out, or never end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, helm
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(helm.ATTACKS) if attack.name.startswith("b1-")],
    ids=lambda attack: attack.name,
)
def test_value_files_outside_the_repository_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(helm.ATTACKS) if attack.name.startswith("b2-")],
    ids=lambda attack: attack.name,
)
def test_file_parameters_outside_the_repository_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(helm.ATTACKS) if attack.name.startswith("b3-")],
    ids=lambda attack: attack.name,
)
def test_charts_bring_nothing_in_and_take_nothing_out(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(helm.ATTACKS) if attack.name.startswith("b4-")],
    ids=lambda attack: attack.name,
)
def test_templates_see_the_chart_alone_and_end(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
