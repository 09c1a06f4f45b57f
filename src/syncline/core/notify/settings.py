"""Reads `argocd-notifications-cm` and `argocd-notifications-secret`, each key for itself.

Called by `syncline.controller.notify` whenever one of them changes, and by `syncline admin notifications` with files.
The odd fact: where Argo CD refuses the whole ConfigMap because of one bad key, that key alone is left out here, and
named in `problems`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from syncline.apimachinery.keys import Object
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.apimachinery.yaml import YamlError, load_documents
from syncline.core.expr import ExprError, parse
from syncline.core.notify.causes import BUILT_IN_TEMPLATES, BUILT_IN_TRIGGERS
from syncline.core.notify.errors import NotifyError
from syncline.core.notify.services import TYPES
from syncline.model.notifications import (
    CONFIG_MAP,
    GlobalSubscription,
    NotificationService,
    NotificationSettings,
    Recipient,
    Template,
    TriggerCondition,
)

_REFERENCE = re.compile(r"[$][\w-]+")
T = TypeVar("T")


class _Subscription(msgspec.Struct):
    recipients: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    selector: str = ""


class _Reading:
    """What was read so far."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self.secrets = secrets
        self.problems: list[str] = []
        self.services: dict[str, NotificationService] = {}
        self.triggers = dict(BUILT_IN_TRIGGERS)
        self.templates: dict[str, Template] = dict(BUILT_IN_TEMPLATES)
        self.defaults: dict[str, tuple[str, ...]] = {}

    def typed(self, key: str, text: str, kind: type[T], fallback: T) -> T:
        """Return what a key says as a type; a problem and the fallback where it says something else."""
        try:
            value = _yaml(key, text)
            return fallback if value is None else msgspec.convert(value, kind)
        except (YamlError, msgspec.ValidationError) as error:
            self.problems.append(f"{CONFIG_MAP}: {key}: {error}")
            return fallback

    def service(self, key: str, text: str) -> None:
        """Read `service.<type>` or `service.<type>.<name>`."""
        parts = key.split(".")
        if len(parts) > 3:
            self.problems.append(f"{CONFIG_MAP}: {key}: a service is service.<type> or service.<type>.<name>")
            return
        options = self.typed(key, text, dict[str, Any], {})
        if parts[1] not in TYPES:
            known = ", ".join(sorted(TYPES))
            self.problems.append(f"{CONFIG_MAP}: {key}: services of type {parts[1]} are not supported, only {known}")
        self.services[parts[-1]] = NotificationService(
            parts[1], _map_texts(options, lambda one: self._filled(key, one))
        )

    def _filled(self, key: str, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            name = match[0][1:]
            if name not in self.secrets:
                self.problems.append(f"{CONFIG_MAP}: {key}: the Secret has no key {name}, which ${name} stands for")
                return match[0]
            return self.secrets[name]

        return _REFERENCE.sub(value, text)

    def trigger(self, key: str, text: str) -> None:
        """Read `trigger.<name>`; an expression that cannot be read leaves its trigger out."""
        name = key.partition(".")[2]
        conditions = self.typed(key, text, tuple[TriggerCondition, ...], ())
        for at, one in enumerate(conditions):
            for field, expression in (("when", one.when), ("oncePer", one.once_per)):
                try:
                    parse(expression or "false")
                except ExprError as error:
                    self.problems.append(f"{CONFIG_MAP}: {key}: {field} of condition {at}: {error}: {expression}")
                    return
        self.triggers[name] = conditions

    def subscription(self, one: _Subscription) -> GlobalSubscription | None:
        """Read one of the subscriptions of all Applications."""
        try:
            selector = LabelSelector.parse(one.selector) if one.selector else None
        except InvalidSelector as error:
            self.problems.append(f"{CONFIG_MAP}: subscriptions: selector {one.selector}: {error}")
            return None
        return GlobalSubscription(
            recipients=tuple(map(recipient, one.recipients)), triggers=one.triggers, selector=selector
        )


def read_settings(config_map: Object | None, secret: Object | None) -> NotificationSettings:
    """Return what an installation says about notifications."""
    data = {str(key): text for key, text in ((config_map or {}).get("data") or {}).items() if isinstance(text, str)}
    reading = _Reading(_secret_values(secret))
    for key in sorted(data):
        family = key.partition(".")[0]
        if key.startswith("template."):
            reading.templates[key.partition(".")[2]] = reading.typed(key, data[key], dict[str, Any], {})
        elif key.startswith("service."):
            reading.service(key, data[key])
        elif key.startswith("trigger."):
            reading.trigger(key, data[key])
        elif family == "defaultTriggers" and "." in key:
            reading.defaults[key.partition(".")[2]] = reading.typed(key, data[key], tuple[str, ...], ())
    raw = reading.typed("subscriptions", data.get("subscriptions", ""), tuple[_Subscription, ...], ())
    subscriptions = tuple(found for one in raw if (found := reading.subscription(one)) is not None)
    default = reading.typed("defaultTriggers", data.get("defaultTriggers", ""), tuple[str, ...], ())
    context = reading.typed("context", data.get("context", ""), dict[str, str], {})
    return NotificationSettings(
        services=reading.services,
        triggers=reading.triggers,
        templates=reading.templates,
        subscriptions=subscriptions,
        default_triggers=default,
        service_default_triggers=reading.defaults,
        context=context,
        secrets=reading.secrets,
        problems=tuple(reading.problems),
    )


def recipient(text: str) -> Recipient:
    """Read `service:recipient`; of more parts the second counts, as in Argo CD."""
    parts = text.split(":")
    return Recipient(parts[0], parts[1] if len(parts) > 1 else "")


def service_of(settings: NotificationSettings, name: str) -> NotificationService:
    """Return a service by name."""
    found = settings.services.get(name)
    if found is None:
        raise NotifyError(f"{CONFIG_MAP} has no service named {name}: add service.{name}")
    return found


def _yaml(key: str, text: str) -> Any:
    documents = load_documents(text, source=key, repeated=[])
    return documents[0].value if documents else None


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _map_texts(child, change) for key, child in value.items()}
    return [_map_texts(child, change) for child in value] if isinstance(value, list) else value


def _secret_values(secret: Object | None) -> dict[str, str]:
    values = {str(key): str(text) for key, text in ((secret or {}).get("stringData") or {}).items()}
    for key, text in ((secret or {}).get("data") or {}).items():
        try:
            values[str(key)] = base64.b64decode(str(text), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue  # not a text, so nothing that a setting could refer to
    return values
