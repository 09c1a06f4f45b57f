"""Which kinds are seen: by profile, by where the settings come from, and by filters."""

from __future__ import annotations

import pytest

from syncline.apimachinery.keys import GroupKind
from syncline.core.settings.filters import excluded
from syncline.core.settings.keys import Home
from syncline.core.settings.parse import parse, parse_texts
from syncline.model.settings.resources import ResourceFilter
from syncline.model.settings.settings import ALWAYS_EXCLUDED, DEFAULT_EXCLUSIONS, Profile, Settings
from tests.unit.settings.writing import of_cm, report_of

PIPELINE_RUN = GroupKind("tekton.dev", "PipelineRun")
TASK_RUN = GroupKind("tekton.dev", "TaskRun")
PIPELINE = GroupKind("tekton.dev", "Pipeline")
ENDPOINTS = GroupKind("", "Endpoints")
LEASE = GroupKind("coordination.k8s.io", "Lease")
ALWAYS = [GroupKind("", "Event"), GroupKind("events.k8s.io", "Event"), GroupKind("metrics.k8s.io", "PodMetrics"), LEASE]


@pytest.mark.parametrize("kind", [PIPELINE_RUN, TASK_RUN])
def test_runs_of_pipelines_are_left_out_by_openshift_gitops_and_nobody_else(kind: GroupKind) -> None:
    assert not excluded(kind, parse([]).settings)
    assert not excluded(kind, of_cm(url="https://cd.example.com").settings)
    assert excluded(kind, parse([], profile=Profile.OPENSHIFT_GITOPS).settings)


def test_pipelines_themselves_are_seen_everywhere() -> None:
    assert not excluded(PIPELINE, parse([], profile=Profile.OPENSHIFT_GITOPS).settings)


def test_without_any_settings_our_own_defaults_hold() -> None:
    assert parse([]).settings == Settings()
    assert Settings().exclusions == DEFAULT_EXCLUSIONS


def test_an_argocd_cm_without_exclusions_leaves_out_only_what_always_is() -> None:
    settings = parse_texts({Home.CM: {}}).settings
    assert (settings.exclusions, settings.resource_exclusions) == (ALWAYS_EXCLUDED, ())
    assert not excluded(ENDPOINTS, settings)


def test_parameters_alone_say_nothing_about_exclusions() -> None:
    assert parse_texts({Home.PARAMS: {"server.insecure": "true"}}).settings.exclusions == DEFAULT_EXCLUSIONS


def test_the_chart_brings_values_of_its_own() -> None:
    settings = report_of("configs:\n  cm:\n    exec.enabled: true\n").settings
    assert (settings.refresh_interval, settings.instance_label) == (180.0, "argocd.argoproj.io/instance")
    assert excluded(ENDPOINTS, settings)
    assert excluded(GroupKind("cilium.io", "CiliumIdentity"), settings)


def test_exclusions_that_are_set_replace_those_of_the_profile() -> None:
    report = parse_texts({Home.CM: {"resource.exclusions": "- kinds: [Pod]"}}, profile=Profile.OPENSHIFT_GITOPS)
    assert not excluded(PIPELINE_RUN, report.settings)
    assert excluded(GroupKind("", "Pod"), report.settings)


def test_the_profile_knows_its_namespace() -> None:
    assert parse([], profile=Profile.OPENSHIFT_GITOPS).settings.namespace == "openshift-gitops"
    start = Settings(namespace="team")
    assert parse([], profile=Profile.OPENSHIFT_GITOPS, start=start).settings.namespace == "team"


@pytest.mark.parametrize("kind", ALWAYS)
def test_some_kinds_are_always_left_out(kind: GroupKind) -> None:
    everything = (ResourceFilter(api_groups=("*",)),)
    assert excluded(kind, Settings(exclusions=ALWAYS_EXCLUDED, resource_inclusions=everything))


@pytest.mark.parametrize(
    ("one", "kind", "server", "matching"),
    [
        (ResourceFilter(), GroupKind("apps", "Deployment"), "https://a", True),
        (ResourceFilter(api_groups=("*.example.com",)), GroupKind("a.example.com", "A"), "https://a", True),
        (ResourceFilter(api_groups=("*.example.com",)), GroupKind("example.org", "A"), "https://a", False),
        (ResourceFilter(api_groups=("",)), GroupKind("", "Pod"), "https://a", True),
        (ResourceFilter(api_groups=("",)), GroupKind("apps", "Deployment"), "https://a", False),
        (ResourceFilter(api_groups=("*",)), GroupKind("", "Pod"), "https://a", True),
        (ResourceFilter(kinds=("Pod", "Job")), GroupKind("batch", "Job"), "https://a", True),
        (ResourceFilter(kinds=("*",)), GroupKind("batch", "Job"), "https://a", True),
        (ResourceFilter(kinds=("Jo*",)), GroupKind("batch", "Job"), "https://a", False),
        (ResourceFilter(clusters=("https://a*",)), GroupKind("batch", "Job"), "https://a.example.com", True),
        (ResourceFilter(clusters=("https://a*",)), GroupKind("batch", "Job"), "https://b.example.com", False),
        (ResourceFilter(api_groups=("batch",), kinds=("Pod",)), GroupKind("batch", "Job"), "https://a", False),
    ],
)
def test_a_filter_matches_groups_and_clusters_as_globs_and_kinds_by_name(
    one: ResourceFilter, kind: GroupKind, server: str, matching: bool
) -> None:
    assert excluded(kind, Settings(exclusions=(), resource_exclusions=(one,)), server) is matching


def test_with_inclusions_everything_else_is_left_out_and_exclusion_wins() -> None:
    settings = Settings(
        exclusions=(),
        resource_inclusions=(ResourceFilter(api_groups=("apps",)),),
        resource_exclusions=(ResourceFilter(kinds=("ReplicaSet",)),),
    )
    found = [
        excluded(GroupKind(*kind), settings) for kind in (("apps", "Deployment"), ("apps", "ReplicaSet"), ("", "Pod"))
    ]
    assert found == [False, True, True]
