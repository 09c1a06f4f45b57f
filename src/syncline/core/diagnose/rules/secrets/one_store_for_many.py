"""One store that very many apps depend on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SEC-006",
    name="one-store-for-many",
    severity=Severity.INFO,
    summary="A large number of apps depend on one secret store.",
    fix="monitor it, and run its backend with more than one replica",
    looks_at=(LooksAt.RENDERED,),
    why="When the store fails, all of them fail; it is the first place to look.",
)
_MANY = 20


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one remark per store."""
    users: dict[ObjectKey, dict[str, Prepared]] = defaultdict(dict)
    for delivery, item, references in repo.world.references:
        for one in references:
            if one.key.group == "external-secrets.io" and one.key.kind == "ClusterSecretStore":
                users[one.key].setdefault(str(delivery), item)
    for key, apps in sorted(users.items()):
        if len(apps) >= _MANY:
            message = f"{len(apps)} apps depend on {key.short}"
            evidence = [at(item, "", app) for app, item in list(apps.items())[:3]]
            yield RULE.finding(key.short, message, evidence=evidence, fix=RULE.usual_fix)
