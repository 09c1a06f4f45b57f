"""Reduces what helm prints to its cause: template, line, column, and the expression that failed.

Called by `syncline.adapters.render.helm.chart`; every text of helm that reaches a user goes through here.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from syncline.model.errors import Place, RenderError

_TEMPLATE = re.compile(
    r"template: (?P<file>\S+?):(?P<line>\d+)(?::(?P<column>\d+))?: "
    r"(?:executing \"[^\"]*\" )?(?:at (?P<at><.*?>): )?(?P<cause>.*)"
)
# Helm 4 writes each template of a trace on lines of its own: place, what was executed, cause.
_FRAME = re.compile(r'^(?P<place>\S+:\d+:\d+)\n\s+(?P<executing>executing "[^"]*" at <.*?>):\n\s+', re.MULTILINE)
_CALLING = re.compile(r"(?P<calling>error calling \w+):\n\s*")
_FAILED = re.compile(
    r"(?:execution|parse) error at \((?P<file>[^:)]+):(?P<line>\d+)(?::(?P<column>\d+))?\): (?P<cause>.*)", re.DOTALL
)
_YAML = re.compile(r"YAML parse error on (?P<file>\S+): (?:error converting YAML to JSON: )?(?P<cause>.*)", re.DOTALL)
_MISSING = re.compile(r"found in Chart\.yaml, but missing in charts/ directory: (?P<names>.*)")
_MEMORY = "out of memory"
_ABOUT = re.compile(
    r"chart\.metadata\.(?P<field>\w+)|(?P<kube>chart requires kubeVersion)|library charts are not installable"
)
_DESCRIBED = {
    "kubeVersion": "change kubeVersion of the chart, or render for another version of Kubernetes",
    "version": "charts have semantic versions, such as 1.2.3",
    "apiVersion": "apiVersion is v1 or v2",
    "type": "a chart that is rendered has type: application",
    "name": "a chart has a name without slashes",
}
"""Fields of a chart's description that helm complains about, and what to do."""
_MAX = 500


def missing_dependencies(text: str) -> list[str]:
    """Return the names of dependencies that helm did not find in charts/; none when that was not the trouble."""
    found = _MISSING.search(text)
    return [name.strip() for name in found["names"].split(",") if name.strip()] if found else []


def reduce(text: str, folder: str, command: str = "helm template") -> RenderError:
    """Return the error for what helm said, with the template as the repository names it."""
    if _MEMORY in text:
        return RenderError(f"`{command}` exceeded its memory limit", place=Place(folder) if folder else None)
    message = text.rpartition("Error: ")[2].strip() or "it gave no reason"
    message = _in_one_line(message.split("\nUse --debug flag", maxsplit=1)[0].strip())
    # Of templates that include one another only the innermost failed.
    last = next((found for at in _from_the_end(message) if (found := _TEMPLATE.match(message, at))), None)
    failed = _FAILED.search(message)
    if failed and (not last or failed.start() > last.start()):
        return _error(command, failed["cause"], folder, failed["file"], failed["line"], failed["column"])
    if last:
        at = f" at {last['at']}" if last["at"] else ""
        return _error(command, f"{last['cause']}{at}", folder, last["file"], last["line"], last["column"])
    broken = _YAML.search(message)
    if broken:
        what = f"`{command}` failed: the rendered YAML is broken: {_one_line(broken['cause'])}"
        place = Place(in_repository(broken["file"], folder))
        return RenderError(what, place=place, hint="line numbers refer to the output of this template")
    return RenderError(f"`{command}` failed: {_one_line(message)}", place=Place(folder) if folder else None)


def in_description(error: RenderError, folder: str, text: bytes) -> RenderError:
    """Return an error about the description of a chart with its line and what to do; others as they are."""
    about = _ABOUT.search(error.what)
    if about is None or (error.place is not None and error.place.line):
        return error
    field = about["field"] or ("kubeVersion" if about["kube"] else "type")
    line = next((number for number, row in enumerate(text.splitlines(), 1) if row.startswith(f"{field}:".encode())), 1)
    place = Place(posixpath.join(folder, "Chart.yaml"), line)
    return RenderError(error.what, place=place, hint=error.hint or _DESCRIBED.get(field, ""), missing=error.missing)


def _in_one_line(message: str) -> str:
    """Return a trace of Helm 4 in the form that Helm 3 gives it."""
    traced = _FRAME.sub(r"template: \g<place>: \g<executing>: ", message)
    return message if traced == message else _CALLING.sub(r"\g<calling>: ", traced)


def _from_the_end(message: str) -> Iterator[int]:
    """Yield where templates are named in a message, the last one first."""
    at = message.rfind("template: ")
    while at >= 0:
        yield at
        at = message.rfind("template: ", 0, at)


def in_repository(file: str, folder: str) -> str:
    """Return a path that starts with the chart's name as the repository has it."""
    return posixpath.join(folder, file.partition("/")[2] or file)


def _error(command: str, cause: str, folder: str, file: str, line: str = "0", column: str | None = None) -> RenderError:
    place = Place(in_repository(file, folder), int(line), int(column or 0))
    return RenderError(f"`{command}` failed: {_one_line(cause)}", place=place)


def _one_line(text: str) -> str:
    joined = "; ".join(line.strip() for line in text.splitlines() if line.strip()).replace(":; ", ": ")
    return joined[:_MAX] + ("…" if len(joined) > _MAX else "")
