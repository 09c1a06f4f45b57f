"""Says which folders of this machine are read in place of repositories: one mapping for all commands."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path


def repositories(repos: Sequence[str] = (), *, kept: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return folders by address: of `repos` (`URL=PATH`), else of the sandbox, of syncline.toml, of the checkout."""
    from syncline.adapters.git.checkout import checkout_mirrors, parse_mirrors

    return {**checkout_mirrors("."), **configured_repositories(), **(kept or {}), **parse_mirrors(tuple(repos))}


def checkout_remotes(folder: Path) -> tuple[str, ...]:
    """Return the addresses of the remotes of the checkout that a folder is the top of."""
    from syncline.adapters.git.checkout import checkout_mirrors

    found = checkout_mirrors(str(folder))
    return tuple(url for url, home in found.items() if Path(home).resolve() == folder.resolve())


def checkout_branches(folder: Path, wanted: Collection[str]) -> Mapping[str, int] | None:
    """Return the branches and tags of a checkout, those wanted with how far the default branch is ahead of them."""
    from syncline.adapters.git.branches import branches

    return branches(str(folder), wanted)


def configured_repositories(folder: str = ".") -> dict[str, str]:
    """Return what the syncline.toml of a folder maps."""
    from syncline.adapters import repository_map

    config = os.environ.get("SYNCLINE_CONFIG")
    if config:
        return (repository_map.read(Path(config)) or {}) if Path(config).is_file() else {}
    return repository_map.configured(folder)


def keep_repositories(kubeconfig: Path, server: str, found: Mapping[str, str]) -> None:
    """Keep the mapping of a sandbox beside its kubeconfig."""
    from syncline.adapters import repository_map

    repository_map.keep(kubeconfig.resolve().parent, server, found)


def kept_repositories(kubeconfig: str = "", context: str = "") -> dict[str, str] | None:
    """Return the mapping of the sandbox that a kubeconfig leads to; None where it leads to another cluster."""
    from syncline.adapters import repository_map
    from syncline.adapters.kube.kubeconfig import KubeconfigError
    from syncline.wiring.clusters import endpoint

    paths = [kubeconfig] if kubeconfig else os.environ.get("KUBECONFIG", "").split(os.pathsep)
    try:
        return repository_map.kept(
            [path for path in paths if path], endpoint(kubeconfig=kubeconfig, context=context).server
        )
    except KubeconfigError:
        return None
