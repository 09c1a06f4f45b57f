"""A child app whose file is all that keeps its workloads."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.diagnose.live.around import listed, plural
from syncline.core.diagnose.repository.pointing import at, dig, words
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-012",
    name="deleted-with-its-file",
    severity=Severity.WARNING,
    summary="A parent app prunes child apps that delete their objects with them.",
    fix="set the sync option Prune=confirm on the child, or remove the finalizer",
    looks_at=(LooksAt.RENDERED,),
    why="If the child's file is deleted or moved by mistake, the Application is deleted, and everything it delivers "
    "with it.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
  syncPolicy:
    automated: {prune: true}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: apps}
  destination: {server: https://kubernetes.default.svc, namespace: argocd}
  syncPolicy:
    automated: {prune: true}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
""",
    preview=True,
)


@RULE.on_each(Repo, deliveries)
def check(_repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per parent."""
    if dig(delivery.app.manifest.obj, "spec", "syncPolicy", "automated", "prune") is not True:
        return
    children = [item for item in delivery.items if item.key.group == names.GROUP and _goes_with_all(item.obj)]
    if children:
        evidence = [at(item, "metadata.finalizers", item.key.short) for item in children]
        shown = listed([item.key.name for item in children])
        message = f"{delivery} prunes {plural(len(children), 'child app')} whose deletion deletes workloads: {shown}"
        yield RULE.finding(str(delivery), message, evidence=evidence, fix=RULE.usual_fix)


def _goes_with_all(obj: Object) -> bool:
    options = str(meta.annotations(obj).get(names.SYNC_OPTIONS) or "")
    held = "Prune=confirm" in options or "Prune=false" in options
    return not held and any(one.startswith(names.RESOURCES_FINALIZER) for one in words(obj, "metadata", "finalizers"))
