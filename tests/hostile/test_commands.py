"""D1 to D3: words that a shell would take for a command, plugins nobody installed, manifests that reach for others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, commands, objects
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(commands.ATTACKS) if attack.name.startswith("d1-")],
    ids=lambda attack: attack.name,
)
def test_words_of_an_application_are_never_a_command(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(commands.ATTACKS) if attack.name.startswith("d2-")],
    ids=lambda attack: attack.name,
)
def test_plugins_that_nobody_installed_do_not_run(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(objects.ATTACKS) if attack.name.startswith("d3-")],
    ids=lambda attack: attack.name,
)
def test_manifests_reach_no_object_of_others(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
