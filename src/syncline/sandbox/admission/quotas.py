"""ResourceQuotas: refuses what would exceed one, and counts what is let in.

Called by `syncline.sandbox.admission.chain` for every write and by `syncline.sandbox.api.writes` to charge it. As on a
real server the numbers are those in the quota's status, which a controller works out again after objects are deleted; a
quota whose status nobody filled in yet lets everything pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import Object
from syncline.apimachinery.quantity import Quantity
from syncline.sandbox import errors
from syncline.sandbox.admission import usage
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row

_QUOTAS: Final = Bucket("", "resourcequotas")
_PODS: Final = Bucket("", "pods")
_COMPUTE: Final = frozenset(
    {
        "cpu",
        "memory",
        "requests.cpu",
        "requests.memory",
        "limits.cpu",
        "limits.memory",
    }
)
"""What every container must name when a quota counts it."""


def check(backend: Backend, resource: Resource, obj: Object, live: Object | None) -> None:
    """Refuse a write that a quota of its namespace has no room for."""
    for _, quota in _in_scope(backend, resource, obj) if resource.bucket == _PODS and live is None else ():
        _check_named(quota, obj)
    concerned = _concerned(backend, resource, obj, live)
    for _, quota, extra in concerned:
        status = quota.get("status") or {}
        hard, used = usage.amounts(status.get("hard")), usage.amounts(status.get("used"))
        over = sorted(name for name, amount in extra.items() if used.get(name, usage.ZERO) + amount > hard[name])
        if over:
            parts = (_printed(extra, over), _printed(used, over), _printed(hard, over))
            name = quota["metadata"]["name"]
            detail = f"exceeded quota: {name}, requested: {parts[0]}, used: {parts[1]}, limited: {parts[2]}"
            raise errors.forbidden(resource.plural, resource.group, obj["metadata"].get("name", ""), detail)


def charges(
    backend: Backend, resource: Resource, obj: Object, live: Object | None
) -> Iterator[tuple[Row, dict[str, str]]]:
    """Yield the quotas a write is charged to, each with what is used of it afterwards."""
    for row, quota, extra in _concerned(backend, resource, obj, live):
        used = usage.amounts((quota.get("status") or {}).get("used"))
        yield row, {name: str(amount) for name, amount in usage.add(used, extra).items()}


def _concerned(
    backend: Backend, resource: Resource, obj: Object, live: Object | None
) -> list[tuple[Row, Object, Mapping[str, Quantity]]]:
    """Return the quotas that count an object, each with what the write adds to it."""
    found: list[tuple[Row, Object, Mapping[str, Quantity]]] = []
    for row, quota in _in_scope(backend, resource, obj):
        hard = quota["status"]["hard"]
        extra = {name: amount for name, amount in usage.of_object(resource, obj).items() if name in hard}
        if live is not None:
            before = usage.of_object(resource, live)
            extra = {name: amount - before.get(name, usage.ZERO) for name, amount in extra.items()}
            extra = {name: amount for name, amount in extra.items() if amount > usage.ZERO}
        if extra:
            found.append((row, quota, extra))
    return found


def _in_scope(backend: Backend, resource: Resource, obj: Object) -> Iterator[tuple[Row, Object]]:
    """Yield the quotas of a namespace that are about such an object and whose limits are known."""
    namespace = obj["metadata"].get("namespace", "")
    for row in backend.store.rows(_QUOTAS, namespace) if namespace else ():
        quota = row.decode()
        if (quota.get("status") or {}).get("hard") and usage.in_scope(quota, resource, obj):
            yield row, quota


def _check_named(quota: Object, obj: Object) -> None:
    """Refuse a pod whose containers do not name what a quota counts, unless the pod does so as a whole."""
    hard, spec = quota["status"]["hard"], obj.get("spec") or {}
    whole = spec.get("resources") or {}
    if whole.get("requests") or whole.get("limits"):
        return
    missing: dict[str, list[str]] = {}
    for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
        named = {f"{side}.{name}" for side in ("requests", "limits") for name in usage.of_container(container, side)}
        named |= set(usage.of_container(container, "requests"))
        for name in _COMPUTE & set(hard) - named:
            missing.setdefault(name, []).append(str(container.get("name", "")))
    if missing:
        told = "; ".join(f"{name} for: {','.join(missing[name])}" for name in sorted(missing))
        detail = f"failed quota: {quota['metadata']['name']}: must specify {told}"
        raise errors.forbidden("pods", "", obj["metadata"].get("name", ""), detail)


def _printed(amounts: Mapping[str, Quantity], names: list[str]) -> str:
    return ",".join(f"{name}={quantity.canonical(str(amounts.get(name, usage.ZERO)))}" for name in names)
