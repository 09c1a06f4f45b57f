"""N1: expressions that never end, eat memory or look around."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, expressions
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(expressions.ATTACKS) if attack.name.startswith("n1-")],
    ids=lambda attack: attack.name,
)
def test_jq_of_an_application_ends_and_sees_nothing(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
