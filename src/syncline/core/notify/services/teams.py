"""`service.teams`: a card to an incoming webhook of Microsoft Teams; the recipient is a key of `recipientUrls`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.notify.errors import NotifyError
from syncline.core.notify.services import options as reading
from syncline.model.notifications import Confirmation, HttpMessage, Recipient


class TeamsOptions(msgspec.Struct, rename="camel"):
    """Options of both services for Teams."""

    recipient_urls: dict[str, str] = {}
    insecure_skip_verify: bool = False


class TeamsSection(msgspec.Struct, rename="camel"):
    """The section of a template for both services for Teams; `facts`, `sections` and `potential_action` are JSON."""

    template: str = ""
    title: str = ""
    summary: str = ""
    text: str = ""
    theme_color: str = ""
    facts: str = ""
    sections: str = ""
    potential_action: str = ""
    adaptive_card: str = ""


def url_of(wanted: TeamsOptions, to: Recipient) -> str:
    """Return the address of a recipient."""
    url = wanted.recipient_urls.get(to.recipient)
    if url is None:
        raise NotifyError(f"service {to.service}: recipientUrls has no {to.recipient or 'recipient without a name'}")
    return reading.address(url, to.service, f"recipientUrls.{to.recipient}")


def teams(filled: Mapping[str, Any], options: Mapping[str, Any], to: Recipient) -> HttpMessage:
    """Return the request; a `template` of the section is sent as it is."""
    wanted = reading.read(options, TeamsOptions, to.service)
    section = reading.read(filled.get("teams") or {}, TeamsSection, to.service)
    body = section.template or msgspec.json.encode(_card(filled, section, to.service)).decode()
    return HttpMessage(
        url=url_of(wanted, to),
        headers={"Content-Type": "application/json"},
        body=body,
        insecure=wanted.insecure_skip_verify,
        confirmation=Confirmation.TEAMS,
    )


def _card(filled: Mapping[str, Any], section: TeamsSection, service: str) -> dict[str, Any]:
    card: dict[str, Any] = {
        "@type": "MessageCard",
        "context": "https://schema.org/extensions",
        "title": section.title,
        "summary": section.summary,
        "text": section.text or str(filled.get("message", "")),
    }
    if section.theme_color:
        card["themeColor"] = section.theme_color
    if section.potential_action:
        card["potentialAction"] = reading.json_of(section.potential_action, service, "teams.potentialAction")
    sections = reading.json_of(section.sections, service, "teams.sections") if section.sections else []
    if section.facts:
        sections = [*sections, {"facts": reading.json_of(section.facts, service, "teams.facts")}]
    if sections:
        card["sections"] = sections
    return card
