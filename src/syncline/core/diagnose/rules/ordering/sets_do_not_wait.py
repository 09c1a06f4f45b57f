"""Waves of ApplicationSets, which do not wait for the apps that the sets generate."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.sync.waves import wave_of
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-103",
    name="sets-do-not-wait",
    severity=Severity.WARNING,
    summary="ApplicationSets are in different waves, but the apps of one do not wait for those of the previous one.",
    fix="put Applications into waves instead of sets, or let one set bring up its apps in steps (strategy RollingSync)",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="To Argo CD an ApplicationSet is Healthy once its Applications are written, whatever happens to them, so the "
    "next wave starts immediately. By its own rules, Syncline waits for a set's apps.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
---
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: databases, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "4"}}
spec:
  generators: [{list: {elements: [{name: orders}]}}]
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: "databases/{{name}}"}
      destination: {server: https://kubernetes.default.svc, namespace: "{{name}}"}
---
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: services, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "5"}}
spec:
  generators: [{list: {elements: [{name: web}]}}]
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: "services/{{name}}"}
      destination: {server: https://kubernetes.default.svc, namespace: "{{name}}"}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
---
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: databases, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "4"}}
spec:
  generators: [{list: {elements: [{name: orders}]}}]
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: "databases/{{name}}"}
      destination: {server: https://kubernetes.default.svc, namespace: "{{name}}"}
---
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: services, namespace: argocd, annotations: {argocd.argoproj.io/sync-wave: "4"}}
spec:
  generators: [{list: {elements: [{name: web}]}}]
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/shop.git, path: "services/{{name}}"}
      destination: {server: https://kubernetes.default.svc, namespace: "{{name}}"}
""",
)
_SET = GroupKind(names.GROUP, "ApplicationSet")
_WAITING = (_SET, GroupKind(names.GROUP, "Application"))
_PATH = f'metadata.annotations["{names.SYNC_WAVE}"]'


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per app that delivers sets before other sets or apps, or folder whose app is not in Git."""
    delivered: dict[Delivery, list[tuple[int, Prepared]]] = defaultdict(list)
    for delivery, item in (made for kind in _WAITING for made in repo.world.by_kind.get(kind, ())):
        delivered[delivery].append((item.wave, item))
    for delivery, items in delivered.items():
        yield from _found(str(delivery), items)
    folders: dict[str, list[tuple[int, DesiredObject]]] = defaultdict(list)
    for written in (*(one.manifest for one in repo.sets), *(one.manifest for one in repo.apps)):
        # Where a wave is written there is a root that obeys it, though it was made by hand.
        waved = meta.annotation(written.obj, names.SYNC_WAVE) and written.origin.file
        if waved and written.key not in repo.world.objects:
            folders[posixpath.dirname(written.origin.file)].append((wave_of(written.obj), written))
    for folder, found in sorted(folders.items()):
        yield from _found(folder or "the top folder", found)


def _found(where: str, items: Sequence[tuple[int, DesiredObject | Prepared]]) -> Iterator[Finding]:
    last = max((wave for wave, _ in items), default=0)
    early = sorted((one for one in items if one[0] < last and _is_in_wave(one[1])), key=_place)
    if not early:
        return
    wave, first = early[0]
    later, after = min((one for one in items if one[0] > wave), key=_place)
    more = f"; so it is with {len(early) - 1} more" if len(early) > 1 else ""
    before = f"the apps of {first.key.short} in wave {wave}"
    message = f"{where}: {after.key.short} in wave {later} does not wait for {before}{more}"
    evidence = [at(item, _PATH, item.key.short) for _, item in early]
    yield RULE.finding(where, message, evidence=evidence, fix=RULE.usual_fix)


def _is_in_wave(item: DesiredObject | Prepared) -> bool:
    """Whether it is a set that somebody put into a wave: one without a word about it need not mean to come first."""
    return item.key.group_kind == _SET and bool(meta.annotation(item.obj, names.SYNC_WAVE))


def _place(one: tuple[int, DesiredObject | Prepared]) -> tuple[int, str]:
    return one[0], one[1].key.name
