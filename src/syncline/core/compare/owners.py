"""To whom an object belongs that more than one Application has to do with: one of them writes it, the others do not.

Called by `syncline.core.assess`; `syncline.core.sync.plan` and `syncline.core.sync.teardown` go by it. The owner is the
app that the live object's tracking id names, as long as that app exists and desires the object, or Syncline cannot tell
whether it does; else the oldest app that desires it. So an object that moves from one app to another changes hands and
is never deleted in between, and two apps that desire the same object do not take it from each other. Under Argo CD's
rules nobody owns anything: the last writer wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare import tracking
from syncline.core.compare.prepare import PreparedSet
from syncline.model import names
from syncline.model.application import Application
from syncline.model.claims import Claim, OtherApp, Standing
from syncline.model.desired import Origin
from syncline.model.errors import Place
from syncline.model.settings.settings import Settings


class Ownership(msgspec.Struct, frozen=True, kw_only=True):
    """Whose an object is, from the view of one Application that desires it or is named by it."""

    mine: bool
    desired: bool = True
    """Whether the app desires it."""
    message: str
    shared: bool = False
    """Whether several apps desire it, or another one keeps what this one desires."""
    pending: bool = False
    """Whether the owner has yet to be looked at: it may no longer desire the object."""
    taken_over: str = ""
    """From whom the object comes to this app, and why; empty where it is this app's already."""


