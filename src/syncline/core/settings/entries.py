"""Settings as they stand in some text: key, value, and where; the one shape that all forms are brought into.

Made by the readers of ConfigMaps, ArgoCD resources and chart values, handed to `syncline.core.settings.assemble`.
Places come from a function, so that nothing here knows files; settings read from a cluster have none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from syncline.apimachinery.yaml import Document, Path
from syncline.core.settings.keys import Home
from syncline.core.settings.report import SettingProblem
from syncline.model.errors import Place

Places = Callable[[Path], Place | None]


class Form(msgspec.Struct, frozen=True):
    """A way to write settings, and what each home is called in it."""

    name: str
    homes: dict[str, str] = {}
    chart_defaults: bool = False

    def where(self, home: Home) -> str:
        """Return how somebody who writes in this form says where to put a setting."""
        spelled = self.homes.get(home)
        named = "the environment" if home is Home.ENV else str(home)
        return f"{spelled} ({named})" if spelled else named


CONFIG_MAP: Final = Form("ConfigMap")
RESOURCE: Final = Form(
    "ArgoCD",
    {
        Home.CM: "spec.extraConfig",
        Home.PARAMS: "spec.cmdParams",
        Home.RBAC: "spec.rbac",
        Home.ENV: "spec.controller.env",
    },
)
CHART: Final = Form(
    "chart",
    {
        Home.CM: "configs.cm",
        Home.PARAMS: "configs.params",
        Home.RBAC: "configs.rbac",
        Home.SECRET: "configs.secret.extra",
        Home.ENV: "controller.env",
    },
    chart_defaults=True,
)


class SettingEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One setting as written. `component` says whose environment an entry of home `env` belongs to."""

    home: Home
    key: str
    value: Any
    place: Place | None = None
    form: Form = CONFIG_MAP
    component: str = ""


class ParsedSettings(msgspec.Struct, frozen=True):
    """What one object or file holds: settings, and what is wrong with its own shape.

    `whole_cm` says that it makes up an argocd-cm, so that a setting absent from it is absent.
    """

    form: Form
    entries: tuple[SettingEntry, ...] = ()
    problems: tuple[SettingProblem, ...] = ()
    whole_cm: bool = False


def nowhere(_path: Path) -> None:
    """Give no place: for settings that do not come from a file."""


def places_in(document: Document, file: str) -> Places:
    """Return the function that finds fields of a document in its file."""

    def place(path: Path) -> Place:
        position = document.position_or_parent(path)
        return Place(file, position.line, position.column)

    return place
