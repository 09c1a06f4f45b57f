"""Small checks that many kinds share, in the API server's words.

Every one returns what is wrong with one value under a field, or an empty list.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any, Final

from syncline.apimachinery import names, quantity
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import go_value

_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
PROTOCOLS: Final = ("SCTP", "TCP", "UDP")
_PERCENT: Final = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)
_ADDRESS: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NETWORK: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def refused(field: str, value: str, texts: Sequence[str]) -> list[FieldCause]:
    """Tell all complaints about a text."""
    return [errors.invalid_value(field, go_value(value), text) for text in texts]


def at_least_zero(holder: Mapping[str, Any], where: str, *fields: str) -> list[FieldCause]:
    """Refuse negative numbers."""
    return [
        errors.invalid_value(f"{where}.{field}", str(holder[field]), "must be greater than or equal to 0")
        for field in fields
        if isinstance(holder.get(field), int) and holder[field] < 0
    ]


def one_of(field: str, value: Any, allowed: Sequence[str]) -> list[FieldCause]:
    """Refuse a word outside an enumeration; nothing at all is fine."""
    return [] if value is None or value in allowed else [errors.not_supported(field, str(value), allowed)]


def needed(field: str, value: Any) -> list[FieldCause]:
    """Refuse nothing."""
    return [] if value not in (None, "", [], {}) else [errors.required(field)]


def subdomain(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not a DNS subdomain; nothing at all is fine."""
    return refused(field, str(value), names.subdomain(str(value))) if value else []


def label(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not a DNS label; nothing at all is fine."""
    return refused(field, str(value), names.label(str(value))) if value else []


def label_keys(field: str, labels: Mapping[str, Any] | None) -> list[FieldCause]:
    """Refuse keys and values that labels cannot have."""
    causes: list[FieldCause] = []
    for key, value in (labels or {}).items():
        causes += refused(field, key, names.qualified(key)) + refused(field, str(value), names.label_value(str(value)))
    return causes


def port(field: str, value: Any) -> list[FieldCause]:
    """Refuse a number that is not a port, or a text that is not a port name."""
    if isinstance(value, str):
        return port_name(field, value)
    number = value or 0
    text = "must be between 1 and 65535, inclusive"
    return [] if 0 < number < 65536 else [errors.invalid_value(field, str(number), text)]


def port_name(field: str, value: str) -> list[FieldCause]:
    """Refuse what is not an IANA service name."""
    return refused(field, value, names.port_name(value))


def address(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not an IP address."""
    try:
        ipaddress.ip_address(str(value))
    except ValueError:
        return refused(field, str(value), [_ADDRESS])
    return []


def network(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is not a CIDR."""
    try:
        ipaddress.ip_network(str(value), strict=False)
    except ValueError:
        return refused(field, str(value), [_NETWORK])
    return [] if "/" in str(value) else refused(field, str(value), [_NETWORK])


def amount_or_share(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is neither a number from zero nor a percentage up to 100."""
    if isinstance(value, int) and value < 0:
        return [errors.invalid_value(field, str(value), "must be greater than or equal to 0")]
    if not isinstance(value, str):
        return []
    number = value[:-1] if value.endswith("%") else ""
    if not number.isdigit():
        return refused(field, value, [_PERCENT])
    return refused(field, value, ["must not be greater than 100%"]) if int(number) > 100 else []


def selector(field: str, value: Mapping[str, Any] | None) -> list[FieldCause]:
    """Refuse a LabelSelector that cannot be read."""
    given = value or {}
    causes = label_keys(f"{field}.matchLabels", given.get("matchLabels"))
    for index, term in enumerate(given.get("matchExpressions") or ()):
        where, operator = f"{field}.matchExpressions[{index}]", term.get("operator")
        if operator in ("In", "NotIn"):
            if not term.get("values"):
                text = "must be specified when `operator` is 'In' or 'NotIn'"
                causes.append(errors.required(f"{where}.values", text))
        elif operator in ("Exists", "DoesNotExist"):
            if term.get("values"):
                text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                causes.append(errors.forbidden_field(f"{where}.values", text))
        else:
            causes += refused(f"{where}.operator", str(operator or ""), ["not a valid selector operator"])
        causes += refused(f"{where}.key", str(term.get("key") or ""), names.qualified(str(term.get("key") or "")))
    return causes


def access_modes(field: str, modes: Sequence[str]) -> list[FieldCause]:
    """Refuse modes that volumes cannot have, or not together."""
    causes = [errors.not_supported(field, mode, _MODES) for mode in modes if mode not in _MODES]
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        text = "may not use ReadWriteOncePod with other access modes"
        causes.append(errors.forbidden_field(field, text))
    return causes


def claim(spec: Mapping[str, Any], field: str) -> list[FieldCause]:
    """Refuse the spec of a claim that asks for nothing, or in words nobody knows."""
    causes: list[FieldCause] = []
    if not spec.get("accessModes"):
        causes.append(errors.required(f"{field}.accessModes", "at least 1 access mode is required"))
    causes += access_modes(f"{field}.accessModes", spec.get("accessModes") or [])
    causes += selector(f"{field}.selector", spec.get("selector"))
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if not size:
        causes.append(errors.required(f"{field}.resources[storage]"))
    elif quantity.parse(size) <= quantity.parse("0"):
        causes += refused(f"{field}.resources[storage]", str(size), ["must be greater than zero"])
    causes += subdomain(f"{field}.storageClassName", spec.get("storageClassName"))
    source = spec.get("dataSource")
    if source is not None:
        for part in ("dataSource", "dataSourceRef"):
            causes += needed(f"{field}.{part}.name", source.get("name"))
    return causes + one_of(f"{field}.volumeMode", spec.get("volumeMode"), ("Block", "Filesystem"))
