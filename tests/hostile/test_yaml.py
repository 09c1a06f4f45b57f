"""S1: YAML that explodes, builds objects, hides a key, or means something else than it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, yaml_texts
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(yaml_texts.ATTACKS) if attack.name.startswith("s1-")],
    ids=lambda attack: attack.name,
)
def test_hostile_yaml_is_refused_with_its_file(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
