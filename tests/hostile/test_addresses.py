"""P1 and P2: addresses that lead to this machine or to metadata services, and credentials sent to the wrong host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import addresses, chosen
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(addresses.ATTACKS) if attack.name.startswith("p1-")],
    ids=lambda attack: attack.name,
)
def test_addresses_of_this_machine_and_of_metadata_services_are_not_asked(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
