"""Ways out of the limits: each ends in time, with a sentence, and the scripts beside it do not notice."""

import time
from typing import Any

import pytest

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.adapters.scripts.process import ScriptLimits
from syncline.model.script import Evaluated, Script
from tests.component.scripts import processes
from tests.component.scripts.making import delete, health

GOOD = health('return {status="Healthy", message=tostring(obj.spec.replicas)}')
HEALTHY = Evaluated(value={"status": "Healthy", "message": "3"})
OTHER = delete(".spec | .replicas, .ports")
DELETED: dict[str, Any] = {"labels": {}}
# The limit itself, the start of the next worker, and a machine that has other work to do.
SECONDS = 50.0

TOO_LONG = "for more than 1 s"
TOO_BIG_LUA = "needs more than 32 MB"
TOO_BIG = "needs more than 512 MB"

LUA = {
    "loop": ("while true do end", TOO_LONG),
    "loop behind pcall": ("while true do pcall(function() while true do end end) end", TOO_LONG),
    "pcall of pcall": ("local function f() pcall(f) while true do pcall(f) end end f()", TOO_LONG),
    "loop in a comparison": ("table.sort({3,2,1,5,4}, function(a, b) while true do end end)", TOO_LONG),
    "loop in a metamethod": ("return setmetatable({}, {__index=function() while true do end end}).x", TOO_LONG),
    "loop when converted": ("local t = {} for i = 1, 60 do t = {a=t, b=t} end return t", ("holds itself", TOO_LONG)),
    "memory by tables": ("local t = {} for i = 1, 1e9 do t[i] = {} end", TOO_BIG_LUA),
    "memory by concat": ('local s = "x" while true do s = s .. s end', TOO_BIG_LUA),
    "memory behind pcall": (
        'while true do pcall(function() local s = "x" while true do s = s .. s end end) end',
        (TOO_BIG_LUA, TOO_LONG),
    ),
    "endless recursion": ("local function f() return 1 + f() end return f()", ("stack overflow", TOO_BIG_LUA)),
    "finalizer": ("setmetatable({}, {__gc=function() while true do end end})", "__gc is not available"),
    "xpcall with a looping handler": ("xpcall(error, function() while true do end end)", "'xpcall' (a nil value)"),
    "coroutine": ("coroutine.wrap(function() while true do end end)()", "'coroutine' (a nil value)"),
    "huge unpack": ("return {unpack({}, 1, 1e8)}", "too many results"),
    "bytecode": ('return load("\\27Lua")()', "attempt to call a nil value"),
}
OPEN = {
    "string.rep": ('return {string.rep("x", 1e9)}', TOO_BIG_LUA),
    "string.rep of nothing": ('while true do string.rep("", 2e9) end', TOO_LONG),
    "exponential pattern": ('return {string.find(string.rep("a", 3000), ".-.-.-.-.-.-b")}', TOO_LONG),
    "exponential pattern behind pcall": (
        'while true do pcall(string.find, string.rep("a", 3000), ".-.-.-.-.-.-b") end',
        TOO_LONG,
    ),
    "exponential gsub": ('return {string.gsub(string.rep("a", 3000), ".-.-.-.-.-.-b", "")}', TOO_LONG),
}
JQ = {
    "endless recursion": (".a) | def f: f | f; f | (.", (TOO_BIG, TOO_LONG)),
    "huge range": ("[range(1e9)]", (TOO_BIG, TOO_LONG)),
    "until": (".a) | until(false; .) | (.", TOO_LONG),
    "last of many": (".a) | last(range(1e12)) | (.", TOO_LONG),
    "repeated text": ('.a) | "x" * 1e9 | (.', TOO_BIG),
    "many texts": ('.a) | [limit(1e9; repeat("xxxxxxxxxxxxxxxx"))] | (.', (TOO_BIG, TOO_LONG)),
    "exponential regex": ('.a) | ("a" * 40 + "!" | test("^(a+)+$")) | (.', ("failed", TOO_LONG)),
    "input": (".a) | input | (.", "failed"),
    "endless results": (".a) | range(1e12) | (.", "more than one result"),
}


def escapes() -> list[object]:
    lua = [pytest.param(health(text), words, id=f"lua {name}") for name, (text, words) in LUA.items()]
    opened = [
        pytest.param(health(text, open_libraries=True), words, id=f"lua {name}") for name, (text, words) in OPEN.items()
    ]
    return [*lua, *opened, *(pytest.param(delete(text), words, id=f"jq {name}") for name, (text, words) in JQ.items())]


