"""Looks for mistakes in a GitOps repository, without a cluster: `syncline.check`.

`syncline check` prints what it returns. Everything that the files lead to is rendered from the checkout, and the rules
on repositories look at it; what could not be looked at is counted and named, so that no clean answer hides it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from syncline.api import collecting
from syncline.api.build_options import checkout_around
from syncline.api.running import run
from syncline.apimachinery.nearest import did_you_mean
from syncline.model.errors import NeedsUser
from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.api import inputs
    from syncline.api.applications import RenderFlags
    from syncline.api.repository.left_out import LeftOut
    from syncline.api.repository.memory import CheckMemory
    from syncline.api.repository.snapshot import Progress
    from syncline.core.diagnose.findings.same import Identity
    from syncline.core.diagnose.repository.bootstrap import Proof
    from syncline.core.diagnose.rule import Rule


class Bootstrap(msgspec.Struct, frozen=True):
    """Whether a repository can bring up an empty cluster.

    `state` is `possible`, `blocked` by the ring of apps that wait for one another, `needs` the missing kinds first, or
    `unknown` where nothing was found and not everything could be looked at.
    """

    state: str
    ring: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, and what was found: the worst first.

    `left_out` is what could not be looked at, with what would help. `files` are the texts that findings point into.
    Findings that a comment silences, or that the baseline has, are only counted.
    """

    findings: tuple[Finding, ...]
    apps: int
    rendered: int
    sets: int
    roots: int
    projects: int
    objects: int
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, bytes] = {}
    not_validated: int = 0
    """Objects of custom kinds whose schema is not known."""
    not_validated_kinds: Mapping[str, int] = {}
    """How many those are by kind, most first."""
    bootstrap: str = ""
    """Whether this repository can bring up an empty cluster, in a sentence."""
    bootstrap_proof: Bootstrap | None = None
    """The same for programs; None where there is no app."""
    silenced: int = 0
    """How many findings a comment with a reason is about."""
    known: int = 0
    """How many findings the baseline has."""
    problems: tuple[str, ...] = ()
    """What is wrong with comments that should silence something."""

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(one for one in self.findings if one.severity is severity)


def check(
    path: str | os.PathLike[str] = ".",
    *,
    repos: Mapping[str, str | os.PathLike[str]] | None = None,
    clusters: inputs.File | None = None,
    fetch: bool = False,
) -> Checked:
    """Return what is wrong with a GitOps repository.

    `path` is a folder; the checkout around it is looked at as a whole. `repos` lets folders stand for the addresses of
    other repositories, `clusters` is a file of clusters for ApplicationSets. With `fetch` other repositories and
    charts are fetched; without, what needs them is in `left_out`.

    Findings of the repository's baseline (`.syncline/baseline.json`) are only counted, as on the command line.

    Raises `NeedsUser` where the path is not a folder.
    """
    from syncline.api import baselines
    from syncline.api.applications import RenderFlags
    from syncline.api.applicationsets import known_clusters

    wanted = RenderFlags(
        local=True,
        repos=tuple(f"{url}={os.fspath(folder)}" for url, folder in (repos or {}).items()),
        clusters=tuple(known_clusters(clusters)) if clusters is not None else (),
    )
    usual = root_of(Path(path)) / baselines.USUAL
    known = Selection(baseline=baselines.read(usual)) if usual.is_file() else None
    return run(checked(Path(path), wanted, fetch=fetch, selection=known))


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which findings somebody wants: by rule, by how bad they are, and without those that are known.

    `select` and `ignore` are codes, their beginnings, or names. Rules that are still on trial run with `preview_rules`,
    or where `select` names them.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    preview_rules: bool = False
    least: Severity = Severity.INFO
    baseline: frozenset[Identity] | tuple[Identity, ...] = ()

    def unknown(self, rules: Iterable[Rule]) -> tuple[str, ...]:
        """Return the words that mean none of these rules: with one misspelled, nothing would be found for ever."""
        known = tuple(rules)
        words = dict.fromkeys((*self.select, *self.ignore))
        return tuple(word for word in words if not any(_chosen(one.code, one.name, (word,)) for one in known))

    def takes(self, rule: Rule) -> bool:
        """Whether a rule is to run."""
        trusted = not rule.preview or self.preview_rules or rule.code in self.select or rule.name in self.select
        left_out = bool(self.ignore) and _chosen(rule.code, rule.name, self.ignore)
        return trusted and not left_out and _chosen(rule.code, rule.name, self.select)


