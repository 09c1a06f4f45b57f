"""A health check of Applications that takes the verdict on the spec before."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import line_of
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-004",
    name="stale-health-check",
    severity=Severity.WARNING,
    summary="The health check of Applications ignores what the child app was compared with.",
    fix="in the script, stay Progressing until obj.status.sync.comparedTo has the source and destination of obj.spec",
    looks_at=(LooksAt.SETTINGS,),
    why="After an update a child app still shows the health of the previous revision: the wave passes immediately, on "
    "a stale verdict.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.customizations.health.argoproj.io_Application: |
    hs = {status = "Progressing"}
    if obj.status ~= nil and obj.status.health ~= nil then
      hs.status = obj.status.health.status
    end
    return hs
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  resource.customizations.health.argoproj.io_Application: |
    hs = {status = "Progressing"}
    if obj.status ~= nil and obj.status.sync ~= nil and obj.status.sync.comparedTo ~= nil then
      hs.status = obj.status.health.status
    end
    return hs
""",
)
_PATTERN = "argoproj.io/Application"
_NEEDLES = ("argoproj.io_Application", "argoproj.io/Application", "resourceHealthChecks")


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding about the script of the installation."""
    for one in repo.settings.settings.overrides:
        if one.pattern == _PATTERN and "status" in one.health_lua and "comparedTo" not in one.health_lua:
            message = (
                "the health check of Applications passes on the verdict from before an update: it ignores "
                "status.sync.comparedTo"
            )
            evidence = line_of(repo.files, *_NEEDLES, subject="health check of Applications")
            yield RULE.finding(_PATTERN, message, evidence=evidence, fix=RULE.usual_fix)
