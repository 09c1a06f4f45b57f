"""An attack by an Application: what the repository holds, what the Application says, and why it must be refused.

The modules in `tests.hostile.attacks` list them by class; `tests.hostile.conftest` delivers all of them at once, since
one start of the processes serves them all, and the test files look at what came of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.hostile.installation import Installation, application

Json = dict[str, Any]
SHARED = "team-a-attacks"


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile Application of team-a; `@FILE@`, `@LISTENER@` and the like stand for addresses."""

    name: str
    reason: str
    """What the refusal says, as an expression; empty where it may be Synced."""
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    """By path below the attack's folder; `-> x` makes a link, one with a leading `/` is in the root."""
    source: Json = field(default_factory=dict)
    spec: Json = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    project: str = "team-a"
    """`open-a` permits every repository, so that the rules behind those of projects are attacked too."""
    prepare: Callable[[Installation], None] | None = None
    """What else is set up: objects of Git that no file makes, a chart, an artifact."""
    repository: str = "attacks"
    """The repository of team-a; attacks that spoil a whole repository have one of their own."""
    written: bool = False
    """Whether objects may be written, since only a part of the render or of the settings is hostile."""
    endless: bool = False
    """Whether rendering it takes until a limit strikes: the API, which would render again, is not asked for that."""
    place: str = ""
    """Its namespace, where it shares one with others of its kind."""
    slow: bool = False
    """Whether it is left to `make test-hostile-all`: it waits for a limit in minutes."""

    @property
    def namespace(self) -> str:
        """Refused attacks share one namespace, in which nothing may be written; the others would get in their way."""
        return self.place or (f"team-a-{self.name}" if self.written else SHARED)


def placed(value: Any, installation: Installation) -> Any:
    """Return a value with addresses and paths of the installation in it."""
    if isinstance(value, Mapping):
        return {placed(name, installation): placed(item, installation) for name, item in value.items()}
    if isinstance(value, list):
        return [placed(item, installation) for item in value]
    if not isinstance(value, str):
        return value
    places = {
        "@FOLDER@": str(installation.folder),
        "@FILE@": str(installation.folder / "canary.yaml"),
        "@LISTENER@": installation.listener.url().rstrip("/"),
        "@PORT@": str(installation.listener.port),
        "@GIT@": f"http://127.0.0.1:{installation.git.port}",
        "@GITPORT@": str(installation.git.port),
        "@PRIVATE@": installation.url("private/vault"),
        "@CHARTS@": installation.charts.url,
        "@REGISTRY@": installation.registry.place,
        "@OTHER@": installation.url("team-b/main"),
    }
    for word, text in places.items():
        value = value.replace(word, text)
    return value


def repository_of(attack: Attack) -> str:
    return f"team-a/{attack.repository}"


def write_files(attack: Attack, installation: Installation) -> None:
    """Write the files of an attack into its repository, without a commit."""
    repository = installation.repository(repository_of(attack))
    for name, content in attack.files.items():
        path = name[1:] if name.startswith("/") else f"{attack.name}/{name}"
        if isinstance(content, bytes):
            (repository.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (repository.folder / path).write_bytes(content)
        else:
            repository.write({path: placed(content, installation)})


def hostile_application(attack: Attack, installation: Installation) -> Json:
    """Return the Application of an attack."""
    made = application(
        attack.name,
        attack.project,
        installation.url(repository_of(attack)),
        attack.name,
        attack.namespace,
        source=placed(attack.source, installation),
    )
    spec = {**made["spec"], **placed(attack.spec, installation)}
    made["spec"] = {name: value for name, value in spec.items() if value is not None}
    made["metadata"]["annotations"] = placed(attack.annotations, installation)
    return made
