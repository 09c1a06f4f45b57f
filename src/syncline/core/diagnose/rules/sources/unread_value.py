"""Values that no template of the chart reads."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from syncline.apimachinery import yaml
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.repository.charts import Path, Reads, chart_of, chart_reads, keys, templates
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.repository.values import source_files
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SRC-005",
    name="unread-value",
    severity=Severity.WARNING,
    summary="A value is set that no template of the chart reads.",
    fix="use the chart's spelling and level of the key, or remove it",
    looks_at=(LooksAt.FILES,),
    why="Helm does not report values that no template reads: a misspelt or wrongly indented key looks set but is not. "
    "Only charts whose templates are all in this repository are judged; a file that several charts share is judged by "
    "all of them.",
)
_INDEX = re.compile(r"\[\d+\]")


class _Given(NamedTuple):
    """A value that somebody sets: where, in whose words, and for which chart."""

    path: Path
    evidence: Evidence
    where: str
    chart: str


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per value, at its highest key that nothing reads."""
    known_templates = templates(repo)
    charts: dict[str, Reads | None] = {}
    files: dict[str, set[str]] = defaultdict(set)
    own: dict[tuple[str, Path], _Given] = {}
    for app in repo.apps:
        for path, source in sources_with_paths(app.manifest.obj):
            chart = chart_of(source)
            if not chart or f"{chart}/Chart.yaml" not in repo.tree:
                continue
            if chart not in charts:
                charts[chart] = chart_reads(repo, chart, known_templates)
            for file in source_files(source):
                files[file].add(chart)
            for one in _in_application(app, path, source, chart):
                own.setdefault((str(one.evidence.place), one.path), one)
    for file, users in sorted(files.items()):
        reads = [charts[chart] for chart in sorted(users)]
        known = [one for one in reads if one is not None]
        if len(known) == len(reads) and file in repo.files:
            yield from _of_file(repo, file, known, min(users))
    yield from _of_applications(own, charts)


def _of_file(repo: Repo, file: str, reads: list[Reads], chart: str) -> Iterator[Finding]:
    content = repo.files[file]
    told: list[Path] = []
    for path, line in keys(content):
        if _is_private(path) or any(path[: len(one)] == one for one in told):
            continue
        if all(one.unread(path) for one in reads) and _has(content, path):
            told.append(path)
            evidence = Evidence(kind=EvidenceKind.FILE, text=path[-1], place=Place(file, line))
            yield _finding(_Given(path, evidence, file, chart), reads)


def _of_applications(own: dict[tuple[str, Path], _Given], charts: dict[str, Reads | None]) -> Iterator[Finding]:
    told: set[tuple[str, Path]] = set()
    for one in own.values():
        reads = charts[one.chart]
        higher = any((one.where, one.path[:depth]) in told for depth in range(1, len(one.path)))
        if reads is not None and not _is_private(one.path) and not higher and reads.unread(one.path):
            told.add((one.where, one.path))
            yield _finding(one, [reads])


def _finding(one: _Given, reads: list[Reads]) -> Finding:
    near = nearest(one.path[-1], sorted({name for each in reads for name in each.siblings(one.path)}))
    hint = f"; did you mean {near[0]}?" if near else ""
    message = f"{one.where} sets {'.'.join(one.path)}, which no template of {one.chart} reads{hint}"
    fix = Fix(text=f"write {near[0]}, or remove it") if near else RULE.usual_fix
    return RULE.finding(one.where, message, evidence=[one.evidence], fix=fix)


def _is_private(path: Path) -> bool:
    """Whether a key is one that people keep anchors under."""
    return path[0].startswith(("_", "x-", "."))


def _has(content: bytes, path: Path) -> bool:
    """Whether a file really has a key, as YAML reads it."""
    try:
        value: Any = yaml.load(content, source="values")
    except yaml.YamlError:
        return False
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True


def _in_application(app: RepoApp, above: str, source: dict[str, Any], chart: str) -> Iterator[_Given]:
    """Yield what the Application itself sets: parameters and values."""
    for number, one in enumerate(entries(source, "helm", "parameters")):
        name = _INDEX.sub("", str(one.get("name") or ""))
        if name and "\\" not in name and "{{" not in name:
            evidence = at(app.manifest, f"{above}.helm.parameters[{number}].name", name)
            yield _Given(tuple(name.split(".")), evidence, str(app), chart)
    values = dig(source, "helm", "valuesObject")
    if isinstance(values, dict):
        for path in _paths(values, ()):
            evidence = at(app.manifest, f"{above}.helm.valuesObject.{'.'.join(path)}", path[-1])
            yield _Given(path, evidence, str(app), chart)
    text = dig(source, "helm", "values")
    if isinstance(text, str) and not values:
        for path, _ in keys(text.encode()):
            yield _Given(path, at(app.manifest, f"{above}.helm.values", path[-1]), str(app), chart)


def _paths(value: dict[str, Any], above: Path) -> Iterator[Path]:
    for name, inner in value.items():
        yield (*above, str(name))
        if isinstance(inner, dict):
            yield from _paths(inner, (*above, str(name)))
