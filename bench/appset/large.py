"""50 clusters by 40 folders: 2,000 Applications generated and decided about, cold and unchanged; processor time."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from bench.rows import Row
from syncline.core.appset.boundary import Bounds
from syncline.core.appset.changes import controller_from
from syncline.core.appset.decide import AppFacts, SetSnapshot, decide, status_of
from syncline.core.appset.generate import Generated, generate
from syncline.core.appset.questions import ClustersQuestion, DirectoriesQuestion, Folders, Question
from syncline.core.policy.set_tenancy import tenancy
from syncline.model import project
from syncline.model.cluster import KnownCluster
from syncline.model.settings.settings import Settings

_REPO = "https://git.example/repo.git"
_CLUSTERS = tuple(
    KnownCluster(server=f"https://cluster-{number}.example", name=f"cluster-{number}", labels={"env": "prod"})
    for number in range(50)
)
_ANSWERS: dict[Question, Any] = {
    ClustersQuestion(): _CLUSTERS,
    DirectoriesQuestion(_REPO, "main", "default"): Folders("1" * 40, tuple(f"apps/app-{one}" for one in range(40))),
}
_PROJECTS = {"default": project.parse({"metadata": {"name": "default"}, "spec": {}})}
_SET: dict[str, Any] = {
    "metadata": {"name": "fleet", "namespace": "argocd", "uid": "1"},
    "spec": {
        "goTemplate": True,
        "generators": [
            {
                "matrix": {
                    "generators": [
                        {"clusters": {"selector": {"matchLabels": {"env": "prod"}}}},
                        {"git": {"repoURL": _REPO, "revision": "main", "directories": [{"path": "apps/*"}]}},
                    ]
                }
            }
        ],
        "template": {
            "metadata": {"name": "{{ .name }}-{{ .path.basename }}", "labels": {"env": "{{ .metadata.labels.env }}"}},
            "spec": {
                "project": "default",
                "source": {"repoURL": _REPO, "path": "{{ .path.path }}", "targetRevision": "main"},
                "destination": {"server": "{{ .server }}", "namespace": "{{ .path.basenameNormalized }}"},
                "syncPolicy": {"automated": {"prune": True}, "syncOptions": ["CreateNamespace=true"]},
            },
        },
    },
}


def rows() -> list[Row]:
    """Measure the first pass and an unchanged one."""
    began = time.process_time()
    generated = generate(_SET, _ANSWERS)
    first = decide(_snapshot(generated))
    cold = time.process_time() - began
    assert len(first.create) == 2000
    own = controller_from("ApplicationSet", "fleet", "1", "argoproj.io/v1alpha1")
    apps = {one["metadata"]["name"]: AppFacts(one["metadata"]["name"], 1, own, "default") for one in first.create}
    snapshot = msgspec.structs.replace(_snapshot(generated), apps=apps, unchanged=dict.fromkeys(apps, 1))
    began = time.process_time()
    again = decide(snapshot)
    status_of(snapshot, again.said, again.entries, apps)
    unchanged = time.process_time() - began
    assert not again.create
    assert not again.change
    return [
        Row(name="ApplicationSet, 2,000 Applications, cold", figure=cold, unit="s", at_most=2),
        Row(name="ApplicationSet, 2,000 Applications, unchanged", figure=unchanged * 1000, unit="ms", at_most=100),
    ]


def _snapshot(generated: list[Generated]) -> SetSnapshot:
    return SetSnapshot(
        appset=_SET,
        generated=generated,
        apps={},
        live=lambda _name: None,
        projects=frozenset(_PROJECTS),
        bounds=Bounds(tenancy(_SET, _PROJECTS.values(), "argocd"), _PROJECTS, "argocd"),
        clusters=_CLUSTERS,
        settings=Settings(),
        now="2030-01-01T00:00:00Z",
    )