async def checked(
    path: Path,
    wanted: RenderFlags,
    *,
    fetch: bool = False,
    selection: Selection | None = None,
    progress: Progress | None = None,
    memory: CheckMemory | None = None,
) -> Checked:
    """Return what is wrong with the repository around a folder.

    `progress` is told about every Application that is rendered, `memory` is what looks leave for the next check.
    """
    # Around all of it, results included: what was looked at is gone before searches are frequent again.
    with collecting.seldom(collecting.FOR_A_LOOK):
        return await _checked(path, wanted, fetch, selection or Selection(), progress, memory)


async def _checked(
    path: Path,
    wanted: RenderFlags,
    fetch: bool,
    selection: Selection,
    progress: Progress | None,
    memory: CheckMemory | None,
) -> Checked:
    from syncline.api.repository.snapshot import snapshot
    from syncline.core.diagnose import engine, registry
    from syncline.core.diagnose.findings.same import split
    from syncline.core.diagnose.findings.silencing import silenced
    from syncline.core.diagnose.repository import bootstrap, validation
    from syncline.core.diagnose.subjects import Repo

    if wrong := selection.unknown(registry.rules()):
        words = [word for rule in registry.rules() for word in (rule.code, rule.name)]
        hint = " ".join(filter(None, (did_you_mean(wrong[0], words), "syncline rule lists all")))
        raise NeedsUser(f"{wrong[0]} is neither the code, the beginning of a code nor the name of a rule", hint=hint)
    taken = await snapshot(root_of(path), wanted, fetch=fetch, progress=progress, memory=memory)
    repo = taken.repo if memory is None else taken.repo.remembering(memory.deliveries)
    checks = [one for one in registry.checks(Repo) if selection.takes(one.rule)]
    found = engine.run(checks, repo, memory.findings if memory is not None else None)
    bad = list(Severity)[: list(Severity).index(selection.least) + 1]
    quiet = silenced([one for one in found if one.severity in bad], repo.files)
    new, known = split(quiet.kept, selection.baseline)
    apps = repo.apps
    unknown = validation.not_validated(repo)
    proof = bootstrap.proof(repo) if apps else None
    return Checked(
        findings=new,
        apps=len(apps),
        rendered=sum(app.desired is not None for app in apps),
        sets=taken.sets,
        roots=taken.roots,
        projects=taken.projects,
        objects=sum(len(app.desired.objects) for app in apps if app.desired is not None),
        left_out=taken.left_out,
        notes=taken.notes,
        files=repo.files,
        not_validated=unknown.total(),
        not_validated_kinds=dict(unknown.most_common()),
        bootstrap=proof.sentence if proof is not None else "",
        bootstrap_proof=_proved(proof) if proof is not None else None,
        silenced=len(quiet.silenced),
        known=len(known),
        problems=quiet.problems if not selection.select and not selection.ignore else (),
    )


def _proved(proof: Proof) -> Bootstrap:
    ring = tuple(f"{one.app} waits for {one.before} ({one.because})" for one in proof.ring)
    missing = tuple(map(str, proof.missing))
    state = "blocked" if ring else "needs" if missing else "possible" if proof.complete else "unknown"
    return Bootstrap(state, ring, missing)


def root_of(path: Path) -> Path:
    """Return the checkout around a folder or file, else the folder."""
    folder = path.parent if path.is_file() else path
    if not folder.is_dir():
        raise NeedsUser(f"{path} does not exist", hint="name a folder of a checkout, or a file in it")
    return checkout_around(folder) or folder.resolve()


def _chosen(code: str, name: str, words: Sequence[str]) -> bool:
    return not words or any(code.lower().startswith(word.lower()) or word.lower() == name for word in words)
