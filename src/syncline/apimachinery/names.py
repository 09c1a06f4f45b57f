"""Says what is wrong with a name, in Kubernetes' words.

Every check takes the text and returns the complaints, none where the name is good; the sandbox and
validation put the field's path before them. Names are made here too (`generated`), from a suffix drawn by
the caller.
"""

from __future__ import annotations

import re
from typing import Final

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_QUALIFIED})?"
_CONFIG_KEY: Final = "[-._a-zA-Z0-9]+"

_QUALIFIED_RULE: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_QUALIFIED_EXAMPLES: Final = ("MyName", "my.name", "123-abc")

SUFFIX_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
"""Letters of the suffix that `generateName` adds: no vowels, so that no words come out."""
SUFFIX_LENGTH: Final = 5
_LONGEST_GENERATED_BASE: Final = 63 - SUFFIX_LENGTH


def label(name: str) -> list[str]:
    """Check an RFC 1123 label, such as the name of a namespace or container."""
    complaints = _too_long(name, 63)
    if not re.fullmatch(_LABEL, name):
        if re.fullmatch(_SUBDOMAIN, name):
            complaints.append("must not contain dots")
        else:
            rule = (
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
                "and must start and end with an alphanumeric character"
            )
            complaints.append(_mismatch(rule, _LABEL, "my-name", "123-abc"))
    return complaints


def subdomain(name: str) -> list[str]:
    """Check an RFC 1123 subdomain, such as the name of most objects."""
    complaints = _too_long(name, 253)
    if not re.fullmatch(_SUBDOMAIN, name):
        rule = (
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
            "and must start and end with an alphanumeric character"
        )
        complaints.append(_mismatch(rule, _SUBDOMAIN, "example.com"))
    return complaints


def path_segment(name: str) -> list[str]:
    """Check a name that need only be usable in a URL, such as that of a role."""
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{part}'" for part in ("/", "%") if part in name]


def qualified(name: str) -> list[str]:
    """Check a qualified name: the key of a label or annotation."""
    parts = name.split("/")
    if len(parts) > 2:
        wanted = _mismatch(_QUALIFIED_RULE, _QUALIFIED, *_QUALIFIED_EXAMPLES)
        hint = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {wanted} {hint}"]
    complaints: list[str] = []
    if len(parts) == 2:
        prefix = parts[0]
        about_prefix = subdomain(prefix) if prefix else ["must be non-empty"]
        complaints += [f"prefix part {complaint}".replace("253 characters", "253 bytes") for complaint in about_prefix]
    last = parts[-1]
    if not last:
        complaints.append("name part must be non-empty")
    complaints += [f"name part {complaint}" for complaint in _too_long(last, 63, "bytes")]
    if not re.fullmatch(_QUALIFIED, last):
        complaints.append(f"name part {_mismatch(_QUALIFIED_RULE, _QUALIFIED, *_QUALIFIED_EXAMPLES)}")
    return complaints


def label_value(value: str) -> list[str]:
    """Check the value of a label."""
    complaints = _too_long(value, 63, "bytes")
    if not re.fullmatch(_LABEL_VALUE, value):
        rule = f"a valid label must be an empty string or {_QUALIFIED_RULE.removeprefix('must ')}"
        complaints.append(_mismatch(rule, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return complaints


def config_key(key: str) -> list[str]:
    """Check a key of a ConfigMap or Secret."""
    complaints = _too_long(key, 253)
    if not re.fullmatch(_CONFIG_KEY, key):
        rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        complaints.append(_mismatch(rule, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    if key in (".", ".."):
        complaints.append(f"must not be '{key}'")
    elif key.startswith(".."):
        complaints.append("must not start with '..'")
    return complaints


def port_name(name: str) -> list[str]:
    """Check the name of a container port (an IANA service name)."""
    complaints = _too_long(name, 15)
    if not re.fullmatch("[-a-z0-9]+", name):
        complaints.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        complaints.append("must contain at least one letter (a-z)")
    if "--" in name:
        complaints.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        complaints.append("must not begin or end with a hyphen")
    return complaints


def generated(base: str, suffix: str) -> str:
    """Return the name made from `metadata.generateName` and a suffix the caller drew from the alphabet."""
    return base[:_LONGEST_GENERATED_BASE] + suffix


def _too_long(text: str, limit: int, unit: str = "characters") -> list[str]:
    """Bytes are counted either way; which word is printed depends on the check."""
    return [f"must be no more than {limit} {unit}"] if len(text.encode()) > limit else []


def _mismatch(rule: str, pattern: str, *examples: str) -> str:
    given = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} (e.g. {given}regex used for validation is '{pattern}')"
