"""`service.teams-workflows`: an adaptive card to a workflow of Microsoft Teams, made of what `teams` sections say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from syncline.core.notify.services import options as reading
from syncline.core.notify.services.teams import TeamsOptions, TeamsSection, url_of
from syncline.model.notifications import HttpMessage, Recipient

_SECTION = "teams-workflows"


def teams_workflows(filled: Mapping[str, Any], options: Mapping[str, Any], to: Recipient) -> HttpMessage:
    """Return the request; an `adaptiveCard` of the section is sent as it is."""
    wanted = reading.read(options, TeamsOptions, to.service)
    section = reading.read(filled.get(_SECTION) or {}, TeamsSection, to.service)
    if section.adaptive_card:
        card = reading.json_of(section.adaptive_card, to.service, f"{_SECTION}.adaptiveCard")
    else:
        card = _card(filled, section, to.service)
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return HttpMessage(
        url=url_of(wanted, to),
        headers={"Content-Type": "application/json"},
        body=msgspec.json.encode({"type": "message", "attachments": [attachment]}).decode(),
        insecure=wanted.insecure_skip_verify,
    )


def _card(filled: Mapping[str, Any], section: TeamsSection, service: str) -> dict[str, Any]:
    body: list[dict[str, Any]] = []
    if section.title:
        title = {"type": "TextBlock", "text": section.title, "size": "Large", "weight": "Bolder"}
        body.append({**title, **({"color": section.theme_color} if section.theme_color else {}), "wrap": True})
    if text := section.text or str(filled.get("message", "")):
        body.append({"type": "TextBlock", "text": text, "wrap": True})
    groups: list[Any] = [_json(section.facts, service, "facts")] if section.facts else []
    groups += [one.get("facts") for one in _json(section.sections, service, "sections") if isinstance(one, Mapping)]
    body += [{"type": "FactSet", "facts": facts} for group in groups if (facts := list(_facts(group)))]
    card: dict[str, Any] = {"type": "AdaptiveCard", "version": "1.4", "body": body}
    if actions := list(_actions(_json(section.potential_action, service, "potentialAction"))):
        card["actions"] = actions
    return card


def _json(text: str, service: str, field: str) -> list[Any]:
    found = reading.json_of(text, service, f"{_SECTION}.{field}") if text else []
    return found if isinstance(found, list) else []


def _facts(group: Any) -> Iterator[dict[str, str]]:
    for fact in group if isinstance(group, list) else ():
        if isinstance(fact, Mapping) and isinstance(fact.get("name"), str):
            yield {"title": fact["name"], "value": str(fact.get("value", ""))}


def _actions(found: list[Any]) -> Iterator[dict[str, str]]:
    """Yield the actions that open a page; cards have no others of these."""
    for action in found:
        if not isinstance(action, Mapping) or action.get("@type") != "OpenUri":
            continue
        targets = action.get("targets")
        first = targets[0] if isinstance(targets, list) and targets else None
        if isinstance(first, Mapping) and (uri := str(first.get("uri") or "")):
            yield {"type": "Action.OpenUrl", "title": str(action.get("name") or ""), "url": uri}
