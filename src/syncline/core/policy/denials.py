"""Why a project denies something: in words, with the field of the AppProject that decides and what would allow it.

Made for `syncline.core.policy.projects` and its neighbours; the controller writes the sentence into conditions and
results, `syncline.verbs.deciding` finds the line of the file that the field comes from. What would allow it is the
smallest change: entries that deny are removed, and one entry is added where none allows.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy.matching import allowed_kinds, denied_kinds, destination_permitted, judge, kind_listed
from syncline.model.application import Destination
from syncline.model.logins import without_logins
from syncline.model.project import AppProject, GroupKindPattern, ProjectDestination
from syncline.model.sources.permitted import repo_permitted


class Denial(msgspec.Struct, frozen=True):
    """One denial: Argo CD's words, and why: what decides, and the smallest change that would allow it.

    `field` is a path in the AppProject `project`: an entry that denies, or the list that lacks one.
    """

    message: str
    why: str = ""
    project: str = ""
    field: str = ""

    def __str__(self) -> str:
        return f"{self.message} ({self.why})" if self.why else self.message


class _Lists(msgspec.Struct, frozen=True):
    """What decided in one list of a project: entries that deny with the commands that remove them, and the lack."""

    field: str
    denying: Sequence[tuple[int, str, str]]
    lacking: str = ""
    add: str = ""

    def denial(self, message: str, project: AppProject) -> Denial:
        """Return the denial; an entry that denies comes before one that is not there."""
        commands = [command for _, _, command in self.denying] + ([self.add] if self.lacking else [])
        fix = " && ".join(commands)
        name = project.metadata.name
        if not self.denying:
            return Denial(message, f"{self.lacking}; to add it: {fix}", name, self.field)
        index, entry, _ = self.denying[0]
        also = f", and {self.lacking}" if self.lacking else ""
        why = f"{entry} of {self.field} denies it{also}; to {'change' if also else 'remove'} it: {fix}"
        return Denial(message, why, name, f"{self.field}[{index}]")


def repo_denial(url: str, project: AppProject) -> Denial:
    """Return why a project denies a repository."""
    name, patterns, shown = project.metadata.name, project.spec.source_repos, without_logins(url)
    denying = [
        (index, pattern, f"syncline proj remove-source {name} {_quoted(pattern)}")
        for index, pattern in enumerate(patterns)
        if pattern.startswith("!") and not repo_permitted(url, (pattern,))
    ]
    found = {index for index, _, _ in denying}
    left = [pattern for index, pattern in enumerate(patterns) if index not in found]
    lacking = (
        "" if repo_permitted(url, left) else f"spec.sourceRepos is {', '.join(left) or 'empty'}{_wider(url, left)}"
    )
    lists = _Lists("spec.sourceRepos", denying, lacking, f"syncline proj add-source {name} {_quoted(shown)}")
    return lists.denial(f"application repo {shown} is not permitted in project '{name}'", project)


def _wider(url: str, patterns: Sequence[str]) -> str:
    """Return what a pattern would have to be that people take for one of every path below a host."""
    written = ((pattern, pattern.replace("**", "*").replace("*", "**")) for pattern in patterns)
    found = next((wider for pattern, wider in written if wider != pattern and repo_permitted(url, (wider,))), "")
    return f", and * does not match a slash ({found} does)" if found else ""


def kind_denial(message: str, key: ObjectKey, project: AppProject) -> Denial:
    """Return why a project denies the kind of an object: an entry that denies it, or the list that lacks it."""
    spec, scope, name = project.spec, "namespace" if key.namespace else "cluster", project.metadata.name
    command = f"syncline proj allow-{scope}-resource {name}"
    allowed = allowed_kinds(key, spec)
    white = f"spec.{scope}ResourceWhitelist"
    lacking = "" if allowed is None or kind_listed(key, allowed) else f"{white} does not list it"
    add = f"{command} {_quoted(key.group)} {key.kind} --list allow"
    denying = [
        (index, _kind_words(one), f"{command} {_kind_arguments(one)} --list deny")
        for index, one in enumerate(denied_kinds(key, spec))
        if kind_listed(key, (one,))
    ]
    field = f"spec.{scope}ResourceBlacklist" if denying else white
    return _Lists(field, denying, lacking, add).denial(message, project)


def destination_denial(message: str, there: Destination, project: AppProject) -> Denial:
    """Return why a project denies a destination: an entry that denies it, or that none allows it."""
    name, rules = project.metadata.name, project.spec.destinations
    denying = [
        (
            index,
            f"{rule.server or rule.name},{rule.namespace}",
            f"syncline proj remove-destination {name} {_place(rule)}",
        )
        for index, rule in enumerate(rules)
        if judge(there, rule) is False
    ]
    left = [rule for rule in rules if judge(there, rule) is not False]
    lacking = "" if destination_permitted(there, left) else "no entry of spec.destinations allows it"
    wanted = ProjectDestination(there.server, "" if there.server else there.name, there.namespace)
    add = f"syncline proj add-destination {name} {_place(wanted)}"
    return _Lists("spec.destinations", denying, lacking, add).denial(message, project)


def _place(rule: ProjectDestination) -> str:
    by_name = "" if rule.server else " --name"
    return f"{_quoted(rule.server or rule.name)} {_quoted(rule.namespace)}{by_name}"


def _kind_words(one: GroupKindPattern) -> str:
    return f"{one.group}/{one.kind}" + (f"/{one.name}" if one.name else "")


def _kind_arguments(one: GroupKindPattern) -> str:
    return " ".join(map(_quoted, [one.group, one.kind, *([one.name] if one.name else [])]))


def _quoted(text: str) -> str:
    return text if text and not set(text) & set("*?[]{}!'\"$&;|<>() ") else f"'{text}'"
