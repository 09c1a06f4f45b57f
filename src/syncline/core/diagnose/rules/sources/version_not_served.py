"""Objects of an apiVersion or kind that the cluster does not serve because it is misspelled, or gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncline.apimachinery.keys import ObjectKey, gvk_of
from syncline.apimachinery.nearest import nearest
from syncline.apimachinery.schema import resources
from syncline.core.diagnose.live.not_served import Unserved, unserved
from syncline.core.diagnose.live.written import item, line, place, rewrite
from syncline.core.diagnose.repository.pointing import at, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SRC-011",
    name="version-not-served",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="An object has an apiVersion or kind that the cluster does not serve, but a similar one is served.",
    fix="use the apiVersion and kind that the cluster serves",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="Kubernetes removes old API versions: manifests that worked before an upgrade are refused after it. The "
    "replacement may have different fields. A misspelled version never worked.",
    bad="""\
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: web}}
""",
    good="""\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: web}}
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
        words = f"did you mean {one.api_version} {one.kind}?"
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
        return Fix(text=f"decide: remove {one.key.short} at {place(app, one.key)}, or replace what it did")
    if one.kind not in ("", one.key.kind):
        return rewrite(app, one.key, "kind", one.kind)
    remark = f"check its fields too: they differ between {written} and {one.api_version}" if one.removed else ""
    return rewrite(app, one.key, "apiVersion", one.api_version, remark=remark)


_OLDEST = (1, 30)
"""The oldest Kubernetes that anybody still supports: what it has not is gone everywhere."""


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about an object of a version that Kubernetes has removed, or of a kind it never had."""
    delivery, item = one
    gvk = gvk_of(item.obj)
    facts = repo.world.facts(delivery.cluster)
    gone = resources.removed(gvk)
    version = str(item.obj.get("apiVersion"))
    if gone is not None:
        minor = tuple(map(int, facts.minor.split("."))) if facts is not None and facts.minor else None
        since = tuple(map(int, gone.since.split(".")))
        if minor is not None and minor < since:
            return
        instead = f"{gone.replacement} replaces it" if gone.replacement else "nothing replaces it"
        message = f"{item.key.short} of {delivery} is of {version}: Kubernetes {gone.since} removed it, and {instead}"
        fix = (
            Fix(text=f"write apiVersion: {gone.replacement}, and check its fields")
            if gone.replacement
            else RULE.usual_fix
        )
        severity = Severity.ERROR if minor is not None or since <= _OLDEST else Severity.WARNING
        yield RULE.finding(
            item.key.short, message, evidence=[at(item, "apiVersion", version)], fix=fix, severity=severity
        )
        return
    served_here = _versions(repo.world.defined.get(gvk.group_kind, ()))
    if served_here and gvk.version not in served_here:
        message = (
            f"{item.key.short} of {delivery} is of {version}, which its definition does not serve (it serves: "
            f"{', '.join(served_here)})"
        )
        meant = f"{gvk.group}/{served_here[-1]}"
        fix = Fix(text=f"write apiVersion: {meant}, or serve {gvk.version} in the definition")
        yield RULE.finding(item.key.short, message, evidence=[at(item, "apiVersion", version)], fix=fix)
        return
    if ("." not in gvk.group or gvk.group.endswith(".k8s.io")) and resources.for_group_kind(gvk.group_kind) is None:
        served = {kind for kind in resources.kinds() if kind.group == gvk.group}
        near = nearest(gvk.kind, sorted({kind.kind for kind in served}))
        if served and near and gvk.group_kind not in repo.world.defined:
            message = (
                f"{item.key.short} of {delivery} is of {version} {gvk.kind}, which does not exist; did you mean "
                f"{near[0]}?"
            )
            evidence = [at(item, "kind", gvk.kind)]
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=Fix(text=f"write kind: {near[0]}"))


def _versions(definitions: Iterable[Made]) -> list[str]:
    """Return the versions of a kind that any of its definitions in the repository serves."""
    every = (one for _, item in definitions for one in entries(item.obj, "spec", "versions"))
    return list(dict.fromkeys(str(one.get("name")) for one in every if one.get("served") is not False))
