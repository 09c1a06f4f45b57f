"""Makes text safe to print: control characters and bidirectional marks become visible escapes.

Used by the one place of the command line that prints, `syncline.cli.show.terminal`, and by whoever writes log lines.
Text from Git, manifests, clusters and tools may hold sequences that move the cursor, set the window's title or show
letters in another order than they stand in the file; a reader must see what is there.
"""

from __future__ import annotations

import re

# Everything below space but tab and newline, DEL, the C1 controls (U+009B is another spelling of ESC [), the marks and
# overrides of writing direction, line and paragraph separators, invisible tag characters, and noncharacters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Return the text with what a terminal would obey written as an escape, such as `\x1b` or `\u202e`."""
    return _UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
