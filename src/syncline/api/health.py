"""Assesses objects, thousands at once, owners joined: `syncline.health`.

`syncline admin health` calls it with files and prints the rows. With pods, StorageClasses and events among the objects
the messages go deeper. Scripts of the settings run in the same workers as in the controller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from syncline.api import inputs
from syncline.api.running import run
from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.core.health import checkup, scripts
from syncline.model.health import Health, HealthCode
from syncline.model.settings.settings import Settings

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object


@dataclass(frozen=True, slots=True)
class ObjectHealth:
    """How healthy one object is; `health` is None for a kind that has no health and no conditions."""

    key: ObjectKey
    health: Health | None

    @property
    def status(self) -> HealthCode | None:
        """The status that counts; None where no check knows the kind, and its conditions were only read."""
        return self.health.status if self.health is not None and self.health.gating else None

    @property
    def message(self) -> str:
        """Why, for people."""
        return self.health.message if self.health is not None else ""

    @property
    def reason(self) -> str:
        """Why, in one word for programs."""
        return self.health.reason if self.health is not None else ""

    @property
    def evidence(self) -> str:
        """The path of the first field it rests on, after the object it stands in where that is another one."""
        if self.health is None or not self.health.evidence:
            return ""
        first = self.health.evidence[0]
        return f"{first.subject} {first.path}" if first.subject else first.path


def health(
    objects: inputs.Objects,
    *,
    settings: Settings | inputs.File | None = None,
    compat: Literal["syncline", "argocd"] | None = None,
) -> tuple[ObjectHealth, ...]:
    """Return how healthy objects are, in their order.

    `settings` is a file whose health checks count first: argocd-cm, an ArgoCD resource or chart values.

    Raises `InvalidSpec` where something handed in cannot be read.
    """
    return assess(inputs.objects(objects), inputs.kinds_settings(settings, compat))


def assess(objects: Sequence[Object], settings: Settings) -> tuple[ObjectHealth, ...]:
    """Return how healthy objects are that were read already."""
    scripted = run(_scripted(objects, settings))
    judge = checkup.of_files(objects, settings, scripted)
    return tuple(ObjectHealth(key_of(obj), judge.shown(obj)) for obj in objects)


async def _scripted(objects: Sequence[Object], settings: Settings) -> dict[int, Health | None]:
    """Return what the settings' scripts say, by the position of the object."""
    from syncline import wiring

    overrides, folder = settings.overrides, settings.customizations
    chosen = {index: one for index, obj in enumerate(objects) if (one := scripts.script(obj, overrides, folder))}
    if not chosen:
        return {}
    async with wiring.evaluating(settings.jq_timeout) as evaluator:
        results = await evaluator.evaluate(list(chosen.values()))
    return {index: scripts.read(result) for index, result in zip(chosen, results, strict=True)}
