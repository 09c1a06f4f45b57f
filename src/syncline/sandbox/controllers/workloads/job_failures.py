"""What the pod failure policy of a Job makes of a failed pod.

Pure: called by `syncline.sandbox.controllers.workloads.jobs`. Without a policy, or where no rule matches, a failure
counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from syncline.apimachinery.keys import Object


class Judgement(NamedTuple):
    """What a failed pod means for its job: Count, Ignore or FailJob."""

    action: str
    message: str = ""


def judge(spec: Object, pod: Object) -> Judgement:
    """Return what the first matching rule says."""
    for index, rule in enumerate((spec.get("podFailurePolicy") or {}).get("rules") or ()):
        why = _by_exit_code(rule.get("onExitCodes"), pod) or _by_condition(rule.get("onPodConditions") or (), pod)
        if why:
            action = str(rule.get("action") or "Count")
            return Judgement(action, f"{why} matching {action} rule at index {index}")
    return Judgement("Count")


def _by_exit_code(wanted: Mapping[str, Any] | None, pod: Object) -> str:
    if not wanted:
        return ""
    status = pod.get("status") or {}
    values = wanted.get("values") or ()
    for one in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        code = ((one.get("state") or {}).get("terminated") or {}).get("exitCode")
        if not code or wanted.get("containerName", one.get("name")) != one.get("name"):
            continue
        if (code in values) == (wanted.get("operator") == "In"):
            name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            return f"Container {one.get('name')} for pod {name} failed with exit code {code}"
    return ""


def _by_condition(wanted: Iterable[Mapping[str, Any]], pod: Object) -> str:
    known = {one.get("type"): one.get("status") for one in (pod.get("status") or {}).get("conditions") or ()}
    for one in wanted:
        if known.get(one.get("type")) == (one.get("status") or "True"):
            name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            return f"Pod {name} has condition {one.get('type')}"
    return ""


def spans(numbers: Iterable[int]) -> str:
    """Print numbers as Kubernetes lists completed indexes: `0,2-4`."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{low}" if low == high else f"{low}{',' if high == low + 1 else '-'}{high}" for low, high in found)
