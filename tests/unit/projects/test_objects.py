"""Which objects a project permits, and what a plan makes of the others."""

from typing import Any

import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy.projects import object_denial
from syncline.core.sync.plan import PlanContext, make_plan
from syncline.model import names, project
from syncline.model.application import Destination
from syncline.model.operation import SyncOperation
from tests.support.objects import by_key, compared, config_map, key, obj, prepared

HERE = Destination(server=names.IN_CLUSTER_SERVER, namespace="shop")
ALL = [{"group": "*", "kind": "*"}]
NAMESPACE, SETTINGS = key("Namespace", "prod"), key("ConfigMap", "settings")


def typed(**spec: Any) -> project.AppProject:
    whole = {"destinations": [{"server": "*", "namespace": "shop"}], **spec}
    return project.parse({"metadata": {"name": "team"}, "spec": whole})


@pytest.mark.parametrize(
    ("found", "spec", "permitted"),
    [
        (NAMESPACE, {}, False),
        (NAMESPACE, {"clusterResourceWhitelist": []}, False),
        (NAMESPACE, {"clusterResourceWhitelist": ALL}, True),
        (NAMESPACE, {"clusterResourceWhitelist": [{"group": "", "kind": "Namespace"}]}, True),
        (NAMESPACE, {"clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "pr*"}]}, True),
        (NAMESPACE, {"clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "dev"}]}, False),
        (NAMESPACE, {"clusterResourceWhitelist": ALL, "clusterResourceBlacklist": ALL}, False),
        (SETTINGS, {}, True),
        (SETTINGS, {"namespaceResourceWhitelist": []}, False),
        (SETTINGS, {"namespaceResourceWhitelist": [{"group": "", "kind": "ConfigMap"}]}, True),
        (SETTINGS, {"namespaceResourceWhitelist": [{"group": "apps", "kind": "*"}]}, False),
        (SETTINGS, {"namespaceResourceBlacklist": [{"group": "", "kind": "Config*"}]}, False),
        (key("ConfigMap", "settings", namespace="other"), {}, False),
        (NAMESPACE, {"clusterResourceWhitelist": ALL, "destinations": []}, True),
    ],
)
def test_cluster_scoped_kinds_must_be_listed_namespaced_ones_only_if_there_is_a_list(
    found: ObjectKey, spec: dict[str, Any], permitted: bool
) -> None:
    assert (object_denial(found, HERE, typed(**spec)) is None) is permitted


def test_a_sync_with_an_object_the_project_does_not_permit_is_invalid_and_says_which_rule() -> None:
    ready = prepared(config_map(), obj("Namespace", "prod"), config_map("far", namespace="other"))
    context = PlanContext(sync=SyncOperation(), project=typed(), destination=HERE)
    assert set(make_plan(ready, compared(ready), {}, context).problems) == {
        (
            "resource :Namespace is not permitted in project team (spec.clusterResourceWhitelist does not list it;"
            " to add it: syncline proj allow-cluster-resource team '' Namespace --list allow)"
        ),
        (
            "namespace other is not permitted in project 'team' (no entry of spec.destinations allows it; to add it: "
            "syncline proj add-destination team https://kubernetes.default.svc other)"
        ),
    }


def test_a_live_object_the_project_does_not_permit_is_not_pruned() -> None:
    extra = config_map("extra")
    forbidding = typed(namespaceResourceWhitelist=[])
    context = PlanContext(sync=SyncOperation(prune=True), project=forbidding, destination=HERE)
    comparison = compared(prepared(), extra, owned=[extra])
    assert make_plan(prepared(), comparison, by_key(extra), context).tasks == ()


@pytest.mark.parametrize(
    ("spec", "wanted", "words"),
    [
        (
            {},
            ObjectKey("", "Namespace", "", "x"),
            (
                "spec.clusterResourceWhitelist does not list it; to add it:"
                " syncline proj allow-cluster-resource team '' Namespace --list allow"
            ),
        ),
        (
            {
                "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
                "clusterResourceBlacklist": [{"group": "", "kind": "Name*", "name": "kube-*"}],
            },
            ObjectKey("", "Namespace", "", "kube-system"),
            (
                "/Name*/kube-* of spec.clusterResourceBlacklist denies it; to remove it:"
                " syncline proj allow-cluster-resource team '' 'Name*' 'kube-*' --list deny"
            ),
        ),
        (
            {"namespaceResourceWhitelist": []},
            ObjectKey("apps", "Deployment", "shop", "web"),
            (
                "spec.namespaceResourceWhitelist does not list it; to add it:"
                " syncline proj allow-namespace-resource team apps Deployment --list allow"
            ),
        ),
        (
            {"namespaceResourceBlacklist": [{"group": "*", "kind": "Secret"}]},
            ObjectKey("", "Secret", "shop", "token"),
            (
                "*/Secret of spec.namespaceResourceBlacklist denies it; to remove it:"
                " syncline proj allow-namespace-resource team '*' Secret --list deny"
            ),
        ),
        (
            {"destinations": [{"server": "*", "namespace": "*"}, {"server": "*", "namespace": "!kube-*"}]},
            ObjectKey("", "ConfigMap", "kube-system", "x"),
            (
                "*,!kube-* of spec.destinations denies it; to remove it:"
                " syncline proj remove-destination team '*' '!kube-*'"
            ),
        ),
    ],
)
def test_a_denial_names_the_deciding_entry_and_the_smallest_change(
    spec: dict[str, Any], wanted: ObjectKey, words: str
) -> None:
    typed = project.parse({"metadata": {"name": "team"}, "spec": spec})
    found = object_denial(wanted, Destination(server=names.IN_CLUSTER_SERVER, namespace="shop"), typed)
    assert str(found).endswith(f"({words})")
