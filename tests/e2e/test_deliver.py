"""`syncline check --deliver` brings a repository up on a sandbox: what comes up, what never does, and why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: https://git.example/team/platform, targetRevision: {revision}, path: {name}}}
  destination: {{server: https://kubernetes.default.svc, namespace: {name}}}
  syncPolicy: {policy}
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example/web:1}]}
"""


def delivered(folder: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", "from syncline.cli.main import main; main()", "check", str(folder), "--deliver"]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_what_never_gets_healthy_is_told_with_its_cause(tmp_path: Path) -> None:
    folder = tmp_path / "platform"
    auto = "{automated: {}, syncOptions: [CreateNamespace=true]}"
    write(
        folder,
        {
            # By hand, on a branch of its own, in a namespace that is made; and one whose namespace nobody makes.
            "apps/good.yaml": APP.format(
                name="good", revision="release", policy="{syncOptions: [CreateNamespace=true]}"
            ),
            "apps/bad.yaml": APP.format(name="bad", revision="HEAD", policy="{automated: {}}"),
            "root.yaml": APP.format(name="apps", revision="HEAD", policy=auto).replace(
                "namespace: apps", "namespace: argocd"
            ),
            "good/web.yaml": WORKLOAD,
            "bad/web.yaml": WORKLOAD,
        },
    )
    for arguments in (["init", "-q"], ["remote", "add", "origin", "https://git.example/team/platform"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    done = delivered(folder)
    assert done.stderr == ""
    first, *rest = done.stdout.splitlines()
    assert first.startswith("delivered to a sandbox: 1 of 3 apps become Healthy, 1 Synced and Healthy")
    assert any(line.startswith("#1") and "namespace bad does not exist" in line for line in rest)
    assert any(line.startswith("  bad stays Missing, OutOfSync") for line in rest)
    assert done.returncode == 1
    (folder / "apps/bad.yaml").write_text(APP.format(name="bad", revision="HEAD", policy=auto))
    fixed = delivered(folder)
    assert fixed.stdout.startswith("delivered to a sandbox: 3 of 3 apps become Healthy, 3 Synced and Healthy")
    assert fixed.returncode == 0


def test_what_is_never_created_and_what_is_elsewhere_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "platform"
    auto = "{automated: {}, syncOptions: [CreateNamespace=true]}"
    waves = "metadata: {{name: {name}, namespace: argocd, annotations: {{argocd.argoproj.io/sync-wave: '{wave}'}}}}"
    plain = "metadata: {{name: {name}, namespace: argocd}}"
    root = APP.format(name="apps", revision="HEAD", policy=auto).replace("namespace: apps", "namespace: argocd")
    stuck = APP.replace(plain, waves.replace("{wave}", "1")).format(name="stuck", revision="HEAD", policy=auto)
    later = APP.replace(plain, waves.replace("{wave}", "2")).format(name="later", revision="HEAD", policy=auto)
    # In the last wave: while it is not there, nothing behind it comes.
    last = APP.replace(plain, waves.replace("{wave}", "3")).format(name="elsewhere", revision="HEAD", policy=auto)
    elsewhere = last.replace("team/platform", "team/other")
    write(
        folder,
        {
            "root.yaml": root,
            "apps/stuck.yaml": stuck,
            "apps/later.yaml": later,
            "apps/elsewhere.yaml": elsewhere,
            # A node that nobody has: the app never gets healthy, and the next wave never begins.
            "stuck/web.yaml": WORKLOAD.replace("containers:", "nodeSelector: {pool: none}, containers:"),
            "later/web.yaml": WORKLOAD,
        },
    )
    for arguments in (["init", "-q"], ["remote", "add", "origin", "https://git.example/team/platform"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    done = delivered(folder)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("delivered to a sandbox: 0 of 3 apps become Healthy")
    assert any(line.startswith("  stuck stays Progressing, Synced") for line in lines)
    assert "  never created: later" in lines
    assert "not delivered: argocd/elsewhere: its sources are not here" in lines
    # Nobody is asked for it, and it is no cause of anything here.
    assert "git.example" not in done.stdout
    assert done.returncode == 1


def test_a_root_that_delivers_itself_comes_up(tmp_path: Path) -> None:
    policy = "{syncOptions: [CreateNamespace=true]}"
    root = APP.format(name="apps", revision="HEAD", policy=policy).replace("namespace: apps", "namespace: argocd")
    web = APP.format(name="web", revision="HEAD", policy=policy)
    write(tmp_path, {"apps/root.yaml": root, "apps/web.yaml": web, "web/web.yaml": WORKLOAD})
    for arguments in (["init", "-q"], ["remote", "add", "origin", "https://git.example/team/platform"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    done = delivered(tmp_path)
    assert done.stdout.startswith("delivered to a sandbox: 2 of 2 apps become Healthy, 2 Synced and Healthy")


def test_a_repository_without_applications_is_not_called_healthy(tmp_path: Path) -> None:
    write(tmp_path, {"a/web.yaml": WORKLOAD})
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    done = delivered(tmp_path)
    assert done.stdout == "nothing to deliver: there is no Application here that can be rendered\n"
