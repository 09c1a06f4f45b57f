"""Which Applications a list shows: filters, order and page, on rows alone.

Read from the query of a request by `chosen`; used by the list of Applications, its stream, and the fleet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.server.lists.shelf import AppRow, row_of
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.routing import Query

_HEALTHS = ("Missing", "Degraded", "Unknown", "Progressing", "Suspended", "Healthy")
_SYNCS = ("Unknown", "OutOfSync", "Synced")
_ORDERS: dict[str, Callable[[AppRow], Any]] = {
    "name": lambda row: (row.name, row.namespace),
    "health": lambda row: (_rank(row.health, _HEALTHS), row.name),
    "sync": lambda row: (_rank(row.sync, _SYNCS), row.name),
    "project": lambda row: (row.project, row.name),
    "created": lambda row: (row.created, row.name),
    "since": lambda row: (row.since, row.name),
}

FILTERS = (
    Query("project", "Only those of this project.", many=True),
    Query("projects", "The same, as Argo CD names it.", many=True),
    Query("name", "Only the one of this name."),
    Query("selector", "Only those whose labels match."),
    Query("repo", "Only those with this repository."),
    Query("cluster", "Only those delivered to the cluster of this name or address."),
    Query("appNamespace", "Only those of this namespace."),
    Query("search", "Only those with this in name, namespace, project, destination or repository."),
    Query("health", "Only those of this health.", many=True),
    Query("sync", "Only those of this sync status.", many=True),
    Query("operation", "Only those whose last operation is in this phase.", many=True),
)
PAGING = (
    Query("sort", "name, health, sync, project, created or since; with - for descending."),
    Query("limit", "At most so many; 0 is all.", "integer"),
    Query("offset", "Leave out so many.", "integer"),
)


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows are wanted; empty fields want all."""

    projects: frozenset[str] = frozenset()
    name: str = ""
    namespace: str = ""
    labels: LabelSelector | None = None
    repo: str = ""
    cluster: str = ""
    search: str = ""
    health: frozenset[str] = frozenset()
    sync: frozenset[str] = frozenset()
    operation: frozenset[str] = frozenset()

    def matches(self, row: AppRow) -> bool:
        """Whether a row is wanted."""
        return (
            (not self.projects or row.project in self.projects)
            and (not self.name or row.name == self.name)
            and (not self.namespace or row.namespace == self.namespace)
            and (not self.health or row.health in self.health)
            and (not self.sync or row.sync in self.sync)
            and (not self.operation or row.operation in self.operation)
            and (not self.search or self.search in row.words)
            and (not self.repo or self.repo in row.repos)
            and (not self.cluster or self.cluster in (row.cluster, row.server))
            and (self.labels is None or self.labels.matches(row.labels))
        )


def chosen(call: Call) -> Selection:
    """Return what the query of a request wants."""
    return Selection(
        projects=frozenset(call.texts("project", "projects")),
        name=call.text("name"),
        namespace=call.text("appNamespace"),
        labels=labels_of(call),
        repo=call.text("repo"),
        cluster=call.text("cluster"),
        search=call.text("search").lower(),
        health=frozenset(call.texts("health")),
        sync=frozenset(call.texts("sync")),
        operation=frozenset(call.texts("operation")),
    )


def labels_of(call: Call) -> LabelSelector | None:
    """Return the labels that the query wants; None for any."""
    selector = call.text("selector")
    try:
        return LabelSelector.parse(selector) if selector else None
    except InvalidSelector as error:
        raise Failure(INVALID, f"error parsing the selector: {error}") from None


def visible(call: Call, rows: Iterable[AppRow]) -> list[AppRow]:
    """Return the rows that whoever asks may see."""
    return [row for row in rows if is_visible(call, row)]


def is_visible(call: Call, row: AppRow) -> bool:
    """Whether whoever asks may see an Application, and the installation looks after it at all."""
    backend = call.backend
    return call.may("applications", "get", row.rbac_name(backend.namespace)) and backend.is_ours(
        row.namespace, row.project
    )


def is_visible_state(call: Call, obj: Object) -> bool:
    """Whether whoever asks may see an Application in this very state, which need not be the newest."""
    return is_visible(call, row_of(obj))


def ordered(call: Call, rows: list[AppRow]) -> list[AppRow]:
    """Return rows in the order that the query wants; as they are where it says nothing."""
    wanted = call.text("sort")
    if not wanted:
        return rows
    order = _ORDERS.get(wanted.removeprefix("-"))
    if order is None:
        raise Failure(INVALID, f"sort is one of {', '.join(_ORDERS)}")
    return sorted(rows, key=order, reverse=wanted.startswith("-"))


def page(call: Call, rows: list[AppRow], *, usual: int = 0) -> list[AppRow]:
    """Return the page of rows that the query wants; `usual` is how many where it does not say, 0 all."""
    limit, offset = call.number("limit", usual), call.number("offset")
    return rows[offset : offset + limit] if limit else rows[offset:]


def _rank(word: str, order: Sequence[str]) -> int:
    return order.index(word) if word in order else len(order)
