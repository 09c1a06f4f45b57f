"""The destination cluster does not answer."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="LIV-108",
    name="cluster-unreachable",
    severity=Severity.ERROR,
    summary="The destination cluster of the Application does not answer.",
    fix="restore access to the cluster; Syncline changes nothing until then",
    looks_at=(LooksAt.LIVE,),
    why="The live state is unknown, so every object of the app is Unknown and nothing is synced. All apps of the "
    "cluster are affected.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.CLUSTER)
