"""The same files make other objects each time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SRC-002",
    name="unsteady-render",
    severity=Severity.ERROR,
    summary="Two renders of the same files differ.",
    fix="provide the value: an existing Secret, a fixed password or certificate instead of a generated one",
    looks_at=(LooksAt.RENDERED,),
    why="The app is OutOfSync forever, every sync rotates passwords, and pods restart with them.",
)
_CHANCE = re.compile(r"random|chance|each render|every render|differ", re.IGNORECASE)


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app whose render depends on chance or time, with what was seen."""
    if app.desired is None or app.desired.steady or app.incomplete:
        return
    for warning in dict.fromkeys(one for one in app.desired.warnings if _CHANCE.search(one)):
        message = f"{app}: {warning}"
        yield RULE.finding(str(app), message, evidence=[at(app.manifest, "", str(app))], fix=RULE.usual_fix)
