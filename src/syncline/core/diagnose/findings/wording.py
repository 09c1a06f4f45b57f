"""Words that findings and screens share: several of a kind, and numbers of things."""

from __future__ import annotations

from collections.abc import Mapping


def several(kind: str) -> str:
    """Return several of a kind: `Ingresses`, `Pods`, `NetworkPolicies`."""
    if kind.endswith(("s", "x", "ch", "sh")):
        return f"{kind}es"
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        return f"{kind[:-1]}ies"
    return f"{kind}s"


def counted(count: int, noun: str) -> str:
    """Return `1 Pod`, `2,000 Pods`."""
    return f"{count:,} {noun if count == 1 else several(noun)}"


def kinds(counts: Mapping[str, int]) -> str:
    """Return how many of which kind there are, the most of one kind first: `3 Deployments, 1 Ingress`."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(counted(count, kind) for kind, count in ordered)


def one_or_many(count: int, one: str, many: str) -> str:
    """Return the word for one thing, or the word for several."""
    return one if count == 1 else many
