"""Objects that do not have the form of their kind offer actions all the same, or none: never a failure."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.core.actions import builtin


@pytest.mark.parametrize("conditions", ["text", [None], ["Complete"], {"type": "Complete"}, 7])
def test_a_job_whose_conditions_are_no_maps_counts_as_running(conditions: Any) -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "status": {"conditions": conditions}}
    offers = {action.name: action.disabled for action in builtin.offered(job)}
    assert offers["terminate"] is False
