"""What expressions cost while they run, asked of the API server's own CEL environment again.

A server tells what a run costs only when that is too much, so a program of a few lines asks its library
(`tests/real/binaries/celcosts`). `python -m tests.real.test_cel_run_costs` records the answers.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from typing import Any

import pytest

from tests.real import build
from tests.unit.cel import cases, costing

pytestmark = pytest.mark.real
_SOURCE = build.MODULE / "celcosts" / "main.go"


def asked() -> dict[str, Any]:
    """Return what each expression costs, or why nobody can say."""
    prefix = f"celcosts-{hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:8]}-"
    recipe = build.Recipe(build.MODULE, {"celcosts": "./celcosts"}, "the costs of CEL", build.linker_flags(), prefix)
    program = build.made(recipe, say=False) / "celcosts"
    question = json.dumps({"self": cases.SELF, "expressions": costing.RUN})
    done = subprocess.run([program], input=question, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return {one: found[one] for one in costing.RUN}


@pytest.mark.timeout(900)
def test_the_recorded_costs_are_those_of_the_library() -> None:
    assert asked() == costing.recorded_runs()


def main() -> None:
    """Ask and write what is said."""
    costing.RUNS.write_text(json.dumps(asked(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
