"""Workloads whose pods the API server refuses, where no closer rule says why; limits of the namespace among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.live.written import item, line, place, rewrite
from syncline.core.diagnose.messages.refusals import DENIED, QUOTA, UNANSWERED, Refusal, refusals
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-106",
    name="pods-refused",
    severity=Severity.ERROR,
    summary="The API server refuses the pods of a workload, because of a LimitRange or another rule of the namespace.",
    fix="change the pods so that they are accepted, or the rule that refuses them",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="The workload itself is applied, so the app is Synced; but its controller creates no pods, and says so only in "
    "a condition and in Events.",
    bad="""\
resources: {limits: {memory: 1Gi}}  # a LimitRange allows 512Mi
""",
    good="""\
resources: {limits: {memory: 512Mi}}
""",
)
BOUND = re.compile(
    r"(?P<side>maximum|minimum) (?P<resource>\S+) usage per (?P<per>Container|Pod) is (?P<bound>[^,\s]+), "
    r"but (?P<sort>limit|request) is (?P<given>[^\s,.]+)"
)
_ELSEWHERE = ("error looking up service account", "no PriorityClass with name", "RuntimeClass")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload whose controller is refused."""
    told = set()
    for one in refusals(app):
        known = any(words.search(one.message) for words in (DENIED, QUOTA, UNANSWERED))
        if one.by_sync or known or any(words in one.message for words in _ELSEWHERE) or one.key in told:
            continue
        told.add(one.key)
        yield _finding(app, one)


def _finding(app: App, one: Refusal) -> Finding:
    bound = BOUND.search(one.message)
    words = bound_words(bound, one.key.namespace) if bound else one.message
    there = item(app, one.key)
    path = bound_path(there.obj, bound) if bound and there is not None else ""
    return RULE.finding(
        one.key.short,
        f"{one.key.short}: no pods are created: {words}",
        evidence=[
            *(line(app, one.key, path) if path else line(app, one.key, "", one.key.short)),
            *_limits(app, one, bound),
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, time=one.since),
        ],
        confidence=Confidence.OWNED,
        fix=rewrite(app, one.key, path, bound["bound"], remark="or change the LimitRange")
        if bound and path and bound["per"] == "Container"
        else Fix(
            text=f"decide: change the pods{_where(app, one)} so that they are accepted, or the rule that refuses them"
        ),
        since=one.since,
    )


def _where(app: App, one: Refusal) -> str:
    where = place(app, one.key, "spec.template")
    return f" at {where}" if where else ""


def bound_words(bound: re.Match[str], namespace: str) -> str:
    """Return what a LimitRange says, and what the pods ask for."""
    return (
        f"a LimitRange of namespace {namespace} sets the {bound['side']} {bound['resource']} of a {bound['per']} to "
        f"{bound['bound']}, and its {bound['sort']} is {bound['given']}"
    )


def bound_path(obj: Object, bound: re.Match[str]) -> str:
    """Return the field of a workload that a LimitRange refuses; empty where it has none."""
    base, spec = template(obj)
    sort, resource = f"{bound['sort']}s", bound["resource"]
    for at, entry in containers(spec):
        if str(((entry.get("resources") or {}).get(sort) or {}).get(resource)) == bound["given"]:
            return f"{base}.{at}.resources.{sort}.{resource}"
    return ""


def _limits(app: App, one: Refusal, bound: re.Match[str] | None) -> Iterator[Evidence]:
    """Yield the LimitRanges of the namespace, with their lines where Git has them."""
    if bound is None:
        return
    for key, _obj in around.of_kind(app, around.LIMIT_RANGE, one.key.namespace):
        yield from line(app, key, "spec.limits", key.short) or [
            Evidence(kind=EvidenceKind.FIELD, text=f"{key.short} in namespace {key.namespace}", subject=key)
        ]
