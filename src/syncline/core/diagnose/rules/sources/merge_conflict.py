"""Files with the marks of a merge that nobody finished."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="SRC-108",
    name="merge-conflict",
    severity=Severity.ERROR,
    summary="A file has Git's marks of a merge conflict.",
    fix="resolve the conflict, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>",
    looks_at=(LooksAt.FILES,),
    why="Nothing of the file can be read, so every app that reads it fails with an error about YAML that does not "
    "mention the conflict.",
)
_START, _END = re.compile(rb"^<{7} ", re.MULTILINE), re.compile(rb"^>{7} ", re.MULTILINE)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per file."""
    for name, content in sorted(repo.files.items()):
        # Looking for the bytes first costs next to nothing, and hardly any file has them.
        if b"<<<<<<< " not in content or (start := _START.search(content)) is None or not _END.search(content):
            continue
        line = content.count(b"\n", 0, start.start()) + 1
        evidence = [Evidence(kind=EvidenceKind.FILE, text="<<<<<<<", place=Place(name, line))]
        yield RULE.finding(name, f"{name} has a merge conflict", evidence=evidence, fix=RULE.usual_fix)
