"""Globs of a directory that match no file."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import globs
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="SRC-104",
    name="glob-matches-nothing",
    severity=Severity.WARNING,
    summary="A glob in directory.include or directory.exclude matches no file of the folder.",
    fix="correct the glob: it is matched against the path below the folder, and * crosses slashes",
    looks_at=(LooksAt.FILES,),
    why="You may think files are excluded, or included, when they are not.",
)


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per glob of a source in this repository."""
    for path, source in sources_with_paths(app.manifest.obj):
        if not dig(source, "directory", "include") and not dig(source, "directory", "exclude"):
            continue
        own = repository_urls.spelling(str(source.get("repoURL") or "")) in repo.own_addresses
        base = str(source.get("path") or "").strip("/.")
        below = [name.removeprefix(f"{base}/") for name in repo.tree if not base or name.startswith(f"{base}/")]
        if not own or not below:
            continue
        for field in ("include", "exclude"):
            glob = str(dig(source, "directory", field) or "")
            if glob and ("," not in glob or "{" in glob) and not any(globs.matches(name, glob) for name in below):
                near = nearest(glob, below)
                hint = f"; {near[0]} is there" if near else ""
                message = f"{app}: directory.{field} {glob} matches none of the files below {base or '.'}{hint}"
                evidence = [at(app.manifest, f"{path}.directory.{field}", glob)]
                yield RULE.finding(str(app), message, evidence=evidence, fix=RULE.usual_fix)
