"""One object that several apps deliver to the same cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.rendered import Address, Rendered, addresses
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Fleet, Repo
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="OWN-001",
    name="shared-object",
    severity=Severity.ERROR,
    summary="Two or more apps deliver the same object to the same cluster.",
    fix="keep the object in one app, and remove it from the others",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The apps overwrite one another, so one of them is always OutOfSync, and deleting one app deletes what the "
    "other still needs. Often a base that holds several components is rendered by more than one app.",
    bad="""\
# apps/common/kustomization.yaml
resources: [../spark, ../trainer]
---
# apps/spark-app/kustomization.yaml
resources: [../spark]
""",
    good="""\
# apps/common/kustomization.yaml
resources: [../trainer]
---
# apps/spark-app/kustomization.yaml
resources: [../spark]
""",
)


_NAMED = 3


def _claims(fleet: Fleet) -> Iterator[tuple[str, Mapping[str, Prepared]]]:
    """Yield every object of a fleet with the apps that desire it, and where each has it from."""
    claims: dict[tuple[str, ObjectKey], dict[str, Prepared]] = {}
    for app in sorted(fleet.apps, key=str):
        for item in app.assessment.prepared.objects:
            claims.setdefault((app.cluster, item.key), {})[str(app)] = item
    for (_cluster, key), apps in claims.items():
        yield str(key), apps


@RULE.on_each(Fleet, _claims)
def check_fleet(_fleet: Fleet, apps: Mapping[str, Prepared]) -> Iterator[Finding]:
    """Yield a finding about an object that several running apps desire."""
    return _report(list(apps.items()))


@RULE.on_each(Repo, addresses)
def check_repo(_repo: Repo, part: tuple[Address, Sequence[Rendered]]) -> Iterator[Finding]:
    """Yield a finding about an object that several apps of a repository render."""
    return _report([(one.app, one.item) for one in part[1]])


def _report(claims: Sequence[tuple[str, Prepared]]) -> Iterator[Finding]:
    if len(claims) < 2:
        return
    key = claims[0][1].key
    places = [f"{app} ({item.origin.place()})" for app, item in claims[:_NAMED]]
    if len(claims) > _NAMED:
        places.append(f"and {len(claims) - _NAMED} more")
    evidence = [
        Evidence(kind=EvidenceKind.FILE, text=f"delivered by {app}", subject=item.key, place=item.origin.place())
        for app, item in claims
    ]
    message = f"{key.short} is delivered by {len(claims)} apps: {', '.join(places)}"
    yield RULE.finding(key.short, message, evidence=evidence, fix=RULE.usual_fix)
