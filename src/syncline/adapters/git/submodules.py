"""Says which other repositories a commit contains (submodules), where they are, and who we are to them.

Used by `syncline.adapters.git.commit`, which reads them as folders, and `syncline.adapters.git.source`, which fetches
them. `.gitmodules` is content, which strangers write: a submodule is asked with the credentials of the repository
around it on the same host, with those that are the project's own, or with none; and it has a cache of its own, so that
nobody reads through it what was fetched with somebody else's credentials.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from syncline.adapters.git import addresses
from syncline.adapters.git.addresses import Address
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Repository

FILE = ".gitmodules"
MOST = 64
DEEPEST = 5
_MAX_FILE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Submodule:
    """Another repository at a path of a commit."""

    path: str
    url: str
    sha: str


class SubmodulesMissing(Exception):
    """A commit has submodules, and nobody has fetched them yet."""

    def __init__(self, submodules: Sequence[Submodule]) -> None:
        super().__init__("submodules are wanted")
        self.submodules = submodules


def declared(text: str) -> dict[str, str]:
    """Return the addresses of submodules by their paths, as `.gitmodules` has them."""
    found: dict[str, str] = {}
    entry: dict[str, str] = {}
    for line in [*text[:_MAX_FILE].splitlines(), "[end]"]:
        plain = line.strip()
        if plain.startswith("["):
            if "path" in entry and "url" in entry:
                found[posixpath.normpath(entry["path"])] = entry["url"]
            entry = {}
            continue
        name, equals, value = plain.partition("=")
        if equals and not plain.startswith(("#", ";")):
            entry[name.strip().lower()] = value.strip().strip('"')
    return found


def absolute(url: str, around: str) -> str:
    """Return the address of a submodule: one that starts with a dot counts from the repository around it."""
    if not url.startswith(("./", "../")):
        return url
    start, slashes, place = around.rstrip("/").partition("://")
    if not slashes:
        start, colon, place = around.rstrip("/").partition(":")
        if not colon:
            start, place = "", around.rstrip("/")
        slashes = colon
    steps = place.split("/")
    for step in url.split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in ("", "."):
            steps.append(step)
    return f"{start}{slashes}{'/'.join(steps)}" if start else "/".join(steps)


def address(
    url: str, around: Address, project: str, *, access: SourceAccess, folders: Sequence[str], mirrors: Mapping[str, str]
) -> Address:
    """Return how a submodule is reached; raises `SourceError` for an address that is never read."""
    # A repository of the network has no business with this machine's disk.
    permitted = folders if around.local else ()
    trusted = SourceAccess(known_hosts=access.known_hosts, certificates=access.certificates)
    found = addresses.parse(url, local_folders=permitted, mirrors=mirrors, access=trusted)
    known, home, scope = access.known(url, project), around.repository, project
    if known is None or not project or known.project != project:
        scope = ""
        same = (found.scheme, found.host, found.port) == (around.scheme, around.host, around.port)
        known = Repository(url=url, credentials=home.credentials, way=home.way) if same else None
    if known is not None and not found.local:
        own = msgspec.structs.replace(trusted, repositories=(msgspec.structs.replace(known, project=""),))
        found = addresses.parse(url, access=own)
        # What a Secret of the project opens, it opens for the project: for a submodule of this very address too.
        scoped = msgspec.structs.replace(found.repository, project=scope)
        found = replace(found, repository=scoped)
    return replace(found, key=hashlib.sha256(f"{around.key}\n{scope}\n{found.key}".encode()).hexdigest())


def forbidden(url: str, project: str) -> SourceError:
    """Build the error for a submodule of a repository that the project does not permit; nobody has asked there."""
    what = f"repository {addresses.scrub(url)} is not permitted in project '{project}'"
    return SourceError(what, hint="add it to spec.sourceRepos of the project")


def unreachable(path: str, error: SourceError) -> SourceError:
    """Build the error for a submodule that cannot be read."""
    hint = "; ".join(filter(None, (error.hint, "a submodule gets the credentials of the repository around it")))
    return SourceError(f"{path}: its submodule cannot be fetched: {error.what}", hint=hint)
