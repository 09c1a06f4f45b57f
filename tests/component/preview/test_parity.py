"""`syncline parity` beside a local server that answers as an argocd-server does."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from syncline.cli.main import main

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1"}}


def app(name: str, repo: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": repo, "path": "a"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "web"},
        },
        "status": {"sync": {"status": "Synced"}},
    }


@pytest.fixture
def repo(tmp_path: Path) -> str:
    folder = tmp_path / "platform"
    (folder / "a").mkdir(parents=True)
    (folder / "a/a.json").write_text(json.dumps(CONFIG))
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    for words in (["init", "-q"], ["add", "-A"], [*settings, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return str(folder)


@pytest.fixture
def argocd(repo: str) -> Iterator[str]:
    tracked = {**CONFIG, "metadata": {"name": "a", "annotations": {"argocd.argoproj.io/tracking-id": "same:x"}}}
    manifests = {"same": [tracked], "other": [{**CONFIG, "data": {"x": "2"}}], "broken": [CONFIG]}
    apps = [app("same", repo), app("other", repo), app("broken", f"{repo}-not-there")]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = self.path.partition("?")[0].split("/")
            value: Any = {"items": apps}
            if parts[-1] == "manifests":
                value = {"manifests": [json.dumps(one) for one in manifests[parts[-2]]]}
            content = json.dumps(value).encode()
            known = self.headers.get("Authorization") == "Bearer t0ken"
            self.send_response(200 if known else 401)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - of the standard library
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_each_app_is_equal_different_with_the_field_or_not_rendered_with_the_reason(
    argocd: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["parity", "--argocd", argocd, "--auth-token", "t0ken"])
    lines = capsys.readouterr().out.splitlines()
    assert end.value.code == 1
    assert lines[0] == "3 apps: 1 equal, 1 different, 1 not rendered"
    assert lines[1].startswith("broken is not rendered: ")
    assert "  ConfigMap/a  data.x  Syncline: 1  Argo CD: 2" in lines
    with pytest.raises(SystemExit) as end:
        main(["parity", "same", "--argocd", argocd, "--auth-token", "t0ken"])
    assert end.value.code == 0
