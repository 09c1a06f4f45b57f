"""Lua as users write it: health checks of well-known kinds, actions, the dialect."""

from typing import Any

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.model.script import Evaluated
from tests.component.scripts.making import OBJ, action, discovery, health

APPLICATION = """
hs = {}
hs.status = "Progressing"
hs.message = ""
if obj.status ~= nil then
  if obj.status.health ~= nil then
    hs.status = obj.status.health.status
    if obj.status.health.message ~= nil then
      hs.message = obj.status.health.message
    end
  end
end
return hs
"""
CERTIFICATE = """
local hs = {status = "Progressing", message = "no condition yet"}
if obj.status == nil or obj.status.conditions == nil then return hs end
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "Issuing" and condition.status == "True" then
    return {status = "Progressing", message = condition.message}
  end
  if condition.type ~= "Ready" then goto continue end
  hs.status = condition.status == "True" and "Healthy" or "Degraded"
  hs.message = condition.message
  ::continue::
end
return hs
"""
CLAIM = """
hs = {}
local phase = (obj.status or {}).phase
if phase == "Bound" then hs.status = "Healthy"
elseif phase == "Pending" and obj.metadata.annotations["volume.example.com/wait"] == "first-consumer" then
  hs.status = "Healthy"
  hs.message = "waits for its first pod"
elseif phase == "Lost" then hs.status = "Degraded"
end
return hs
"""
INFERENCE_SERVICE = """
local ready, failed = {}, {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for i = 1, table.getn(obj.status.conditions) do
    local condition = obj.status.conditions[i]
    if condition.status == "True" then table.insert(ready, condition.type) end
    if condition.status == "False" then table.insert(failed, condition.type .. ": " .. (condition.reason or "?")) end
  end
end
if #failed > 0 then return {status = "Degraded", message = table.concat(failed, ", ")} end
if #ready > 0 then return {status = "Healthy", message = #ready .. " conditions are True"} end
return {status = "Progressing", message = "waiting for the predictor"}
"""
ROLLING = """
local spec, status = obj.spec, obj.status or {}
if (status.observedGeneration or 0) < obj.metadata.generation then
  return {status = "Progressing", message = "generation " .. obj.metadata.generation .. " is not seen yet"}
end
if status.readyReplicas ~= spec.replicas then
  return {status = "Progressing", message = string.format("%d of %d ready", status.readyReplicas, spec.replicas)}
end
return {status = "Healthy"}
"""


def conditions(*items: tuple[str, str, str]) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": a, "status": b, "reason": c, "message": c} for a, b, c in items]}}


@pytest.mark.parametrize(
    ("text", "obj", "value"),
    [
        (APPLICATION, {}, {"status": "Progressing", "message": ""}),
        (
            APPLICATION,
            {"status": {"health": {"status": "Degraded", "message": "db"}}},
            {"status": "Degraded", "message": "db"},
        ),
        (CERTIFICATE, {}, {"status": "Progressing", "message": "no condition yet"}),
        (
            CERTIFICATE,
            conditions(("Other", "True", "x"), ("Ready", "True", "issued")),
            {"status": "Healthy", "message": "issued"},
        ),
        (CERTIFICATE, conditions(("Ready", "False", "expired")), {"status": "Degraded", "message": "expired"}),
        (
            CERTIFICATE,
            conditions(("Ready", "False", "expired"), ("Issuing", "True", "renewing")),
            {"status": "Progressing", "message": "renewing"},
        ),
        (CLAIM, {"status": {"phase": "Bound"}}, {"status": "Healthy"}),
        (
            CLAIM,
            {
                "metadata": {"annotations": {"volume.example.com/wait": "first-consumer"}},
                "status": {"phase": "Pending"},
            },
            {"status": "Healthy", "message": "waits for its first pod"},
        ),
        (CLAIM, {"status": {"phase": "New"}}, []),
        (INFERENCE_SERVICE, {}, {"status": "Progressing", "message": "waiting for the predictor"}),
        (
            INFERENCE_SERVICE,
            conditions(("PredictorReady", "False", "RevisionMissing"), ("Ready", "False", "X"), ("Y", "True", "")),
            {"status": "Degraded", "message": "PredictorReady: RevisionMissing, Ready: X"},
        ),
        (
            INFERENCE_SERVICE,
            conditions(("Ready", "True", ""), ("IngressReady", "True", "")),
            {"status": "Healthy", "message": "2 conditions are True"},
        ),
    ],
)
async def test_checks_of_well_known_kinds(
    text: str, obj: dict[str, Any], value: Any, evaluator: ScriptEvaluator
) -> None:
    assert await evaluator.evaluate([health(text, obj)]) == [Evaluated(value=value)]


