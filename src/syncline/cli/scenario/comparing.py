"""Compares what a story tells with what there is: every difference as a sentence, none where it is as told.

Called by `syncline.cli.scenario.testing` with what `syncline.cli.scenario.play` found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from syncline.apimachinery import meta
from syncline.model.errors import Place

if TYPE_CHECKING:
    from syncline.api.check import Checked
    from syncline.apimachinery.keys import Object
    from syncline.cli.run.settling import Statuses
    from syncline.model.diagnosis import Diagnosis, RootCause
    from syncline.model.finding import Finding
    from syncline.scenarios.story import Cause, Rules, Seen, Wait

GOOD = ("Synced", "Healthy")
CLEAN = "clean"
"""Stands in a row for an app without any error among its conditions."""


def statuses(expected: Seen, found: Statuses) -> Iterator[str]:
    """Yield every difference between what a table counts and what there is."""
    others = Counter(dict.fromkeys(expected.others, 0))
    for (sync, health), count in found.items():
        others[health] += 0 if (sync, health) == GOOD else count
    for health, count in others.items():
        if expected.others.get(health, 0) != count:
            yield f"{expected.others.get(health, 0)} {health}, found {count}"
    if found[GOOD] != expected.good:
        yield f"{expected.good} OK, found {found[GOOD]}"
    out_of_sync = sum(count for (sync, _health), count in found.items() if sync == "OutOfSync")
    if out_of_sync < expected.out_of_sync:
        yield f"at least {expected.out_of_sync} OutOfSync, found {out_of_sync}"


def rows(expected: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """Yield every app that does not show what its row of a table says."""
    for pattern, words in expected.items():
        meant = [name for name in found if fnmatchcase(name, pattern)]
        if not meant:
            yield f"an app {pattern}, found none"
        for name in meant:
            if not _shows(words.split(), found[name].split()):
                yield f"{name} {words}, found {found[name]}"


def _shows(expected: list[str], found: list[str]) -> bool:
    """Whether an app has status and health as told, the conditions that are told, and no error where it is clean."""
    statuses, told = expected[:2], {*expected[2:]} - {CLEAN}
    errors = CLEAN in expected and any(one.endswith("Error") for one in found[2:])
    alike = all(fnmatchcase(one, word) for one, word in zip(found, statuses, strict=False))
    return alike and told <= {*found[2:]} and not errors


def causes(expected: Collection[Cause] | Mapping[str, str], found: Diagnosis) -> Iterator[str]:
    """Yield every cause that is missing, incomplete or too many; of a mapping only what is missing."""
    if isinstance(expected, Mapping):
        named = {(one.finding.name, one.finding.subject) for one in found.causes}
        yield from (f"the cause {rule} at {where}" for rule, where in expected.items() if (rule, where) not in named)
        return
    left = list(found.causes)
    for cause in expected:
        one = matching(cause, left)
        if one is None:
            yield f"the cause {cause.code} at {cause.subject} ({cause.told})"
            continue
        left.remove(one)
        yield from _details(cause, one)
    yield from (f"no cause {one.finding.code} at {one.finding.subject}: {one.finding.message}" for one in left)
    yield from (f"nothing unexplained: {one.subject}: {one.message}" for one in found.unexplained)


def matching(cause: Cause, found: Collection[RootCause]) -> RootCause | None:
    """Return the cause that `diagnose` names for one of a story."""
    return next((one for one in found if (one.finding.code, one.finding.subject) == (cause.code, cause.subject)), None)


def _details(cause: Cause, found: RootCause) -> Iterator[str]:
    what = f"{cause.code} at {cause.subject}"
    places = places_of(found.finding)
    if cause.at and cause.at not in places:
        yield f"{what} to lead to {cause.at}, found {', '.join(sorted(places)) or 'no file'}"
    if cause.apps is not None and cause.apps != len(found.affected):
        yield f"{what} to hold up {cause.apps} apps, found {len(found.affected)}"
    words = " ".join((found.finding.message, *(one.text for one in found.finding.evidence)))
    yield from (f'{what} to say "{one}", found "{words}"' for one in cause.says if one not in words)


def places_of(finding: Finding) -> set[str]:
    """Return the files and lines that a finding points at, in its evidence and in its fix."""
    fixes = [fix for fix in (finding.fix, *finding.options) if fix is not None]
    found = [one.place for one in finding.evidence] + [edit.place for fix in fixes for edit in fix.edits]
    return {_line(place) for place in found if place is not None}


def _line(place: Place) -> str:
    return f"{place.file}:{place.line}" if place.line else place.file


def before_the_merge(expected: Collection[Cause], found: Checked) -> Iterator[str]:
    """Yield every cause that `check` should have named and does not."""
    for cause in expected:
        if not cause.check:
            continue
        places = {place for one in found.findings if one.code == cause.check for place in places_of(one)}
        if not places and any(one.code == cause.check for one in found.findings) and not cause.check_at:
            continue
        if not places or (cause.check_at and cause.check_at not in places):
            where = f" at {cause.check_at}" if cause.check_at else ""
            yield f"check to find {cause.check}{where}, found it at {', '.join(sorted(places)) or 'no place'}"


def still_there(repaired: Collection[Cause], found: Checked) -> Iterator[str]:
    """Yield every cause that a step repaired and `check` still names: in its file, or anywhere where none is said."""
    for cause in repaired:
        places = {place for one in found.findings if one.code == cause.check for place in places_of(one)}
        file = cause.check_at.rpartition(":")[0]
        if cause.check and (file in {place.rpartition(":")[0] for place in places} if file else places):
            yield f"{cause.check} to be gone, check still finds it at {', '.join(sorted(places))}"


def waits(expected: Collection[Wait], rules: Rules, apps: Collection[Object]) -> Iterator[str]:
    """Yield every wave that did not wait, or did where the story says that it does not."""
    for one in expected:
        if one.by not in (None, rules):
            continue
        healthy = max((_healthy_since(app) for app in _named(one.before, apps)), default="")
        begun = min((meta.creation_timestamp(app) for app in _named(one.after, apps)), default="")
        if (bool(healthy) and begun >= healthy) is not one.holds:
            words = "wait" if one.holds else "not wait"
            yield f"{one.after[0]} to {words} for {one.before[0]}: healthy at {healthy}, begun at {begun}"


def _named(patterns: Collection[str], apps: Collection[Object]) -> list[Object]:
    return [app for app in apps if any(fnmatchcase(meta.name(app), pattern) for pattern in patterns)]


def _healthy_since(app: Object) -> str:
    return str(((app.get("status") or {}).get("health") or {}).get("lastTransitionTime") or "")


def conditions(expected: Collection[Cause], found: Collection[str]) -> Iterator[str]:
    """Yield every condition that should tell a cause and does not."""
    yield from (f"the condition {one.condition}" for one in expected if one.condition and one.condition not in found)


def promised(found: Diagnosis, repaired: Collection[Cause]) -> int:
    """Return how many apps are good, at most, once these causes are gone: what the diagnosis promises."""
    gone = [one for cause in repaired if (one := matching(cause, found.causes)) is not None]
    ids = {one.id for one in gone}
    never = {*found.untold, *(app for one in gone for app in one.removes)}
    holding: dict[str, set[str]] = {}
    for row in found.causes:
        for app in (*row.affected, *row.later):
            holding.setdefault(app, set()).add(row.id)
    return found.good + sum(1 for app, causes in holding.items() if causes <= ids and app not in never)


def order(expected: Collection[str], causes_by_name: Mapping[str, Cause], found: Diagnosis) -> Iterator[str]:
    """Yield the difference between the order of repair of a story and that of a diagnosis."""
    names = {}
    for name, cause in causes_by_name.items():
        if (one := matching(cause, found.causes)) is not None:
            names[one.id] = name
    given = [names.get(repair.cause, repair.cause) for repair in found.repairs]
    if expected and list(expected) != given:
        yield f"the order of repair {', '.join(expected)}, found {', '.join(given)}"
