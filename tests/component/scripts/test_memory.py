"""Results are remembered by script and object, and belong to whoever asked."""

from typing import Any

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.core.health import scripts
from syncline.model.script import Evaluated
from syncline.model.settings.resources import ResourceOverride
from tests.component.scripts import processes
from tests.component.scripts.making import action, delete, health

COUNT = 'return {status="Healthy", message=obj.spec.word}'


OVERRIDES = (ResourceOverride(pattern="Widget", health_lua=COUNT),)


def live(word: str, *, version: str = "7", api: str = "v1") -> dict[str, Any]:
    metadata = {"name": "a", "uid": "u1", "resourceVersion": version}
    return {"apiVersion": api, "kind": "Widget", "metadata": metadata, "spec": {"word": word}}


async def messages(evaluator: ScriptEvaluator, *objects: dict[str, Any], cluster: str = "") -> list[str]:
    """Return what the check says of objects that were read from a cluster, or from files."""
    batch = [found for obj in objects if (found := scripts.script(obj, OVERRIDES, cluster=cluster))]
    return [result.value["message"] for result in await evaluator.evaluate(batch)]


async def test_an_object_of_a_cluster_is_told_by_cluster_api_version_uid_and_version(
    evaluator: ScriptEvaluator,
) -> None:
    assert await messages(evaluator, live("first"), cluster="https://a") == ["first"]
    found = await messages(
        evaluator, live("not read"), live("next", version="8"), live("shaped", api="v2"), cluster="https://a"
    )
    assert found == ["first", "next", "shaped"]
    assert await messages(evaluator, live("elsewhere"), cluster="https://b") == ["elsewhere"]


async def test_an_object_of_a_file_is_told_by_its_content_whatever_it_says_of_versions(
    evaluator: ScriptEvaluator,
) -> None:
    assert await messages(evaluator, live("one"), live("two"), live("one")) == ["one", "two", "one"]
    assert await messages(evaluator, live("three")) == ["three"]


async def test_an_object_of_a_cluster_without_uid_is_told_by_its_content(evaluator: ScriptEvaluator) -> None:
    plain = {"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"word": "one"}}
    other = {**plain, "spec": {"word": "two"}}
    assert await messages(evaluator, plain, other, plain, cluster="https://a") == ["one", "two", "one"]


async def test_another_script_on_the_same_object_is_another_result(evaluator: ScriptEvaluator) -> None:
    assert await messages(evaluator, live("a")) == ["a"]
    assert await evaluator.evaluate([health("return {}", live("a"))]) == [Evaluated(value=[])]


async def test_a_copy_that_was_changed_is_never_taken_for_the_live_object(evaluator: ScriptEvaluator) -> None:
    expression = ".spec | .none"
    for word in ("a", "b"):
        (result,) = await evaluator.evaluate([delete(expression, live(word))])
        assert result.value["spec"] == {"word": word}


async def test_every_caller_gets_a_value_of_its_own(evaluator: ScriptEvaluator) -> None:
    first, second = await evaluator.evaluate([health(COUNT, live("a"))] * 2)
    first.value["message"] = "changed"
    (third,) = await evaluator.evaluate([health(COUNT, live("a"))])
    assert [second.value["message"], third.value["message"]] == ["a", "a"]


async def test_an_unchanged_object_needs_no_worker(evaluator: ScriptEvaluator) -> None:
    await messages(evaluator, live("a"))
    await evaluator.close()
    before = processes.workers()
    assert await messages(evaluator, live("a")) == ["a"]
    assert processes.workers() == before


@pytest.mark.parametrize(
    "script",
    [
        health("return {n=os.time()}", live("a")),
        health('return {n=require("os").time()}', live("a")),
        health('return {n=_G["o" .. "s"].time()}', live("a")),
        health("return {n=math.random()}", live("a"), open_libraries=True),
        delete(".a) | now | (.", live("a")),
        action("return obj", live("a")),
    ],
    ids=["os", "require os", "os by another name", "chance", "now", "action"],
)
async def test_what_sees_the_clock_or_has_effects_is_run_every_time(script: Any, evaluator: ScriptEvaluator) -> None:
    before = processes.workers()
    await evaluator.evaluate([script])
    await evaluator.close()
    assert processes.workers() == before
    await evaluator.evaluate([script])
    assert processes.workers() != before


async def test_a_big_batch_keeps_its_order(evaluator: ScriptEvaluator) -> None:
    objects = [live(str(number), version=str(number)) for number in range(1_000)]
    assert await messages(evaluator, *objects) == [str(number) for number in range(1_000)]


async def test_an_object_that_is_no_json_fails_alone(evaluator: ScriptEvaluator) -> None:
    good, bad = health("return {}", {}), health("return {}", {"spec": {1: object()}})
    first, second = await evaluator.evaluate([bad, good])
    assert first.error.startswith("the object cannot be written as JSON")
    assert second == Evaluated(value=[])
