"""Reads and writes the ConfigMaps that say what sources may use, for the command line.

Used by `cert` and `gpg`. A ConfigMap is changed as it is stored, also when others write to it.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path

from syncline.apimachinery.keys import Object
from syncline.cli.show import terminal
from syncline.controller.clusters.access import CONFIG_MAPS
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.applications import MANAGER

_ATTEMPTS = 5
_LABELS = {"app.kubernetes.io/part-of": "argocd"}


async def read_texts(home: Cluster, namespace: str, name: str) -> dict[str, str]:
    """Return the texts of a ConfigMap; none where there is none."""
    found = await home.get(CONFIG_MAPS, namespace, name)
    return {str(key): str(text) for key, text in ((found or {}).get("data") or {}).items()}


async def change_texts(
    home: Cluster, namespace: str, name: str, change: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    """Change the texts of a ConfigMap, which is made where there is none."""
    for _ in range(_ATTEMPTS):
        found = await home.get(CONFIG_MAPS, namespace, name)
        labels = {**_LABELS, "app.kubernetes.io/name": name}
        blank: Object = {"metadata": {"name": name, "namespace": namespace, "labels": labels}}
        wanted = {"apiVersion": "v1", "kind": "ConfigMap", **copy.deepcopy(found or blank)}
        wanted["data"] = change(dict(wanted.get("data") or {}))
        try:
            if found is None:
                await home.create(CONFIG_MAPS, wanted, manager=MANAGER)
            elif wanted["data"] != (found.get("data") or {}):
                await home.replace(CONFIG_MAPS, wanted, manager=MANAGER)
        except ApiError as error:
            if error.reason not in ("Conflict", "AlreadyExists"):
                raise
            continue
        return
    raise NeedsUser(f"ConfigMap {name} keeps being changed by others", hint="try again")


def read_input(path: str, words: str) -> bytes:
    """Return the content of a file, or what is typed or piped in where no file is named."""
    if path and path != "-":
        return Path(path).expanduser().read_bytes()
    if sys.stdin.isatty():
        terminal.echo(f"Enter {words}. Press CTRL-D when finished.", err=True)
    return sys.stdin.buffer.read()
