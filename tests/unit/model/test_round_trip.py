"""Every model value survives JSON, whole."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.model import codec
from syncline.model.comparison import Difference, DifferenceCause, Verdict
from syncline.model.decision import DecisionKind, StepKind
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.finding import Confidence, EvidenceKind, Severity
from syncline.model.health import HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.plan import HookDeletePolicy, Phase, TaskAction
from syncline.model.reason import Reason
from syncline.model.result import ResultCode
from syncline.model.sources.source import Value
from tests.unit.model import values

TEXT = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)
ENUMS: tuple[type[StrEnum], ...] = (
    TaskAction,
    DifferenceCause,
    Confidence,
    DecisionKind,
    EvidenceKind,
    HealthCode,
    HookDeletePolicy,
    OperationPhase,
    Phase,
    Reason,
    ResultCode,
    Severity,
    StepKind,
    Verdict,
)


def fields_at_default(value: Any, path: str) -> Iterator[str]:
    """The fields a value leaves at their defaults, at any depth; Argo CD's own types are tried elsewhere."""
    if isinstance(value, tuple):
        for position, member in enumerate(value):
            yield from fields_at_default(member, f"{path}[{position}]")
    elif isinstance(value, msgspec.Struct) and not isinstance(value, Value):
        for field in msgspec.structs.fields(value):
            member = getattr(value, field.name)
            if not field.required and member == field.default:
                yield f"{path}.{field.name}"
            yield from fields_at_default(member, f"{path}.{field.name}")


@pytest.mark.parametrize("value", values.ALL, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_equal(value: msgspec.Struct) -> None:
    assert codec.decode(type(value), codec.encode(value)) == value


@pytest.mark.parametrize("value", values.ALL, ids=lambda value: type(value).__name__)
def test_the_json_of_equal_values_is_the_same_text(value: msgspec.Struct) -> None:
    again = codec.decode(type(value), codec.encode(value))
    assert codec.encode(again) == codec.encode(value)


@pytest.mark.parametrize("value", values.ALL, ids=lambda value: type(value).__name__)
def test_the_values_tried_leave_no_field_at_its_default(value: msgspec.Struct) -> None:
    assert list(fields_at_default(value, type(value).__name__)) == []


@pytest.mark.parametrize("member", [member for enum in ENUMS for member in enum], ids=repr)
def test_every_word_of_a_closed_list_comes_back_as_itself(member: StrEnum) -> None:
    assert codec.decode(type(member), codec.encode(member)) is member


@pytest.mark.parametrize(
    ("desired", "live"), [(msgspec.UNSET, 1), (1, msgspec.UNSET), (None, 1), (1, None), (None, msgspec.UNSET), ("", 0)]
)
def test_a_side_that_is_absent_stays_apart_from_one_that_is_null(desired: Any, live: Any) -> None:
    difference = Difference(path="spec.a", cause=DifferenceCause.LIVE, desired=desired, live=live)
    back = codec.decode(Difference, codec.encode(difference))
    assert (back.desired, back.live) == (desired, live)


@given(objects=st.lists(OBJECTS, max_size=3), lines=st.dictionaries(TEXT, st.integers(0, 10**6), max_size=4), file=TEXT)
def test_desired_objects_come_back_with_their_positions(
    objects: list[dict[str, Any]], lines: dict[str, int], file: str
) -> None:
    origin = Origin(file=file, line=1, positions=Positions(tuple(lines), tuple(lines.values())))
    desired = Desired(tuple(DesiredObject(obj, origin) for obj in objects), revisions=("abc",))
    assert codec.decode(Desired, codec.encode(desired)) == desired


@given(desired=JSON, live=JSON)
def test_any_two_differing_values_come_back_as_they_were(desired: Any, live: Any) -> None:
    difference = Difference(path="a", cause=DifferenceCause.GIT, desired=desired, live=live)
    assert codec.decode(Difference, codec.encode(difference)) == difference
