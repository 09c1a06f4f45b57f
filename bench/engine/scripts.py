"""Times users' scripts: Lua health checks in batches of 200, jq paths natively and in a worker.

Run: python -m bench engine.scripts
Goal: at most 250 µs per Lua health check. Objects are new in every round, so that nothing is remembered.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import jq
from lupa import lua52

from bench.rows import Row, microseconds
from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.apimachinery import jq_paths
from syncline.model.script import Script, ScriptKind

BATCH = 200
ROUNDS = 12
CHECK = """
hs = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == "Ready" then
      hs.status = condition.status == "True" and "Healthy" or "Degraded"
      hs.message = condition.message
      return hs
    end
  end
end
hs.status = "Progressing"
hs.message = "no condition yet"
return hs
"""
PLAIN = ".spec.dnsNames"
PIPED = ".spec | .dnsNames"
NUMBERS = itertools.count()


def certificate() -> dict[str, Any]:
    number = next(NUMBERS)
    names = [f"{host}.shop-{number}.example.com" for host in ("www", "api", "static")]
    return {
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": {"name": f"shop-{number}", "namespace": "shop", "labels": {"app": "shop", "tier": "edge"}},
        "spec": {"secretName": "tls", "dnsNames": names, "issuerRef": {"name": "acme", "kind": "ClusterIssuer"}},
        "status": {
            "conditions": [
                {"type": "Issuing", "status": "False", "reason": "Issued", "message": "done"},
                {
                    "type": "Ready",
                    "status": "True",
                    "reason": "Ready",
                    "message": f"certificate {number} is up to date",
                },
            ],
            "notAfter": "2026-09-01T08:30:00Z",
            "revision": 4,
        },
    }


def raw_lua() -> Callable[[], object]:
    """Return the bare call: no sandbox, no limits, no other process."""
    lua = lua52.LuaRuntime()
    check = lua.execute(f"return function(o) obj = o {CHECK} end")
    obj = certificate()
    return lambda: dict(check(lua.table_from(obj, recursive=True)).items())


async def amortised(evaluator: ScriptEvaluator, script: Callable[[], Script]) -> float:
    """Return the best round's microseconds per script."""
    best = float("inf")
    for _ in range(ROUNDS):
        batch = [script() for _ in range(BATCH)]
        best = min(best, await _timed(evaluator, batch))
    return best / BATCH * 1e6


async def _timed(evaluator: ScriptEvaluator, batch: Sequence[Script]) -> float:
    gc.collect()
    start = time.perf_counter()
    results = await evaluator.evaluate(batch)
    taken = time.perf_counter() - start
    assert not any(result.error for result in results)
    return taken


def check(*, open_libraries: bool = False) -> Script:
    return Script(kind=ScriptKind.HEALTH, text=CHECK, obj=certificate(), open_libraries=open_libraries)


async def figures() -> dict[str, float]:
    evaluator = ScriptEvaluator(workers=1)
    known = [check() for _ in range(BATCH)]
    await evaluator.evaluate(known)
    try:
        return {
            "lua": await amortised(evaluator, check),
            "lua with all libraries": await amortised(evaluator, lambda: check(open_libraries=True)),
            "remembered": min([await _timed(evaluator, known) for _ in range(ROUNDS)]) / BATCH * 1e6,
            "jq": await amortised(evaluator, lambda: Script(kind=ScriptKind.DELETE, text=PIPED, obj=certificate())),
        }
    finally:
        await evaluator.close()


def rows() -> list[Row]:
    found = asyncio.run(figures())
    lua = microseconds(raw_lua())
    obj, path, program = certificate(), jq_paths.parse(PLAIN), jq.compile(f"del({PLAIN})")
    assert path is not None
    assert jq_paths.delete(obj, path) == program.input_value(obj).first()
    raw_jq = microseconds(lambda: program.input_value(obj).first())
    native = microseconds(lambda: jq_paths.delete(obj, path))
    return [
        _lua_row("Lua health check in a batch of 200", found["lua"], lua),
        _lua_row("the same with all libraries", found["lua with all libraries"], lua),
        _lua_row("the same, remembered", found["remembered"], lua),
        Row(name="jq path in a batch of 200", figure=found["jq"], unit="µs", raw=raw_jq, raw_is="bare jq call"),
        Row(name="plain jq path without jq", figure=native, unit="µs", raw=raw_jq, raw_is="bare jq call"),
    ]


def _lua_row(name: str, figure: float, raw: float) -> Row:
    return Row(name=name, figure=figure, unit="µs", raw=raw, raw_is="bare lupa call", at_most=250)
