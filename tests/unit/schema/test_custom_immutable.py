"""Custom kinds whose CRD fixes fields with `self == oldSelf`, and lists that hold an item twice.

The refusals are those of kube-apiserver 1.37.1; tests/real/test_custom_schemas.py asks it again.
"""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.schema import crd, custom_immutable, validate
from tests.unit.schema.fixed import CRD, DUPLICATES, OLD, REFUSALS, fixed
from tests.unit.schema.widget import CRD as WIDGETS
from tests.unit.schema.widget import widget


@pytest.mark.parametrize(("change", "refused"), REFUSALS)
def test_changes_are_refused_in_the_servers_words(change: dict[str, Any], refused: dict[str, str]) -> None:
    node = crd.schema_for(CRD, "v1")
    assert node is not None
    new = {name: value for name, value in {**OLD, **change}.items() if value is not None}
    found = custom_immutable.violations(fixed(OLD), fixed(new), node)
    assert {violation.path: violation.message for violation in found} == refused


@pytest.mark.parametrize(("spec", "refused"), DUPLICATES)
def test_items_that_stand_twice_are_refused_in_the_servers_words(spec: dict[str, Any], refused: dict[str, str]) -> None:
    node = crd.schema_for(WIDGETS, "v1")
    assert node is not None
    assert {problem.path: problem.message for problem in validate.validate(widget({"spec": spec}), node)} == refused
