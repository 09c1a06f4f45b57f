"""`syncline why`: the answer on one screen.

Reads the cluster once, renders the source as the controller would, and asks the same engine.
"""

from __future__ import annotations

import asyncio
from datetime import datetime

import click

from syncline import wiring
from syncline.apimachinery import times
from syncline.cli.applications import read_application, short_revision, split_name
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.core.diagnose.explain import Explanation
from syncline.core.diagnose.explain import explain as explain_app
from syncline.model.finding import Finding, Severity
from syncline.ports.kube import Cluster

_MARKS = {Severity.ERROR: ("✖", "red"), Severity.WARNING: ("◆", "yellow"), Severity.INFO: ("◔", "blue")}


@click.command()
@click.argument("name")
@chosen_cluster
@output_option("text", "json")
def why(name: str, chosen: Chosen, output: str) -> int:
    """Say why an Application is not Synced and Healthy, on one screen."""
    return asyncio.run(_why(name, chosen, output))


async def _why(name: str, chosen: Chosen, output: str) -> int:
    """Print the explanation; exit 0 when there is nothing to explain, 1 when there is."""
    from syncline.model import codec

    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        await read_application(cluster, namespace, name)
        explanation = await _explanation(cluster, namespace, name)
    if output == "json":
        click.echo(codec.encode(explanation).decode())
    else:
        click.echo(f"{words}, read-only", err=True)
        click.echo(as_text(explanation, wiring.clock().now()))
    return 0 if explanation.good else 1


async def _explanation(cluster: Cluster, namespace: str, name: str) -> Explanation:
    from syncline.cli.image_check import with_remarks
    from syncline.cli.looking import looking
    from syncline.controller.outcome import results_of
    from syncline.core.decide import decide

    async with looking(cluster, namespace) as eyes:
        assessment = await eyes.assess(namespace, name)
        explanation = explain_app(assessment, decide(assessment, results_of(assessment.app.status.operation_state)))
        return await with_remarks(explanation, assessment, eyes)


def as_text(explanation: Explanation, now: datetime) -> str:
    """Return the explanation for a terminal."""
    name = explanation.app.partition("/")[2]
    since = f" since {_ago(explanation.since, now)}" if explanation.since else ""
    lines = [
        f"{name} is {explanation.sync} and {explanation.health}{since}, {short_revision(explanation.revision)}".rstrip(
            ", "
        )
    ]
    if explanation.good and not explanation.findings:
        return lines[0] + ": nothing to explain."
    for finding in explanation.findings:
        lines += _finding(finding)
    return "\n".join(lines)


def _finding(finding: Finding) -> list[str]:
    mark, colour = _MARKS[finding.severity]
    lines = [f"{click.style(mark, fg=colour)} {finding.message}  [{finding.code} {finding.name}]"]
    for evidence in finding.evidence:
        where = f"{evidence.place}  " if evidence.place else ""
        if evidence.text and evidence.text not in finding.message:
            lines.append(f"    {where}{evidence.text}")
        elif where:
            lines.append(f"    {where.strip()}")
    if finding.fix is not None:
        lines.append(f"    fix   {finding.fix.text}" + (f": {finding.fix.command}" if finding.fix.command else ""))
    return lines


def _ago(time: str, now: datetime) -> str:
    seconds = max(0, int((now - times.parse(time)).total_seconds()))
    if seconds < 120:
        return f"{seconds} s"
    if seconds < 7200:
        return f"{seconds // 60} min"
    return f"{seconds // 3600} h" if seconds < 172800 else f"{seconds // 86400} d"
