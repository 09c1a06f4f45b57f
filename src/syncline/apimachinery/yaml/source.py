"""Turns what was read from a file into text the parser can take, or says where it cannot.

Called by `syncline.apimachinery.yaml.reader` and `syncline.apimachinery.yaml.edit` first of all; a byte order mark
is dropped. The parser itself refuses NUL, control characters and lone surrogates, but names no line:
`forbidden_character` finds the place afterwards, so that honest texts are not searched twice.
"""

from __future__ import annotations

import codecs
import re

from syncline.apimachinery.yaml.errors import YamlError
from syncline.apimachinery.yaml.limits import YamlLimits

_FORBIDDEN = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(text: bytes | str, *, source: str, limits: YamlLimits) -> str:
    """Decode a text within the size limit; the result has no byte order mark."""
    if len(text) > limits.max_bytes:
        raise YamlError(
            f"the text has {len(text)} bytes, more than the {limits.max_bytes} allowed: split it", source=source
        )
    decoded = _unicode(text, source) if isinstance(text, bytes) else text
    return decoded.removeprefix("\ufeff")


def forbidden_character(text: str, source: str) -> YamlError:
    """Build the error for the first character that YAML does not allow."""
    found = re.search(_FORBIDDEN, text)
    if found is None:
        return YamlError("the text is not YAML", source=source)
    return at_offset(f"character {_name(found[0])} is not allowed", text, found.start(), source)


def at_offset(message: str, text: str, offset: int, source: str) -> YamlError:
    """Build the error for a character offset."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n") + 1
    return YamlError(message, source=source, line=line, column=len(before) - before.rfind("\n"))


def _unicode(text: bytes, source: str) -> str:
    encoding = "utf-16" if text.startswith(_UTF16) else "utf-8"
    try:
        return text.decode(encoding)
    except UnicodeDecodeError as error:
        before = text[: error.start].decode(encoding, "replace")
        raise at_offset(f"the text is not valid {encoding.upper()}", before, len(before), source) from None


def _name(character: str) -> str:
    code = ord(character)
    return f"U+{code:04X}, half of a surrogate pair," if 0xD800 <= code <= 0xDFFF else f"U+{code:04X}"
