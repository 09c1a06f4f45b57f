"""`service.webhook.<name>`: any HTTP receiver. The section of the template is found by the name of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.notify.services import options as reading
from syncline.model.notifications import HttpMessage, Recipient


class _Header(msgspec.Struct):
    name: str = ""
    value: str = ""


class _Login(msgspec.Struct):
    username: str = ""
    password: str = ""


class _Options(msgspec.Struct, rename="camel"):
    url: str = ""
    headers: tuple[_Header, ...] = ()
    basic_auth: _Login | None = None
    insecure_skip_verify: bool = False


def webhook(filled: Mapping[str, Any], options: Mapping[str, Any], to: Recipient) -> HttpMessage:
    """Return the request; without a section of its own a webhook is asked by GET, with the message as body."""
    wanted = reading.read(options, _Options, to.service)
    url = reading.address(wanted.url, to.service, "url")
    method, body = "GET", str(filled.get("message", ""))
    section = (filled.get("webhook") or {}).get(to.service)
    if isinstance(section, Mapping):
        body = str(section.get("body") or "")
        method = str(section.get("method") or method)
        if path := str(section.get("path") or ""):
            url = f"{url.rstrip('/')}/{path.lstrip('/')}"
    login = wanted.basic_auth or _Login()
    return HttpMessage(
        url=url,
        method=method.upper(),
        headers={one.name: one.value for one in wanted.headers},
        body=body,
        username=login.username,
        password=login.password,
        insecure=wanted.insecure_skip_verify,
    )
