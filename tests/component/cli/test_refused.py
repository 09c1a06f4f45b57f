"""Where no API server listens, every command that reads says so within two seconds."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from syncline.adapters.clock import SystemClock
from syncline.cli.main import main

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: nowhere
clusters: [{name: nowhere, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
users: [{name: nobody, user: {}}]
"""
WAITED = 1.0
"""Seconds that may be spent on trying again; starting Python and the answer of the system need the rest of the two."""


@pytest.mark.parametrize(
    "command",
    [
        ("app", "list"),
        ("app", "get", "web"),
        ("app", "diff", "web"),
        ("app", "history", "web"),
        ("app", "resources", "web"),
        ("app", "manifests", "web"),
        ("app", "logs", "web"),
        ("app", "wait", "web", "--timeout", "30"),
        ("why", "web"),
        ("doctor",),
        ("repo", "list"),
        ("cluster", "list"),
        ("controller",),
        ("up", "--observe"),
    ],
    ids=" ".join,
)
def test_a_refused_connection_is_said_at_once(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text(KUBECONFIG)
    monkeypatch.chdir(tmp_path)  # where no folder has the name of the app
    waited: list[float] = []
    real = SystemClock.sleep

    async def counted(self: SystemClock, seconds: float) -> None:
        waited.append(seconds)
        await real(self, seconds)

    # What is waited for counts, and not what a busy machine adds.
    monkeypatch.setattr(SystemClock, "sleep", counted)
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        main([*command, "--kubeconfig", str(tmp_path / "config")])
    assert ended.value.code
    assert "cannot reach http://127.0.0.1:1: connection refused" in output.getvalue()
    assert sum(waited) < WAITED
