"""Objects as `argocd` names them on the command line: [!]GROUP:KIND:[NAMESPACE/]NAME, with `*` as wildcard."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import msgspec

from syncline.model.errors import NeedsUser
from syncline.model.operation import SyncOperationResource


class ResourceName(msgspec.Struct, frozen=True):
    """One object, or all that match; `exclude` turns it round."""

    group: str
    kind: str
    namespace: str
    name: str
    exclude: bool = False

    def matches(self, item: dict[str, Any]) -> bool:
        """Whether a row with group, kind, namespace and name is meant."""
        fits = (
            fnmatchcase(str(item.get("group") or ""), self.group)
            and fnmatchcase(str(item.get("kind") or ""), self.kind)
            and fnmatchcase(str(item.get("name") or ""), self.name)
            and (not self.namespace or fnmatchcase(str(item.get("namespace") or ""), self.namespace))
        )
        return fits != self.exclude

    def as_operation(self) -> SyncOperationResource:
        """Return it as an operation's `resources` want it."""
        return SyncOperationResource(self.kind, self.name, self.group, self.namespace, self.exclude)


def parse_resource(text: str) -> ResourceName:
    """Read one name; raises a sentence with an example."""
    parts = text.removeprefix("!").split(":")
    if len(parts) != 3 or not parts[1] or not parts[2]:
        raise NeedsUser(
            f"{text} names no object", hint="write [!]GROUP:KIND:[NAMESPACE/]NAME, such as apps:Deployment:web"
        )
    namespace, _, name = parts[2].rpartition("/")
    return ResourceName(parts[0], parts[1], namespace, name, exclude=text.startswith("!"))
