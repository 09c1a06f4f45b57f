"""Health checks that call anything Healthy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import line_of
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SET-005",
    name="health-hides-failures",
    severity=Severity.WARNING,
    summary="A health check returns Healthy without checking the object, or for one that is Pending.",
    fix="judge the object by its status, and return Progressing while it has none",
    looks_at=(LooksAt.SETTINGS,),
    why="Failures of that kind no longer show: waves pass, apps are green, and alerts stay silent.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.customizations.health.PersistentVolumeClaim: |
    hs = {}
    hs.status = "Healthy"
    return hs
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.customizations.health.PersistentVolumeClaim: |
    hs = {status = "Progressing"}
    if obj.status ~= nil and obj.status.phase == "Bound" then
      hs.status = "Healthy"
    end
    return hs
""",
)
_OF_CLAIMS = Fix(
    text=(
        "check the reason: a claim that waits for its first consumer is Healthy, one whose volume cannot be created "
        "is not"
    )
)
_LOOKS = re.compile(r"obj\.(status|spec|metadata)|obj\[|pairs\(")
_PENDING = re.compile(r'==\s*"Pending"[^\n]*then\s*(?:\n\s*)*hs\.status\s*=\s*"Healthy"')


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per script."""
    for one in repo.settings.settings.overrides:
        script = one.health_lua
        if not script or "Healthy" not in script:
            continue
        blind = not _LOOKS.search(script)
        if blind or _PENDING.search(script):
            said = "whatever state it is in" if blind else "while it is Pending"
            message = f"the health check of {one.pattern} says Healthy {said}: real failures are hidden"
            needles = (f"health.{one.pattern.replace('/', '_')}", f"{one.pattern}:", "resourceHealthChecks")
            evidence = line_of(repo.files, *needles, subject=f"health check of {one.pattern}")
            claim = one.pattern == "PersistentVolumeClaim"
            yield RULE.finding(one.pattern, message, evidence=evidence, fix=_OF_CLAIMS if claim else RULE.usual_fix)
