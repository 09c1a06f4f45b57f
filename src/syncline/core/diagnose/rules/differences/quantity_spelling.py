"""Amounts that an operator spells another way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import quantity
from syncline.apimachinery.schema import resources
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.repo_edits import replaced
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="DIF-002",
    name="quantity-spelling",
    severity=Severity.WARNING,
    summary="A quantity in a custom object is not in the canonical spelling.",
    fix="write the quantity as Kubernetes prints it",
    looks_at=(LooksAt.RENDERED,),
    why="Operators write quantities back in one spelling. Argo CD compares the text of custom kinds, so the app is "
    "never in sync. Syncline compares values.",
    bad="""\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: team}
spec:
  resourceGroups:
    - flavors:
        - name: default
          resources:
            - name: cpu
              nominalQuota: 12000m
""",
    good="""\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: team}
spec:
  resourceGroups:
    - flavors:
        - name: default
          resources:
            - name: cpu
              nominalQuota: "12"
""",
    preview=True,
)
_NAMES = ("cpu", "memory", "storage", "nominalQuota", "borrowingLimit", "lendingLimit", "ephemeral-storage")
_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?")


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per amount of a custom object."""
    delivery, item = one
    if resources.for_group_kind(item.key.group_kind) is not None or item.key.group == names.GROUP:
        return
    for path, text in _amounts(item.obj.get("spec"), "spec"):
        canonical = str(quantity.parse(text))
        if canonical != text:
            message = f"{item.key.short} of {delivery}: {path} {text} is stored as {canonical}"
            fix = Fix(text=f"write {canonical}", edits=replaced(repo, item, path, text, canonical))
            yield RULE.finding(item.key.short, message, evidence=[at(item, path, text)], fix=fix)


def _amounts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in _NAMES and isinstance(inner, str) and _AMOUNT.fullmatch(inner):
                yield f"{path}.{name}", inner
            else:
                yield from _amounts(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _amounts(inner, f"{path}[{index}]")
