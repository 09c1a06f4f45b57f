"""kubectl as the judge of what a YAML text means: many texts in one call."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.oracle import program

REFUSED = "refused"
HEADER = "apiVersion: example.com/v1\nkind: Case\nmetadata:\n  name: case-{}\n"

Judge = Callable[[Sequence[str]], list[Any]]


def _number(digits: str) -> int | float:
    """Hold a number as Kubernetes does: whole numbers beyond 64 bits are floats."""
    return int(digits) if -(2**63) <= int(digits) < 2**63 else float(digits)


def _read(streams: str) -> list[dict[str, Any]] | None:
    command = [program.kubectl(), "annotate", "--local", "-o", "json", "-f", "-", "judged=yes"]
    done = subprocess.run(command, input=streams.encode(), capture_output=True, timeout=30, check=False)
    if done.returncode != 0:
        return None
    answers = program.json_documents(done.stdout.decode(), json.JSONDecoder(parse_int=_number))
    return [item for answer in answers for item in (answer["items"] if answer["kind"] == "List" else [answer])]


def judge(bodies: Sequence[str]) -> list[Any]:
    """Give `spec` as kubectl reads it for every body, or REFUSED; a body is the text from `spec:` on."""
    if not bodies:
        return []
    objects = _read("---\n".join(HEADER.format(number) + body for number, body in enumerate(bodies)))
    if objects is not None and len(objects) == len(bodies):
        return [item.get("spec") for item in objects]
    if len(bodies) == 1:
        return [REFUSED]
    middle = len(bodies) // 2
    return judge(bodies[:middle]) + judge(bodies[middle:])


@pytest.fixture(scope="session")
def kubectl_reads() -> Judge:
    return judge
