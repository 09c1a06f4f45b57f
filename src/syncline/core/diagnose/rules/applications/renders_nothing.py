"""Applications without a single object."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-102",
    name="renders-nothing",
    severity=Severity.WARNING,
    summary="An Application renders without an error but has no objects.",
    fix="correct the path, the include or exclude globs or the values, or delete the Application",
    looks_at=(LooksAt.RENDERED,),
    why="It is Synced and Healthy, but delivers nothing. With automated prune, an app that becomes empty deletes "
    "everything, or is held.",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding for all apps of the same folders that were rendered completely and are empty."""
    empty: dict[tuple[str, ...], list[RepoApp]] = defaultdict(list)
    for app in repo.apps:
        if app.desired is None or app.incomplete or app.desired.objects or app.desired.warnings:
            continue
        sources = [source for _, source in sources_with_paths(app.manifest.obj)]
        folders = tuple(
            str(one.get("path") or one.get("chart")) for one in sources if one.get("path") or one.get("chart")
        )
        if folders:
            empty[folders].append(app)
    for folders, apps in sorted(empty.items()):
        shown = listed(sorted(map(str, apps)))
        verb = "has" if len(apps) == 1 else "have"
        message = f"{shown} {verb} no objects, from {listed(list(folders))}: nothing is delivered"
        evidence = [at(app.manifest, "spec.source.path", str(app)) for app in apps]
        yield RULE.finding(str(apps[0]), message, evidence=evidence, fix=RULE.usual_fix)
