"""Names that the API server refuses: of objects, labels, annotations, and the keys of ConfigMaps and Secrets."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.repository import refused
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SRC-105",
    name="name-refused",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="The name, a label or an annotation of an object, or a key of its data, is not one that Kubernetes takes.",
    fix="write a name as the message asks for",
    looks_at=(LooksAt.RENDERED,),
    why="The API server refuses the whole object. Most names are lower-case letters, digits, dashes and dots, at most "
    "253 of them; those of Services, Namespaces and StatefulSets have no dots and at most 63; values of labels begin "
    "and end with a letter or digit.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: Web_Settings
data: {colour: blue}
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web.settings-2
data: {colour: blue}
""",
)


_SERVICE = GroupKind("", "Service")
_RELAXED = (1, 36)
"""The first Kubernetes that takes names of Services which begin with a digit."""


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per name that would be refused."""
    yield from refused.reported(RULE, repo, one, refused.is_name)
    delivery, item = one
    if item.key.group_kind == _SERVICE and item.key.name[:1].isdigit():
        facts = repo.world.facts(delivery.cluster)
        minor = tuple(map(int, facts.minor.split("."))) if facts is not None and facts.minor else None
        if minor is None or minor < _RELAXED:
            message = f"{item.key.short} of {delivery} begins with a digit, which Kubernetes before 1.36 refuses"
            yield RULE.finding(
                item.key.short,
                message,
                evidence=[at(item, "metadata.name")],
                fix=Fix(text="let the name begin with a letter"),
                severity=Severity.ERROR if minor is not None else Severity.WARNING,
            )
