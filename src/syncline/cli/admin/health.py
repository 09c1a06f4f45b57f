"""`syncline admin health`: how healthy the objects of files are, thousands at once, owners joined.

The command is attached to `admin`. Nothing here reaches a cluster: give it what `kubectl get -o yaml` printed. With
pods, StorageClasses and events among the objects the messages go deeper. Exit code 1 when something is Degraded, 2 when
nothing is but a script of the settings failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncline.cli.options import compat_option, customizations_option, customized, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.api.health import ObjectHealth

_NO_CHECK = "-"


@click.command()
@click.argument("files", type=click.Path(exists=True, dir_okay=False, allow_dash=True), nargs=-1, required=True)
@click.option(
    "--argocd-cm-path",
    "cm",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the argocd-cm ConfigMap (or ArgoCD resource, or chart values) whose health checks take precedence.",
)
@customizations_option
@compat_option
@output_option("text", "json")
def health(files: Sequence[str], cm: Path | None, customizations: Path | None, compat: str | None, output: str) -> int:
    """Print the health of the objects in FILES (YAML or JSON, lists too; - reads standard input)."""
    from syncline.api import health as api
    from syncline.api import inputs

    settings = inputs.kinds_settings(cm, compat, lambda text: terminal.echo(text, err=True))
    rows = api.assess(inputs.objects(files), customized(customizations)(settings))
    if output == "json":
        _print_json(rows)
    else:
        _print_table(rows)
    return _exit_code(rows)


def _exit_code(rows: Sequence[ObjectHealth]) -> int:
    from syncline.model.health import HealthCode

    if any(row.status is HealthCode.DEGRADED for row in rows):
        return 1
    return 2 if any(row.status is not None and row.reason == "ScriptFailed" for row in rows) else 0


def _print_json(rows: Sequence[ObjectHealth]) -> None:
    import orjson

    terminal.echo_data(orjson.dumps([_row(row) for row in rows], option=orjson.OPT_INDENT_2).decode())


def _row(row: ObjectHealth) -> dict[str, Any]:
    # A reading that does not gate is no check: others rely on null there.
    status = row.status.value if row.status is not None else None
    words = {"status": status, "message": row.message, "reason": row.reason, "evidence": row.evidence}
    return {"key": str(row.key), **words}


def _print_table(rows: Sequence[ObjectHealth]) -> None:
    """Print counts, then one line per object, worst first; what no check covers comes last."""
    from syncline.cli.show.tables import table

    lines = [
        (row.status.value if row.status is not None else _NO_CHECK, str(row.key), row.reason, _line(row))
        for row in sorted(rows, key=_badness, reverse=True)
    ]
    terminal.echo(_counts(rows))
    if lines:
        terminal.echo(table(("HEALTH", "OBJECT", "REASON", "MESSAGE"), lines))


def _line(row: ObjectHealth) -> str:
    return " ".join(row.message.split())


def _badness(row: ObjectHealth) -> int:
    return row.status.badness if row.status is not None else -1


def _counts(rows: Sequence[ObjectHealth]) -> str:
    from collections import Counter

    counts = Counter(row.status for row in rows if row.status is not None)
    found = [f"{counts[code]:,} {code.value}" for code in sorted(counts, key=lambda code: -code.badness)]
    if unchecked := len(rows) - counts.total():
        found.append(f"{unchecked:,} without a check")
    return " · ".join([f"{len(rows):,} object{'' if len(rows) == 1 else 's'}", *found])
