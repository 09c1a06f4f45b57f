"""Finds the commit a revision text stands for among the references of a repository.

`syncline.adapters.git.source` hands in what `git ls-remote` printed. A version constraint is matched against tags; else
a branch comes before a tag of the same name, as with Argo CD; an annotated tag is the commit it points to.
"""

from __future__ import annotations

import difflib
import re

import msgspec

from syncline.adapters.git.addresses import Address, scrub
from syncline.model.errors import SourceError
from syncline.model.sources import semver

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT = re.compile(r"[0-9a-f]{4,63}")
_SHOWN = 8
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f]|\.\.|@\{")


class References(msgspec.Struct, frozen=True):
    """Every reference and the commit it leads to, and the objects of annotated tags."""

    commits: dict[str, str]
    tag_objects: dict[str, str] = {}

    @classmethod
    def parse(cls, printed: bytes) -> References:
        """Read the output of `git ls-remote`."""
        commits: dict[str, str] = {}
        objects: dict[str, str] = {}
        for line in printed.decode("utf-8", "replace").splitlines():
            sha, _, name = line.partition("\t")
            plain = name.removesuffix("^{}")
            if plain != name and plain in commits:
                # The line of a tag object is followed by the one of its commit, which counts.
                objects[plain] = commits[plain]
            commits[plain] = sha
        return cls(commits, objects)

    def name_of(self, revision: str, tag_prefix: str = "") -> str | None:
        """Return the full name of HEAD, a branch, a tag, a full reference name, or the newest tag of a constraint.

        A checkout has branches of its remotes too, which nobody has checked out yet; those of `origin` come first.
        """
        if tag := self.newest_tag(revision, tag_prefix):
            return f"refs/tags/{tag}"
        name = revision or "HEAD"
        for candidate in (name, f"refs/heads/{name}", f"refs/tags/{name}", f"refs/{name}"):
            if candidate in self.commits and (candidate == "HEAD" or candidate.startswith("refs/")):
                return candidate
        followed = [one for one in self.commits if one.startswith("refs/remotes/") and _branch(one) == name]
        return min(followed, key=lambda one: (not one.startswith("refs/remotes/origin/"), one), default=None)

    def find(self, revision: str, tag_prefix: str = "") -> str | None:
        """Return the commit a revision stands for."""
        name = self.name_of(revision, tag_prefix)
        return None if name is None else self.commits[name]

    def newest_tag(self, revision: str, tag_prefix: str = "") -> str | None:
        """Return the newest tag a version constraint allows; None for what is not a constraint."""
        if not semver.is_constraint(revision):
            return None
        names = [name.removeprefix(tag_prefix) for name in self.names("tags") if name.startswith(tag_prefix)]
        newest = semver.newest(revision, names)
        return None if newest is None else tag_prefix + newest

    def starting_with(self, prefix: str) -> set[str]:
        """Return the commits of references that start with the given digits."""
        return {sha for sha in self.commits.values() if sha.startswith(prefix)}

    def branches(self) -> list[str]:
        """List branches, with those that a checkout only knows of its remotes."""
        followed = {_branch(name) for name in self.commits if name.startswith("refs/remotes/")} - {"HEAD", ""}
        return sorted({*self.names("heads"), *followed})

    def names(self, kind: str) -> list[str]:
        """List short names: of `heads` or of `tags`."""
        prefix = f"refs/{kind}/"
        return sorted(name.removeprefix(prefix) for name in self.commits if name.startswith(prefix))


def _branch(name: str) -> str:
    """Return the branch that a reference of a checkout follows: `refs/remotes/origin/x/y` is `x/y`."""
    return name.removeprefix("refs/remotes/").partition("/")[2]


def check(revision: str) -> None:
    """Refuse texts that are not a revision, before git sees them."""
    if revision.startswith("-") or (_FORBIDDEN.search(revision) and not semver.is_constraint(revision)):
        raise SourceError(f"invalid revision {scrub(revision)!r}", hint="use a branch, a tag or a commit SHA")


def is_full_sha(revision: str) -> bool:
    """Whether the text is a whole commit SHA."""
    return _FULL.fullmatch(revision) is not None


def is_short_sha(revision: str) -> bool:
    """Whether the text may be the beginning of a commit SHA."""
    return _SHORT.fullmatch(revision) is not None


def unresolved(revision: str, references: References, address: Address, tag_prefix: str = "") -> SourceError:
    """Build the error for a revision that is not there, with what would have been right."""
    what = f"unable to resolve '{revision or 'HEAD'}' to a commit SHA"
    branches, tags = references.branches(), references.names("tags")
    if not references.commits:
        return SourceError(what, hint=f"{address} is empty: push a first commit")
    if semver.is_constraint(revision):
        named = f" that start with {tag_prefix}" if tag_prefix else ""
        fitting = [tag for tag in tags if tag.startswith(tag_prefix)]
        shown = ", ".join(fitting[-_SHOWN:]) or "none"
        return SourceError(what, hint=f"no version among the {len(fitting)} tags of {address}{named} matches: {shown}")
    close = difflib.get_close_matches(revision, branches + tags, 1, 0.6)
    first = [name for name in close if name in branches]
    shown_branches = first + [name for name in branches if name not in first][: _SHOWN - len(first)]
    hint = f"branches of {address}: {', '.join(shown_branches) or 'none'}"
    if len(branches) > len(shown_branches):
        hint += f" and {len(branches) - len(shown_branches)} more"
    return SourceError(what, hint=hint + (f"; did you mean {close[0]}?" if close else ""))
