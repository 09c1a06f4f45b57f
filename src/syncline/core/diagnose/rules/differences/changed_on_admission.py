"""A field that comes back changed from the very request that writes it: somebody rewrites it on admission."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.written import line, rewrite
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model import codec
from syncline.model.comparison import ComparedObject, Difference, Verdict
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.operation import OperationPhase

RULE = Rule(
    code="DIF-013",
    name="changed-on-admission",
    severity=Severity.WARNING,
    summary="A mutating webhook or policy rewrites a field that Git sets, in the same request.",
    fix="write the resulting value in Git, or ignore the field",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REWRITTEN,
    why="The app is OutOfSync right after every sync, and self-heal keeps writing the same value: it cannot win, "
    "because the value is changed before it is stored. That is why managedFields names Syncline itself as the writer.",
)
_MUTATING = GroupKind("admissionregistration.k8s.io", "MutatingWebhookConfiguration")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that comes back otherwise than it was written."""
    for row in app.assessment.comparison.rows:
        if row.verdict is Verdict.OUT_OF_SYNC and (changed := rewritten(app, row)):
            yield _finding(app, row.key, changed)


def rewritten(app: App, row: ComparedObject) -> list[Difference]:
    """Return the fields that our own sync of this revision wrote last, and that are not as it wrote them."""
    state = app.assessment.app.status.operation_state
    synced = state is not None and state.phase is OperationPhase.SUCCEEDED and state.sync_result is not None
    if not synced or state is None or state.sync_result is None:
        return []
    if state.sync_result.all_revisions != app.assessment.revisions:
        return []
    owned = app.assessment.owners.get(row.key)
    if owned is not None and (owned.shared or not owned.mine):
        # Every app writes as the same manager: the value is another app's, and nobody rewrote ours.
        return []
    manager = app.assessment.snapshot.settings.field_manager
    return [
        one
        for one in row.differences
        if one.manager == manager and one.desired is not msgspec.UNSET and one.live is not msgspec.UNSET
    ]


def _finding(app: App, key: ObjectKey, changed: list[Difference]) -> Finding:
    first = changed[0]
    more = f" (and {len(changed) - 1} more fields)" if len(changed) > 1 else ""
    heals = " Self-heal cannot win." if _heals(app) else ""
    who = _who(app, key)
    return RULE.finding(
        key.short,
        f"{key.short}: we write {first.path} {_shown(first.desired)}, and it comes back {_shown(first.live)} in the "
        f"same request{more}: {who}.{heals}",
        evidence=[
            *(found for one in changed[:3] for found in line(app, key, one.path)),
            Evidence(
                kind=EvidenceKind.MANAGER,
                text=f"written by {first.manager} at {first.time}",
                subject=key,
                path=first.path,
            ),
        ],
        fix=rewrite(app, key, first.path, first.live, remark="write the value that comes back")
        if len(changed) == 1
        else _ignore(app, key, changed),
        options=[_ignore(app, key, changed)] if len(changed) == 1 else (),
    )


def _heals(app: App) -> bool:
    policy = app.assessment.app.spec.sync_policy
    return policy is not None and policy.automated is not None and policy.automated.self_heal


def _who(app: App, key: ObjectKey) -> str:
    """Return the webhooks that look at such objects; those that change and those that do not look alike."""
    names = [
        owner.name for owner, obj in around.of_kind(app, _MUTATING) if any(_looks_at(one, key) for one in _hooks(obj))
    ]
    if not names:
        return "a mutating webhook or policy changes it, and none that matches such objects can be seen here"
    return f"mutating webhooks match such objects: {', '.join(names)}"


def _hooks(obj: Object) -> list[dict[str, Any]]:
    return [one for one in obj.get("webhooks") or () if isinstance(one, dict)]


def _looks_at(webhook: dict[str, Any], key: ObjectKey) -> bool:
    plural = f"{key.kind.lower()}s"
    return any(
        {"*", key.group} & set(rule.get("apiGroups") or ()) and {"*", plural} & set(rule.get("resources") or ())
        for rule in webhook.get("rules") or ()
    )


def _ignore(app: App, key: ObjectKey, changed: list[Difference]) -> Fix:
    """Return the smallest ignore rule, beside those that there are."""
    spec = app.assessment.app.spec
    entries = [codec.to_object(one) for one in spec.ignore_differences]
    entry: dict[str, Any] = {"group": key.group, "kind": key.kind, "name": key.name}
    entry["jsonPointers"] = [_pointer(one.path) for one in changed]
    patch = orjson.dumps({"spec": {"ignoreDifferences": [*entries, entry]}}).decode()
    metadata = app.assessment.app.metadata
    command = f"kubectl patch application {metadata.name} -n {metadata.namespace} --type merge -p '{patch}'"
    return Fix(text="leave the field to its writer", command=command)


def _pointer(path: str) -> str:
    steps = path.replace("]", "").replace("[", ".").split(".")
    return "".join(f"/{step.strip(chr(34)).replace('~', '~0').replace('/', '~1')}" for step in steps)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
