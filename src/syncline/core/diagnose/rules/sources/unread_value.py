"""Values that a chart has under a slightly different name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import words
from syncline.core.diagnose.repository.rendered import (
    repo_apps,
    sources_with_paths,
)
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SRC-005",
    name="unread-value",
    severity=Severity.WARNING,
    summary="A values file sets a key that the chart does not have, but the chart has one with a similar name.",
    fix="use the chart's spelling of the key",
    looks_at=(LooksAt.FILES,),
    why="Helm does not report keys that no template reads: the value looks set but is not.",
    preview=True,
)
_KEY = re.compile(r"([A-Za-z][\w-]*):")
_SHORTEST = 5


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per key at the top of a values file, where the chart is in this repository."""
    for _, source in sources_with_paths(app.manifest.obj):
        base = str(source.get("path") or "").strip("/")
        own = _top(repo.files.get(f"{base}/values.yaml"))
        for name in words(source, "helm", "valueFiles") if own else ():
            file = name.partition("/")[2] if name.startswith(("$", "/")) else f"{base}/{name}"
            given = _top(repo.files.get(file))
            for key, line in given.items():
                near = [one for one in own if _nearly(key, one) and one not in given]
                if key not in own and near:
                    message = f"{file} sets {key}, which the chart of {app} does not have; did you mean {near[0]}?"
                    evidence = [Evidence(kind=EvidenceKind.FILE, text=key, place=Place(file, line))]
                    yield RULE.finding(file, message, evidence=evidence, fix=Fix(text=f"write {near[0]}"))


def _top(content: bytes | None) -> dict[str, int]:
    """Return the keys at the top of a values file, with their lines."""
    lines = (content or b"").decode(errors="replace").splitlines()
    found = ((_KEY.match(line), number) for number, line in enumerate(lines, start=1))
    return {match[1]: number for match, number in found if match}


def _nearly(one: str, other: str) -> bool:
    """Whether two keys differ by one letter, or by the case of letters."""
    if one.lower() == other.lower():
        return True
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(shorter) < _SHORTEST or len(longer) - len(shorter) != 1:
        return False
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))
