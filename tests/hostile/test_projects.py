"""G1 and G2: what a project does not permit is refused at create, at update, at sync, and for live objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, objects
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(objects.ATTACKS) if attack.name.startswith("g1-")],
    ids=lambda attack: attack.name,
)
def test_objects_outside_the_project_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
