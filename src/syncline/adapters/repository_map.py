"""Which folders of this machine stand for which repositories: written in `syncline.toml`, or kept with a sandbox.

Used by `syncline.wiring`. `[repositories]` of the nearest `syncline.toml`, up to the root of the checkout, maps
addresses to folders; paths count from that file. What `syncline up` of a sandbox was told lies beside the sandbox's
kubeconfig, with the address of its API server, so that it counts for this cluster alone.
"""

from __future__ import annotations

import json
import os
import pathlib
import tomllib
from collections.abc import Iterable, Mapping

from syncline.model.errors import InvalidSpec, Place
from syncline.model.logins import without_logins

_CONFIG = "syncline.toml"
_KEPT = "repositories.json"
_TABLE = "repositories"


def configured(start: str | os.PathLike[str]) -> dict[str, str]:
    """Return what the nearest `syncline.toml` with `[repositories]` maps; raises `InvalidSpec` for nonsense."""
    here = pathlib.Path(start).resolve()
    for folder in (here, *here.parents):
        file = folder / _CONFIG
        if file.is_file() and (found := read(file)) is not None:
            return found
        if (folder / ".git").exists():
            break
    return {}


def read(file: pathlib.Path) -> dict[str, str] | None:
    """Return what a file maps; None where it has no such table."""
    place = Place(str(file))
    try:
        table = tomllib.loads(file.read_text("utf-8")).get(_TABLE)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSpec(f"this file cannot be read as TOML: {error}", place=place) from None
    if table is None:
        return None
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        what = f'[{_TABLE}] has to map addresses to folders, like "https://host/team/shop" = "../shop"'
        raise InvalidSpec(what, place=place)
    folders = {url: (file.parent / pathlib.Path(path).expanduser()).resolve() for url, path in table.items()}
    for url, folder in folders.items():
        if not any((folder / name).exists() for name in (".git", "HEAD")):
            raise InvalidSpec(f"[{_TABLE}] {url}: {folder} is not a Git repository", place=place)
    return {url: str(folder) for url, folder in folders.items()}


def keep(folder: pathlib.Path, server: str, repositories: Mapping[str, str]) -> None:
    """Keep what a sandbox was told beside its kubeconfig, without logins; replaces what was kept before."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{_KEPT}.part"
    plain = {without_logins(url): path for url, path in repositories.items()}
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(json.dumps({"server": server, "repositories": plain}, indent=2) + "\n", "utf-8")
    part.replace(folder / _KEPT)


def kept(kubeconfigs: Iterable[str], server: str) -> dict[str, str] | None:
    """Return what the sandbox at an address was told; None where the address is no sandbox of these kubeconfigs."""
    for path in kubeconfigs:
        try:
            content = json.loads((pathlib.Path(path).parent / _KEPT).read_text("utf-8"))
            # The address in a sandbox's kubeconfig goes on with a token.
            if f"{server}/".startswith(content["server"] + "/"):
                return {str(url): str(folder) for url, folder in content["repositories"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue
    return None