async def test_numbers_print_without_a_point(evaluator: ScriptEvaluator) -> None:
    new = {"metadata": {"generation": 12}, "spec": {"replicas": 3}, "status": {"observedGeneration": 11}}
    half = {
        "metadata": {"generation": 1},
        "spec": {"replicas": 3},
        "status": {"observedGeneration": 1, "readyReplicas": 2},
    }
    results = await evaluator.evaluate([health(ROLLING, obj, open_libraries=True) for obj in (new, half)])
    assert [result.value["message"] for result in results] == ["generation 12 is not seen yet", "2 of 3 ready"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("return nil", None),
        ("", None),
        ("return {}", []),
        ("return {a=table.getn({1, 2}), b=unpack({7}), c=table.maxn({1, 2, [9]=1})}", {"a": 2, "b": 7, "c": 9}),
        ('return {f=loadstring("return 1 + 1")(), v=_VERSION}', {"f": 2, "v": "Lua 5.1"}),
        ('local os = require("os") return {t=os.time({year=1970, month=1, day=2, hour=0})}', {"t": 86400}),
        ('return {d=os.date("!%Y-%m-%d", 0)}', {"d": "1970-01-01"}),
        ("print('into the protocol') return {ok=true}", {"ok": True}),
        ("return {n=obj.spec.replicas, list=#obj.spec.ports}", {"n": 3, "list": 0}),
        ("return {a=pcall(error, 'x')}", {"a": False}),
        (
            'local t, s = {z=1, b=1, 7, [3]=1, a=1, m=1}, "" for k in pairs(t) do t.b = nil s = s .. k end return {s}',
            ["13amz"],
        ),
    ],
)
async def test_the_dialect_of_argo_cd(text: str, value: Any, evaluator: ScriptEvaluator) -> None:
    assert await evaluator.evaluate([health(text)]) == [Evaluated(value=value)]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("return 5", "the Lua script returned a number, expected a table"),
        ('return "Healthy"', "the Lua script returned a string, expected a table"),
        ("return {status=", "the Lua script cannot be read: script:1: unexpected symbol near <eof>"),
        ("\nerror('boom')", "the Lua script failed: script:2: boom"),
        (
            "\nfor _ in pairs(obj.none) do end",
            "the Lua script failed: script:2: bad argument #1 to 'pairs' (table expe",
        ),
        ("error({})", "the Lua script failed: the script raised a table"),
        ("return obj.a.b", "the Lua script failed: script:1: attempt to index field 'a' (a nil value)"),
        ('return {a="\\255"}', "the Lua script returned text that is not UTF-8"),
        (
            "return {1, nil, 3}",
            "the Lua script's result cannot be used: a list of the result has gaps or does not start",
        ),
    ],
)
async def test_failures_are_one_clear_sentence(text: str, error: str, evaluator: ScriptEvaluator) -> None:
    (result,) = await evaluator.evaluate([health(text)])
    assert result.error.startswith(error)
    assert "\n" not in result.error


async def test_an_action_gives_back_the_object_with_its_empty_maps_and_lists(evaluator: ScriptEvaluator) -> None:
    (result,) = await evaluator.evaluate([action("obj.spec.replicas = tonumber(actionParams.n) return obj", n="5")])
    assert result.value == {**OBJ, "spec": {"replicas": 5, "ports": [], "labels": {}}}


async def test_an_action_may_name_several_operations(evaluator: ScriptEvaluator) -> None:
    text = """
    local job = {apiVersion = "batch/v1", kind = "Job", metadata = {name = obj.metadata.name .. "-1"}}
    obj.spec.labels = {}
    return {{operation = "create", resource = job}, {operation = "patch", resource = obj}}
    """
    (result,) = await evaluator.evaluate([action(text)])
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "w-1"}}
    assert result.value == [{"operation": "create", "resource": job}, {"operation": "patch", "resource": OBJ}]


async def test_discovery_gives_names_with_what_is_special(evaluator: ScriptEvaluator) -> None:
    text = 'a = {} a["restart"] = {} a["scale"] = {disabled = true, params = {{name = "n"}}} return a'
    (result,) = await evaluator.evaluate([discovery(text)])
    assert result.value == {"restart": [], "scale": {"disabled": True, "params": [{"name": "n"}]}}


async def test_discovery_and_actions_must_return_a_table(evaluator: ScriptEvaluator) -> None:
    expected = Evaluated(error="the Lua script returned a nil, expected a table")
    assert await evaluator.evaluate([discovery("return nil"), action("return nil")]) == [expected] * 2
