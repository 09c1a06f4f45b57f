"""Reads settings from values of the argo-cd Helm chart, on their own or below the chart's name in an umbrella chart.

Called by `syncline.core.settings.parse`. The chart writes `configs.cm`, `configs.params` and `configs.rbac` into
ConfigMaps as they stand, so a key that nobody reads goes through unseen. Older charts had `server.config` and
`server.rbacConfig`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from syncline.apimachinery.yaml import Path
from syncline.core.settings import nearest
from syncline.core.settings.entries import CHART, ParsedSettings, Places, SettingEntry
from syncline.core.settings.keys import Home
from syncline.core.settings.report import ProblemCode, SettingProblem
from syncline.model.finding import Severity

_HOMES: Final = {"cm": Home.CM, "params": Home.PARAMS, "rbac": Home.RBAC}
_NOT_SETTINGS: Final = frozenset({"create", "annotations"})
_CONFIGS: Final = frozenset(
    {
        "clusterCredentials",
        "cm",
        "cmp",
        "credentialTemplates",
        "credentialTemplatesAnnotations",
        "gpg",
        "knownHosts",
        "knownHostsAnnotations",
        "params",
        "rbac",
        "repositories",
        "repositoriesAnnotations",
        "repositoryCredentials",
        "secret",
        "ssh",
        "styles",
        "tls",
        "tlsCerts",
        "tlsCertsAnnotations",
    }
)
_ENVIRONMENTS: Final = {
    "global": "",
    "controller": "controller",
    "server": "server",
    "repoServer": "reposerver",
    "applicationSet": "applicationsetcontroller",
}
_MOVED: Final = {
    ("server", "config"): "configs.cm",
    ("server", "rbacConfig"): "configs.rbac",
    ("controller", "args"): "configs.params",
}
_CHART_PARTS: Final = frozenset(
    {"configs", "controller", "repoServer", "applicationSet", "redis-ha", "dex", "notifications"}
)
_NAMES: Final = ("argo-cd", "argocd", "argoCD", "argo")


def read(values: dict[str, Any], places: Places) -> ParsedSettings | None:
    """Return the settings of the values, or None when they are not values of this chart."""
    for path in ((), *((name,) for name in _NAMES)):
        part: Any = values
        for step in path:
            part = part.get(step)
        if isinstance(part, dict) and _is_chart(part):
            reader = _Reader(part, path, places)
            return ParsedSettings(CHART, tuple(reader.entries()), tuple(reader.problems()))
    return None


def _is_chart(values: dict[str, Any]) -> bool:
    configs = values.get("configs")
    if isinstance(configs, dict) and _CONFIGS & configs.keys():
        return True
    return len(_CHART_PARTS & values.keys()) >= 2 or any(
        isinstance(values.get(one), dict) and other in values[one] for one, other in _MOVED
    )


class _Reader:
    def __init__(self, values: dict[str, Any], root: Path, places: Places) -> None:
        self._values = values
        self._root = root
        self._places = places

    def entries(self) -> Iterator[SettingEntry]:
        """List the settings of the ConfigMaps and of the environments."""
        for name, home in _HOMES.items():
            for key, value in self._below("configs", name).items():
                if key not in _NOT_SETTINGS:
                    yield self._entry(home, str(key), value, ("configs", name, key))
        for name, component in _ENVIRONMENTS.items():
            listed = self._below(name).get("env")
            for index, item in enumerate(listed if isinstance(listed, list) else ()):
                if isinstance(item, dict) and item.get("name"):
                    path = (name, "env", index)
                    yield self._entry(Home.ENV, str(item["name"]), item.get("value"), path, component)

    def problems(self) -> Iterator[SettingProblem]:
        """Name settings in places the chart does not read."""
        for (part, name), right in _MOVED.items():
            if self._below(part, name):
                yield self._moved(f"{part}.{name}", right, (part, name))
        for name in self._below("configs"):
            meant = "" if name in _CONFIGS else nearest.nearest_of(str(name), _CONFIGS)
            if meant:
                yield self._problem(
                    ProblemCode.UNREAD,
                    f"configs.{name}",
                    "is not a value of the chart",
                    f"configs.{meant}",
                    ("configs", name),
                )
        for name, home in _HOMES.items():
            settings = self._below("configs", name)
            if settings.get("create") is False and len(settings.keys() - _NOT_SETTINGS) > 0:
                yield self._unwritten(f"configs.{name}", home, ("configs", name, "create"))

    def _below(self, *path: str) -> dict[str, Any]:
        value: Any = self._values
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def _entry(self, home: Home, key: str, value: Any, path: Path, component: str = "") -> SettingEntry:
        place = self._places((*self._root, *path))
        return SettingEntry(home=home, key=key, value=value, place=place, form=CHART, component=component)

    def _moved(self, name: str, right: str, path: Path) -> SettingProblem:
        return self._problem(ProblemCode.UNREAD, name, "has not been read by the chart since version 6", right, path)

    def _unwritten(self, name: str, home: Home, path: Path) -> SettingProblem:
        message = f"{name}.create is false: the chart does not write {home}, and the settings in {name} have no effect"
        return SettingProblem(
            kind=ProblemCode.NO_EFFECT,
            severity=Severity.WARNING,
            key=f"{name}.create",
            home="chart",
            message=message,
            fix=f"set {name}.create to true, or move the settings to the {home} you write yourself",
            place=self._places((*self._root, *path)),
        )

    def _problem(self, kind: ProblemCode, name: str, message: str, right: str, path: Path) -> SettingProblem:
        return SettingProblem(
            kind=kind,
            key=name,
            home="chart",
            message=f"{name} {message}; nothing reads it",
            nearest=right,
            right_home="chart",
            fix=f"write {right}",
            place=self._places((*self._root, *path)),
        )
