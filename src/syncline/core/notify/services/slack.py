"""`service.slack`: a message to a channel by `chat.postMessage`, as a form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.notify.services import options as reading
from syncline.model.notifications import Confirmation, HttpMessage, Recipient, SlackThread, ThreadPolicy

_API = "https://slack.com/api/"
_EMOJI = re.compile(":.+:")


class _Options(msgspec.Struct, rename="camel"):
    token: str = ""
    username: str = ""
    icon: str = ""
    api_url: str = msgspec.field(name="apiURL", default=_API)
    disable_unfurl: bool = False
    insecure_skip_verify: bool = False


class _Section(msgspec.Struct, rename="camel"):
    username: str = ""
    icon: str = ""
    attachments: str = ""
    blocks: str = ""
    grouping_key: str = ""
    notify_broadcast: bool = False
    delivery_policy: ThreadPolicy = ThreadPolicy.POST


def slack(filled: Mapping[str, Any], options: Mapping[str, Any], to: Recipient) -> HttpMessage:
    """Return the request; who speaks is said by the template, else by the service."""
    wanted = reading.read(options, _Options, to.service)
    section = reading.read(filled.get("slack") or {}, _Section, to.service)
    form = {"channel": to.recipient, "text": str(filled.get("message", ""))}
    if username := section.username or wanted.username:
        form["username"] = username
    if icon := section.icon or wanted.icon:
        form["icon_emoji" if _EMOJI.fullmatch(icon) else "icon_url"] = icon
    for name in ("attachments", "blocks"):
        if text := getattr(section, name):
            form[name] = msgspec.json.encode(reading.json_of(text, to.service, f"slack.{name}")).decode()
    if wanted.disable_unfurl:
        form |= {"unfurl_links": "false", "unfurl_media": "false"}
    if section.notify_broadcast:
        form["reply_broadcast"] = "true"
    base = reading.address(wanted.api_url or _API, to.service, "apiURL").rstrip("/")
    return HttpMessage(
        url=f"{base}/chat.postMessage",
        headers={"Authorization": f"Bearer {wanted.token}"},
        form=form,
        insecure=wanted.insecure_skip_verify,
        confirmation=Confirmation.SLACK,
        thread=SlackThread(to.recipient, section.grouping_key, section.delivery_policy)
        if section.grouping_key
        else None,
    )
