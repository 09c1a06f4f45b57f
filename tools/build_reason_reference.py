"""Writes docs/reference/reasons.md from `syncline.model.reason`: every reason with its explanation.

Run as `python tools/build_reason_reference.py` after adding a reason; a test fails while the page is stale.
"""

from __future__ import annotations

from pathlib import Path

from syncline.model.reason import Reason

TARGET = Path(__file__).parent.parent / "docs/reference/reasons.md"
_HEAD = """\
# Reasons

Written by `python tools/build_reason_reference.py` from the reasons themselves; change them there.

Every verdict, decision and wait carries one of these words. Scripts may match on them: a reason is never renamed.

| reason | explanation |
|---|---|
"""


def page() -> str:
    """Return the whole page."""
    return _HEAD + "".join(f"| `{reason.value}` | {reason.explanation} |\n" for reason in Reason)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
