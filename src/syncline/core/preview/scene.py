"""What consequences are read from: every app that changes with its objects on both sides, and both snapshots.

Made by `syncline.core.preview.preview`, looked at by `syncline.core.preview.effects`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.context import NodeFor
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.rendered import Address, Rendered, rendered
from syncline.core.diagnose.subjects import Repo
from syncline.model.application import Application
from syncline.model.preview import AppChange, ObjectAction, ObjectChange


@dataclass(frozen=True)
class Changed:
    """An app that changes: what is said of it, and its objects before and after, hooks among them."""

    change: AppChange
    app: Application | None
    """As it will be; as it was where it is deleted."""
    before: Mapping[ObjectKey, Prepared]
    after: Mapping[ObjectKey, Prepared]
    left: frozenset[ObjectKey] = frozenset()
    """Objects that another app takes over."""

    @property
    def name(self) -> str:
        """The name of the app."""
        return self.change.name

    @property
    def prunes(self) -> bool:
        """Whether what leaves Git is deleted without anybody asking."""
        policy = self.app.spec.sync_policy if self.app is not None else None
        automated = policy.automated if policy is not None else None
        return automated is not None and automated.prune and automated.enabled is not False

    @property
    def syncs(self) -> bool:
        """Whether a change in Git is applied without anybody asking."""
        policy = self.app.spec.sync_policy if self.app is not None else None
        return policy is not None and policy.automated is not None and policy.automated.enabled is not False

    def kept(self) -> Iterator[tuple[ObjectChange, Prepared, Prepared]]:
        """Yield the objects that are on both sides and differ, with both sides."""
        for one in self.change.objects:
            if one.action in (ObjectAction.CHANGE, ObjectAction.TRANSFER) and one.key in self.before:
                yield one, self.before[one.key], self.after[one.key]


@dataclass(frozen=True)
class Scene:
    """Everything that a consequence may depend on; all objects of both sides are worked out when first asked for."""

    changed: tuple[Changed, ...]
    base: Repo
    head: Repo
    node_for: NodeFor
    as_of: str = ""
    clusters: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def before(self) -> dict[Address, list[Rendered]]:
        """Every object that was delivered, with the apps that did."""
        return rendered(self.base)

    @cached_property
    def after(self) -> dict[Address, list[Rendered]]:
        """Every object that will be delivered, with the apps that do."""
        return rendered(self.head)
