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

from syncline.cli import object_files
from syncline.cli.options import compat_option, customizations_option, customized, output_option

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.model.health import Health
    from syncline.model.settings.settings import Settings

_NO_CHECK = "-"


@click.command()
@click.argument("files", type=click.Path(exists=True, dir_okay=False, allow_dash=True), nargs=-1, required=True)
@click.option(
    "--argocd-cm-path",
    "cm",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the argocd-cm ConfigMap (or ArgoCD resource, or chart values) whose health checks count first.",
)
@customizations_option
@compat_option
@output_option("text", "json")
def health(files: Sequence[str], cm: Path | None, customizations: Path | None, compat: str | None, output: str) -> int:
    """Say how healthy the objects of FILES are (YAML or JSON, lists too; - reads standard input)."""
    import asyncio

    from syncline.core.health import batch

    objects = [obj for file in files for obj in object_files.objects(file)]
    settings = object_files.kinds_settings(cm, compat) if cm else object_files.settings(None, compat)
    settings = customized(customizations)(settings)
    scripted = asyncio.run(_run_scripts(objects, settings))
    healths = batch.assess_all(objects, scripted=scripted, compat=settings.compat)
    if output == "json":
        _print_json(objects, healths)
    else:
        _print_table(objects, healths)
    return _exit_code(healths)


def _exit_code(healths: Sequence[Health | None]) -> int:
    from syncline.model.health import HealthCode

    checked = [one for one in healths if one is not None and one.gating]
    if any(one.status is HealthCode.DEGRADED for one in checked):
        return 1
    return 2 if any(one.reason == "ScriptFailed" for one in checked) else 0


async def _run_scripts(objects: Sequence[Object], settings: Settings) -> dict[int, Health | None]:
    """Return what the settings' scripts say, by the position of the object."""
    from syncline import wiring
    from syncline.core.health import scripts

    overrides, folder = settings.overrides, settings.customizations
    chosen = {index: one for index, obj in enumerate(objects) if (one := scripts.script(obj, overrides, folder))}
    if not chosen:
        return {}
    async with wiring.evaluating(settings.jq_timeout) as evaluator:
        results = await evaluator.evaluate(list(chosen.values()))
    return {index: scripts.read(result) for index, result in zip(chosen, results, strict=True)}


def _print_json(objects: Sequence[Object], healths: Sequence[Health | None]) -> None:
    import orjson

    rows = [_row(obj, one) for obj, one in zip(objects, healths, strict=True)]
    click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())


def _row(obj: Object, one: Health | None) -> dict[str, Any]:
    from syncline.apimachinery.keys import key_of

    words: dict[str, Any] = {"status": None, "message": "", "reason": "", "evidence": ""}
    if one is not None:
        # A reading that does not gate is no check: others rely on null there.
        status = one.status.value if one.gating else None
        words = {"status": status, "message": one.message, "reason": one.reason, "evidence": _evidence(one)}
    return {"key": str(key_of(obj)), **words}


def _evidence(one: Health) -> str:
    """Return the path of the first evidence, after the object it stands in where that is another one."""
    if not one.evidence:
        return ""
    first = one.evidence[0]
    return f"{first.subject} {first.path}" if first.subject else first.path


def _print_table(objects: Sequence[Object], healths: Sequence[Health | None]) -> None:
    """Print counts, then one line per object, worst first; what no check covers comes last."""
    from syncline.apimachinery.keys import key_of
    from syncline.cli.show.tables import table

    order = sorted(range(len(objects)), key=lambda index: (-_badness(healths[index]), index))
    rows = []
    for index in order:
        one = healths[index]
        status = one.status.value if one is not None and one.gating else _NO_CHECK
        rows.append((status, str(key_of(objects[index])), one.reason if one else "", _line(one)))
    click.echo(_counts(healths))
    if rows:
        click.echo(table(("HEALTH", "OBJECT", "REASON", "MESSAGE"), rows))


def _line(one: Health | None) -> str:
    return " ".join(one.message.split()) if one else ""


def _badness(one: Health | None) -> int:
    return one.status.badness if one is not None and one.gating else -1


def _counts(healths: Sequence[Health | None]) -> str:
    from collections import Counter

    counts = Counter(one.status for one in healths if one is not None and one.gating)
    found = [f"{counts[code]:,} {code.value}" for code in sorted(counts, key=lambda code: -code.badness)]
    if unchecked := len(healths) - counts.total():
        found.append(f"{unchecked:,} without a check")
    return " · ".join([f"{len(healths):,} object{'' if len(healths) == 1 else 's'}", *found])
