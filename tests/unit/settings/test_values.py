"""Values become typed fields; what cannot be read is told and leaves the default."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.selectors import Requirement
from syncline.core.settings.keys import Home
from syncline.core.settings.parse import parse_texts
from syncline.core.settings.report import ProblemCode
from syncline.model import codec
from syncline.model.settings.parts import GlobalProject, KustomizeVersion, MatchMode, ShardingAlgorithm
from syncline.model.settings.resources import CompareOptions, ResourceFilter, RespectRbac, StatusFields
from syncline.model.settings.settings import Compat, Settings, TrackingMethod, digest
from tests.unit.settings.writing import field, of_cm, of_key, only


@pytest.mark.parametrize(
    ("home", "key", "text", "path", "value"),
    [
        (Home.CM, "application.instanceLabelKey", "example.com/app", "instance_label", "example.com/app"),
        (
            Home.CM,
            "application.resourceTrackingMethod",
            "annotation+label",
            "tracking",
            TrackingMethod.ANNOTATION_AND_LABEL,
        ),
        (Home.CM, "installationID", "eu-1", "installation_id", "eu-1"),
        (Home.CM, "application.sync.impersonation.enabled", "true", "impersonation", True),
        (Home.CM, "application.sync.impersonation.enforced", "false", "impersonation_enforced", False),
        (Home.CM, "cluster.inClusterEnabled", "false", "in_cluster", False),
        (Home.CM, "resource.respectRBAC", "strict", "respect_rbac", RespectRbac.STRICT),
        (Home.CM, "resource.ignoreResourceUpdatesEnabled", "false", "ignore_resource_updates", False),
        (Home.CM, "resource.sensitive.mask.annotations", "token, key", "masked_annotations", ("token", "key")),
        (Home.CM, "timeout.reconciliation", "3m", "refresh_interval", 180.0),
        (Home.CM, "timeout.reconciliation", "1h30m", "refresh_interval", 5400.0),
        (Home.CM, "timeout.reconciliation", "1d", "refresh_interval", 86400.0),
        (Home.CM, "timeout.reconciliation", "0", "refresh_interval", 0.0),
        (Home.CM, "timeout.hard.reconciliation", "24h", "hard_refresh_interval", 86400.0),
        (Home.CM, "timeout.reconciliation.jitter", "500ms", "refresh_jitter", 0.5),
        (Home.CM, "helm.enable", "false", "tools.helm", False),
        (Home.CM, "helm.valuesFileSchemes", "s3,https", "tools.values_file_schemes", ("s3", "https")),
        (Home.CM, "helm.valuesFileSchemes", "", "tools.values_file_schemes", ()),
        (Home.CM, "kustomize.buildOptions", "--enable-helm", "tools.kustomize_build_options", "--enable-helm"),
        (Home.PARAMS, "application.namespaces", "team-*, /^dev/", "application_namespaces", ("team-*", "/^dev/")),
        (Home.PARAMS, "controller.diff.server.side", "true", "server_side_diff", True),
        (Home.PARAMS, "controller.sync.timeout.seconds", "1800", "sync_timeout", 1800.0),
        (Home.PARAMS, "controller.sync.wave.delay.seconds", "0", "wave_delay", 0.0),
        (Home.PARAMS, "controller.self.heal.timeout.seconds", "5", "self_heal_delay", 5.0),
        (Home.PARAMS, "controller.self.heal.backoff.timeout.seconds", "1", "self_heal_backoff", 1.0),
        (Home.PARAMS, "controller.self.heal.backoff.factor", "2", "self_heal_factor", 2.0),
        (Home.PARAMS, "controller.self.heal.backoff.cap.seconds", "60", "self_heal_cap", 60.0),
        (Home.PARAMS, "controller.ignore.normalizer.jq.timeout", "5s", "jq_timeout", 5.0),
        (
            Home.PARAMS,
            "controller.sharding.algorithm",
            "round-robin",
            "sharding.algorithm",
            ShardingAlgorithm.ROUND_ROBIN,
        ),
        (Home.PARAMS, "controller.k8sclient.retry.base.backoff", "250", "limits.client_retry_backoff", 0.25),
        (
            Home.PARAMS,
            "reposerver.max.combined.directory.manifests.size",
            "20Mi",
            "sources.max_directory_bytes",
            20971520,
        ),
        (
            Home.PARAMS,
            "reposerver.max.combined.directory.manifests.size",
            "10M",
            "sources.max_directory_bytes",
            10000000,
        ),
        (Home.PARAMS, "reposerver.disable.oci.manifest.max.extracted.size", "true", "sources.oci_size_limited", False),
        (Home.PARAMS, "applicationsetcontroller.policy", "create-only", "application_sets.policy", "create-only"),
        (Home.CM, "syncline.compat", "argocd", "compat", Compat.ARGOCD),
        (Home.RBAC, "policy.default", "role:readonly", "permissions.default", "role:readonly"),
        (Home.RBAC, "policy.matchMode", "regex", "permissions.match_mode", MatchMode.REGEX),
        (Home.RBAC, "scopes", "[groups, email]", "permissions.scopes", ("groups", "email")),
        (Home.RBAC, "scopes", "groups, email", "permissions.scopes", ("groups", "email")),
    ],
)
def test_a_setting_fills_its_field(home: Home, key: str, text: str, path: str, value: Any) -> None:
    report = of_key(home, key, text)
    assert field(report.settings, path) == value
    assert report.problems == ()


@pytest.mark.parametrize(
    ("home", "key", "text", "message"),
    [
        (
            Home.CM,
            "timeout.reconciliation",
            "180",
            "is a duration without a unit: write 180s ('180'); 120s is used instead",
        ),
        (
            Home.CM,
            "timeout.reconciliation",
            "three minutes",
            "is not a duration: write 90s, 5m or 1h30m ('three minutes'); 120s is used instead",
        ),
        (Home.CM, "admin.enabled", "yes", "is not true or false ('yes'); true is used instead"),
        (
            Home.CM,
            "application.resourceTrackingMethod",
            "labels",
            "is not one of annotation, annotation+label, label ('labels'); annotation is used instead",
        ),
        (
            Home.CM,
            "resource.respectRBAC",
            "yes",
            """is not one of "", normal, strict ('yes'); nothing is used instead""",
        ),
        (Home.PARAMS, "controller.status.processors", "5.5", "is not a whole number ('5.5'); 20 is used instead"),
        (Home.PARAMS, "controller.status.processors", "", "is not a whole number (''); 20 is used instead"),
        (Home.PARAMS, "controller.sync.timeout.seconds", "30m", "is not a whole number ('30m'); 0 is used instead"),
        (Home.PARAMS, "controller.k8s.client.qps", "many", "is not a number ('many'); 50 is used instead"),
        (
            Home.PARAMS,
            "reposerver.max.combined.directory.manifests.size",
            "10MB",
            "is not a size: write 10M or 1G ('10MB'); 10M is used instead",
        ),
    ],
)
def test_a_value_that_cannot_be_read_is_told_and_the_default_holds(
    home: Home, key: str, text: str, message: str
) -> None:
    report = of_key(home, key, text)
    problem = only(report)
    assert (problem.kind, problem.key, problem.home) == (ProblemCode.UNREADABLE, key, home)
    assert problem.message == f"{key} {message}"
    assert report.settings == parse_texts({home: {}}).settings


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("resource.exclusions", "apiGroups: [a]", "is not a list (lines that start with a dash)"),
        ("resource.exclusions", "- tekton.dev", "must hold fields (name: value)"),
        ("resource.exclusions", "- kinds: Pod", "has kinds that is not a list of strings"),
        ("resource.inclusions", "- kinds: [1]", "has kinds that is not a list of strings"),
        (
            "resource.compareoptions",
            "ignoreAggregatedRoles: maybe",
            "has ignoreAggregatedRoles that is not true or false",
        ),
        (
            "resource.compareoptions",
            "ignoreResourceStatusField: some",
            "has ignoreResourceStatusField that is not all, crd or none; all is used instead",
        ),
        ("globalProjects", "- labelSelector: {}", "holds an entry without projectName"),
    ],
)
def test_a_block_of_the_wrong_shape_is_told(key: str, text: str, message: str) -> None:
    problem = only(of_key(Home.CM, key, text))
    assert (problem.kind, problem.message) == (ProblemCode.UNREADABLE, f"{key} {message}")


@pytest.mark.parametrize("key", ["resource.exclusions", "dex.config", "oidc.config", "additionalUrls"])
def test_a_block_that_is_no_yaml_is_told_with_the_line_in_the_block_and_never_its_text(key: str) -> None:
    problem = only(of_key(Home.CM, key, "name: a\nclientSecret: [hunter2\n"))
    assert problem.kind == ProblemCode.UNREADABLE
    assert problem.message.startswith(f"{key} is not YAML: ")
    assert "of the block)" in problem.message
    assert "hunter2" not in codec.encode(problem).decode()


def test_filters_of_kinds_are_read_without_regard_to_capitals() -> None:
    report = of_cm(resource_exclusions="- apigroups: ['*.example.com']\n  Kinds: [A]\n- clusters: [https://a]\n")
    assert report.settings.resource_exclusions == (
        ResourceFilter(api_groups=("*.example.com",), kinds=("A",)),
        ResourceFilter(clusters=("https://a",)),
    )
    assert report.problems == ()


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", CompareOptions()),
        ("ignoreAggregatedRoles: true", CompareOptions(ignore_aggregated_roles=True)),
        ("ignoreResourceStatusField: crd", CompareOptions(ignore_status=StatusFields.CRD)),
        ("ignoreResourceStatusField: none", CompareOptions(ignore_status=StatusFields.NONE)),
        ("ignoreResourceStatusField: off", CompareOptions(ignore_status=StatusFields.NONE)),
        ("ignoreDifferencesOnResourceUpdates: false", CompareOptions(ignore_differences_on_updates=False)),
    ],
)
def test_compare_options_are_read(text: str, options: CompareOptions) -> None:
    report = of_cm(resource_compareoptions=text)
    assert report.settings.compare == options
    assert report.problems == ()


@pytest.mark.parametrize(
    ("key", "text", "name", "meant"),
    [
        (
            "resource.compareoptions",
            "ignoreDifferences: []",
            "ignoreDifferences",
            "resource.customizations.ignoreDifferences.<group_Kind>",
        ),
        ("resource.compareoptions", "ignoreAggregateRoles: true", "ignoreAggregateRoles", "ignoreAggregatedRoles"),
        ("resource.exclusions", "- group: [a]\n", "group", "apiGroups"),
        ("resource.exclusions", "- cluster: [a]\n", "cluster", "clusters"),
        ("globalProjects", "- projectName: a\n  selector: {}\n", "selector", "labelSelector"),
    ],
)
def test_a_field_that_does_not_exist_in_a_block_is_told(key: str, text: str, name: str, meant: str) -> None:
    problem = only(of_key(Home.CM, key, text))
    assert (problem.kind, problem.nearest) == (ProblemCode.UNKNOWN_FIELD, meant)
    assert problem.message == f"{name} is not a field of {key}; it is dropped silently"


def test_global_projects_become_label_requirements() -> None:
    text = """
