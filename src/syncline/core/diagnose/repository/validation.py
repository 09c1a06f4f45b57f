"""Checks what a repository delivers against schemas: those of Kubernetes, and of the definitions in the repository.

Asked by the rule on fields, and by `syncline.api.check` for how many objects nobody could validate. Nulls are left out
first: the API server drops them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from syncline.apimachinery.keys import GroupVersionKind, gvk_of
from syncline.apimachinery.schema import crd, definitions, resources
from syncline.apimachinery.schema.node import Node
from syncline.apimachinery.schema.validate import FieldProblem, validate
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.subjects import Repo
from syncline.model import names

_MINORS = {".".join(one.split(".")[:2]) for one in definitions.versions()}


def problems(repo: Repo, delivery: Delivery, item: Prepared) -> list[FieldProblem]:
    """Return what is wrong with the fields of an object; nothing where no schema is known."""
    schema = _schema(repo, item)
    if schema is None:
        return []
    facts = repo.world.facts(delivery.cluster)
    version = facts.minor if facts is not None and facts.minor in _MINORS else None
    if isinstance(schema, GroupVersionKind) and schema not in resources.kinds(version):
        return []
    asked = id(item), schema, version
    found = delivery.validated.get(asked)
    if found is None:
        found = delivery.validated[asked] = validate(_without_nulls(item.obj), schema, version=version)
    # What the API server fills in or ignores is no mistake.
    return [one for one in found if not one.path.startswith(("status", "metadata.creationTimestamp"))]


def is_unknown(problem: FieldProblem) -> bool:
    """Whether it is about a field that the kind does not have, and not about its value."""
    return problem.message.startswith("unknown field")


def not_validated(repo: Repo) -> Counter[str]:
    """Return how many objects nobody could validate, by kind; Argo CD's own kinds have a rule to themselves."""
    found: Counter[str] = Counter()
    for kind, made in repo.world.by_kind.items():
        versions: dict[str, list[Prepared]] = defaultdict(list)
        for _, item in made if kind.group != names.GROUP else ():
            versions[item.version].append(item)
        for items in versions.values():
            if _schema(repo, items[0]) is None:
                found[str(kind)] += len(items)
    return found


def _schema(repo: Repo, item: Prepared) -> GroupVersionKind | Node | None:
    gvk = gvk_of(item.obj)
    if gvk in resources.kinds():
        return gvk
    for _, definition in repo.world.defined.get(gvk.group_kind, ()):
        found = crd.schema_for(definition.obj, gvk.version)
        if found is not None:
            return found
    return None


_HOLDERS = (dict, list)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_nulls(inner) if isinstance(inner, _HOLDERS) else inner
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(value, list):
        return [_without_nulls(inner) if isinstance(inner, _HOLDERS) else inner for inner in value]
    return value
