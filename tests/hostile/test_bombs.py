"""M1 to M3: archives, remote bodies and manifests that are larger, slower or deeper than they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import bombs, chosen
from tests.hostile.installation import Installation


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(bombs.ATTACKS) if attack.name.startswith("m1-")],
    ids=lambda attack: attack.name,
)
def test_archives_that_explode_or_escape_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(bombs.ATTACKS) if attack.name.startswith("m2-")],
    ids=lambda attack: attack.name,
)
def test_remote_bodies_are_bounded_in_bytes_and_seconds(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(bombs.ATTACKS) if attack.name.startswith("m3-")],
    ids=lambda attack: attack.name,
)
def test_manifests_that_are_too_large_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)
