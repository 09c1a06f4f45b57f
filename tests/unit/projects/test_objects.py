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
    assert (object_denial(found, HERE, typed(**spec)) == "") is permitted


def test_a_sync_with_an_object_the_project_does_not_permit_is_invalid_and_says_which_rule() -> None:
    ready = prepared(config_map(), obj("Namespace", "prod"), config_map("far", namespace="other"))
    context = PlanContext(sync=SyncOperation(), project=typed(), destination=HERE)
    assert set(make_plan(ready, compared(ready), {}, context).problems) == {
        "resource :Namespace is not permitted in project team (see its spec.clusterResourceWhitelist/Blacklist)",
        "namespace other is not permitted in project 'team' (see its spec.destinations)",
    }


def test_a_live_object_the_project_does_not_permit_is_not_pruned() -> None:
    extra = config_map("extra")
    forbidding = typed(namespaceResourceWhitelist=[])
    context = PlanContext(sync=SyncOperation(prune=True), project=forbidding, destination=HERE)
    comparison = compared(prepared(), extra, owned=[extra])
    assert make_plan(prepared(), comparison, by_key(extra), context).tasks == ()
