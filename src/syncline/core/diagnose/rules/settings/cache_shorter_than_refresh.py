"""A cache that ends before it is used again."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import line_of
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SET-007",
    name="cache-shorter-than-refresh",
    severity=Severity.INFO,
    summary="The cache of app states expires before two refreshes have passed.",
    fix="nothing to do: cache misses are normal then; raise controller.app.state.cache.expiration to see fewer",
    looks_at=(LooksAt.SETTINGS,),
    why="Log lines about missing cache entries are not failures: the state is computed again.",
)


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a remark where the installation says both."""
    settings = repo.settings.settings
    kept, period = settings.limits.app_cache_seconds, settings.refresh_interval
    if repo.one_installation and period and 0 < kept < 2 * period:
        message = f"app states are kept for {kept:.0f} s and looked at every {period:.0f} s: cache misses are normal"
        evidence = line_of(repo.files, "timeout.reconciliation")
        yield RULE.finding("app state cache", message, evidence=evidence, fix=RULE.usual_fix)
