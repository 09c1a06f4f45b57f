"""Remote bases without a fixed revision."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="SRC-007",
    name="remote-base-unpinned",
    severity=Severity.WARNING,
    summary="A kustomization uses a base from another repository at a branch, or without a revision.",
    fix="add ?ref= with a tag or commit, or commit a copy",
    looks_at=(LooksAt.FILES,),
    why="What is delivered changes without a commit, and every render needs the network.",
)
_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_BRANCHES = ("main", "master", "HEAD", "develop", "latest", "trunk")
_REMOTE = re.compile(r"\s*-\s+[\"']?(?P<url>(?:https?://|git@|ssh://|github\.com/|git::)[^\s\"'#]+)")


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per kustomization that an app leads to."""
    for folder in sorted(repo.world.reached):
        for name in _FILES:
            file = f"{folder}/{name}" if folder else name
            floating = list(_floating(repo.files.get(file, b"").decode(errors="replace")))
            if floating:
                evidence = [
                    Evidence(kind=EvidenceKind.FILE, text=url, place=Place(file, number)) for number, url in floating
                ]
                shown = listed([url for _, url in floating], 2)
                message = f"{file} uses {shown}, which may change at any time"
                yield RULE.finding(file, message, evidence=evidence, fix=RULE.usual_fix)


def _floating(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        found = _REMOTE.match(line)
        if found and not _is_pinned(found["url"]):
            yield number, found["url"]


def _is_pinned(url: str) -> bool:
    ref = re.search(r"[?&](?:ref|version)=([^&\s]+)", url)
    if ref is None:
        # A file behind a release or a tag is fixed by its address.
        return bool(re.search(r"/(?:v?\d+\.\d+[^/]*|[0-9a-f]{40}|releases/download/[^/]+)/", url))
    return ref[1] not in _BRANCHES
