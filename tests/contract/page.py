"""Writes the known differences into docs/internals/sandbox.md: `python -m tests.contract.page`."""

from __future__ import annotations

import pathlib
import textwrap

from tests.contract import catalog, judging

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "internals" / "sandbox.md"
START = "<!-- known differences: python -m tests.contract.page -->"
WIDTH = 120
END = "<!-- end of known differences -->"


def text() -> str:
    """Return the page as it should be."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    requests = sum(len(story.steps) for story in catalog.STORIES)
    differing = len({(name, index) for one in judging.known() for name, steps in one.steps.items() for index in steps})
    scope = ", ".join(sorted(story.name for story in catalog.STORIES))
    count = f"Of {requests} requests {differing} are answered otherwise than by kube-apiserver."
    lines = textwrap.wrap(
        f"{count} The requests are those of the stories {scope}; what no story asks is not compared.",
        WIDTH,
        break_on_hyphens=False,
    )
    lines.append("")
    for entry in judging.known():
        where = ", ".join(f"{name} ({len(steps)})" for name, steps in entry.steps.items())
        lines += textwrap.wrap(f"- {entry.reason} Seen in: {where}.", WIDTH, subsequent_indent="  ")
    return f"{before}{START}\n" + "\n".join(lines) + f"\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
