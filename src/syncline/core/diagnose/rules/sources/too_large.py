"""Objects that are too large for client-side apply."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from syncline.apimachinery import meta
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model import names
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="SRC-010",
    name="too-large-to-apply",
    severity=Severity.ERROR,
    summary="An object is too large for the annotation that client-side apply stores it in.",
    fix="set ServerSideApply=true for this object, in its annotation argocd.argoproj.io/sync-options",
    looks_at=(LooksAt.RENDERED,),
    why="Client-side apply writes the whole object into an annotation of at most 262144 bytes, and the server refuses "
    "the object: metadata.annotations: Too long. Typical examples are large CRDs and dashboards.",
)

_LIMIT = 262_144
_OTHER_WAYS = ("ServerSideApply=true", "Replace=true")


@RULE.on_each(Repo, repo_apps)
def check(_repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per object that cannot be applied."""
    if app.desired is None:
        return
    policy = (app.manifest.obj.get("spec") or {}).get("syncPolicy") or {}
    everywhere = {str(word) for word in policy.get("syncOptions") or ()}
    for item in app.desired.objects:
        annotation = str((meta.metadata(item.obj).get("annotations") or {}).get(names.SYNC_OPTIONS) or "")
        options = {word.strip() for word in annotation.split(",")}
        if options & set(_OTHER_WAYS) or ("ServerSideApply=false" not in options and everywhere & set(_OTHER_WAYS)):
            continue
        size = len(msgspec.json.encode(item.obj))
        if size > _LIMIT:
            evidence = [Evidence(kind=EvidenceKind.FILE, text=item.key.short, place=item.origin.place())]
            message = f"{item.key.short} of {app} has {size:,} bytes; client-side apply takes {_LIMIT:,}"
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
