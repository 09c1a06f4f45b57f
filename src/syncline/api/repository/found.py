"""An Application or ApplicationSet that was found in a repository, and what leads to it.

Made by `syncline.api.repository.snapshot`, rendered by `syncline.api.repository.apps`, generated from by
`syncline.api.repository.sets`.
"""

from __future__ import annotations

from dataclasses import dataclass

from syncline.model.desired import DesiredObject


@dataclass(frozen=True, slots=True)
class Found:
    """An Application or ApplicationSet, and the roots that lead to it; one without is a root itself."""

    item: DesiredObject
    roots: tuple[str, ...]

    @property
    def identity(self) -> tuple[str, str, str, str, tuple[str, ...]]:
        """What tells it from everything else that is found."""
        key = self.item.key
        return self.item.origin.file, key.kind, key.namespace, key.name, self.roots

    @property
    def led_by(self) -> tuple[str, ...]:
        """The roots that lead to it, itself where there is none."""
        return self.roots or (place_of(self.item),)


def place_of(item: DesiredObject) -> str:
    """Return file and line of an object as text: the name of a root."""
    return str(item.origin.place())
