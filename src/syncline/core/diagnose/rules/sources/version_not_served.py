"""Objects of an apiVersion or kind that the cluster does not serve because it is misspelled, or gone."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.not_served import Unserved, unserved
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.core.diagnose.written import item, line, place, rewrite
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SRC-011",
    name="version-not-served",
    severity=Severity.ERROR,
    summary="An object is of an apiVersion or kind that the cluster does not serve, and a near one is served.",
    fix="write the apiVersion and kind that the cluster serves",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="Kubernetes removes old versions of its APIs: manifests that worked before an upgrade are refused after it. A "
    "version that is replaced may have other fields. A misspelled one never worked.",
    bad="""\
apiVersion: extensions/v1beta1
kind: Ingress
""",
    good="""\
apiVersion: networking.k8s.io/v1
kind: Ingress
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object."""
    for one in unserved(app):
        if one.api_version or one.removed:
            yield _finding(app, one)


def _finding(app: App, one: Unserved) -> Finding:
    written = _written(app, one.key)
    if one.removed:
        instead = f"{one.api_version} replaces it" if one.api_version else "nothing replaces it"
        words = f"Kubernetes {one.removed} removed it, and {instead}"
    else:
        words = f"{one.api_version} {one.kind} must be meant"
    return RULE.finding(
        one.key.short,
        f"{one.key.short} is of {written} {one.key.kind}, which the cluster does not serve; {words}",
        evidence=[
            *line(app, one.key, "apiVersion"),
            *(line(app, one.key, "kind") if one.kind not in ("", one.key.kind) else ()),
        ],
        fix=_fix(app, one, written),
    )


def _written(app: App, key: ObjectKey) -> str:
    found = item(app, key)
    return str(found.obj.get("apiVersion")) if found is not None else key.group


def _fix(app: App, one: Unserved, written: str) -> Fix:
    if not one.api_version:
        return Fix(text=f"decide: take {one.key.short} out at {place(app, one.key)}, or replace what it did")
    if one.kind not in ("", one.key.kind):
        return rewrite(app, one.key, "kind", one.kind)
    remark = f"look at its fields too: they differ between {written} and {one.api_version}" if one.removed else ""
    return rewrite(app, one.key, "apiVersion", one.api_version, remark=remark)
