"""Which live objects may be attached to an Application, against a simple model of what its project permits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy.bounds import Bounds, bounds, permits_everything
from syncline.core.policy.permission import Permission
from syncline.model.application import Destination, Metadata
from syncline.model.condition import ConditionType
from syncline.model.project import AppProject, GroupKindPattern, ProjectDestination, ProjectSpec

KINDS = ("ConfigMap", "Secret", "Pod")
NAMESPACES = ("ours", "theirs", "")
HERE = Destination(server="https://prod.example", name="prod")
KEYS = st.builds(ObjectKey, st.just(""), st.sampled_from(KINDS), st.sampled_from(NAMESPACES), st.just("one"))
LISTS = st.frozensets(st.sampled_from(KINDS))


def patterns(kinds: frozenset[str]) -> tuple[GroupKindPattern, ...]:
    return tuple(GroupKindPattern("", kind) for kind in sorted(kinds))


def project(places: frozenset[str], **lists: Any) -> AppProject:
    rules = tuple(ProjectDestination(HERE.server, "", place) for place in sorted(places))
    return AppProject(metadata=Metadata(name="team"), spec=ProjectSpec(destinations=rules, **lists))


@given(KEYS, st.frozensets(st.sampled_from(("ours", "theirs"))), LISTS, LISTS, st.none() | LISTS)
def test_children_are_attached_as_the_model_says(
    key: ObjectKey,
    places: frozenset[str],
    cluster: frozenset[str],
    denied: frozenset[str],
    permitted: frozenset[str] | None,
) -> None:
    rules = project(
        places,
        cluster_resource_whitelist=patterns(cluster),
        namespace_resource_blacklist=patterns(denied),
        namespace_resource_whitelist=None if permitted is None else patterns(permitted),
    )
    limits = Bounds(rules, HERE)
    as_child = key.kind in cluster if not key.namespace else key.namespace in places and key.kind not in denied
    as_root = as_child and (not key.namespace or permitted is None or key.kind in permitted)
    assert limits.child_filter()(key) is as_child
    assert (key not in limits.denied([key])) is as_root
    assert limits.permits_namespace("theirs") is ("theirs" in places)


def test_objects_of_a_kind_are_told_apart_by_name_where_the_project_does() -> None:
    named = (GroupKindPattern("", "ConfigMap", "private-*"),)
    limits = Bounds(project(frozenset({"ours"}), namespace_resource_blacklist=named), HERE)
    permits = limits.child_filter()
    keys = [ObjectKey("", "ConfigMap", "ours", name) for name in ("public", "private-1", "other")]
    assert [permits(key) for key in keys] == [True, False, True]


@pytest.mark.parametrize("condition", [ConditionType.UNKNOWN_ERROR, ConditionType.INVALID_SPEC_ERROR])
def test_nothing_is_attached_without_a_project_that_holds(condition: ConditionType) -> None:
    is_outsider = condition == ConditionType.UNKNOWN_ERROR
    typed = project(frozenset({"ours"})) if is_outsider else None
    limits = bounds(Permission(None, (), condition, typed), HERE)
    key = ObjectKey("", "ConfigMap", "ours", "one")
    assert limits.denied([key]) == {key}
    assert not limits.child_filter()(key)
    assert not limits.permits_namespace("ours")


EVERYWHERE = (ProjectDestination("*", "", "*"),)
EVERY_KIND = (GroupKindPattern("*", "*"),)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (ProjectSpec(destinations=EVERYWHERE, cluster_resource_whitelist=EVERY_KIND), True),
        (ProjectSpec(destinations=EVERYWHERE), False),
        (ProjectSpec(cluster_resource_whitelist=EVERY_KIND), False),
        (
            ProjectSpec(
                destinations=(*EVERYWHERE, ProjectDestination("*", "", "!kube-system")),
                cluster_resource_whitelist=EVERY_KIND,
            ),
            False,
        ),
        (
            ProjectSpec(
                destinations=EVERYWHERE,
                cluster_resource_whitelist=EVERY_KIND,
                namespace_resource_blacklist=(GroupKindPattern("", "Secret"),),
            ),
            False,
        ),
        (
            ProjectSpec(
                destinations=EVERYWHERE,
                cluster_resource_whitelist=EVERY_KIND,
                namespace_resource_whitelist=(GroupKindPattern("", "Secret"),),
            ),
            False,
        ),
    ],
)
def test_project_permits_everything_only_without_any_bound(spec: ProjectSpec, expected: bool) -> None:
    assert permits_everything(AppProject(metadata=Metadata(name="team"), spec=spec)) is expected
    assert not permits_everything(None)
