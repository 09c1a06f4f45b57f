"""`syncline check --fix` where the right value follows from the repository: lines change, comments and order stay."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.component.check.test_check import HERE, run

ROOT = f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: root, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {HERE}, path: apps}}
  destination: {{server: https://kubernetes.default.svc, namespace: argocd}}
"""
APP = f"""\
# The shop.
kind: Application
apiVersion: argoproj.io/v1alpha1
metadata:
  name: shop   # as everybody calls it
  namespace: argocd
spec:
  destination: {{server: https://kubernetes.default.svc, namespace: shop}}
  project: default
  source:
    repoURL: {HERE}
    path: shop
    directory:
      exclude: 'a.txt,b.txt'  # two files
  syncPolicy:
    automated:
      prune: true
      selfheal: true  # always
      allowEmpty: false
    syncOptions: [CreateNamespace=true]
  ignoreDifferences:
    - kind: deployment  # the web server
      group: apps
      jsonPointers: [/spec/replicas]
    - group: apps/v1
      kind: Deployment
      jsonPointers: [/spec/paused]
"""
OBJECTS = """\
kind: Route
apiVersion: route.openshift.io/v1
metadata: {name: web}
spec:
  # chosen by the platform
  host: ""
  to: {kind: Service, name: web}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: all}
spec:
  resourceGroups:
    - coveredResources: [cpu]
      flavors:
        - name: default
          resources:
            - name: cpu
              nominalQuota: 12000m  # twelve
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example/web:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: presync
spec:
  activeDeadlineSeconds: 60
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: "example/a:1"}]}}
"""
FIXED_APP = (
    APP.replace("'a.txt,b.txt'", "'{a.txt,b.txt}'")
    .replace("selfheal: true", "selfHeal: true")
    .replace("      allowEmpty: false\n", "")
    .replace("kind: deployment", "kind: Deployment")
    .replace("group: apps/v1", "group: apps")
)
FIXED_OBJECTS = OBJECTS.replace('  host: ""\n', "").replace("12000m", "12").replace("hook: presync", "hook: PreSync")


def checkout(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def test_lines_are_corrected_and_all_else_stays(tmp_path: Path) -> None:
    files = {"root.yaml": ROOT, "apps/shop.yaml": APP, "shop/all.yaml": OBJECTS}
    folder = checkout(tmp_path, files)
    run(str(folder), "--fix", "--preview-rules")
    assert (folder / "apps/shop.yaml").read_text() == FIXED_APP
    assert (folder / "shop/all.yaml").read_text() == FIXED_OBJECTS
    assert (folder / "root.yaml").read_text() == ROOT
    run(str(folder), "--fix", "--preview-rules")  # there is nothing left to fix
    assert (folder / "apps/shop.yaml").read_text() == FIXED_APP


def test_a_line_that_says_more_than_the_field_is_left_alone(tmp_path: Path) -> None:
    app = APP.replace(
        "    automated:\n      prune: true\n      selfheal: true  # always\n      allowEmpty: false\n",
        "    automated: {prune: true, allowEmpty: false}\n",
    )
    objects = OBJECTS.replace(
        'spec:\n  # chosen by the platform\n  host: ""\n  to:', 'spec:\n  {host: "", to:'
    ).replace("name: web}\n---\napiVersion: kueue", "name: web}}\n---\napiVersion: kueue")
    folder = checkout(tmp_path, {"root.yaml": ROOT, "apps/shop.yaml": app, "shop/all.yaml": objects})
    run(str(folder), "--fix", "--preview-rules")
    assert "automated: {prune: true, allowEmpty: false}" in (folder / "apps/shop.yaml").read_text()
    assert '{host: "", to:' in (folder / "shop/all.yaml").read_text()
