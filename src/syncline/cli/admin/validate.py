"""`syncline admin settings validate`: mistakes in the settings of an installation, with file and line.

Reads any mix of ConfigMaps, ArgoCD resources and chart values; `-` is standard input. Exit code 1 when something is
wrong with the settings, 2 when no file holds any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from syncline.api import object_files
from syncline.cli.choice import Choice
from syncline.cli.options import output_option
from syncline.cli.show import terminal
from syncline.model.settings.settings import Profile

if TYPE_CHECKING:
    from syncline.core.settings.parse import SettingsInput
    from syncline.core.settings.report import Restart, SettingProblem, SettingsReport

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


@click.command()
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--argocd-cm-path", "maps", multiple=True, metavar="FILE", help="A file with argocd-cm (as with argocd).")
@click.option(
    "--profile",
    type=Choice([profile.value for profile in Profile]),
    default=Profile.UPSTREAM.value,
    show_default=True,
    help="Whose defaults to use where nothing is set.",
)
@output_option("text", "json")
def validate(files: tuple[str, ...], maps: tuple[str, ...], profile: str, output: str) -> int:
    """Find settings that are not read, are in the wrong place or have an invalid value."""
    from syncline.core.settings.parse import parse
    from syncline.model.errors import NeedsUser

    files += maps
    if not files:
        raise click.UsageError("no file given: pass FILE or --argocd-cm-path FILE")
    report = parse([source for file in files for source in _sources(file)], profile=Profile(profile))
    if not report.inputs:
        kinds = "ConfigMaps such as argocd-cm, ArgoCD resources or values of the argo-cd chart"
        raise NeedsUser(f"no settings in {', '.join(files)}", hint=f"give {kinds}")
    if output == "json":
        terminal.echo_data(as_json(report))
    else:
        terminal.echo(as_text(report))
    return 1 if report.problems else 0


def _sources(file: str) -> Iterator[SettingsInput]:
    from syncline.core.settings.entries import places_in
    from syncline.core.settings.parse import SettingsInput

    name, documents = object_files.documents(file)
    for document in documents:
        yield SettingsInput(document.value, places_in(document, name))


def as_json(report: SettingsReport) -> str:
    """Return the report for programs: every problem with the code and name of its rule."""
    import msgspec

    from syncline.core.diagnose.setting_rules import RULES
    from syncline.model import codec

    problems = [
        {**msgspec.to_builtins(problem), "code": RULES[problem.kind].code, "name": RULES[problem.kind].name}
        for problem in report.problems
    ]
    return codec.encode({**msgspec.to_builtins(report), "problems": problems}).decode()


def as_text(report: SettingsReport) -> str:
    """Return the report for a terminal."""
    lines = [line for problem in report.problems for line in _problem(problem)]
    count = len(report.problems)
    lines.append(f"{count} problem{'s' if count != 1 else ''} found" if count else "No problems found.")
    lines += _restart(report.restart)
    return "\n".join(lines)


def _problem(problem: SettingProblem) -> list[str]:
    from syncline.core.diagnose.setting_rules import RULES

    rule = RULES[problem.kind]
    place = f"{problem.place}: " if problem.place else ""
    code = terminal.style(rule.code, _COLOURS[problem.severity])
    lines = [f"{place}{problem.message}  [{code} {rule.name}]"]
    if problem.nearest and problem.nearest != problem.key:
        home = f" in {problem.right_home}" if problem.right_home not in ("", problem.home) else ""
        lines.append(f"    nearest  {problem.nearest}{home}")
    if problem.fix:
        lines.append(f"    fix      {problem.fix}")
    return lines


def _restart(restart: Sequence[Restart]) -> list[str]:
    keys = list(dict.fromkeys(one.key for one in restart))
    return [f"Read only at start, so a change requires a restart: {', '.join(keys)}"] if keys else []
