"""Objects for a namespace that CreateNamespace does not make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.around import plural
from syncline.core.diagnose.repository.pointing import at, words
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery, is_given
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-006",
    name="namespace-not-created",
    severity=Severity.WARNING,
    summary="An app creates its destination namespace, but has objects for another namespace that nothing creates.",
    fix="add the Namespace to the manifests, or align the namespaces",
    looks_at=(LooksAt.RENDERED,),
    why="CreateNamespace=true creates only the destination namespace. Objects in another namespace are refused until "
    "it exists.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    syncOptions: [CreateNamespace=true]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shopp}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    syncOptions: [CreateNamespace=true]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
""",
)


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per namespace."""
    if "CreateNamespace=true" not in words(delivery.app.manifest.obj, "spec", "syncPolicy", "syncOptions"):
        return
    facts = repo.world.facts(delivery.cluster)
    known = repo.world.made_namespaces | (facts.namespaces if facts is not None else frozenset())
    found: dict[str, list[Prepared]] = defaultdict(list)
    for item in delivery.items:
        namespace = item.key.namespace
        if (
            namespace
            and namespace not in known
            and not is_given(namespace)
            and namespace != delivery.app.manifest.key.namespace
        ):
            found[namespace].append(item)
    for namespace, items in found.items():
        message = (
            f"{delivery} has {plural(len(items), 'object')} for {namespace}; CreateNamespace creates only "
            f"{delivery.namespace}, and nothing here creates {namespace}"
        )
        evidence = [at(item, "metadata.namespace", item.key.short) for item in items]
        yield RULE.finding(str(delivery), message, evidence=evidence, fix=RULE.usual_fix)
