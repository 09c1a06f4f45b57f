"""The race of Argo CD with its own cache is forgiven only where an operation says that it healed."""

from typing import Any

import pytest

from tests.support.referee import done
from tests.support.referee.known import compare

ROW = "/v1/ConfigMap/auto-self-heal-removed/one"


def verdict(message: str, *, heals: int = 0) -> dict[str, Any]:
    return {"state": {"rows": {ROW: {"message": message}}, **({"heals": heals} if heals else {})}}


@pytest.mark.parametrize(
    ("theirs", "ours", "unknown"),
    [
        (verdict("configmap/one created"), verdict("configmap/one created"), 0),
        (verdict("configmap/one unchanged", heals=1), verdict("configmap/one created"), 0),
        (verdict("configmap/one created"), verdict("configmap/one unchanged", heals=1), 0),
        # Nobody healed: this is a difference.
        (verdict("configmap/one unchanged"), verdict("configmap/one created"), 1),
        # Healed, but something else came of it.
        (verdict("configmap/one configured", heals=1), verdict("configmap/one created"), 1),
    ],
)
def test_rows_may_differ_only_after_a_hasty_heal(theirs: Any, ours: Any, unknown: int) -> None:
    case = "auto-self-heal-removed"
    found = compare({case: [theirs]}, {case: [ours]}, "compat", done.RACES)
    assert len(found.unknown) == unknown


def test_a_heal_that_was_asked_for_forgives_nothing() -> None:
    case = "auto-self-heal-removed"
    first = verdict("configmap/one created")
    healed, other = verdict("configmap/one created", heals=1), verdict("configmap/one unchanged", heals=1)
    found = compare({case: [first, healed]}, {case: [first, other]}, "compat", done.RACES)
    assert list(found.unknown) == [f"{case}: 1.state.rows.{ROW}.message"]
