"""A container ends again and again for a reason of its own: with the line of its log that tells, where it was read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import crashes, dependencies, files, pods
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.diagnose.graph.workloads.files import File
from syncline.core.diagnose.graph.workloads.log_lines import About
from syncline.core.diagnose.graph.workloads.probes import killed_by_probe
from syncline.core.diagnose.rules.workloads import dependency_unreachable
from syncline.core.diagnose.rules.workloads.container_failing import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Finding, Fix

_OURS = (About.CONFIG, About.COMMAND, About.PLATFORM, About.PORT, About.OTHER)
_WORDS = {
    About.CONFIG: "its configuration is not accepted",
    About.COMMAND: "its command cannot be run",
    About.PLATFORM: "its image is built for a different platform than the node's",
    About.PORT: "its port is taken",
}
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'")
_ADVICE = {
    About.CONFIG: "decide: correct the setting that the line names",
    About.COMMAND: "decide: correct the command or arguments, or the image that should have that program",
    About.PLATFORM: "decide: use an image for the platform of the nodes, or select nodes of the other one",
    About.PORT: "decide: let it listen on another port; containers of a pod share their ports",
}


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each container that crashes, unless another rule knows what its log is about."""
    for crash in crashes.crashes(node):
        if crashes.about(crash) not in _OURS or killed_by_probe(node, crash):
            continue
        if crash.told is not None or not dependency_unreachable.is_told_by_environment(node, crash):
            file = files.named(node, crash)
            yield Fault(
                rule=RULE,
                state=crash.state,
                because=_called(node, crash),
                cause=node.at(file.key) if file is not None else crash.owner,
                about=crash.name if file is None else file.part,
                tell=partial(_finding, node, crash, file),
            )


def _called(node: Node, crash: Crash) -> tuple[Thing, ...]:
    """Return what a container without a telling log is told to call: where that is down, it is the likely cause."""
    if crash.told is not None:
        return ()
    spec = crash.container.spec
    called = [one.key for one in dependencies.dependencies(node, spec, "")]
    return tuple(node.at(key) for key in dict.fromkeys([*called, *dependencies.named(node, spec)]))


def _finding(node: Node, crash: Crash, file: File | None) -> Finding:
    sort, one = crashes.about(crash), crash.container
    code = one.ended.get("exitCode")
    ended = f"ends with exit code {code}" if code is not None else f"does not start ({one.trouble.reason})"
    why = _WORDS.get(sort, "")
    name = _setting(crash) if sort is About.CONFIG else ""
    line = f": {crash.told.line.strip()}" if crash.told else _untold(crash)
    return RULE.finding(
        str(crash.owner),
        f"{crash.owner}: container {crash.name} {ended}{f', {why}' if why else ''}{line}"
        + (f" ({file or name})" if file is not None or name else ""),
        evidence=crashes.evidence(node, crash),
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide: correct {file or name}" if file is not None or name else _ADVICE.get(sort) or _advice(crash)
        ),
        since=str(one.ended.get("finishedAt") or ""),
    )


def _setting(crash: Crash) -> str:
    """Return the environment variable that a complaint is about: it has the name, or the only such value, in quotes."""
    line = crash.told.line if crash.told is not None else ""
    given = [one for one in crash.container.spec.get("env") or () if one.get("name")]
    by_name = [str(one["name"]) for one in given if re.search(rf"\b{re.escape(str(one['name']))}\b", line)]
    quoted = {first or second for first, second in _QUOTED.findall(line)}
    by_value = [str(one["name"]) for one in given if one.get("value") and str(one["value"]) in quoted]
    found = by_name or by_value
    return f"variable {found[0]}" if len(found) == 1 else ""


def _untold(crash: Crash) -> str:
    return f'; the last that it printed: "{crash.last.strip()}"' if crash.last else "; its log was not read"


def _advice(crash: Crash) -> str:
    said = f"{crash.told.line if crash.told else ''} {crash.container.trouble.message}"
    if "subPath" in said:
        return "decide: correct the subPath of the volumeMount, or create what it names in the volume"
    if crashes.never_ran(crash):
        return "decide by what the runtime says: the container was never started, so there is no log"
    return "decide by its log: the program itself fails"
