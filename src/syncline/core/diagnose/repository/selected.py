"""Which workloads of a repository a selector by labels selects, and which it nearly does.

Shared by the rules on what selects pods: budgets, network policies.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.world import pod_labels
from syncline.core.diagnose.subjects import Repo

_ALIKE = 0.75


def selected(repo: Repo, namespace: str, labels: Mapping[str, Any]) -> tuple[Prepared, ...]:
    """Return the workloads of a namespace whose pods have all of these labels."""
    return tuple(
        item
        for item in repo.world.workloads.get(namespace, ())
        if all(str(pod_labels(item.obj).get(name)) == str(value) for name, value in labels.items())
    )


def near_labels(repo: Repo, key: ObjectKey, labels: Mapping[str, Any]) -> Iterator[tuple[Prepared, str, str]]:
    """Yield the workloads that only one label tells apart, with that label and the value that their pods have.

    The value is nearly the same, or the workload has the name of whoever selects.
    """
    for item in repo.world.workloads.get(key.namespace, ()):
        has = {name: str(value) for name, value in pod_labels(item.obj).items()}
        other = [name for name, value in labels.items() if has.get(name) != str(value)]
        if len(other) != 1 or other[0] not in has:
            continue
        name = other[0]
        wanted = str(labels[name])
        alike = difflib.SequenceMatcher(None, wanted, has[name]).ratio() >= _ALIKE
        if item.key.name == key.name or (alike and _digits(wanted) == _digits(has[name])):
            yield item, name, has[name]


def _digits(text: str) -> str:
    return "".join(one for one in text if one.isdigit())
