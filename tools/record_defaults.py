"""Records what a running kube-apiserver fills in, for the tests that run without one.

Sends every document of tests/real/defaults_cases.yaml as a dry run to a plain-HTTP address of the server, such as
that of `kubectl proxy`: `python -m tools.record_defaults http://127.0.0.1:8001`. It must serve all versions
(`--runtime-config=api/all=true`). The answers, without what the
server makes up, go to tests/unit/schema/defaults_recorded.json beside the objects they answer.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

from tests.real.test_defaults import ALL_CASES, collection_path, without_allocated

TARGET = Path(__file__).parent.parent / "tests/unit/schema/defaults_recorded.json"


def answer_to(server: str, case: dict[str, Any]) -> dict[str, Any]:
    """Return the object as the server would store it."""
    request = urllib.request.Request(
        f"{server.rstrip('/')}{collection_path(case, 'default')}?dryRun=All",
        data=json.dumps(case).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


if __name__ == "__main__":
    rows = [{"object": case, "answer": without_allocated(answer_to(sys.argv[1], case))} for case in ALL_CASES]
    TARGET.write_text("[\n" + ",\n".join(json.dumps(row, sort_keys=True) for row in rows) + "\n]\n")
    print(f"{TARGET.name}: {len(rows)} answers")
