"""Looks for inputs that break a reader for some minutes, and saves the smallest of each failure to the corpus.

`make fuzz MINUTES=10` runs it. What it saves is a test from then on: fix the reader and commit both.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from typing import Any

from hypothesis import HealthCheck, given, seed, settings

from tests.hostile.fuzz.targets import TARGETS, Target
from tests.hostile.fuzz.test_fuzz import CORPUS


def failure_of(target: Target, start: int) -> tuple[Any, BaseException] | None:
    """Return the smallest input that breaks a target, found from one seed, and how it breaks."""
    last: list[Any] = []

    @seed(start)
    @settings(max_examples=target.examples, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(target.inputs)
    def run(value: Any) -> None:
        last[:] = [value]
        target.check(value)

    try:
        run()
    except Exception as error:  # noqa: BLE001 - any exception is what is looked for
        return last[0], error
    return None


def save(target: Target, value: Any) -> str:
    """Write an input to the corpus; return where."""
    text = json.dumps(value, indent=1, ensure_ascii=True)
    folder = CORPUS / target.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    path.write_text(text + "\n")
    return str(path)


def main() -> int:
    """Explore until the minutes are over; exit with 1 where something broke."""
    until = time.monotonic() + 60 * float(sys.argv[1] if len(sys.argv) > 1 else "10")
    start, broken = time.time_ns() % 1_000_000_007, 0
    tried = dict.fromkeys((target.name for target in TARGETS), 0)
    while time.monotonic() < until:
        for target in TARGETS:
            start += 1
            tried[target.name] += target.examples
            if (failure := failure_of(target, start)) is not None:
                broken += 1
                value, error = failure
                print(f"{target.name}: {type(error).__name__}: {str(error)[:300]}")
                print(f"  seed {start}, saved to {save(target, value)}", flush=True)
            if time.monotonic() > until:
                break
    print("tried " + ", ".join(f"{count} of {name}" for name, count in tried.items()))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
