"""Workloads whose selector does not match the labels of their own pods: every API server refuses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.paths import FieldPath
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.written import line, rewrite
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="WKL-109",
    name="selector-of-others",
    severity=Severity.ERROR,
    summary="A workload's selector does not match the labels of its own pods.",
    fix="give the pods the labels that the selector requires",
    looks_at=(LooksAt.RENDERED,),
    why='The API server refuses such a workload with "`selector` does not match template `labels`". The selector '
    "cannot be changed later, so correct the labels, unless the workload is new.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: wbe
    spec:
      containers:
        - name: web
          image: example/web:1
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
        tier: front
    spec:
      containers:
        - name: web
          image: example/web:1
""",
)
_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
_LABELS = ("spec", "template", "metadata", "labels")


@RULE.on_each(Repo, delivered)
def check_repo(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a workload that would be refused."""
    delivery, item = one
    for name, value, has in _wrong(item):
        message = f"{item.key.short} of {delivery} {_said(name, value, has)}"
        evidence = [at(item, _selector_path(name), f"{name}: {value}"), at(item, _labels_path(item, name))]
        yield RULE.finding(item.key.short, message, evidence=evidence, fix=Fix(text=f"label the pods {name}: {value}"))


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield a finding about a workload that was refused, or will be."""
    for item in app.assessment.prepared.objects:
        for name, value, has in _wrong(item):
            where = _labels_path(item, name)
            add = Fix(text=f"label the pods of {item.key.short} {name}: {value}")
            yield RULE.finding(
                item.key.short,
                f"{item.key.short} {_said(name, value, has)}: the API server refuses it",
                evidence=[
                    *line(app, item.key, _selector_path(name), f"selector {name}: {value}"),
                    *line(app, item.key, where),
                ],
                fix=rewrite(app, item.key, where, value) if has else add,
            )


def _wrong(item: Prepared) -> Iterator[tuple[str, str, str]]:
    """Yield the first label that a selector wants and the pods do not have: its name, value, and what they have."""
    if item.key.group != "apps" or item.key.kind not in _KINDS:
        return
    wanted = dig(item.obj, "spec", "selector", "matchLabels")
    labels = dig(item.obj, *_LABELS)
    has: Mapping[str, Any] = labels if isinstance(labels, Mapping) else {}
    for name, value in wanted.items() if isinstance(wanted, Mapping) else ():
        if has.get(name) != value:
            yield str(name), str(value), str(has.get(name) or "")
            return


def _said(name: str, value: str, has: str) -> str:
    return f"selects {name}={value}, and its own pods have {f'{name}={has}' if has else f'no label {name}'}"


def _labels_path(item: Prepared, name: str) -> str:
    path = str(FieldPath((*_LABELS, name)))
    return path if path in item.origin.positions.paths else str(FieldPath(_LABELS))


def _selector_path(name: str) -> str:
    return str(FieldPath(("spec", "selector", "matchLabels", name)))
