"""Custom objects whose lists leave out fields that the API server fills in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, gvk_of
from syncline.apimachinery.schema import crd
from syncline.apimachinery.schema.node import Node
from syncline.core.compare.context import annotation_words
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.around import listed, plural
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import deliveries
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Fix, Severity
from syncline.model.sync_options import SyncOptions

RULE = Rule(
    code="DIF-001",
    name="defaults-in-lists",
    severity=Severity.WARNING,
    other_severities=frozenset({Severity.INFO}),
    summary="Entries of a list leave out fields that have a default, and the list is compared as a whole.",
    fix="write the defaults, or let the server compute the diff (compare option ServerSideDiff=true)",
    looks_at=(LooksAt.RENDERED, LooksAt.SETTINGS),
    why="The API server fills in the defaults. With ServerSideApply=true and without server-side diff, Argo CD "
    "predicts the outcome itself, without the defaults of custom kinds. A list without keys is one value, so the live "
    "list never equals the one in Git, and the app is OutOfSync forever. Without ServerSideApply, Argo CD first cuts "
    "the live object down to the fields in Git, and nothing differs. Syncline fills in defaults before it compares.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop.git, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy:
    syncOptions: [ServerSideApply=true]
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec:
  parts:
    - {name: wheel}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                parts:
                  type: array
                  items:
                    type: object
                    properties: {name: {type: string}, colour: {type: string, default: black}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: argocd}
data:
  controller.diff.server.side: "false"
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
    syncOptions: [ServerSideApply=true]
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec:
  parts:
    - {name: wheel}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                parts:
                  type: array
                  items:
                    type: object
                    properties: {name: {type: string}, colour: {type: string, default: black}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: argocd}
data:
  controller.diff.server.side: "true"
""",
)
_Left = tuple[Prepared, str, dict[str, Any]]
"""An object, the list entry in it, and the defaults that the entry leaves out."""


@RULE.on_each(Repo, deliveries)
def check(repo: Repo, delivery: Delivery) -> Iterator[Finding]:
    """Yield one finding per kind of an app; a remark where it is not known whether the server makes the diff."""
    if repo.governs(delivery.app) and repo.settings.settings.server_side_diff:
        return
    found: dict[GroupKind, list[_Left]] = defaultdict(list)
    for item in delivery.prepared.objects:
        node = _schema(repo, item)
        if node is not None and _is_merged_here(delivery, item) and not _is_ignored(repo, delivery, item):
            found[item.key.group_kind] += [(item, path, left) for path, left in _left_out(item.obj, node, "")]
    for kind, left in found.items():
        if left:
            yield _finding(repo, delivery, kind, left)


def _finding(repo: Repo, delivery: Delivery, kind: GroupKind, left: list[_Left]) -> Finding:
    fields = sorted({name for _, _, defaults in left for name in defaults})
    count = len({item.key for item, _, _ in left})
    known = repo.governs(delivery.app)
    message = (
        f"{delivery}: the lists of {plural(count, kind.kind)} leave out {listed(fields)}, which the server fills in"
    )
    message += (
        ": they are compared as a whole, so the app is never Synced"
        if known
        else "; cannot tell whether the server computes the diff; if not, the app is never Synced"
    )
    item, path, defaults = left[0]
    spelled = ", ".join(f"{name}: {value}" for name, value in sorted(defaults.items()))
    return RULE.finding(
        str(delivery),
        message,
        evidence=[at(item, path, f"{item.key.short} {path}") for item, path, _ in left],
        fix=Fix(text=f"write {spelled} into {path} of {item.key.short}, or set the compare option ServerSideDiff=true"),
        severity=Severity.WARNING if known else Severity.INFO,
    )


def _schema(repo: Repo, item: Prepared) -> Node | None:
    gvk = gvk_of(item.obj)
    for _, definition in repo.world.defined.get(gvk.group_kind, ()):
        found = crd.schema_for(definition.obj, gvk.version)
        if found is not None:
            return found
    return None


def _is_merged_here(delivery: Delivery, item: Prepared) -> bool:
    """Whether Argo CD predicts the outcome of a server-side apply on its own."""
    options = (
        *annotation_words(item.obj, names.COMPARE_OPTIONS),
        *str(meta.annotations(delivery.app.manifest.obj).get(names.COMPARE_OPTIONS) or "").split(","),
    )
    own = SyncOptions.of(item.obj).server_side_apply
    applied = delivery.typed.spec.options.server_side_apply if own is None else own
    return bool(applied) and "ServerSideDiff=true" not in options


def _is_ignored(repo: Repo, delivery: Delivery, item: Prepared) -> bool:
    """Whether somebody has written an ignore rule for the kind: what it covers is theirs to know."""
    rules = entries(delivery.app.manifest.obj, "spec", "ignoreDifferences")
    kinds = {str(one.get("kind")) for one in rules}
    patterns = {one.pattern for one in repo.settings.settings.overrides if one.ignore_differences is not None}
    return bool(kinds & {item.key.kind, "*"}) or str(item.key.group_kind) in patterns


def _left_out(value: Any, node: Node, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entries of atomic lists that leave out fields with a default, with those."""
    if isinstance(value, dict):
        for name, inner in value.items():
            below = node.field(str(name))
            if below is not None:
                yield from _left_out(inner, below, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and node.elements is not None:
        for index, inner in enumerate(value):
            where = f"{path}[{index}]"
            if node.list_type == "atomic":
                left = dict(_missing(inner, node.elements))
                if left:
                    yield where, left
            else:
                yield from _left_out(inner, node.elements, where)


def _missing(value: Any, node: Node) -> Iterator[tuple[str, Any]]:
    """Yield the defaults that a value leaves out at any depth."""
    if isinstance(value, list) and node.elements is not None:
        for inner in value:
            yield from _missing(inner, node.elements)
    if not isinstance(value, dict):
        return
    for name, default in node.defaulted:
        if dig(value, name) is None:
            yield name, default
    for name, inner in value.items():
        below = node.field(str(name))
        if below is not None:
            yield from _missing(inner, below)
