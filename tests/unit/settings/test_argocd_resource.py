"""The ArgoCD resource of OpenShift GitOps: its fields become settings, and fields that do not exist are told."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery import yaml
from syncline.core.settings.keys import Home
from syncline.core.settings.report import ProblemCode
from syncline.model.errors import Place
from syncline.model.settings.parts import KustomizeVersion
from syncline.model.settings.resources import IgnoredFields, ResourceFilter, RespectRbac
from syncline.model.settings.settings import Profile, TrackingMethod
from tests.unit.settings.writing import field, only, report_of

HEALTH = """\
apiVersion: argoproj.io/v1beta1
kind: ArgoCD
metadata:
  name: openshift-gitops
  namespace: openshift-gitops
spec:
  resourceHealthChecks:
    - group: ""
      kind: PersistentVolumeClaim
      check: |
        hs = {}
        hs.status = "Healthy"
        return hs
    - group: "serving.kserve.io"
      kind: "InferenceService"
      check: |
        hs = {}
        hs.status = "Healthy"
        hs.message = "InferenceService status ignored for sync"
        return hs
  ignoreDifferences:
    - group: serving.kserve.io
      kind: InferenceService
      jqPathExpressions:
        - .status
"""


def spec(**fields: Any) -> str:
    return yaml.dump(
        {"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD", "metadata": {"name": "cd"}, "spec": fields}
    )


def test_health_checks_become_overrides_of_their_kinds() -> None:
    overrides = report_of(HEALTH, profile=Profile.OPENSHIFT_GITOPS).settings.overrides
    assert [override.pattern for override in overrides] == [
        "PersistentVolumeClaim",
        "serving.kserve.io/InferenceService",
    ]
    assert overrides[0].health_lua == 'hs = {}\nhs.status = "Healthy"\nreturn hs\n'


def test_a_field_that_does_not_exist_is_told_with_the_right_one_and_its_line() -> None:
    problem = only(report_of(HEALTH, file="argocd.yaml", profile=Profile.OPENSHIFT_GITOPS))
    assert (problem.kind, problem.key) == (ProblemCode.UNKNOWN_FIELD, "spec.ignoreDifferences")
    assert problem.message == "spec.ignoreDifferences does not exist on ArgoCD; it is dropped silently"
    assert (problem.nearest, problem.place) == ("spec.resourceIgnoreDifferences", Place("argocd.yaml", 21, 3))


def test_the_instance_of_openshift_gitops_leaves_out_runs_of_pipelines() -> None:
    filters = report_of(HEALTH, profile=Profile.OPENSHIFT_GITOPS).settings.resource_exclusions
    assert filters[-1] == ResourceFilter(api_groups=("tekton.dev",), kinds=("TaskRun", "PipelineRun"))


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        ({"resourceTrackingMethod": "label"}, "tracking", TrackingMethod.LABEL),
        ({"applicationInstanceLabelKey": "example.com/app"}, "instance_label", "example.com/app"),
        ({"kustomizeBuildOptions": "--enable-helm"}, "tools.kustomize_build_options", "--enable-helm"),
        ({"resourceExclusions": "- kinds: [A]\n"}, "resource_exclusions", (ResourceFilter(kinds=("A",)),)),
        ({"resourceInclusions": "- kinds: [B]\n"}, "resource_inclusions", (ResourceFilter(kinds=("B",)),)),
        ({"sourceNamespaces": ["a", "b-*"]}, "application_namespaces", ("a", "b-*")),
        ({"applicationSet": {"sourceNamespaces": ["a"]}}, "application_sets.namespaces", ("a",)),
        ({"controller": {"processors": {"status": 5, "operation": 6}}}, "limits.status_processors", 5),
        ({"controller": {"processors": {"operation": 6}}}, "limits.operation_processors", 6),
        ({"controller": {"parallelismLimit": 7}}, "limits.kubectl_parallelism", 7),
        ({"controller": {"appSync": "5m0s"}}, "refresh_interval", 300.0),
        ({"controller": {"respectRBAC": "normal"}}, "respect_rbac", RespectRbac.NORMAL),
        ({"controller": {"env": [{"name": "ARGOCD_SYNC_WAVE_DELAY", "value": "9"}]}}, "wave_delay", 9.0),
        ({"repo": {"env": [{"name": "ARGOCD_EXEC_TIMEOUT", "value": "5m"}]}}, "sources.exec_timeout", 300.0),
        ({"cmdParams": {"controller.diff.server.side": "true"}}, "server_side_diff", True),
        ({"extraConfig": {"installationID": "eu"}}, "installation_id", "eu"),
        ({"rbac": {"defaultPolicy": "role:readonly"}}, "permissions.default", "role:readonly"),
        ({"rbac": {"policy": "g, ops, role:admin\n"}}, "permissions.policy", "g, ops, role:admin\n"),
        ({"rbac": {"scopes": "[groups, email]"}}, "permissions.scopes", ("groups", "email")),
        (
            {"kustomizeVersions": [{"version": "v5", "path": "/bin/k5"}]},
            "tools.kustomize_versions",
            (KustomizeVersion(name="v5", path="/bin/k5"),),
        ),
    ],
)
def test_a_field_of_the_resource_becomes_a_setting(fields: dict[str, Any], path: str, value: Any) -> None:
    report = report_of(spec(**fields))
    assert field(report.settings, path) == value
    assert report.problems == ()


def test_ignored_differences_become_overrides() -> None:
    rules = {
        "all": {"managedFieldsManagers": ["hpa"]},
        "resourceIdentifiers": [
            {"group": "apps", "kind": "Deployment", "customization": {"jsonPointers": ["/spec/replicas"]}}
        ],
    }
    overrides = report_of(spec(resourceIgnoreDifferences=rules)).settings.overrides
    assert {override.pattern: override.ignore_differences for override in overrides} == {
        "*/*": IgnoredFields(managed_fields_managers=("hpa",)),
        "apps/Deployment": IgnoredFields(json_pointers=("/spec/replicas",)),
    }


def test_extra_config_wins_over_the_field_that_means_the_same() -> None:
    text = spec(resourceTrackingMethod="label", extraConfig={"application.resourceTrackingMethod": "annotation"})
    assert report_of(text).settings.tracking is TrackingMethod.ANNOTATION


def test_an_unknown_key_in_extra_config_is_told_with_the_place_for_the_right_one() -> None:
    problem = only(report_of(spec(extraConfig={"resource.server-side-diff": "true"})))
    assert (problem.nearest, problem.right_home) == ("controller.diff.server.side", Home.PARAMS)
    assert problem.fix.startswith(
        "set controller.diff.server.side in spec.cmdParams (argocd-cmd-params-cm), or for one"
    )


def test_customizations_in_one_text_exist_only_in_the_older_version() -> None:
    text = spec(resourceCustomizations="apps/Deployment:\n  health.lua: return {}\n")
    assert only(report_of(text)).nearest == "spec.resourceHealthChecks"
    assert report_of(text.replace("v1beta1", "v1alpha1")).problems == ()
