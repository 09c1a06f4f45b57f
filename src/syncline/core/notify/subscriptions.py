"""Who is subscribed to what: annotations of an object and of its project, and the subscriptions of all Applications.

Called by `syncline.core.notify.due`; a subscription without a trigger means the default ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from syncline.apimachinery.yaml import YamlError, load_documents
from syncline.model.notifications import SUBSCRIBE, SUBSCRIPTIONS, NotificationSettings, Recipient

Subscribed = dict[str, list[Recipient]]
"""Recipients by trigger."""


class _Destination(msgspec.Struct):
    service: str = ""
    recipients: tuple[str, ...] = ()


class _Subscription(msgspec.Struct):
    trigger: tuple[str, ...] = ()
    destinations: tuple[_Destination, ...] = ()


def subscribed(
    labels: Mapping[str, str], annotations: tuple[Mapping[str, str], ...], settings: NotificationSettings
) -> Subscribed:
    """Return who hears of an object: those of all Applications, then those that its annotations name, each once."""
    found: Subscribed = {}
    for one in settings.subscriptions:
        if one.selector is None or one.selector.matches(labels):
            for trigger in one.triggers or settings.default_triggers:
                found.setdefault(trigger, []).extend(one.recipients)
    for some in annotations:
        for trigger, recipient in _annotated(some):
            for name in _triggers(trigger, recipient.service, settings):
                found.setdefault(name, []).append(recipient)
    return {trigger: list(dict.fromkeys(recipients)) for trigger, recipients in sorted(found.items())}


def _triggers(trigger: str, service: str, settings: NotificationSettings) -> tuple[str, ...]:
    if trigger:
        return (trigger,)
    return settings.service_default_triggers.get(service, settings.default_triggers)


def _annotated(annotations: Mapping[str, str]) -> Iterator[tuple[str, Recipient]]:
    """Yield triggers, empty where none is named, with their recipients."""
    for key in sorted(annotations):
        if key.startswith(SUBSCRIBE):
            parts = key.removeprefix(SUBSCRIBE).split(".")
            trigger, service = (parts[0], parts[1]) if len(parts) > 1 else ("", parts[0])
            for name in _names(annotations[key]):
                yield trigger, Recipient(service, name)
        elif key.startswith(SUBSCRIPTIONS):
            yield from _listed(annotations[key])


def _names(text: str) -> list[str]:
    """Return recipients; an annotation without any is for services that need none."""
    return [name for part in text.split(";") if (name := part.strip())] if text else [""]


def _listed(text: str) -> Iterator[tuple[str, Recipient]]:
    try:
        documents = load_documents(text, source=SUBSCRIPTIONS, repeated=[])
        found = msgspec.convert(documents[0].value if documents else [], tuple[_Subscription, ...])
    except (YamlError, msgspec.ValidationError):
        return
    for one in found:
        for place in one.destinations:
            for trigger in one.trigger or ("",):
                for name in place.recipients:
                    yield trigger, Recipient(place.service, name)
