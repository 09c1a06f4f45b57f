"""Notifications as values: what an installation is told to send, to whom, and the message that goes out.

Settings are made by `syncline.core.notify.settings` of the ConfigMap and Secret that Argo CD's notifications have,
messages by `syncline.core.notify.services`; `syncline.ports.notify` takes messages to their receivers. Whatever may
carry a credential is left out of what is printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from syncline.apimachinery.selectors import LabelSelector

CONFIG_MAP = "argocd-notifications-cm"
SECRET = "argocd-notifications-secret"  # noqa: S105 - the name of an object
SUBSCRIBE = "notifications.argoproj.io/subscribe."
SUBSCRIPTIONS = "notifications.argoproj.io/subscriptions"


class TriggerCondition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One condition of a trigger: when it holds, the templates are sent, once per value of `once_per`."""

    when: str = ""
    once_per: str = ""
    description: str = ""
    send: tuple[str, ...] = ()


class Recipient(msgspec.Struct, frozen=True, order=True):
    """A service by its name, and whom it tells: a channel, an address, a key of its own settings."""

    service: str
    recipient: str = ""

    def __str__(self) -> str:
        return f"{self.service}:{self.recipient}" if self.recipient else self.service


class GlobalSubscription(msgspec.Struct, frozen=True, kw_only=True):
    """Recipients of every Application that the selector matches; without triggers, of the default ones."""

    recipients: tuple[Recipient, ...]
    triggers: tuple[str, ...] = ()
    selector: LabelSelector | None = None


@dataclass(frozen=True, slots=True)
class NotificationService:
    """A service by type, with its options; secrets are filled in."""

    type: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)


Template: TypeAlias = Mapping[str, Any]
"""A template as the ConfigMap has it: `message`, and a map for each kind of service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationSettings:
    """All that an installation says about notifications; `problems` says what of it cannot be used, a sentence each."""

    services: Mapping[str, NotificationService] = field(default_factory=dict)
    triggers: Mapping[str, tuple[TriggerCondition, ...]] = field(default_factory=dict)
    templates: Mapping[str, Template] = field(default_factory=dict)
    subscriptions: tuple[GlobalSubscription, ...] = ()
    default_triggers: tuple[str, ...] = ()
    service_default_triggers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    context: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    problems: tuple[str, ...] = ()


class Confirmation(StrEnum):
    """How a receiver says that it has taken a message."""

    STATUS = "status"
    """Any 2xx."""
    SLACK = "slack"
    TEAMS = "teams"


class ThreadPolicy(StrEnum):
    """What becomes of a message of Slack for which there is a thread already."""

    POST = "Post"
    UPDATE = "Update"
    POST_AND_UPDATE = "PostAndUpdate"


class SlackThread(msgspec.Struct, frozen=True):
    """The thread of a channel that a message belongs to, by a key that the template chose."""

    channel: str
    key: str
    policy: ThreadPolicy = ThreadPolicy.POST


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpMessage:
    """A message over HTTP. With a `form` the body is its encoding."""

    url: str = field(repr=False)
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: str = field(default="", repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    insecure: bool = False
    confirmation: Confirmation = Confirmation.STATUS
    thread: SlackThread | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MailMessage:
    """A message over SMTP."""

    host: str
    port: int
    sender: str
    to: tuple[str, ...]
    subject: str
    body: str = field(repr=False)
    html: bool = False
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    insecure: bool = False


Message: TypeAlias = HttpMessage | MailMessage
