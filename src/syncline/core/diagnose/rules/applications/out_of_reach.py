"""Applications in a namespace that nobody looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.policy import namespaces
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-108",
    name="out-of-reach",
    severity=Severity.WARNING,
    summary="An Application is in a namespace that Argo CD does not look at.",
    fix="move it to the namespace of Argo CD, or add its namespace to application.namespaces of argocd-cmd-params-cm",
    looks_at=(LooksAt.FILES, LooksAt.SETTINGS),
    why="Argo CD reads Applications of its own namespace and of application.namespaces. Any other is an object like "
    "others: it is there, without a status, and nothing is delivered.",
)
_OTHERS = 4
"""How many Applications are elsewhere for each that is alone: fewer may be another installation."""


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per app that is not where nearly all others are, where the settings are known."""
    if not repo.one_installation:
        return
    counts = Counter(app.manifest.key.namespace for app in repo.apps if app.manifest.key.namespace)
    home = repo.installed_in or (counts.most_common(1)[0][0] if counts else "")
    if not home or counts[home] < _OTHERS * (counts.total() - counts[home]):
        return
    for app in repo.apps:
        namespace = app.manifest.key.namespace
        known = namespace in ("", home) or namespaces.listed(namespace, repo.settings.settings.application_namespaces)
        if known or "{{" in namespace:
            continue
        message = (
            f"{app} is in namespace {namespace}; Argo CD is in {home}, and application.namespaces does not list it"
        )
        evidence = [at(app.manifest, "metadata.namespace", f"namespace: {namespace}")]
        yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
