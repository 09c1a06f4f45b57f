"""An empty value in a later values file hides one that is inherited."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from syncline.apimachinery import yaml
from syncline.core.diagnose.live.around import listed, plural
from syncline.core.diagnose.repository.pointing import dig, words
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.errors import Place
from syncline.model.finding import Edit, Evidence, EvidenceKind, Finding, Fix, Severity

_ONE_LINE = re.compile(r"[\w.\"'/-]+:\s*(\[\s*\]|\{\s*\}|\"\"|''|null|~)?\s*(#.*)?")
"""An entry that is empty and whole."""
RULE = Rule(
    code="SRC-004",
    name="empty-override",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="A values file overrides a value from other files with an empty one.",
    fix="delete the line: an empty value counts, and removes the inherited one",
    looks_at=(LooksAt.FILES, LooksAt.LIVE),
    why="In Helm the last file that sets a value wins: `tolerations: []` in a shared file hides the tolerations of "
    "every environment, and pods stay Pending. A key with nothing behind it, such as after all lines below it were "
    "removed, takes away a whole map; that finding is a warning.",
)


Layer = tuple[str, Mapping[str, Any], yaml.Document]


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per file and key that hides different files in several apps."""
    parsed: dict[str, yaml.Document | None] = {}
    hidden: dict[tuple[str, tuple[str, ...]], dict[str, list[RepoApp]]] = defaultdict(lambda: defaultdict(list))
    for app in repo.apps:
        for _, source in sources_with_paths(app.manifest.obj):
            for file, path, other in _hidden(_layers(repo, source, parsed)):
                hidden[file, path][other].append(app)
    together: dict[tuple[str, ...], list[tuple[str, tuple[str, ...], int]]] = defaultdict(list)
    for (file, path), others in sorted(hidden.items()):
        if len(others) > 1:
            apps = {str(app) for found in others.values() for app in found}
            together[tuple(sorted(others))].append((file, path, len(apps)))
    for others_of, found_in in together.items():
        yield _finding(repo, others_of, found_in, parsed)
    for (file, path), others in sorted(hidden.items()):
        document = parsed[file]
        if len(others) == 1 and document is not None:
            yield from _left_empty(repo, Place(file, document.position_or_parent(path).line), path, next(iter(others)))


def _left_empty(repo: Repo, place: Place, path: tuple[str, ...], other: str) -> Iterator[Finding]:
    """Yield a finding about a key with nothing behind it; null, written out, is how people take a value away."""
    lines = repo.files.get(place.file, b"").decode(errors="replace").splitlines()
    line = lines[place.line - 1].partition(" #")[0].strip() if 0 < place.line <= len(lines) else ""
    if line.strip("\"'") == f"{path[-1]}:":
        key = ".".join(path)
        message = f"{key} in {place.file} has no value, which takes away what {other} sets"
        evidence = [Evidence(kind=EvidenceKind.FILE, text=key, place=place)]
        fix = Fix(text="delete the line, or write null where that is meant")
        yield RULE.finding(place.file, message, evidence=evidence, fix=fix, severity=Severity.WARNING)


def _finding(
    repo: Repo,
    others: Sequence[str],
    found: Sequence[tuple[str, tuple[str, ...], int]],
    parsed: Mapping[str, yaml.Document | None],
) -> Finding:
    """Return one finding for all that hides values of the same files."""
    places = []
    for file, path, _count in found:
        document = parsed[file]
        places.append(Place(file, document.position_or_parent(path).line if document is not None else 0))
    keys = listed(sorted({".".join(path) for _, path, _ in found}))
    files = listed(sorted({file for file, _, _ in found}), 2)
    apps = plural(max(count for _, _, count in found) * len({file for file, _, _ in found}), "app")
    message = (
        f"{keys} {'is' if len(found) == 1 else 'are'} empty in {files}, which hides what {listed(list(others))} set "
        f"for {apps}"
    )
    evidence = [
        Evidence(kind=EvidenceKind.FILE, text=f"{'.'.join(path)} in {file}", place=place)
        for (file, path, _), place in zip(found, places, strict=True)
    ]
    return RULE.finding(files, message, evidence=evidence, fix=_deleted(repo, places))


def _deleted(repo: Repo, places: Sequence[Place]) -> Fix:
    """Return the fix: the lines themselves where each entry stands wholly on its line."""
    edits = []
    for place in places:
        lines = repo.files.get(place.file, b"").decode(errors="replace").splitlines()
        line = lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""
        if _ONE_LINE.fullmatch(line):
            edits.append(Edit(place=place, before=line))
    text = f"delete {plural(len(places), 'line')}: {listed([str(place) for place in places])}"
    return Fix(text=text, edits=tuple(edits) if len(edits) == len(places) else ())


def _layers(repo: Repo, source: Mapping[str, Any], parsed: dict[str, yaml.Document | None]) -> list[Layer]:
    """Return the values files of a source that are in the repository, the weakest first."""
    found: list[Layer] = []
    base = str(source.get("path") or "").strip("/")
    files = [file for name in words(source, "helm", "valueFiles") if (file := _path(base, name)) in repo.files]
    # A file alone hides nothing, and reading YAML is what this rule costs.
    for file in files if len(files) > 1 else ():
        if file not in parsed:
            parsed[file] = _read(repo.files.get(file))
        document = parsed[file]
        if document is not None and isinstance(document.value, dict):
            found.append((file, document.value, document))
    return found


def _path(base: str, name: str) -> str:
    if name.startswith("$"):
        return name.partition("/")[2]
    parts: list[str] = []
    for part in name.split("/") if name.startswith("/") else [*base.split("/"), *name.split("/")]:
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _read(content: bytes | None) -> yaml.Document | None:
    try:
        documents = list(yaml.load_documents(content)) if content else []
    except yaml.YamlError:
        return None
    return documents[0] if documents else None


def _hidden(layers: Sequence[Layer]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield what is emptied: in which file, which key, and the file whose value is hidden."""
    for index, (file, values, _) in enumerate(layers):
        for path, value in _leaves(values, ()):
            if value in ([], {}, None, "") and value is not False:
                for other, below, _document in reversed(layers[:index]):
                    inherited = dig(below, *path)
                    if isinstance(value, dict) and isinstance(inherited, dict):
                        break  # Helm merges maps: an empty one takes nothing away
                    if inherited not in ([], {}, None, "", False, 0):
                        yield file, path, other
                        break


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, (*path, str(name)))
    elif path:
        yield path, value
