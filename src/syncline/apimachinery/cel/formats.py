"""Named formats in expressions: `format.dns1123Label().validate(text)`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from syncline.apimachinery import names
from syncline.apimachinery.cel import times, urls
from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.values import NONE, Fault, Opaque, Optional

FUNCTIONS: Final = Functions()
Check = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Format(Opaque):
    """A format by its name."""

    type_name: ClassVar[str] = "kubernetes.NamedFormat"
    name: str


def _prefix(check: Check) -> Check:
    """Check the beginning of a name, which may end in a dash."""
    return lambda text: check(f"{text[:-1]}a" if len(text) > 1 and text.endswith("-") else text)


def _matching(pattern: str, told: str) -> Check:
    known = re.compile(pattern, re.ASCII)
    return lambda text: [] if known.fullmatch(text) else [told]


def _service_label(text: str) -> list[str]:
    complaints = [told for told in names.label("a" * len(text)) if len(text) > 63]
    if not re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", text):
        complaints.append(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
            "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
            "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
        )
    return complaints


def _uri(text: str) -> list[str]:
    try:
        urls.parse(text)
    except ValueError as error:
        return [f'parse "{text}": {error}']
    return []


def _datetime(text: str) -> list[str]:
    try:
        times.parse(text)
    except Fault:
        return ["invalid datetime"]
    return []


def _byte(text: str) -> list[str]:
    import base64

    try:
        base64.b64decode(text, validate=True)
    except ValueError:
        return ["invalid base64"]
    return []


def _date(text: str) -> list[str]:
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return ["invalid date"]
    return [] if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) else ["invalid date"]


CHECKS: Final[dict[str, Check]] = {
    "dns1123Label": names.label,
    "dns1123Subdomain": names.subdomain,
    "dns1035Label": _service_label,
    "qualifiedName": names.qualified,
    "dns1123LabelPrefix": _prefix(names.label),
    "dns1123SubdomainPrefix": _prefix(names.subdomain),
    "dns1035LabelPrefix": _prefix(_service_label),
    "labelValue": names.label_value,
    "uri": _uri,
    "uuid": _matching(
        "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", "does not match the UUID format"
    ),
    "byte": _byte,
    "date": _date,
    "datetime": _datetime,
}


def _validate(given: Format, text: str) -> Optional:
    complaints = CHECKS[given.name](text)
    return Optional(True, complaints) if complaints else NONE


def _named(name: str) -> Optional:
    return Optional(True, Format(name)) if name in CHECKS else NONE


for _name in CHECKS:
    FUNCTIONS.add(f"format.{_name}", "() kubernetes.NamedFormat", does=lambda name=_name: Format(name))
FUNCTIONS.add("format.named", "(string) optional(kubernetes.NamedFormat)", does=_named)
FUNCTIONS.add("validate", "kubernetes.NamedFormat.(string) optional(list(string))", does=_validate)
