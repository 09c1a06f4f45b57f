"""`service.email`: a mail over SMTP; the recipient is an address, or several with commas between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.notify.errors import NotifyError
from syncline.core.notify.services import options as reading
from syncline.model.notifications import MailMessage, Recipient

_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]\\]+@[^\s@<>,;:\"()\[\]\\]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_MOST = 50


class _Options(msgspec.Struct):
    host: str = ""
    port: int = 25
    username: str = ""
    password: str = ""
    # The one option that is not written in camel case, also in Argo CD.
    insecure_skip_verify: bool = False
    from_: str = msgspec.field(name="from", default="")
    html: bool = False


class _Section(msgspec.Struct):
    subject: str = ""
    body: str = ""


def email(filled: Mapping[str, Any], options: Mapping[str, Any], to: Recipient) -> MailMessage:
    """Return the mail. Addresses come from annotations that strangers write: nothing but an address passes."""
    wanted = reading.read(options, _Options, to.service)
    section = reading.read(filled.get("email") or {}, _Section, to.service)
    if not wanted.host or not wanted.from_:
        raise NotifyError(f"service {to.service}: host and from are needed")
    addresses = tuple(part.strip() for part in to.recipient.split(","))
    if len(addresses) > _MOST or not all(map(_ADDRESS.fullmatch, addresses)):
        raise NotifyError(f"service {to.service}: {to.recipient[:80]!r} is not a mail address")
    return MailMessage(
        host=wanted.host,
        port=wanted.port,
        sender=wanted.from_,
        to=addresses,
        subject=_CONTROL.sub(" ", section.subject).strip(),
        body=section.body or str(filled.get("message", "")),
        html=wanted.html,
        username=wanted.username,
        password=wanted.password,
        insecure=wanted.insecure_skip_verify,
    )
