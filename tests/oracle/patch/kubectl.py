"""kubectl as the judge of patches and quantities: `kubectl patch --local`, several objects in one call."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from tests.oracle import program

Doc = dict[str, Any]


class Verdict(NamedTuple):
    """What kubectl made of a patch: the changed objects, and one text for each object it could not change."""

    objects: list[Doc]
    errors: list[str]


def _run(arguments: Sequence[str], text: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KUBECONFIG": "/nonexistent"}
    return subprocess.run(
        [program.kubectl(), *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=environment,
    )


def _reworded(message: str) -> str:
    """Undo the one rewording of kubectl's own: ours are the words of the library under it."""
    found = re.fullmatch(r"Object to be patched is missing field \((.*)\)", message)
    return f"replace operation does not apply: doc is missing key: {found[1]}" if found else message


def without_values(message: str) -> str:
    """Return an error text of Kubernetes the way ours reads: no values of maps, no Go type names."""
    elided = re.sub(r"map\[([^\[\]]*)\]", lambda found: f"map[{_elide(found[1])}]", message)
    return re.sub(r"in struct \w+ for", "in struct for", elided)


def _elide(body: str) -> str:
    return re.sub(r"(\S+?):\S*", r"\1:…", body)


def judge_patch(objects: Sequence[Doc], patch: Any, kind: str) -> Verdict:
    """Return what kubectl makes of one patch for several objects."""
    text = "\n---\n".join(json.dumps(obj) for obj in objects)
    done = _run(["patch", "--local", "-f", "-", f"--type={kind}", "-p", json.dumps(patch), "-o", "json"], text)
    lines = _reworded(re.sub(r"^error: ", "", done.stderr.rstrip("\n")))
    return Verdict(
        program.json_documents(done.stdout), [lines] if len(objects) == 1 and lines else done.stderr.splitlines()
    )


def print_quantities(texts: Sequence[str]) -> list[str]:
    """Return the quantities as kubectl prints them: all of them as limits of one quota."""
    limits = ",".join(f"count/r{number}={text}" for number, text in enumerate(texts))
    done = _run(["create", "quota", "q", "--dry-run=client", "-o", "json", f"--hard={limits}"])
    if done.returncode:
        pytest.fail(done.stderr)
    hard = json.loads(done.stdout)["spec"]["hard"]
    return [hard[f"count/r{number}"] for number in range(len(texts))]
