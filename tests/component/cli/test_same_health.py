"""The controller, `app get`, `why` and `admin health` give the same verdict on the same objects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.event_stories import claim_file, not_found
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
VERDICT = ("Degraded", not_found("nowhere"))


def test_a_claim_that_cannot_be_provisioned_is_degraded_with_the_words_of_the_event_wherever_one_looks(
    installation: Installation, tmp_path: Path
) -> None:
    installation.write("claim/data.yaml", claim_file("nowhere"))
    installation.commit("a claim")
    arguments = ["--repo", str(installation.repository), "--path", "claim", "--dest-namespace", "claimed"]
    arguments += ["--dest-server", "https://kubernetes.default.svc", "--sync-option", "CreateNamespace=true"]
    made = installation.run("app", "create", "claimed", *arguments, "--sync-policy", "automated")
    assert made.code == 0, made.errors
    assert installation.run("app", "wait", "claimed", "--degraded", "--timeout", "60").code == 0

    status = json.loads(installation.run("app", "get", "claimed", "-o", "json").output)["status"]
    by_controller = [(row["health"]["status"], row["health"]["message"]) for row in status["resources"]]
    explained = " ".join(installation.run("why", "claimed", "-v").output.split())
    (row,) = [line for line in installation.run("app", "get", "claimed", "-o", "tree").output.splitlines()
              if line.startswith("PersistentVolumeClaim/data")]  # fmt: skip
    dump = tmp_path / "dump.yaml"
    dump.write_text(installation.kubectl("get", "pvc,events", "-n", "claimed", "-o", "yaml"))
    judged = json.loads(installation.run_apart("admin", "health", str(dump), "-o", "json").output)
    by_files = [(one["status"], one["message"]) for one in judged if "PersistentVolumeClaim" in one["key"]]

    assert by_controller == by_files == [VERDICT]
    assert VERDICT[0] in row
    assert VERDICT[1] in row
    assert VERDICT[1] in explained
