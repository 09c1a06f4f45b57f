"""The page that a check or a preview is shown on: one file that needs nothing else, in light and dark.

Filled by `syncline.cli.show.previewing.page`. Everything that is put in goes
through `text`, so that nothing of a repository is read as HTML; nothing on the page is loaded from anywhere.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources

from syncline.apimachinery.printable import printable
from syncline.cli.show import frames
from syncline.model.finding import Finding, Severity

_THEME = (
    "function theme(){var r=document.documentElement,d=r.dataset.theme||"
    "(matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light');r.dataset.theme=d==='dark'?'light':'dark'}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_SHAPES = {Severity.ERROR: ("bad", "error"), Severity.WARNING: ("dec", "warning"), Severity.INFO: ("unk", "remark")}
_AROUND = 1


def document(title: str, headline: str, facts: Iterable[str], body: Iterable[str]) -> str:
    """Return the whole page."""
    style = resources.files("syncline.cli.show").joinpath("page.css").read_text(encoding="utf-8")
    spans = "".join(f"<span>{text(one)}</span>" for one in facts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{text(title)} · Syncline</title><style>\n{style}</style><script>{_THEME}</script></head>\n<body>"
        f'<a class="skip" href="#main">Skip to content</a><header><b>Syncline</b><span class="q">{text(title)}</span>'
        f'<span class="end">no cluster needed</span><button type="button" onclick="theme()">Theme</button></header>\n'
        f'<main id="main"><h1>{text(headline)}</h1><p class="facts">{spans}</p>\n{chr(10).join(body)}\n</main>'
        f"</body></html>"
    )


def text(value: str) -> str:
    """Return text that means nothing but itself in HTML."""
    return html.escape(printable(value), quote=True)


def shape(name: str, words: str) -> str:
    """Return one of the shapes that stand beside a colour."""
    return f'<i class="sh {name}" role="img" aria-label="{text(words)}"></i>'


def findings(found: Iterable[Finding], files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield findings with the lines they point at, and what to do."""
    for one in found:
        times = f'<span class="end">{one.count} times</span>' if one.count > 1 else ""
        fix = one.fix.text or "; ".join(map(str, one.fix.edits)) or one.fix.command if one.fix is not None else ""
        yield (
            f'<div class="finding"><div class="h">{shape(*_SHAPES[one.severity])}'
            f"<b>{text(f'{one.code} {one.name}')}</b><span>{text(one.message)}</span>{times}</div>{frame(one, files)}"
            + (f'<div class="fix"><b>Fix:</b> {text(fix)}</div>' if fix else "")
            + "</div>"
        )


def frame(one: Finding, files: Mapping[str, bytes]) -> str:
    """Return the lines around the place of a finding, the one that it names marked."""
    place = frames.place_of(one)
    if place is None or not place.file:
        return ""
    head = f'<div class="fh"><span class="src">{text(str(place))}</span></div>'
    shown = frames.lines(one, files, _AROUND)
    if not shown:
        return f'<div class="frame">{head}</div>'
    rows = "".join(
        f"<li{' class=at' if number == place.line else ''}><span>{number}</span><span>{text(line[:300])}</span></li>"
        for number, line in shown
    )
    return f'<div class="frame">{head}<ol>{rows}</ol></div>'
