"""`syncline why`: the answer on one screen.

Reads the cluster once, renders the source as the controller would, and asks the same engine.
"""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING

import click

from syncline import wiring
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.why_screen import screen
from syncline.core.diagnose.explain import Explanation
from syncline.verbs.applications import StoredApplication, read_application
from syncline.verbs.home import Home

if TYPE_CHECKING:
    from syncline.verbs.explain import Explained
    from syncline.verbs.look import ClusterView

_WIDEST, _NARROWEST, _LINES = 120, 60, 22


@click.command()
@app_argument("target")
@chosen_cluster
@click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of an object, as deploy/web.")
@click.option("-v", "--verbose", is_flag=True, help="Show all findings in full.")
@click.option(
    "--ask-registries", is_flag=True, help="Ask the registries of images that cannot be pulled, with your own login."
)
@output_option("text", "json")
def why(target: str, chosen: Chosen, namespace: str, output: str, *, verbose: bool, ask_registries: bool) -> int:
    """Explain why an Application is not Synced and Healthy, on one screen.

    TARGET is an Application, an ApplicationSet (appset/NAME) or any object (deploy/web with -n).
    """
    from syncline.cli.diagnose.target import kind_word, why_object

    kind, name = kind_word(target)
    if kind == "ApplicationSet":
        from syncline.cli.appset.why import tell

        return asyncio.run(tell(name, chosen))
    if kind and kind != "Application":
        return asyncio.run(why_object(kind, name, namespace, chosen, output))
    return asyncio.run(_why(name, chosen, output, verbose=verbose, ask=ask_registries))


async def _why(name: str, chosen: Chosen, output: str, *, verbose: bool, ask: bool) -> int:
    """Print the explanation; exit 0 when there is nothing to explain, 1 when there is."""
    from syncline.model import codec

    async with chosen.opened() as home:
        words = home.words
        stored = await read_application(home.cluster, await chosen.find(home.cluster, name, home))
        explanation = await _explanation(home, stored, ask=ask)
    if output == "json":
        terminal.echo(codec.encode(explanation).decode())
    else:
        terminal.echo(f"{words}, read-only", err=True)
        width, height = _size()
        terminal.echo(screen(explanation, wiring.clock().now(), width=width, height=0 if verbose else height))
    return 0 if explanation.good else 1


def _size() -> tuple[int, int]:
    """Return columns and lines to use: those of the terminal, within what reads well."""
    columns, lines = shutil.get_terminal_size((_WIDEST, _LINES))
    return min(max(columns, _NARROWEST), _WIDEST), max(lines - 2, _LINES)


async def _explanation(home: Home, stored: StoredApplication, *, ask: bool) -> Explanation:
    from syncline.cli.render.image_check import with_remarks

    async def remarked(found: Explained, view: ClusterView) -> Explanation:
        return await with_remarks(found.explanation, found.assessment, view, ask=ask)

    return await home.explain(stored, remarked)
