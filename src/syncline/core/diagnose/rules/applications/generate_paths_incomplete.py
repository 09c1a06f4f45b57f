"""Files that are rendered and not watched."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import globs, meta
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import repo_apps, sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model import names
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-017",
    name="generate-paths-incomplete",
    severity=Severity.WARNING,
    summary="The annotation manifest-generate-paths leaves out files that the app is rendered from.",
    fix="add the folders to the annotation argocd.argoproj.io/manifest-generate-paths, or remove it",
    looks_at=(
        LooksAt.FILES,
        LooksAt.RENDERED,
    ),
    why="A webhook for a commit that changes only such a file does not refresh the app. Syncline knows which files a "
    "render reads.",
)


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding about an app with files outside of the paths it names."""
    annotation = str(meta.annotations(app.manifest.obj).get(names.MANIFEST_GENERATE_PATHS) or "")
    sources = list(sources_with_paths(app.manifest.obj))
    if not annotation or app.desired is None or len(sources) != 1:
        return
    base = str(sources[0][1].get("path") or "").strip("/")
    allowed = [_joined(base, one.strip()) for one in annotation.split(";") if one.strip()]
    read_files = {one.path for one in app.desired.inputs if not one.ref and one.path in repo.tree}
    outside = sorted(one for one in read_files if not any(_covers(path, one) for path in allowed))
    if outside:
        message = f"{app} is rendered from {listed(outside)}, which manifest-generate-paths leaves out"
        path = f'metadata.annotations["{names.MANIFEST_GENERATE_PATHS}"]'
        yield RULE.finding(str(app), message, evidence=[at(app.manifest, path, annotation)], fix=RULE.usual_fix)


def _joined(base: str, path: str) -> str:
    """Return a path of the annotation from the root of the repository: one without a slash before it is relative."""
    if path.startswith("/"):
        return path.strip("/")
    parts: list[str] = []
    for part in [*base.split("/"), *path.split("/")]:
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _covers(path: str, file: str) -> bool:
    return path in ("", file) or file.startswith(f"{path}/") or ("*" in path and globs.matches(file, path))
