"""Reads the options of services: typed, with a sentence where one is missing or of another type.

Used by the files beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from syncline.core.notify.errors import NotifyError

T = TypeVar("T")
_HTTP = re.compile(r"https?://[^\s/?#]+", re.IGNORECASE)


def read(options: Mapping[str, Any], kind: type[T], service: str) -> T:
    """Return the options of a service as a type; unknown ones are left alone, as in Argo CD."""
    try:
        return msgspec.convert(options, kind, strict=False)
    except msgspec.ValidationError as error:
        raise NotifyError(f"service {service}: {error}") from None


def address(text: str, service: str, option: str) -> str:
    """Return an address that a message can be sent to; its text is never told, for it may be a credential."""
    if not _HTTP.match(text):
        raise NotifyError(f"service {service}: {option} is not an address that begins with http:// or https://")
    return text


def json_of(text: str, service: str, where: str) -> Any:
    """Return what a text of a template says as JSON."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise NotifyError(f"service {service}: {where} of the template is not JSON: {error}") from None