- projectName: for-all
- projectName: for-some
  labelSelector:
    matchLabels: {team: a}
    matchExpressions:
    - {key: stage, operator: NotIn, values: [test]}
"""
    assert of_cm(globalProjects=text).settings.global_projects == (
        GlobalProject(project="for-all"),
        GlobalProject(
            project="for-some",
            requirements=(Requirement("stage", "notin", ("test",)), Requirement("team", "=", ("a",))),
        ),
    )


def test_versions_of_kustomize_are_gathered_from_their_keys() -> None:
    data = {
        "kustomize.path.v5.0.0": "/tools/kustomize5",
        "kustomize.buildOptions.v5.0.0": "--enable-helm",
        "kustomize.version.v4.5.7": "/tools/kustomize4",
    }
    assert parse_texts({Home.CM: data}).settings.tools.kustomize_versions == (
        KustomizeVersion(name="v4.5.7", path="/tools/kustomize4"),
        KustomizeVersion(name="v5.0.0", path="/tools/kustomize5", build_options="--enable-helm"),
    )


def test_policies_are_put_one_after_the_other() -> None:
    data = {"policy.b.csv": "p, b", "policy.csv": "p, first", "policy.a.csv": "p, a"}
    assert parse_texts({Home.RBAC: data}).settings.permissions.policy == "p, first\np, a\np, b"


def test_one_unreadable_override_does_not_lose_the_others() -> None:
    data = {
        "resource.customizations.health.apps_Deployment": "return {}",
        "resource.customizations.ignoreDifferences.all": "jsonPointers: [",
    }
    report = parse_texts({Home.CM: data})
    assert [override.pattern for override in report.settings.overrides] == ["apps/Deployment"]
    assert (only(report).kind, only(report).key) == (
        ProblemCode.UNREADABLE,
        "resource.customizations.ignoreDifferences.all",
    )


def test_what_is_read_only_at_start_is_listed() -> None:
    texts = {
        Home.CM: {"timeout.reconciliation": "60s", "exec.enabled": "true"},
        Home.PARAMS: {"server.insecure": "true"},
        Home.RBAC: {"policy.default": "role:readonly"},
    }
    found = [(one.home, one.key) for one in parse_texts(texts).restart]
    assert found == [(Home.CM, "timeout.reconciliation"), (Home.PARAMS, "server.insecure")]


def test_a_setting_without_effect_is_a_warning() -> None:
    problem = only(of_key(Home.PARAMS, "controller.self.heal.backoff.cooldown.seconds", "330"))
    assert (problem.kind, problem.severity) == (ProblemCode.NO_EFFECT, "warning")


def test_settings_with_different_content_have_different_digests() -> None:
    assert digest(Settings()) == digest(Settings())
    assert digest(Settings()) != digest(of_cm(resource_exclusions="- kinds: [A]").settings)


@pytest.mark.parametrize(
    ("type_", "meant"),
    [("core/v1/PodSpecs", "core/v1/PodSpec"), ("PodTemplateSpec", "core/v1/PodTemplateSpec"), ("Nothing/alike/it", "")],
)
def test_a_type_that_no_known_field_can_have_is_told_with_the_one_that_was_meant(type_: str, meant: str) -> None:
    key = "resource.customizations.knownTypeFields.example.com_Widget"
    (problem,) = of_key(Home.CM, key, f"- field: spec.pod\n  type: {type_}\n").problems
    assert problem.message == f"{key} says that spec.pod is a {type_}, which is not a supported type"
    assert problem.fix == (f"write {meant}" if meant else "")


def test_known_types_are_not_told() -> None:
    key = "resource.customizations.knownTypeFields.example.com_Widget"
    text = (
        "- {field: a, type: core/v1/PodSpec}\n- {field: b, type: core/Quantity}\n- {field: c, type: meta/v1/Duration}\n"
    )
    assert of_key(Home.CM, key, text).problems == ()
