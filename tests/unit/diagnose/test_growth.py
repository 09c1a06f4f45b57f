"""The work of a rule grows with the repository and not with its square: a check of thousands of apps takes seconds.

What is counted are calls of functions, which come out the same on any machine.
"""

from __future__ import annotations

import sys
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.repository.world import World
from syncline.core.diagnose.rule import Check
from syncline.core.diagnose.subjects import Repo
from tests.unit.diagnose import repos

FEW, MANY = 25, 100
# Some work per app is by the depth of a sorted list; with the square of the apps it would be sixteen times as much.
LIMIT = 6
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{number}}}
spec:
  selector: {{matchLabels: {{app: web-{number}}}}}
  template:
    metadata: {{labels: {{app: web-{number}}}}}
    spec:
      serviceAccountName: web-{number}
      containers:
        - name: web
          image: registry.example/web:{number}
          envFrom: [{{secretRef: {{name: s-{number}}}}}]
---
apiVersion: v1
kind: Service
metadata: {{name: web-{number}}}
spec: {{ports: [{{port: 80}}], selector: {{app: web-{number}}}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {{name: s-{number}}}
spec: {{secretStoreRef: {{name: vault, kind: ClusterSecretStore}}, target: {{name: s-{number}}}}}
"""


def _repo(folder: Path, apps: int) -> Repo:
    """Return a repository whose apps have one root, and folders, objects and references of their own."""
    found = repos.repo(folder, {f"app-{number}": WORKLOAD.format(number=number) for number in range(apps)})
    rooted = (msgspec.structs.replace(app, roots=("root.yaml:1",)) for app in found.apps)
    made = msgspec.structs.replace(found, apps=tuple(rooted))
    assert len(made.world.deliveries) == apps
    # The first rule that asks for one of these works it out for all.
    for name in (name for name, one in vars(World).items() if isinstance(one, cached_property)):
        getattr(made.world, name)
    return made


def _calls(check: Check[Repo], repo: Repo) -> int:
    """Return how many functions are called while a rule looks at a repository."""
    count = 0

    def noted(_frame: FrameType, event: str, _given: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(noted)
    try:
        engine.run([check], repo)
    finally:
        sys.setprofile(before)
    return count


def test_no_rule_takes_more_than_the_repository_grows(tmp_path: Path) -> None:
    few, many = _repo(tmp_path / "few", FEW), _repo(tmp_path / "many", MANY)
    other = _repo(tmp_path / "other", 1)
    grown = {}
    for check in registry.checks(Repo):
        _calls(check, other)  # what a rule looks up once for all repositories is not counted
        grown[f"{check.rule.code} {check.rule.name}"] = _calls(check, many) / _calls(check, few)
    assert {name: round(times, 1) for name, times in grown.items() if times > LIMIT} == {}
