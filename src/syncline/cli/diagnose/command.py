"""`syncline diagnose`: many red apps, few causes, and what to repair first.

Reads a fleet as `syncline.cli.diagnose.gathering` is told, reasons once, and prints in one of the formats of
`syncline.cli.show.diagnosis`. Nothing is written anywhere but to the file that was named.
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.diagnose.gathering import Gathered, Origin, gather, origin_options, tell_skipped
from syncline.cli.options import PORT, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.cli.diagnose.serving import Serving
    from syncline.cli.show.diagnosis.report import Report
    from syncline.model.diagnosis import Diagnosis, RootCause

_WIDEST, _USUAL = 160, 120
_TELLING = 4
"""How much of an id is enough."""
_LOOPBACK = ("127.0.0.1", "localhost")
_LAST_PORT = 65535
_SHARED = ("markdown", "slack", "html", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What the options say about the answer."""

    cause: str
    output: str
    file: Path | None
    logs: bool
    patch: bool
    every: float
    compare: Path | None


@click.command()
@click.argument("cause", required=False, default="")
@origin_options
@click.option("--patch", is_flag=True, help="Print the edits of the fix as a patch for `git apply`.")
@click.option(
    "--watch", is_flag=True, help="Repeat until Ctrl-C: redraw the screen, or through a pipe print the changes."
)
@click.option(
    "--every",
    type=click.FloatRange(min=1),
    default=15.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds between two runs of --watch.",
)
@click.option(
    "--compare",
    type=click.Path(exists=True, path_type=Path),
    metavar="OLD",
    help="Compare with an older answer (-o json) or snapshot: what was predicted, what has recovered.",
)
@click.option(
    "--listen",
    default="",
    metavar="127.0.0.1:PORT",
    help="With --watch: serve the latest answer as a page and as /diagnosis.json, on the loopback address.",
)
@click.option("--metrics-port", type=PORT, default=None, help="With --watch: port to serve /metrics and /healthz on.")
@click.option("--metrics-address", default="127.0.0.1", show_default=True, help="Address to serve them on.")
@click.option("--logs", is_flag=True, help="Include log lines in json, markdown and html.")
@click.option("--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@output_option("text", "wide", "json", "markdown", "slack", "html")
def diagnose(
    cause: str,
    origin: Origin,
    compare: Path | None,
    output_file: Path | None,
    output: str,
    every: float,
    listen: str,
    metrics_port: int | None,
    metrics_address: str,
    *,
    patch: bool,
    watch: bool,
    logs: bool,
) -> int:
    """Find the few causes behind many red apps, on a cluster or in a dump; read-only.

    Prints the order of repair and what recovers after each step. With CAUSE (its number or id), shows everything about
    it. Reads the kubeconfig's cluster and those its Applications are delivered to; writes nothing, needs nothing
    installed. Exit code 0: nothing is wrong; 1: something is; 2: could not tell.
    """
    if watch and patch:
        raise click.UsageError("--watch and --patch are mutually exclusive: a patch is made once")
    wanted = _Wanted(cause=cause, output=output, file=output_file, logs=logs, patch=patch, every=every, compare=compare)
    served = _serving(listen, metrics_port, metrics_address)
    if served is not None:
        if not watch or output_file is not None or compare is not None or cause:
            raise click.UsageError("--listen and --metrics-port go with --watch alone")
        return asyncio.run(_serve(origin, wanted, served))
    return asyncio.run(_watch(origin, wanted) if watch else _once(origin, wanted))


async def _once(origin: Origin, wanted: _Wanted) -> int:
    gathered = await gather(origin)
    tell_skipped(gathered)
    report = _report(gathered, origin, wanted)
    _print(report, wanted)
    if wanted.patch:
        from syncline.cli.diagnose.patching import print_patch

        return print_patch((_chosen(report, wanted.cause),) if wanted.cause else report.diagnosis.causes)
    return _exit_code(report, gathered)


def _exit_code(report: Report, gathered: Gathered) -> int:
    """Return 2 where nothing could be read, 1 where something is wrong, else 0."""
    if all(one.problem for one in gathered.snapshot.clusters) or not report.diagnosis.objects:
        return 2
    return 1 if report.not_good or report.diagnosis.causes else 0


def _report(gathered: Gathered, origin: Origin, wanted: _Wanted) -> Report:
    from syncline.cli.diagnose.reporting import reported

    with_logs = wanted.logs or wanted.output not in _SHARED
    return reported(gathered, is_live=origin.files is None, with_logs=with_logs)


def _serving(listen: str, port: int | None, address: str) -> Serving | None:
    """Return where to serve, None where nothing is to be served."""
    if not listen and port is None:
        return None
    from syncline.cli.diagnose.serving import Serving
    from syncline.server.app import Listening

    host, _, number = listen.rpartition(":")
    if listen and (host not in _LOOPBACK or not number.isdecimal() or int(number) > _LAST_PORT):
        raise click.BadParameter(
            f"{listen!r} is not a port of the loopback address: write 127.0.0.1:8080", param_hint="--listen"
        )
    return Serving(
        answers=int(number) if listen else None,
        figures=None if port is None else Listening(address=address, port=port),
    )


async def _serve(origin: Origin, wanted: _Wanted, where: Serving) -> int:
    """Run again and again, and serve the latest answer."""
    from syncline import wiring
    from syncline.cli.diagnose.serving import ServedRuns

    # Whoever reaches the port sees the answer, so log lines are in it only where that was asked for.
    shared = replace(wanted, output="html")
    runs = ServedRuns(
        lambda: gather(origin), lambda gathered: _report(gathered, origin, shared), wiring.clock(), wanted.every
    )
    return await runs.serve(where)


async def _watch(origin: Origin, wanted: _Wanted) -> int:
    """Look again and again; ends by Ctrl-C, which `syncline.cli.main` turns into 130."""
    from syncline import wiring
    from syncline.cli.diagnose import watching

    async def look() -> Report:
        return _report(await gather(origin), origin, wanted)

    clock = wiring.clock()
    if wanted.output in _SHARED or wanted.file is not None or wanted.compare is not None:
        await watching.whole(look, lambda report: _print(report, wanted), clock, wanted.every)
    elif terminal.size() is not None:
        await watching.on_terminal(look, lambda report: _text(report, wanted), clock, wanted.every)
    else:
        await watching.as_lines(look, clock, wanted.every)
    return 0


def _print(report: Report, wanted: _Wanted) -> None:
    if wanted.patch:
        return
    text = _text(report, wanted)
    if wanted.file is not None:
        wanted.file.write_text(terminal.plain(text) + "\n", encoding="utf-8")
        terminal.echo(report.first_line, err=True)
        terminal.echo(f"{report.second_line} · {wanted.file}", err=True)
    elif wanted.output in _SHARED:
        terminal.echo_data(text)
    else:
        terminal.echo(text)


def _text(report: Report, wanted: _Wanted) -> str:
    """Return the answer in the wanted format."""
    from syncline.cli.show.diagnosis import data, markdown, page, screen, slack
    from syncline.cli.show.diagnosis.comparison import comparison

    shared = {"json": data.as_json, "markdown": markdown.document, "slack": slack.message, "html": page.page}
    if wanted.output in shared:
        return shared[wanted.output](report).rstrip("\n")
    size = terminal.size()
    width = _width(wide=wanted.output == "wide")
    if wanted.compare is not None:
        return comparison(_old(wanted.compare), report, width=width)
    if wanted.cause:
        return screen.one(report, _chosen(report, wanted.cause), width=width)
    height = size.lines - 2 if size and wanted.output == "text" else 0
    return screen.screen(report, width=width, height=height)


def _width(*, wide: bool) -> int:
    """Return how many columns to use: those of the terminal within what reads well, else what COLUMNS says."""
    return min(shutil.get_terminal_size((_WIDEST if wide else _USUAL, 0)).columns, _WIDEST)


def _chosen(report: Report, name: str) -> RootCause:
    """Return the cause that a number or an id means."""
    from syncline.verbs.errors import NotFound

    causes = report.diagnosis.causes
    found = [one for one in causes if str(one.rank) == name]
    if not found and len(name) >= _TELLING:
        found = [one for one in causes if one.id.startswith(name)]
    if len(found) != 1:
        known = ", ".join(f"{one.rank} ({one.id})" for one in causes) or "none"
        raise NotFound(f"there is no cause {name}", hint=f"causes: {known}")
    return found[0]


def _old(path: Path) -> Diagnosis:
    """Return an older answer: as it was printed, or reasoned again from a snapshot."""
    from syncline import wiring
    from syncline.cli.show.diagnosis.data import from_json
    from syncline.core.diagnose.graph.diagnose import diagnose as reason

    if path.is_file() and (text := path.read_bytes())[:1] == b"{" and b'"causes"' in text:
        return from_json(text, str(path))
    return reason(wiring.read_from(path).snapshot)
