"""RespectIgnoreDifferences: what is applied when ignored fields stay as they are live."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import compare_object
from syncline.core.compare.context import Context
from syncline.core.compare.ignore.respect import desired_respecting_ignores
from syncline.core.compare.ignore.rules import IgnoreRule, IgnoreRules
from syncline.model.comparison import Verdict
from syncline.model.settings.resources import IgnoredFields
from tests.support.objects import as_applied, config_map, context, deployment, edited, obj, prepared


def with_rule(**fields: Any) -> Context:
    rule = IgnoreRule(kind="*", group="*", fields=IgnoredFields(**fields))
    return msgspec.structs.replace(context(), rules=IgnoreRules((rule,)))


def pod(*containers: dict[str, Any], **rest: Any) -> Object:
    found = deployment(**rest)
    found["spec"]["template"]["spec"]["containers"] = list(containers)
    return found


WEB, PROXY = {"name": "web", "image": "a"}, {"name": "proxy", "image": "b"}
IMAGE_OF_WEB = '.spec.template.spec.containers[] | select(.name == "web") | .image'


@pytest.mark.parametrize(
    ("desired", "live", "fields", "expected"),
    [
        pytest.param(
            deployment(replicas=1), deployment(replicas=5), {"json_pointers": ("/spec/replicas",)},
            deployment(replicas=5), id="the value of live"),
        pytest.param(
            deployment(replicas=1), deployment(replicas=None), {"json_pointers": ("/spec/replicas",)},
            deployment(replicas=None), id="left out where live has none"),
        pytest.param(
            deployment(replicas=None), deployment(replicas=5), {"json_pointers": ("/spec/replicas",)},
            deployment(replicas=5), id="kept where only live has it, so that the server does not remove it"),
        pytest.param(
            config_map(), config_map(annotations={"x": "1", "y": "2"}), {"json_pointers": ("/metadata/annotations/x",)},
            config_map(annotations={"x": "1"}), id="maps on the way are made"),
        pytest.param(
            pod(PROXY, WEB), pod({**WEB, "image": "z", "tty": True}, {**PROXY, "image": "y"}),
            {"jq_path_expressions": (IMAGE_OF_WEB,)},
            pod(PROXY, {**WEB, "image": "z"}), id="list items are found by key, others are left alone"),
        pytest.param(
            pod(PROXY), pod(WEB, PROXY), {"jq_path_expressions": (IMAGE_OF_WEB,)},
            pod(PROXY), id="no half items for those Git has no more"),
        pytest.param(
            pod({**WEB, "args": ["a", "b", "c"]}), pod({**WEB, "args": ["x", "y", "z"]}),
            {"jq_path_expressions": (".spec.template.spec.containers[].args[1]",)},
            pod({**WEB, "args": ["a", "y", "c"]}), id="one item of a list that is replaced as a whole"),
        pytest.param(
            obj("Widget", "one", api="example.com/v1", spec={"items": [{"a": 1, "b": 1}]}),
            obj("Widget", "one", api="example.com/v1", spec={"items": [{"a": 2, "b": 2}]}),
            {"jq_path_expressions": (".spec.items[].a",)},
            obj("Widget", "one", api="example.com/v1", spec={"items": [{"a": 2, "b": 1}]}),
            id="fields beside an ignored one in an atomic list stay as Git says"),
        pytest.param(
            config_map(), {**config_map(), "status": {"x": 1}}, {"json_pointers": ("/status",)},
            config_map(), id="never the status"),
        pytest.param(
            config_map(), config_map() | {"metadata": {**config_map()["metadata"], "resourceVersion": "7"}},
            {"json_pointers": ("/metadata/resourceVersion",)}, config_map(), id="never what the server keeps"),
    ],
)  # fmt: skip
def test_ignored_fields_take_the_value_of_live(
    desired: Object, live: Object, fields: dict[str, Any], expected: Object
) -> None:
    assert desired_respecting_ignores(desired, live, with_rule(**fields)).obj == expected


def test_what_trusted_managers_changed_stays() -> None:
    live = as_applied(deployment(replicas=1))
    scaled = edited(live, {**live, "spec": {**live["spec"], "replicas": 5}}, manager="autoscaler")
    given = with_rule(managed_fields_managers=("autoscaler",))
    assert desired_respecting_ignores(deployment(replicas=1), scaled, given).obj == deployment(replicas=5)


@pytest.mark.parametrize("live", [None, config_map()])
def test_without_live_object_or_rule_desired_is_what_it_is(live: Object | None) -> None:
    desired = config_map(data={"a": "1"})
    given = context() if live else with_rule(json_pointers=("/data",))
    assert desired_respecting_ignores(desired, live, given).obj is desired


def test_after_it_was_applied_the_object_is_synced() -> None:
    given = with_rule(json_pointers=("/spec/replicas",))
    item = prepared(deployment(image="shop/web:2", replicas=1)).objects[0]
    live = as_applied(prepared(deployment(replicas=5)).objects[0].obj)
    respected = desired_respecting_ignores(item.obj, live, given).obj
    after = as_applied(respected)
    assert after["spec"]["replicas"] == 5
    assert compare_object(item, after, given).verdict is Verdict.SYNCED
