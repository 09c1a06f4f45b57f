"""Writes what is known to differ into docs/internals/sandbox.md: `python -m tests.workloads.page`."""

from __future__ import annotations

import pathlib
import textwrap

from tests.workloads import catalog, judging

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "internals" / "sandbox.md"
START = "<!-- known differences of workloads: python -m tests.workloads.page -->"
END = "<!-- end of known differences of workloads -->"
WIDTH = 120


def text() -> str:
    """Return the page as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    differing = {name for entry in judging.known() for name in entry.stories}
    lines = [f"Of {len(catalog.STORIES)} stories {len(differing)} show something else than the control plane:", ""]
    for entry in judging.known():
        lines += textwrap.wrap(f"- {entry.reason} Seen in: {', '.join(entry.stories)}.", WIDTH, subsequent_indent="  ")
    return f"{before}{START}\n" + "\n".join(lines) + f"\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
