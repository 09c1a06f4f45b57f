"""Says which notifications about an object are due, and what they look like.

Called by `syncline.controller.notify` for each Application that changed, and for each cause. Deciding is apart from
making the message: most of the time nothing is due, and a template may ask for a commit that has to be described first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import msgspec

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import Object
from syncline.core.notify import told, triggers
from syncline.core.notify.causes import FOUND, GONE
from syncline.core.notify.errors import NotifyError
from syncline.core.notify.services import TYPES
from syncline.core.notify.settings import service_of
from syncline.core.notify.subscriptions import subscribed
from syncline.core.notify.templates import fill
from syncline.core.notify.variables import Commits, variables
from syncline.model import names
from syncline.model.notifications import Message, NotificationSettings, Recipient

OF_CAUSES = frozenset({FOUND, GONE})
"""Triggers that are about causes: an Application never brings them about."""
_ENDED = frozenset({"Failed", "Error", "Succeeded"})


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """One notification that has to be sent; `key` is what is remembered once it was."""

    key: str
    trigger: str
    to: Recipient
    templates: tuple[str, ...]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What is due about an object, what is remembered of it besides, and how each condition came out."""

    due: tuple[Due, ...] = ()
    told: dict[str, int] = {}
    evaluated: tuple[tuple[str, bool], ...] = ()
    problems: tuple[str, ...] = ()


def about_app(
    app: Object, project: Object | None, settings: NotificationSettings, commits: Commits, now: dt.datetime
) -> Judged | None:
    """Return what is due about an Application; None while its status is older than its last operation."""
    if not is_refreshed(app):
        return None
    annotations = (meta.annotations(app), meta.annotations(project) if project is not None else {})
    recipients = subscribed(meta.labels(app), annotations, settings)
    known = told.read(str(meta.annotations(app).get(names.NOTIFIED) or ""))
    wanted = {trigger: some for trigger, some in recipients.items() if trigger not in OF_CAUSES}
    if not wanted:
        return Judged(told=known)
    given = variables(settings, now, objects={"app": app}, commits=commits)
    return judged(wanted, settings, given, known)


def judged(
    wanted: Mapping[str, list[Recipient]],
    settings: NotificationSettings,
    given: Mapping[str, object],
    known: Mapping[str, int],
) -> Judged:
    """Return what the triggers that somebody is subscribed to have to say, and have not said yet."""
    due: list[Due] = []
    kept = dict(known)
    evaluated: list[tuple[str, bool]] = []
    problems: list[str] = []
    for trigger, recipients in wanted.items():
        conditions = settings.triggers.get(trigger)
        if conditions is None:
            problems.append(f"trigger {trigger} does not exist: add trigger.{trigger}, or end the subscription to it")
            continue
        for result in triggers.run(trigger, conditions, given):
            evaluated.append((trigger, result.holds))
            if result.problem:
                problems.append(result.problem)
            for to in recipients:
                key = told.key_of(trigger, result.key, result.once_per, to)
                if not result.holds:
                    # What holds again later is told again, except where it is told once per something.
                    kept.pop(key, None)
                elif key not in known:
                    due.append(Due(key=key, trigger=trigger, to=to, templates=result.condition.send))
    return Judged(due=tuple(due), told=kept, evaluated=tuple(evaluated), problems=tuple(problems))


def message_for(
    due: Due, objects: Mapping[str, Object], settings: NotificationSettings, commits: Commits, now: dt.datetime
) -> Message:
    """Return the message of a notification; raises `NotifyError` where settings or templates do not give one."""
    service = service_of(settings, due.to.service)
    make = TYPES.get(service.type)
    if make is None:
        raise NotifyError(f"services of type {service.type} are not supported")
    given = variables(settings, now, objects=objects, commits=commits, to=due.to)
    return make(fill(settings, due.templates, given, now), service.options, due.to)


def is_refreshed(app: Object) -> bool:
    """Whether the status was written after the last operation ended: before that, sync and health are old."""
    status = app.get("status") or {}
    state = status.get("operationState") or {}
    if state.get("phase") not in _ENDED:
        return True
    finished = _time(state.get("finishedAt"))
    if finished is None:
        return False
    looked = [when for field in ("reconciledAt", "observedAt") if (when := _time(status.get(field))) is not None]
    return any(finished <= when for when in looked)


def _time(text: object) -> dt.datetime | None:
    try:
        return times.parse(text) if isinstance(text, str) else None
    except ValueError:
        return None