@pytest.mark.parametrize(("script", "words"), escapes())
async def test_an_escape_ends_in_time_and_alone(
    script: Script, words: str | tuple[str, ...], evaluator: ScriptEvaluator
) -> None:
    start = time.monotonic()
    first, escaped, second, third = await evaluator.evaluate([GOOD, script, GOOD, OTHER])
    assert time.monotonic() - start < SECONDS
    assert [first, second] == [HEALTHY, HEALTHY]
    assert third.value["spec"] == DELETED
    assert escaped.value is None
    assert any(word in escaped.error for word in ((words,) if isinstance(words, str) else words)), escaped
    assert "canary" not in escaped.error


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (f"return {{found={name} ~= nil}}", name)
        for name in (
            "io",
            "debug",
            "python",
            "dofile",
            "loadfile",
            "coroutine",
            "newproxy",
            "collectgarbage",
            "xpcall",
            "bit32",
            "os.execute",
            "os.exit",
            "os.getenv",
            "os.remove",
            "os.tmpname",
            "package.loadlib",
            "package.searchers",
        )
    ],
)
async def test_nothing_dangerous_is_there_whatever_the_libraries(
    text: str, missing: str, evaluator: ScriptEvaluator
) -> None:
    batch = [health(text), health(text, open_libraries=True)]
    assert await evaluator.evaluate(batch) == [Evaluated(value={"found": False})] * 2


@pytest.mark.parametrize("name", ["io", "debug", "string", "math", "ffi", "socket"])
async def test_require_gives_safe_libraries_only(name: str, evaluator: ScriptEvaluator) -> None:
    (result,) = await evaluator.evaluate([health(f'return {{require("{name}")}}')])
    assert result.error == f"the Lua script failed: script:1: module {name} is not available"


async def test_string_and_math_need_open_libraries(evaluator: ScriptEvaluator) -> None:
    text = 'return {a=string ~= nil, b=math ~= nil, c=pcall(function() return ("x"):upper() end)}'
    closed, opened = await evaluator.evaluate([health(text), health(text, open_libraries=True)])
    assert closed.value == {"a": False, "b": False, "c": False}
    assert opened.value == {"a": True, "b": True, "c": True}


@pytest.mark.parametrize(
    "text",
    [
        "leaked = 1",
        "table.insert = nil",
        "_G.tostring = nil",
        "os.time = nil",
        "string.format = nil",
        'getmetatable("").__index = nil',
        "package.loaded.table.concat = nil",
        "rawset(_G, 'pairs', nil)",
    ],
)
async def test_nothing_a_script_does_reaches_the_next_one(text: str, evaluator: ScriptEvaluator) -> None:
    check = (
        "return {a=leaked == nil, b=table.insert ~= nil, c=tostring ~= nil, d=os.time ~= nil, e=pairs ~= nil,"
        ' f=("%d"):format(1), g=string.format("%d", 2), h=table.concat({1, 2})}'
    )
    batch = [health(text, open_libraries=True), health(check, open_libraries=True)]
    _, after = await evaluator.evaluate(batch)
    assert after.value == {"a": True, "b": True, "c": True, "d": True, "e": True, "f": "1", "g": "2", "h": "12"}


async def test_a_worker_shows_scripts_no_environment(
    evaluator: ScriptEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "canary")
    env, variable = await evaluator.evaluate([delete(".a) | env | (."), delete(".a) | $ENV | (.")])
    assert env.value == variable.value == {"TZ": "UTC", "LC_ALL": "C.UTF-8"}


async def test_memory_stays_bounded_over_many_greedy_scripts(evaluator: ScriptEvaluator) -> None:
    before = processes.workers()
    batch = [health(f"local t = {{}} for i = 1, 1e9 do t[i] = {{{number}}} end") for number in range(30)]
    results = await evaluator.evaluate(batch)
    assert all(TOO_BIG_LUA in result.error for result in results)
    (worker,) = processes.workers() - before
    assert processes.peak_memory(worker) < 200 * 1024 * 1024


async def test_a_script_that_is_always_too_slow_is_not_run_on_everything() -> None:
    evaluator = ScriptEvaluator(limits=ScriptLimits(seconds=0.2, wall_seconds=100.0))
    batch = [health("while true do end", {"metadata": {"name": str(number)}}) for number in range(50)]
    results = await evaluator.evaluate([*batch, GOOD])
    await evaluator.close()
    # Who is first to end it, the hook or the timer behind the hook, is chance where the machine is busy.
    assert all(result.error.endswith("ran for more than 0.2 s") for result in results[:3]), results[:3]
    assert {result.error for result in results[3:-1]} == {
        "the Lua script was not run: it exceeded its limits on 3 other objects"
    }
    assert results[-1] == HEALTHY
