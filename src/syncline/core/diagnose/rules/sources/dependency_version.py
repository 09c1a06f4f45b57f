"""Charts whose dependencies are not those that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery import yaml
from syncline.core.diagnose.repository.charts import chart_of
from syncline.core.diagnose.repository.pointing import entries
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="SRC-109",
    name="dependency-version",
    severity=Severity.WARNING,
    other_severities=frozenset({Severity.ERROR}),
    summary="A chart names another version of a dependency than Chart.lock or its charts folder has.",
    fix="run helm dependency update, and commit Chart.lock and the charts folder",
    looks_at=(LooksAt.FILES,),
    why="Helm takes what is in the charts folder, whatever Chart.yaml says: the new version is not delivered. Where "
    "the dependency is fetched and Chart.lock does not fit, Helm refuses, and the app cannot be rendered.",
)
_EXACT = re.compile(r"v?\d+\.\d+\.\d+([-+][\w.+-]+)?")


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per dependency with an exact version that is not the one at hand."""
    folders = {chart_of(source) for app in repo.apps for _, source in sources_with_paths(app.manifest.obj)}
    for folder in sorted(filter(None, folders)):
        content = repo.files.get(f"{folder}/Chart.yaml", b"")
        if b"dependencies:" in content:
            yield from _of_chart(repo, folder, content)


def _of_chart(repo: Repo, folder: str, content: bytes) -> Iterator[Finding]:
    try:
        document = next(iter(yaml.load_documents(content)), None)
        content = repo.files.get(f"{folder}/Chart.lock", b"")
        lock = yaml.load(content, source="Chart.lock") if content else None
    except yaml.YamlError:
        return
    locked = {str(one.get("name")): str(one.get("version")) for one in entries(lock, "dependencies")}
    for number, one in enumerate(entries(document.value if document is not None else None, "dependencies")):
        name, version = str(one.get("name") or ""), str(one.get("version") or "")
        if not _EXACT.fullmatch(version) or document is None:
            continue
        line = document.position_or_parent(("dependencies", number, "version")).line
        place = Place(f"{folder}/Chart.yaml", line)
        vendored = _vendored(repo, folder, name)
        if vendored and _differs(version, vendored):
            message = f"{folder} wants {name} {version}, and its charts folder has {vendored}: that one is delivered"
            yield _finding(folder, message, place, f"{name} {version}", Severity.WARNING)
        elif name in locked and _differs(version, locked[name]):
            refused = not vendored and not str(one.get("repository") or "").startswith("file://")
            severity = Severity.ERROR if refused else Severity.WARNING
            message = (
                f"{folder} wants {name} {version}, and its Chart.lock has {locked[name]}: helm calls it out of sync"
            )
            yield _finding(folder, message, place, f"{name} {version}", severity)


def _vendored(repo: Repo, folder: str, name: str) -> str:
    """Return the version of a dependency in the charts folder; empty where that is not there, or not readable."""
    content = repo.files.get(f"{folder}/charts/{name}/Chart.yaml")
    try:
        about = yaml.load(content, source="Chart.yaml") if content else None
    except yaml.YamlError:
        return ""
    if isinstance(about, dict):
        return str(about.get("version") or "")
    start = f"{folder}/charts/{name}-"
    packed = [one[len(start) : -4] for one in repo.tree if one.startswith(start) and one.endswith(".tgz")]
    return packed[0] if len(packed) == 1 and _EXACT.fullmatch(packed[0]) else ""


def _differs(one: str, other: str) -> bool:
    return bool(_EXACT.fullmatch(other)) and one.lstrip("v") != other.lstrip("v")


def _finding(folder: str, message: str, place: Place, text: str, severity: Severity) -> Finding:
    evidence = [Evidence(kind=EvidenceKind.FILE, text=text, place=place)]
    return RULE.finding(folder, message, evidence=evidence, fix=RULE.usual_fix, severity=severity)
