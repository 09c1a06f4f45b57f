"""Reads and writes the file of logins, in the shape of Argo CD's own `config`: contexts, servers, users.

Built by `syncline.wiring`. The file holds tokens: it is made with rights for its owner alone, replaced by one rename,
and refused where others may read it. What Argo CD keeps in it besides stays as it is.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from syncline import private_folders
from syncline.apimachinery import yaml
from syncline.model.errors import InvalidSpec
from syncline.model.server_contexts import ServerContext, ServerContexts

_LARGEST = 4 * 1024 * 1024


class ContextFile:
    """One file of logins."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> ServerContexts:
        """Return the logins; none where there is no file. Raises a sentence for one that cannot be used."""
        content = self._content()
        servers = {str(one.get("server")): one for one in _items(content, "servers")}
        users = {str(one.get("name")): one for one in _items(content, "users")}
        known = []
        for one in _items(content, "contexts"):
            server = servers.get(str(one.get("server") or ""), {})
            user = users.get(str(one.get("user") or ""), {})
            known.append(
                ServerContext(
                    name=str(one.get("name") or ""),
                    server=str(one.get("server") or ""),
                    token=str(user.get("auth-token") or ""),
                    refresh_token=str(user.get("refresh-token") or ""),
                    plaintext=server.get("plain-text") is True,
                    insecure=server.get("insecure") is True,
                    root_path=str(server.get("grpc-web-root-path") or ""),
                )
            )
        return ServerContexts(current=str(content.get("current-context") or ""), known=tuple(known))

    def write(self, contexts: ServerContexts) -> None:
        """Store the logins; the file appears by one rename, so that nobody reads half of it."""
        servers = {one.server: one for one in contexts.known}
        content = self._content() | {
            "current-context": contexts.current,
            "contexts": [{"name": one.name, "server": one.server, "user": one.name} for one in contexts.known],
            "servers": [
                {
                    "server": one.server,
                    "plain-text": one.plaintext,
                    "insecure": one.insecure,
                    "grpc-web-root-path": one.root_path,
                }
                for one in servers.values()
            ],
            "users": [
                {
                    "name": one.name,
                    "auth-token": one.token,
                    **({"refresh-token": one.refresh_token} if one.refresh_token else {}),
                }
                for one in contexts.known
            ],
        }
        private_folders.write(self.path, yaml.dump(content).encode())

    def _content(self) -> dict[str, Any]:
        try:
            with self.path.open("rb") as file:
                self._require_private(os.fstat(file.fileno()))
                text = file.read(_LARGEST + 1)
        except FileNotFoundError:
            return {}
        if len(text) > _LARGEST:
            raise InvalidSpec(f"{self.path} is too large to be a file of logins")
        try:
            found = yaml.load(text, source=str(self.path))
        except yaml.YamlError as error:
            # The words of the parser may quote a line, and a line may hold a token.
            place = getattr(error, "place", None)
            raise InvalidSpec(
                f"{place or self.path} cannot be read as YAML", hint="log in again after deleting it"
            ) from None
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise InvalidSpec(f"{self.path} is not a file of logins", hint="log in again after deleting it")
        return found

    def _require_private(self, found: os.stat_result) -> None:
        if stat.S_IMODE(found.st_mode) & 0o077:
            raise InvalidSpec(f"{self.path} holds tokens and can be read by others", hint=f"run: chmod 600 {self.path}")


def _items(content: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = content.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
