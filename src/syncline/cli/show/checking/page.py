"""A check as a page of its own: a sentence, the errors, then what is less bad, folded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from syncline.cli.show import page as pages
from syncline.cli.show.checked import counts, verdict
from syncline.cli.show.page import text
from syncline.model.finding import Severity

if TYPE_CHECKING:
    from syncline.api.check import Checked

_WORDS = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Remarks"}


def page(found: Checked, seconds: float) -> str:
    """Return the page."""
    return pages.document(
        "Check", f"{verdict(found, verbose=True)}.", counts(found, seconds).split(" · "), _body(found)
    )


def _body(found: Checked) -> Iterator[str]:
    for severity, words in _WORDS.items():
        listed = found.of(severity)
        if not listed:
            continue
        shown = "".join(pages.findings(listed, found.files))
        if severity is Severity.ERROR:
            yield f'<section><div class="head"><h2>{words}</h2></div>{shown}</section>'
        else:
            yield f"<section><details><summary>{len(listed)} {words.lower()}</summary>{shown}</details></section>"
    if found.left_out:
        why = "".join(
            f"<li>{text(one.what)}{f' (×{one.count})' if one.count > 1 else ''} "
            f'<span class="q">{text(one.remedy)}</span></li>'
            for one in found.left_out
        )
        yield f'<section><div class="head"><h2>Not checked</h2></div><ul>{why}</ul></section>'
