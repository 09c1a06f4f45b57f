"""Applications that are deleted under one name and created under another."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, words
from syncline.core.diagnose.repository.rendered import (
    sources_with_paths,
)
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Change, RepoApp
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="OWN-004",
    name="renamed-app",
    severity=Severity.ERROR,
    summary="An Application changes its name or cluster, and the old one deletes what it has delivered.",
    fix="remove the old Application's finalizer first, so that its objects stay",
    looks_at=(
        LooksAt.FILES,
        LooksAt.HISTORY,
    ),
    why="For the cluster it is a different Application: the old one is deleted with all its objects, and the new one "
    "creates them again.",
)


@RULE.on(Change)
def check(change: Change) -> Iterator[Finding]:
    """Yield one finding per Application that goes with its objects while one with its source comes."""
    base = {str(app): app for app in change.base.apps}
    head = {str(app): app for app in change.head.apps}
    for name in sorted(set(base) - set(head)):
        old = base[name]
        finalizers = words(old.manifest.obj, "metadata", "finalizers")
        heirs = [other for key, other in sorted(head.items()) if key not in base and _same_source(old, other)]
        if heirs and any(one.startswith(names.RESOURCES_FINALIZER) for one in finalizers):
            message = f"{name} becomes {heirs[0]}: the old Application deletes all it has delivered"
            evidence = [at(heirs[0].manifest, "metadata.name", str(heirs[0])), at(old.manifest, "metadata.name", name)]
            yield RULE.finding(name, message, evidence=evidence, fix=RULE.usual_fix)


def _same_source(one: RepoApp, other: RepoApp) -> bool:
    sources = [
        [source.get("path") or source.get("chart") for _, source in sources_with_paths(app.manifest.obj)]
        for app in (one, other)
    ]
    return bool(sources[0]) and sources[0] == sources[1]
