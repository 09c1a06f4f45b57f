"""The formats of texts that a CRD's schema may ask for, read as the API server reads them.

Asked by `syncline.sandbox.served.structural`. Formats that are not here are not checked by the API server either.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import date
from typing import Final

from syncline.apimachinery import duration

_HOSTNAME: Final = re.compile(
    r"[^\W_]((-?[^\W_]{0,62})?)|([^\W_](([^\W_]|-){0,61}[^\W_])?\.)+[^\W\d_]{2,63}",
)
_TIME: Final = re.compile(r"(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)", re.ASCII)
_LENGTHS: Final = re.compile(r"(\d+)\s*([A-Za-zµ]+)")
_UNITS: Final = (
    *(("ns", "nano"), ("us", "µs", "micro"), ("ms", "milli"), ("s", "sec"), ("m", "min")),
    *(("h", "hr", "hour"), ("d", "day"), ("w", "wk", "week")),
)
_MACS: Final = tuple(
    re.compile(pattern, re.ASCII)
    for separator in (":", "-")
    for pattern in (rf"[0-9A-Fa-f]{{2}}({separator}[0-9A-Fa-f]{{2}}){{{count}}}" for count in (5, 7, 19))
) + tuple(re.compile(rf"[0-9A-Fa-f]{{4}}(\.[0-9A-Fa-f]{{4}}){{{count}}}", re.ASCII) for count in (2, 3, 9))
_NAME: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_BYTE: Final = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
_COLOUR: Final = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"
_CARD: Final = (
    r"4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}"
    r"|(2131|1800|35\d{3})\d{11}"
)


def known(name: str) -> bool:
    """Tell whether texts of this format are checked."""
    return name.replace("-", "") in _CHECKS


def fits(name: str, text: str) -> bool:
    """Tell whether a text has the format; `name` is one that is known."""
    return _CHECKS[name.replace("-", "")](text)


def _like(pattern: str, longest: int = 0) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None and (not longest or len(text) <= longest)


def _uuid(third: str = "[0-9a-f]{4}", fourth: str = "[0-9a-f]{4}") -> Callable[[str], bool]:
    return _like(rf"(?i)[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{third}-?{fourth}-?[0-9a-f]{{12}}")


def _uri(text: str) -> bool:
    from syncline.apimachinery.cel import urls

    try:
        urls.parse(text)
    except ValueError:
        return False
    return True


def _email(text: str) -> bool:
    """Read an address as Go's mail.ParseAddress does, as far as people write them."""
    found = re.fullmatch(r"(?:.*<)?\s*([^\s<>@\"(),:;\[\]\\]+|\"[^\"]*\")@([^\s<>@\"(),:;\\]+)\s*>?", text.strip())
    return found is not None and (text.count("<") == text.count(">") <= 1) and ".." not in text


def _hostname(text: str) -> bool:
    plain = _HOSTNAME.fullmatch(text) is not None and len(text.encode()) <= 255
    return plain and all(len(part.encode()) <= 63 for part in text.split("."))


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address as Go's older parser does: numbers may begin with zeros, zones are refused."""
    if re.fullmatch(r"\d+(\.\d+){3}", text, re.ASCII):
        text = ".".join(str(int(part)) for part in text.split("."))
    try:
        return None if "%" in text else ipaddress.ip_address(text)
    except ValueError:
        return None


def _cidr(text: str) -> bool:
    address, slash, length = text.partition("/")
    found = _address(address)
    if found is None or not slash or not re.fullmatch(r"\d+", length, re.ASCII):
        return False
    return int(length) <= found.max_prefixlen


def _date(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000-") and _date(f"2000{text[4:]}")
    return True


def _date_time(text: str) -> bool:
    parts = text.lower().split("t")
    if len(parts) < 2 or not _date(parts[0]):
        return False
    found = _TIME.fullmatch(parts[1])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _duration(text: str) -> bool:
    try:
        duration.parse(text)
    except ValueError:
        pass
    else:
        return True
    units = [unit.lower() for _, unit in _LENGTHS.findall(text)]
    return any(unit in variants or unit.startswith(variants[-1]) for unit in units for variants in _UNITS)


def _isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch(r"[0-9]{9}X|[0-9]{10}", digits):
        return False
    return sum((index + 1) * (10 if digit == "X" else int(digit)) for index, digit in enumerate(digits)) % 11 == 0


def _isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not re.fullmatch("[0-9]{13}", digits):
        return False
    total = sum((1, 3)[index % 2] * int(digit) for index, digit in enumerate(digits[:12]))
    return int(digits[12]) == (10 - total % 10) % 10


def _card(text: str) -> bool:
    digits = re.sub("[^0-9]+", "", text)
    doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits))]
    return re.fullmatch(_CARD, digits) is not None and sum(one % 10 + one // 10 for one in doubled) % 10 == 0


_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "bsonobjectid": _like("[0-9a-fA-F]{24}"),
    "uri": _uri,
    "email": _email,
    "hostname": _hostname,
    "ipv4": lambda text: _address(text) is not None and "." in text,
    "ipv6": lambda text: _address(text) is not None and ":" in text,
    "cidr": _cidr,
    "mac": lambda text: any(one.fullmatch(text) for one in _MACS),
    "uuid": _uuid(),
    "uuid3": _uuid("3[0-9a-f]{3}"),
    "uuid4": _uuid("4[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "uuid5": _uuid("5[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "isbn": lambda text: _isbn10(text) or _isbn13(text),
    "isbn10": _isbn10,
    "isbn13": _isbn13,
    "creditcard": _card,
    "ssn": _like(r"(?=.{11}$)\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "hexcolor": _like("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _like(rf"rgb\({_COLOUR},{_COLOUR},{_COLOUR}\)"),
    "byte": _like(_BYTE),
    "password": lambda _text: True,
    "date": _date,
    "duration": _duration,
    "datetime": _date_time,
    "k8sshortname": _like(_NAME, 63),
    "k8slongname": _like(rf"{_NAME}(\.{_NAME})*", 253),
}
