"""A change to a field that the API server does not let change."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.schema import immutable
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.rendered import rendered
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Change
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.sync_options import SyncOptions

RULE = Rule(
    code="OWN-007",
    name="immutable-change",
    severity=Severity.ERROR,
    summary="The change sets a field that cannot change once the object exists.",
    fix="keep the field as it is, or plan to recreate the object: give it a new name, or delete it in a maintenance "
    "window",
    looks_at=(LooksAt.RENDERED, LooksAt.HISTORY),
    why="The API server refuses the change, so every sync of the app fails from then on. Ignoring the field hides "
    "the difference, not the failure.",
    bad="""\
kind: Deployment
spec:
  selector:
    matchLabels: {app: web, tier: front}  # was {app: web}
""",
    good="""\
kind: Deployment
metadata:
  name: web-front  # a new object
spec:
  selector:
    matchLabels: {app: web, tier: front}
""",
)


def _kept(change: Change) -> Iterator[tuple[str, tuple[Prepared, Prepared]]]:
    """Yield the objects that both sides deliver; where several apps do, the first stands for them."""
    head = rendered(change.head)
    for address, apps in rendered(change.base).items():
        if address in head:
            yield str(address[1]), (apps[0].item, head[address][0].item)


@RULE.on_each(Change, _kept)
def check(_change: Change, part: tuple[Prepared, Prepared]) -> Iterator[Finding]:
    """Yield one finding per field that cannot change; an object that is replaced by force may change."""
    before, after = part
    if SyncOptions.of(after.obj).force:
        return
    for found in immutable.violations(before.obj, after.obj, gvk_of(after.obj)):
        place = after.origin.place(found.path)
        yield RULE.finding(
            after.key.short,
            f"{after.key.short}: {found.path} cannot change once the object exists",
            evidence=[
                Evidence(kind=EvidenceKind.FIELD, text=str(found), subject=after.key, path=found.path, place=place)
            ],
            fix=RULE.usual_fix,
        )
