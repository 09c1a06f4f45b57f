"""One object that several apps deliver to the same cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.written import place
from syncline.core.diagnose.repository.rendered import Rendered, rendered
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Fleet, Repo
from syncline.model.claims import Claim
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="OWN-001",
    name="shared-object",
    severity=Severity.ERROR,
    summary="Two or more apps deliver the same object to the same cluster.",
    fix="keep the object in one app, and remove it from the others",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The apps overwrite each other, so one of them is always OutOfSync, and deleting one app deletes what the "
    "other still needs. Often several apps render a base that contains several components.",
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


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield a finding for the objects that the same apps of a repository render, where one root leads to them all."""
    shared: dict[tuple[str, ...], dict[ObjectKey, list[Rendered]]] = {}
    several = {key for key, made in repo.world.objects.items() if len(made) > 1}
    for (_cluster, key), claims in rendered(repo, several).items():
        for root in dict.fromkeys(root for one in claims for root in one.roots or ("",)):
            together = [one for one in claims if root in (one.roots or ("",))]
            apps = tuple(dict.fromkeys(one.app for one in together))
            if len(apps) > 1:
                shared.setdefault(apps, {}).setdefault(key, together)
    for apps, objects in shared.items():
        if len(objects) == 1:
            yield from _report([(one.app, one.item) for one in next(iter(objects.values()))])
        else:
            yield _of_pair(apps, objects)


def _of_pair(apps: tuple[str, ...], objects: Mapping[ObjectKey, Sequence[Rendered]]) -> Finding:
    """Return one finding for all objects that the same apps deliver."""
    evidence = [
        Evidence(kind=EvidenceKind.FILE, text=f"{key.short} of {one.app}", subject=key, place=one.item.origin.place())
        for key, claims in objects.items()
        for one in claims
    ]
    named = ", ".join(key.short for key in list(objects)[:_NAMED])
    more = f" and {len(objects) - _NAMED} more" if len(objects) > _NAMED else ""
    message = f"{len(objects)} objects are delivered by {' and by '.join(apps)}: {named}{more}"
    return RULE.finding(f"{len(objects)} objects", message, evidence=evidence, fix=RULE.usual_fix)


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


@RULE.on(App)
def check_app(app: App) -> Iterator[Finding]:
    """Yield one finding for the objects that this app shares with the same others, whichever of them owns them."""
    claims: dict[ObjectKey, list[Claim]] = {}
    for claim in app.assessment.snapshot.claims:
        claims.setdefault(claim.key, []).append(claim)
    shared: dict[tuple[tuple[str, ...], bool], list[ObjectKey]] = {}
    for key, owned in sorted(app.assessment.owners.items()):
        if owned.shared and owned.desired:
            others = tuple(dict.fromkeys(one.app for one in claims.get(key, ()))) or _holders(app, key)
            shared.setdefault((others, owned.mine), []).append(key)
    for (others, mine), keys in shared.items():
        yield _of_app(app, others, keys, claims, mine=mine)


def _holders(app: App, key: ObjectKey) -> tuple[str, ...]:
    """Return who holds an object by its own word, where what they desire is not known."""
    said = app.assessment.owners[key].message
    return tuple(other.title for other in app.assessment.snapshot.others if other.title in said)


def _of_app(
    app: App, others: tuple[str, ...], keys: list[ObjectKey], claims: Mapping[ObjectKey, list[Claim]], *, mine: bool
) -> Finding:
    named = f"{len(keys)} objects" if len(keys) > 1 else keys[0].short
    who = ", ".join(others) or "another app"
    verb = "is" if len(keys) == 1 else "are"
    owner = f"{app} owns {'it' if len(keys) == 1 else 'them'}, {who} is OutOfSync" if mine else f"{who} owns and writes"
    owner += "" if mine else " it" if len(keys) == 1 else " them"
    evidence = []
    for key in keys:
        here = place(app, key)
        evidence.append(Evidence(kind=EvidenceKind.FILE, text=f"{key.short} of {app}", subject=key, place=here))
        evidence += [
            Evidence(kind=EvidenceKind.FILE, text=f"{key.short} of {one.app}", subject=key, place=one.place)
            for one in claims.get(key, ())
        ]
    files = sorted({str(found.place.file) for found in evidence[::2] if found.place})
    where = f" from {', '.join(files[:_NAMED])}" if files and not mine else ""
    text = f"decide which app keeps {'it' if len(keys) == 1 else 'them'}: remove {named}{where} here, or from {who}"
    return RULE.finding(
        keys[0].short if len(keys) == 1 else named,
        f"{named} {verb} delivered by {app} and by {who}; {owner}",
        evidence=evidence,
        fix=Fix(text=text),
    )
