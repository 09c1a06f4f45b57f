"""Files beside a kustomization that nothing lists."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="SRC-103",
    name="unlisted-file",
    severity=Severity.WARNING,
    summary="A manifest is in the folder of a kustomization, but no kustomization lists it.",
    fix="add it to resources or patches, or delete it",
    looks_at=(LooksAt.FILES,),
    why="It looks delivered but is not: kustomize reads only what is listed.",
)
_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per folder that an app leads to."""
    texts = [text.decode(errors="replace") for name, text in repo.files.items() if name.rpartition("/")[2] in _FILES]
    mentioned = "\n".join(texts)
    for folder in sorted(repo.world.reached):
        beside = [name for name in sorted(repo.manifests) if name.rpartition("/")[0] == folder]
        unlisted = [name for name in beside if _is_unlisted(name, mentioned)]
        if unlisted and len(unlisted) < len(beside):
            evidence = [Evidence(kind=EvidenceKind.FILE, text=name, place=Place(name, 1)) for name in unlisted]
            shown = listed([name.rpartition("/")[2] for name in unlisted])
            message = f"{folder or '.'} has {shown}, which no kustomization lists: not delivered"
            yield RULE.finding(folder or ".", message, evidence=evidence, fix=RULE.usual_fix)


def _is_unlisted(name: str, mentioned: str) -> bool:
    short = name.rpartition("/")[2]
    return short not in _FILES and not short.startswith(("values", "Chart", ".")) and short not in mentioned
