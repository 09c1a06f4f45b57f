"""`service.pagerdutyv2`: an event of PagerDuty's Events API v2; the recipient is a key of `serviceKeys`.

`apiURL` is an option that Argo CD does not have: accounts in the EU have another address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.notify.errors import NotifyError
from syncline.core.notify.services import options as reading
from syncline.model.notifications import HttpMessage, Recipient

_API = "https://events.pagerduty.com"
_ACTIONS = ("trigger", "acknowledge", "resolve")


class _Options(msgspec.Struct, rename="camel"):
    service_keys: dict[str, str] = {}
    api_url: str = msgspec.field(name="apiURL", default=_API)


class _Section(msgspec.Struct, rename="camel"):
    summary: str = ""
    severity: str = ""
    source: str = ""
    component: str = ""
    group: str = ""
    class_: str = msgspec.field(name="class", default="")
    url: str = ""
    dedup_key: str = ""
    event_action: str = "trigger"


def pagerduty(filled: Mapping[str, Any], options: Mapping[str, Any], to: Recipient) -> HttpMessage:
    """Return the request; a template without a section for PagerDuty is a mistake, as in Argo CD."""
    wanted = reading.read(options, _Options, to.service)
    key = wanted.service_keys.get(to.recipient)
    if key is None:
        raise NotifyError(f"service {to.service}: serviceKeys has no {to.recipient or 'recipient without a name'}")
    if "pagerdutyv2" not in filled:
        raise NotifyError(f"service {to.service}: the template has no section pagerdutyv2")
    section = reading.read(filled["pagerdutyv2"], _Section, to.service)
    if section.event_action not in _ACTIONS:
        raise NotifyError(f"service {to.service}: eventAction is not one of {', '.join(_ACTIONS)}")
    base = reading.address(wanted.api_url or _API, to.service, "apiURL").rstrip("/")
    return HttpMessage(
        url=f"{base}/v2/enqueue",
        headers={"Content-Type": "application/json"},
        body=msgspec.json.encode(_event(key, section)).decode(),
    )


def _event(key: str, section: _Section) -> dict[str, Any]:
    payload = {"summary": section.summary, "source": section.source, "severity": section.severity}
    more = {"component": section.component, "group": section.group, "class": section.class_}
    event: dict[str, Any] = {
        "routing_key": key,
        "event_action": section.event_action,
        "client": "ArgoCD",
        "payload": {**payload, **{name: text for name, text in more.items() if text}},
    }
    optional = {"dedup_key": section.dedup_key, "client_url": section.url}
    return {**event, **{name: text for name, text in optional.items() if text}}
