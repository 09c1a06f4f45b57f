"""Commands that only look: done as somebody who may only read, and the audit log shows that nothing else was asked."""

import contextlib
import io
import json
import pathlib
import subprocess
import uuid
from typing import Any

import pytest

from syncline.cli.main import main as program
from tests.real import audit, cluster
from tests.real.api import Api
from tests.real.bed import RealBed
from tests.support import beside_story
from tests.support.loops.running import run_real

COMMANDS = (
    ("app", "list"),
    ("app", "list", "-o", "json"),
    ("app", "get", "web"),
    ("app", "get", "web", "-o", "tree"),
    ("app", "why", "web"),
    ("app", "diff", "web", "--local", "FOLDER"),
    ("app", "history", "web"),
    ("app", "resources", "web"),
    ("app", "get-resource", "web", "--kind", "ConfigMap"),
    ("app", "actions", "list", "web", "--kind", "Deployment"),
    ("app", "wait", "web", "--timeout", "30"),
    ("why", "web"),
    ("cluster", "list"),
    ("repo", "list"),
    ("cert", "list"),
    ("doctor",),
)
# Questions about oneself are asked by creating them; nothing is stored.
REVIEWS = {"selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"}


@pytest.fixture
def reader(api: Api) -> str:
    """Somebody who may read everything and write nothing."""
    name = f"reader-{uuid.uuid4().hex[:8]}"
    rules = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
        {"nonResourceURLs": ["*"], "verbs": ["get"]},
    ]
    rbac = "rbac.authorization.k8s.io"
    metadata = {"name": name}
    role = {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "metadata": metadata, "rules": rules}
    api.ok("POST", f"/apis/{rbac}/v1/clusterroles", role)
    binding = {
        "apiVersion": f"{rbac}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "User", "apiGroup": rbac, "name": name}],
    }
    api.ok("POST", f"/apis/{rbac}/v1/clusterrolebindings", binding)
    return name


def run(arguments: tuple[str, ...], config: pathlib.Path, control: str) -> tuple[int, str]:
    """Run a command; return its exit code and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            program([*arguments, "--kubeconfig", str(config), "--app-namespace", control])
        except SystemExit as end:
            return int(end.code or 0), said.getvalue()
    raise AssertionError("the program did not leave with an exit code")


def asked(where: cluster.Cluster, user: str) -> list[dict[str, Any]]:
    """Return everything that was asked in somebody's name."""
    lines = pathlib.Path(where.audit_log_path).read_text().splitlines()
    entries = [json.loads(line) for line in lines if user in line and line.endswith("}")]
    return [entry for entry in entries if (entry.get("impersonatedUser") or {}).get("username") == user]


@pytest.mark.timeout(600)
def test_commands_that_look_only_read(
    real_cluster: cluster.Cluster, api: Api, reader: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[RealBed] = []

    async def deliver() -> None:
        bed = RealBed(real_cluster)
        made.append(bed)
        await bed.start()
        try:
            await beside_story.deliver_as_argocd(bed, "server-side")
        finally:
            await bed.stop()

    run_real(deliver())
    (bed,) = made
    for path, text in beside_story.before(bed).items():
        file = tmp_path / "repository" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    subprocess.run(["git", "init", "--quiet", str(tmp_path / "repository")], check=True)
    config = cluster.kubeconfig(real_cluster, "admin")
    config["users"][0]["user"]["as"] = reader  # type: ignore[index]
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = str(tmp_path / "repository/apps/web")
    said = {}
    for command in COMMANDS:
        filled = tuple(folder if word == "FOLDER" else word for word in command)
        said[command] = run(filled, tmp_path / "kubeconfig", bed.control)
    audit.settle(api, uuid.uuid4().hex)
    entries = asked(real_cluster, reader)
    written = [
        (entry["verb"], entry["objectRef"].get("resource"), entry["objectRef"].get("name"))
        for entry in entries
        if entry["verb"] in audit.WRITES and entry["objectRef"].get("resource") not in REVIEWS
    ]
    assert written == []
    assert len(entries) > 10 * len(COMMANDS)
    assert {command: told for command, told in said.items() if told[0] not in (0, 1)} == {}
