"""A webhook or policy of the cluster denies objects: which, in whose words, and the line to change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.paths import MISSING, FieldPath, InvalidPath
from syncline.core.diagnose.live import around, pod_security
from syncline.core.diagnose.live.written import item, line
from syncline.core.diagnose.messages.refusals import DENIED, Refusal, refusals
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-112",
    name="admission-denied",
    severity=Severity.ERROR,
    summary="A webhook, an admission policy or pod security denies objects of the app.",
    fix="change the object to satisfy the policy, or change the policy",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    tells=Tells.REFUSAL,
    why="The cluster runs admission checks before it stores anything, and one of them refused. The finding quotes the "
    "policy's message and groups the objects that the same policy denies.",
)
_POLICY = GroupKind("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
_WEBHOOKS = GroupKind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
_NAMED_FIELD = re.compile(r"(?:object\.)?((?:metadata|spec|data)(?:\.\w+|\[\d+\])+)")
_POINTER = re.compile(r"(?:at path|path:?) (/[\w/.~-]+)")


class _Rule:
    """Who denied, by name, and in which words."""

    def __init__(self, found: re.Match[str]) -> None:
        self.found = found
        self.words = (found["said"] or found["ruled"] or found["violated"] or "").strip()

    @property
    def name(self) -> str:
        found = self.found
        if found["policy"]:
            return f"ValidatingAdmissionPolicy {found['policy']}"
        return f"admission webhook {found['webhook']}" if found["webhook"] else f'pod security "{found["level"]}"'


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per rule of the cluster, with all objects that it denies."""
    denied: dict[tuple[str, str], list[tuple[Refusal, _Rule]]] = {}
    for one in refusals(app):
        if found := DENIED.search(one.message):
            rule = _Rule(found)
            denied.setdefault((rule.name, rule.words), []).append((one, rule))
    for same in denied.values():
        yield _finding(app, same)


def _finding(app: App, same: list[tuple[Refusal, _Rule]]) -> Finding:
    rule, keys = same[0][1], sorted({one.key for one, _ in same})
    named = around.listed([key.short for key in keys])
    lines = [found for key in keys for found in line(app, key, _path(app, key, rule), key.short)]
    where = f" at {lines[0].place}" if lines and lines[0].place else ""
    count = f" {len(keys)} objects ({named})" if len(keys) > 1 else f" {named}"
    return RULE.finding(
        keys[0].short if len(keys) == 1 else named,
        f"{rule.name} denies{count}: {rule.words}",
        evidence=[*lines, *_declared(app, rule)],
        fix=_settled(app, rule, keys)
        or Fix(text=f"decide: change {keys[0].short}{where} as the rule says, or {_change_rule(app, rule, keys[0])}"),
        since=same[0][0].since,
    )


def _settled(app: App, rule: _Rule, keys: list[ObjectKey]) -> Fix | None:
    """Return the lines that pod security demands, where it is certain where they go."""
    desired = app.assessment.snapshot.desired
    if not rule.found["level"] or desired is None:
        return None
    items = [item(app, key) for key in keys]
    found = [pod_security.settled(one.obj, one.origin, desired.source_types, rule.words) for one in items if one]
    if len(found) < len(keys) or not all(found):
        return None
    other = _change_rule(app, rule, keys[0])
    return Fix(edits=tuple(edit for edits in found for edit in edits), text=f"{pod_security.REMARK}; or {other}")


def _path(app: App, key: ObjectKey, rule: _Rule) -> str:
    """Return the field that the rule is about, as far as its words or its expression name one that is there."""
    found = item(app, key)
    if found is None:
        return ""
    texts = [rule.words, *(str(one.get("expression") or "") for one in _validations(app, rule))]
    candidates = [match[1] for text in texts for match in _NAMED_FIELD.finditer(text)]
    candidates += [_dotted(match[1]) for text in texts for match in _POINTER.finditer(text)]
    for path in candidates:
        while path:
            if _present(found.obj, path):
                return path
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return ""


def _dotted(pointer: str) -> str:
    steps = [step for step in pointer.split("/") if step]
    return "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in steps).lstrip(".")


def _present(obj: dict[str, Any], path: str) -> bool:
    try:
        return FieldPath.parse(path).resolve(obj) is not MISSING
    except InvalidPath:
        return False


def _validations(app: App, rule: _Rule) -> list[dict[str, Any]]:
    """Return the validations of a policy whose message is the one that was told; all where none is."""
    if not rule.found["policy"]:
        return []
    policy = around.get(app, ObjectKey(_POLICY.group, _POLICY.kind, "", rule.found["policy"])) or {}
    every = [one for one in (policy.get("spec") or {}).get("validations") or () if isinstance(one, dict)]
    return [one for one in every if one.get("message") in (None, rule.words)] or every


def _declared(app: App, rule: _Rule) -> Iterator[Evidence]:
    for one in _validations(app, rule)[:1]:
        yield Evidence(kind=EvidenceKind.FIELD, text=f"the rule: {one.get('expression')}")


def _change_rule(app: App, rule: _Rule, key: ObjectKey) -> str:
    found = rule.found
    if found["policy"]:
        return f"change the policy: kubectl edit validatingadmissionpolicy {found['policy']}"
    if found["level"]:
        return f"change the level of namespace {key.namespace} (label pod-security.kubernetes.io/enforce)"
    for owner, obj in around.of_kind(app, _WEBHOOKS):
        if any(one.get("name") == found["webhook"] for one in obj.get("webhooks") or ()):
            return f"change the policy behind the webhook: kubectl edit validatingwebhookconfiguration {owner.name}"
    return "change the policy behind the webhook"
