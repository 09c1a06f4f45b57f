"""Addresses of repositories that are a slip of the one all others have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.repository.slips import slip
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.finding import Finding, Fix, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="APP-109",
    name="repository-misspelled",
    severity=Severity.WARNING,
    summary="One Application has a repoURL that differs in a letter from the one that all others have.",
    fix="correct the address",
    looks_at=(LooksAt.FILES,),
    why="The repository is not found, or is not permitted: the app is Unknown. A check without a network cannot look "
    "whether such a repository exists.",
)
_OTHERS = 3


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per source whose address nobody else has and that is nearly one which many have."""
    found = [(app, path, str(source.get("repoURL") or "")) for app, path, source in _sources(repo)]
    counts = Counter(repository_urls.spelling(url) for _, _, url in found if url)
    many = [url for url, count in counts.items() if count >= _OTHERS]
    for app, path, url in found:
        own = repository_urls.spelling(url)
        if not url or own in many or "{{" in url:
            continue
        meant = next((other for other in many if counts[other] >= _OTHERS * counts[own] and slip(own, other)), "")
        if meant:
            right = next(one for _, _, one in found if repository_urls.spelling(one) == meant)
            message = f"{app}: {url} is nearly {right}, which {counts[meant]} other sources have"
            evidence = [at(app.manifest, f"{path}.repoURL", url)]
            yield RULE.finding(str(app), message, evidence=evidence, fix=Fix(text=f"write {right}"))


def _sources(repo: Repo) -> Iterator[tuple[RepoApp, str, dict[str, object]]]:
    for app in repo.apps:
        for path, source in sources_with_paths(app.manifest.obj):
            yield app, path, source
