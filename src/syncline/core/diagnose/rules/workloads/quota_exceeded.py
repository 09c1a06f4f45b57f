"""Pods or objects that a ResourceQuota leaves no room for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import orjson

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around, scheduling
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.live.written import item, line, rewrite
from syncline.core.diagnose.messages.refusals import QUOTA, Refusal, refusals, sync_again
from syncline.core.diagnose.repository import pointing
from syncline.core.diagnose.repository.pointing import dig
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-004",
    name="quota-exceeded",
    severity=Severity.WARNING,
    # Before the merge it may still fit; on a cluster it does not.
    other_severities=frozenset({Severity.ERROR}),
    summary="A ResourceQuota of the namespace leaves no room for what the app requests.",
    fix="raise the quota, or request less",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    tells=Tells.REFUSAL,
    why="The pods are not created at all; all you see is a workload that stays short of its replicas. The finding "
    "names the quota, what is used and what is allowed, and the line with the request.",
    bad="""\
apiVersion: v1
kind: ResourceQuota
metadata: {name: team}
spec:
  hard:
    requests.cpu: "2"
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1", resources: {requests: {cpu: "1"}}}]
""",
    good="""\
apiVersion: v1
kind: ResourceQuota
metadata: {name: team}
spec:
  hard:
    requests.cpu: "4"
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example/web:1", resources: {requests: {cpu: "1"}}}]
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per quota and amount, with all objects that it refuses."""
    found: dict[tuple[str, str, str], list[tuple[Refusal, re.Match[str]]]] = {}
    for one in refusals(app):
        if match := QUOTA.search(one.message):
            found.setdefault((one.key.namespace, match["quota"], match["requested"]), []).append((one, match))
    for (namespace, name, _requested), same in found.items():
        yield _finding(app, ObjectKey("", "ResourceQuota", namespace, name), same)


def _finding(app: App, quota: ObjectKey, same: list[tuple[Refusal, re.Match[str]]]) -> Finding:
    first, match = same[0]
    keys = sorted({one.key for one, _ in same})
    subject = around.listed([key.short for key in keys])
    amounts = amounts_of(match)
    words = ", ".join(f"{used} of {hard} {name} used, {more} more wanted" for name, more, used, hard in amounts)
    resource = amounts[0][0]
    return RULE.finding(
        keys[0].short if len(keys) == 1 else subject,
        f"{subject}: {quota.short} in namespace {quota.namespace} has no room: {words}",
        evidence=[
            *line(app, quota, f'spec.hard["{resource}"]', f"{resource}: {amounts[0][3]}"),
            *line(app, keys[0], _asked_at(app, keys[0], resource)),
            Evidence(kind=EvidenceKind.MESSAGE, text=first.message, time=first.since),
        ],
        fix=_raise(app, quota, amounts, keys, first),
        options=_lower(app, keys, resource, first),
        since=first.since,
        severity=Severity.ERROR,
    )


def amounts_of(match: re.Match[str]) -> list[tuple[str, str, str, str]]:
    """Return for each resource what is wanted, used and allowed."""
    read = [dict(part.split("=", 1) for part in match[name].split(",")) for name in ("requested", "used", "hard")]
    requested, used, hard = read
    return [(name, more, used.get(name, "?"), hard.get(name, "?").rstrip(".")) for name, more in requested.items()]


def _raise(
    app: App, quota: ObjectKey, amounts: list[tuple[str, str, str, str]], keys: list[ObjectKey], first: Refusal
) -> Fix:
    """Return the quota that would do: what is used, and what is missing still."""
    times = len(keys) if first.by_sync else max(_pods_missing(app, keys[0]), 1)
    wanted = enough(amounts, times)
    remark = f"raise {quota.short}; then {_afterwards(first)}"
    then = sync_again(app) if first.by_sync else ""
    if item(app, quota) is not None:
        name, amount = next(iter(wanted.items()))
        return rewrite(app, quota, f'spec.hard["{name}"]', amount, remark=remark)
    patch = orjson.dumps({"spec": {"hard": wanted}}).decode()
    command = f"kubectl patch resourcequota {quota.name} -n {quota.namespace} --type merge -p '{patch}'"
    return Fix(text=remark, command=f"{command} && {then}" if then else command)


def enough(amounts: list[tuple[str, str, str, str]], times: int) -> dict[str, str]:
    """Return how much of each resource a quota would have to have: what is used, and so many times what is wanted."""
    wanted = {}
    for name, more, used, _hard in amounts:
        total = quantity.parse(used)
        for _ in range(times):
            total = total + quantity.parse(more)
        wanted[name] = str(total)
    return wanted


def _afterwards(first: Refusal) -> str:
    return "sync once more" if first.by_sync else "the missing pods are created automatically"


def _pods_missing(app: App, key: ObjectKey) -> int:
    """Return how many pods a workload is short of."""
    obj = app.assessment.live.get(key) or {}
    wanted = (obj.get("spec") or {}).get("replicas")
    made = (obj.get("status") or {}).get("replicas") or 0
    return max(int(wanted if wanted is not None else 1) - int(made), 0)


def _lower(app: App, keys: list[ObjectKey], resource: str, first: Refusal) -> list[Fix]:
    """Return the fix on the other side: fewer pods, where those that there are already fit."""
    obj = app.assessment.live.get(keys[0]) or {}
    made = int((obj.get("status") or {}).get("replicas") or 0)
    if first.by_sync or not made or item(app, keys[0]) is None:
        return [Fix(text=f"request less {resource}, here or elsewhere in the namespace")]
    if "replicas" in (obj.get("spec") or {}):
        return [rewrite(app, keys[0], "spec.replicas", made, remark=f"fewer pods: {made} fit")]
    return []


def _asked_at(app: App, key: ObjectKey, resource: str) -> str:
    """Return the field that asks for a resource; that of the object itself where it is counted."""
    found = item(app, key)
    if found is None:
        return ""
    base, spec = template(found.obj)
    sort, dot, name = resource.partition(".")
    if not dot or sort not in ("requests", "limits"):
        return ""
    for at, one in containers(spec):
        if name in ((one.get("resources") or {}).get(sort) or {}):
            return f"{base}.{at}.resources.{sort}.{name}"
    return ""


_RESOURCE_QUOTA = GroupKind("", "ResourceQuota")
_UNITS = {"Ki": 1024, "Mi": 1024**2, "Gi": 1024**3, "Ti": 1024**4, "m": 0.001, "M": 10**6, "G": 10**9}


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per quota of the repository that is smaller than what its namespace asks for."""
    for delivery, quota in repo.world.by_kind.get(_RESOURCE_QUOTA, ()):
        hard = dig(quota.obj, "spec", "hard")
        if dig(quota.obj, "spec", "scopes") or dig(quota.obj, "spec", "scopeSelector") or not isinstance(hard, dict):
            continue
        asked = _asked(_beside(repo, delivery, quota))
        for name, amount in sorted(hard.items()):
            resource = name.removeprefix("requests.")
            if resource in asked and name in (f"requests.{resource}", resource):
                limit = quantity.parse(str(amount)).milli_value
                if asked[resource] > limit:
                    message = (
                        f"the pods of namespace {quota.key.namespace} ask for {_worded(asked[resource], str(amount))} "
                        f"of {resource}, and {quota.key.short} allows {amount}"
                    )
                    path = f'spec.hard["{name}"]' if "." in name else f"spec.hard.{name}"
                    evidence = [pointing.at(quota, path, f"{name}: {amount}")]
                    yield RULE.finding(quota.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _beside(repo: Repo, delivery: Delivery, quota: Prepared) -> tuple[Prepared, ...]:
    """Return the workloads that are sure to be in the namespace of a quota: others may be alternatives to them."""
    roots = set(delivery.app.roots or ("",))
    found: dict[ObjectKey, Prepared] = {}
    for other in repo.world.deliveries:
        if other.cluster == delivery.cluster and roots & set(other.app.roots or ("",)):
            found |= {one.key: one for one in other.prepared.objects if one.key.namespace == quota.key.namespace}
    return tuple(found.values())


def _worded(thousandths: int, like: str) -> str:
    """Return an amount in the unit that another one is written in."""
    unit = next((unit for unit in _UNITS if like.endswith(unit)), "")
    return f"{thousandths / 1000 / _UNITS.get(unit, 1):g}{unit}"


def _asked(workloads: tuple[Prepared, ...]) -> dict[str, int]:
    """Return what all pods of some workloads ask for, in thousandths."""
    total: dict[str, int] = defaultdict(int)
    for one in workloads:
        if one.key.kind in ("Deployment", "StatefulSet") and one.key.group == "apps":
            _, spec = template(one.obj)
            replicas = dig(one.obj, "spec", "replicas")
            count = replicas if isinstance(replicas, int) else 1
            for name, amount in scheduling.requests(spec).items():
                total[name] += count * amount.milli_value
    return total
