"""`syncline blame`: who made a field of a rendered object: which file and line, which layer of values, which patch.

For a chart every likely value is changed, the chart is rendered again, and only those that move the field are named;
so the answer is what the chart does, not what its text looks like. With `--value` it is asked the other way round.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import click

from syncline.cli.options import Chosen, allow_local_option, build_options_option, chosen_cluster, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from syncline.api.applications import Opened
    from syncline.apimachinery.paths import FieldPath
    from syncline.core.provenance.blame import BlameCause, Move
    from syncline.core.provenance.values import Leaf
    from syncline.model.desired import DesiredObject
    from syncline.verbs.blaming import RenderedPart


@click.command(epilog="OBJECT is Deployment/web or apps/Deployment:shop/web; PATH is spec.containers[name=web].image.")
@click.argument("object_", metavar="[OBJECT", required=False)
@click.argument("path", metavar="PATH]", required=False)
@click.option(
    "--app", default="", help="File with the Application, or its name on the cluster (default: found by object)."
)
@click.option("--value", default="", help="Show instead which fields this chart value (image.tag) changes.")
@chosen_cluster
@click.option("--local", is_flag=True, help="Read the files of this checkout, committed or not.")
@click.option("--revision", "revisions", multiple=True, help="Commit, branch or tag, one for each source in order.")
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read this folder instead of the repository.")
@allow_local_option
@build_options_option
@output_option("text", "json")
def blame(
    object_: str | None,
    path: str | None,
    app: str,
    value: str,
    chosen: Chosen,
    revisions: tuple[str, ...],
    repos: tuple[str, ...],
    build_options: str,
    output: str,
    *,
    local: bool,
) -> int:
    """Show where a field of an object comes from: file, line, values layer or patch."""
    from syncline.api.applications import RenderFlags
    from syncline.cli.render.rendering import opened
    from syncline.model.errors import NeedsUser

    if not value and not (object_ and path):
        raise NeedsUser("name an object and a field, or a value", hint="syncline blame Deployment/web spec.replicas")

    if value and not app:
        raise NeedsUser("name the Application with --app")

    async def answer() -> int:
        named = app or await _application_of(str(object_), chosen)
        wanted = RenderFlags(local=local, revisions=revisions, repos=repos, build_options=build_options)
        found = await opened(named, chosen, wanted)
        if value:
            return await _print_moves(found, value, output)
        return await _print_causes(found, str(object_), str(path), output)

    return asyncio.run(answer())


async def _application_of(name: str, chosen: Chosen) -> str:
    """Return the Application that delivers an object, and say so."""
    from syncline.verbs.owners import application_of

    async with chosen.connected() as (cluster, _words):
        found = await application_of(cluster, chosen.namespace, name)
    terminal.echo(f"{name} belongs to Application {found}", err=True)
    return str(found)


async def _print_causes(found: Sequence[Opened], name: str, text: str, output: str) -> int:
    from syncline.apimachinery.paths import MISSING, FieldPath, InvalidPath
    from syncline.model.errors import NeedsUser
    from syncline.model.masking import is_secret
    from syncline.verbs.blaming import causes_of

    try:
        path = FieldPath.parse(text)
    except InvalidPath as error:
        raise NeedsUser(str(error)) from None
    opened, index, item = await _find(found, name)
    causes = await causes_of(await _part(opened, index), item, path, _warn)
    value = path.resolve(item.obj)
    shown = _absent(item, path) if value is MISSING else "(hidden)" if is_secret(item.obj) else _short(value)
    if output == "json":
        _print_json(item, text, shown, causes)
        return 0
    terminal.echo(f"{item.key.kind}/{item.key.name} {text}: {shown}")
    width = max((len(cause.kind) for cause in causes), default=0)
    for cause in causes:
        terminal.echo(f"  {cause.kind:<{width}}  {cause.place}  {cause.text}".rstrip())
    return 0


def _absent(item: DesiredObject, path: FieldPath) -> str:
    """Return that a field is not there, and which one may have been meant."""
    import difflib

    from syncline.apimachinery.paths import MISSING, FieldPath

    for length in range(len(path.steps)):
        if FieldPath(path.steps[: length + 1]).resolve(item.obj) is not MISSING:
            continue
        above = FieldPath(path.steps[:length])
        parent, step = above.resolve(item.obj) if length else item.obj, path.steps[length]
        known = [str(name) for name in parent] if isinstance(parent, dict) else []
        close = difflib.get_close_matches(str(step), known, 1, 0.75)
        return f"not there (did you mean {FieldPath((*above.steps, close[0]))}?)" if close else "not there"
    return "not there"


async def _find(found: Sequence[Opened], name: str) -> tuple[Opened, int, DesiredObject]:
    """Return the object that a name means, and which source of which Application makes it; the last one wins."""
    from syncline.model.errors import NeedsUser

    known: list[tuple[str, Opened, int, DesiredObject]] = []
    for opened in found:
        parts = await opened.parts()
        for index in reversed(range(len(parts))):
            for item in reversed(parts[index].objects):
                key = item.key
                names = (str(key), f"{key.kind}/{key.name}", f"{key.kind}/{key.namespace}/{key.name}")
                if name in names or name.lower() == names[1].lower():
                    return opened, index, item
                known.append((names[1], opened, index, item))
    hashed = [one for one in known if re.fullmatch(rf"{re.escape(name)}-[a-z0-9]{{10}}", one[0], re.IGNORECASE)]
    if len(hashed) == 1:
        # Kustomize puts a hash of the content behind names that it generates.
        return hashed[0][1:]
    raise NeedsUser(f"no rendered object named {name}", hint=_alike(name, [one[0] for one in known]))


def _alike(name: str, known: Sequence[str]) -> str:
    """Return words about objects whose names are like another one."""
    import difflib

    if not known:
        return "there are none"
    lowered = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), lowered, 3, 0.6)
    if close:
        return f"did you mean {' or '.join(lowered[one] for one in close)}?"
    return f"known: {', '.join(sorted(lowered.values())[:20])}" + (" …" if len(lowered) > 20 else "")


async def _part(opened: Opened, index: int) -> RenderedPart:
    """Return one source of an Application as it was rendered."""
    from syncline.verbs.blaming import RenderedPart

    desired = (await opened.parts())[index]
    source, tree, request = opened.sources[index], opened.trees[index], opened.requests[index]
    return RenderedPart(source, tree, request, opened.refs, desired, opened.tools.explainer)


async def _print_moves(found: Sequence[Opened], name: str, output: str) -> int:
    import difflib

    from syncline.core.provenance import blame as blaming
    from syncline.core.provenance import parameters
    from syncline.core.provenance import values as merging
    from syncline.model.errors import NeedsUser
    from syncline.verbs.blaming import tried

    path = tuple(str(step) for step in parameters.parse(name, "")[0])
    answers: list[tuple[Leaf, tuple[Move, ...]]] = []
    known: set[str] = set()
    for opened in found:
        for index, part in enumerate(await opened.parts()):
            chart = await opened.tools.explainer.chart_values(opened.requests[index], opened.trees[index], opened.refs)
            if chart is None:
                continue
            merged = merging.merge(chart.layers)
            known |= {".".join(leaf.path[:length]) for leaf in merged.leaves.values() for length in range(1, 4)}
            for leaf in merged.find(path):
                after = await tried(await _part(opened, index), leaf)
                answers.append((leaf, blaming.moves(part, after) if after is not None else ()))
    if not answers:
        close = difflib.get_close_matches(name, known, 1)
        raise NeedsUser(f"no chart has a value {name}", hint=f"did you mean {close[0]}?" if close else "")
    if output == "json":
        _print_moves_json(answers)
        return 0
    for leaf, moves in answers:
        terminal.echo(f"{leaf.name}: {leaf.sentence(hide=any(move.key.kind == 'Secret' for move in moves))}")
        for move in moves:
            terminal.echo(f"  {move.key.kind}/{move.key.name}  {move.path or 'the whole object'}")
        if not moves:
            terminal.echo("  changes nothing, or the chart accepts no other value")
    return 0


def _warn(words: str) -> None:
    terminal.echo(f"warning: {words}", err=True)


def _print_json(item: DesiredObject, path: str, shown: str, causes: Sequence[BlameCause]) -> None:
    rows = [{"kind": cause.kind, "place": str(cause.place), "text": cause.text} for cause in causes]
    _echo({"schemaVersion": 1, "object": str(item.key), "path": path, "value": shown, "causes": rows})


def _print_moves_json(answers: Sequence[tuple[Leaf, tuple[Move, ...]]]) -> None:
    rows = [
        {
            "value": leaf.name,
            "place": str(leaf.setting.place),
            "hides": [str(one.place) for one in leaf.hidden],
            "moves": [{"object": str(move.key), "path": move.path} for move in moves],
        }
        for leaf, moves in answers
    ]
    _echo({"schemaVersion": 1, "values": rows})


def _echo(value: Any) -> None:
    import orjson

    terminal.echo_data(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def _short(value: Any) -> str:
    import orjson

    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= 120 else f"{text[:120]}…"