class Contest(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides whose objects are."""

    app: Application
    settings: Settings
    others: Mapping[str, OtherApp]
    """Other Applications by the name under which they mark objects."""
    claims: Mapping[ObjectKey, tuple[Claim, ...]]

    @property
    def me(self) -> str:
        """The name of this app for people."""
        return f"{self.app.metadata.namespace}/{self.app.metadata.name}"

    @property
    def age(self) -> tuple[str, str, str]:
        """What this app is sorted by among others."""
        metadata = self.app.metadata
        return _age(OtherApp(metadata.namespace, metadata.name, Standing.KNOWN, metadata.creation_timestamp))

    @property
    def instance(self) -> str:
        """The name under which this app marks its objects."""
        return tracking.instance_name(self.app.metadata.namespace, self.app.metadata.name, self.settings)


def contest(app: Application, settings: Settings, others: Iterable[OtherApp], claims: Iterable[Claim]) -> Contest:
    """Return what a snapshot says about other Applications, findable."""
    by_key: dict[ObjectKey, tuple[Claim, ...]] = {}
    for claim in claims:
        by_key[claim.key] = (*by_key.get(claim.key, ()), claim)
    by_instance = {tracking.instance_name(one.namespace, one.name, settings): one for one in others}
    return Contest(app=app, settings=settings, others=by_instance, claims=by_key)


def owners(
    contest: Contest, prepared: PreparedSet, live: Mapping[ObjectKey, Object], holders: Mapping[ObjectKey, str]
) -> dict[ObjectKey, Ownership]:
    """Return whose objects are that are not simply this app's; `holders` are the instances that live objects name."""
    found: dict[ObjectKey, Ownership] = {}
    desired = {item.key: item.origin for item in prepared.objects if _has_name(item.obj)}
    for key, origin in desired.items():
        if (judged := _judged(key, origin, live.get(key), holders.get(key, ""), contest)) is not None:
            found[key] = judged
    for item in prepared.hooks:
        # Hooks come and go; only one that another app has there now is in the way.
        holder = holders.get(item.key, "")
        if item.key in live and holder not in ("", contest.instance):
            judged = _judged(item.key, item.origin, live[item.key], holder, contest)
            found |= {item.key: judged} if judged is not None and not judged.mine else {}
    for key, holder in holders.items():
        if key not in desired and (judged := _left(key, holder, contest)) is not None:
            found.setdefault(key, judged)
    return found


def _has_name(obj: Object) -> bool:
    """Whether an object has a name of its own: one that the server names is nobody else's."""
    return bool((meta.metadata(obj)).get("name"))


def _judged(key: ObjectKey, origin: Origin, live: Object | None, holder: str, contest: Contest) -> Ownership | None:
    """Return whose an object is that this app desires; None where nobody else has to do with it."""
    if live is not None and (installation := foreign_installation(live, contest)):
        return _of_installation(key, installation, contest)
    former = contest.others.get(holder) if holder != contest.instance else None
    claims = contest.claims.get(key, ())
    if former is not None and _keeps(former, claims):
        return _kept(key, origin, former, claims, contest)
    if holder and holder != contest.instance and former is None:
        # Nobody said anything about that app.
        return None
    known = {one.title: one for one in contest.others.values() if one.standing is Standing.KNOWN}
    rivals = [claim for claim in claims if claim.app in known]
    if not rivals and former is None:
        return None
    mine = holder == contest.instance or all(contest.age < _age(known[claim.app]) for claim in rivals)
    taken = "" if former is None or not mine else _taken(former)
    owner = contest.me if mine else min((known[claim.app] for claim in rivals), key=_age).title
    if rivals:
        message = _shared_message(key, origin, owner, rivals, contest)
    else:
        message = _gone_message(key, former, contest) if _is_gone(former) else f"{key.short} is {taken}"
    return Ownership(mine=mine, message=message, shared=bool(rivals) or _is_gone(former), taken_over=taken)


def _is_gone(former: OtherApp | None) -> bool:
    return former is not None and former.standing is Standing.GONE


def _gone_message(key: ObjectKey, former: OtherApp | None, contest: Contest) -> str:
    title = former.title if former is not None else ""
    return (
        f"{key.short} is part of applications {contest.me} and {title}:"
        f" {title} does not exist here, so {contest.me} takes it over once that is approved (syncline app adopt)"
    )


def _keeps(former: OtherApp, claims: tuple[Claim, ...]) -> bool:
    """Whether the app that an object names stays its owner; what nobody can tell is left as it is."""
    if former.standing is Standing.KNOWN:
        return any(claim.app == former.title for claim in claims)
    return former.standing is not Standing.GONE


def _kept(key: ObjectKey, origin: Origin, owner: OtherApp, claims: tuple[Claim, ...], contest: Contest) -> Ownership:
    message = _shared_message(key, origin, owner.title, claims, contest)
    pending = owner.standing is Standing.UNSEEN
    if pending:
        message += f"; {owner.title} is compared first"
    elif owner.standing is Standing.UNKNOWN:
        message += f"; what {owner.title} desires is unknown, so it keeps what it has"
    return Ownership(mine=False, message=message, shared=True, pending=pending)


def _left(key: ObjectKey, holder: str, contest: Contest) -> Ownership | None:
    """Return whose an object is that this app does not desire: its own, left over, or (a namespace) another app's."""
    if holder != contest.instance:
        other = contest.others.get(holder)
        if other is None or not _keeps(other, contest.claims.get(key, ())):
            return None
        return Ownership(mine=False, desired=False, message=f"{key.short} belongs to application {other.title}")
    # An app that cannot be rendered right now counts too: a deletion cannot be undone. One that is looked at soon is
    # waited for.
    known = {one.title: one for one in contest.others.values() if one.standing in _MAY_DESIRE}
    rivals = [claim for claim in contest.claims.get(key, ()) if claim.app in known]
    if not rivals:
        return None
    heir = min(rivals, key=lambda claim: _age(known[claim.app]))
    message = f"{key.short} goes from application {contest.me} to {heir.app}{_at(heir.place)}, which desires it now"
    return Ownership(mine=False, desired=False, message=message)


def foreign_installation(live: Object, contest: Contest) -> str:
    """Return the installation an object belongs to where that is another one; empty where it is this one or none.

    What became of its Application cannot be told from here, so the object is left alone.
    """
    annotations = meta.annotations(live)
    marked, ours = str(annotations.get(names.INSTALLATION_ID) or ""), contest.settings.installation_id
    if not marked or marked == ours:
        return ""
    named = tracking.parse_tracking_id(str(annotations.get(names.TRACKING_ID) or ""))
    if named is None or (not ours and named[0] == contest.instance):
        return ""
    return marked


def _of_installation(key: ObjectKey, installation: str, contest: Contest) -> Ownership:
    message = (
        f"{key.short} belongs to an application of installation {installation}, so {contest.me} does not write it;"
        f" remove its annotation {names.INSTALLATION_ID} to hand it over"
    )
    return Ownership(mine=False, message=message, shared=True)


def _shared_message(key: ObjectKey, origin: Origin, owner: str, claims: Iterable[Claim], contest: Contest) -> str:
    """Return one sentence with every app that desires an object, and where: Argo CD's words, then ours."""
    places: dict[str, Place | None] = {contest.me: origin.place(), **{claim.app: claim.place for claim in claims}}
    places.setdefault(owner, None)
    named = " and ".join(sorted(places, key=lambda app: app != contest.me))
    others = ", ".join(f"{app}{_at(place)}" for app, place in sorted(places.items()) if app != owner)
    verb = "do" if len(places) > 2 else "does"
    return (
        f"{key.short} is part of applications {named}: {owner}{_at(places[owner])} owns it,"
        f" {others} {verb} not write it"
    )


def _at(place: Place | None) -> str:
    return f" ({place})" if place is not None and place.file else ""


def _taken(former: OtherApp) -> str:
    why = "no longer exists" if former.standing is Standing.GONE else "no longer desires it"
    return f"taken over from application {former.title}, which {why}"


_MAY_DESIRE = (Standing.KNOWN, Standing.UNKNOWN)
_YOUNGEST = "9"


def _age(app: OtherApp) -> tuple[str, str, str]:
    """Return what apps are sorted by, the oldest first; one without a time is the youngest."""
    return app.created or _YOUNGEST, app.namespace, app.name
