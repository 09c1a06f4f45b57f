"""All that is known about who may do what: the built-in roles, argocd-rbac-cm, and the roles of a project.

Asked by `syncline.verbs.rights`. Everybody has the default role first, which no line can take away. Then come the lines
of the subject, and for people with groups those of each group that a `g` line names; the built-in line for `admin`
speaks of the local account, not of a group of that name. Roles of a project count for
requests about that project alone, and a token of a project may do nothing in another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from syncline.core.policy.rbac import builtin, lines
from syncline.core.policy.rbac.enforcer import UNMATCHED, Enforcer, RbacRequest, RbacVerdict
from syncline.core.policy.rbac.lines import PolicyLine, PolicyProblem, PolicyText
from syncline.core.policy.rbac.reserved import is_reserved
from syncline.core.policy.rbac.words import IN_PROJECTS
from syncline.model.project import AppProject
from syncline.model.settings.parts import MatchMode

_ALIEN: Final = RbacVerdict(allowed=False, reason="a token of a project may do nothing in another project")


class PolicySource(msgspec.Struct, frozen=True):
    """Texts of policies with the default role and how patterns are written: one argocd-rbac-cm, or a file."""

    texts: tuple[PolicyText, ...] = ()
    default_role: str = ""
    mode: MatchMode = MatchMode.GLOB


class Who(msgspec.Struct, frozen=True):
    """Somebody who logged in: the subject, and the groups that the claims named by `scopes` hold."""

    subject: str
    groups: tuple[str, ...] = ()


class Rights:
    """Lines of policy and the default role, ready to be asked; a policy that cannot be read denies everything."""

    def __init__(self, source: PolicySource, *, with_builtin: bool = True) -> None:
        found, self.problems = lines.read(source.texts)
        self.source = source
        self._lines: tuple[PolicyLine, ...] = (*(builtin.LINES if with_builtin else ()), *found)
        self._enforcer = Enforcer(self._lines, source.mode)

        self._anywhere = ProjectRights(self._enforcer, source.default_role, self.problems)

    def of_project(self, project: AppProject | None) -> ProjectRights:
        """Return the rights that hold for requests about a project; None for one that is not there."""
        if project is None:
            return self._anywhere
        more, problems = lines.read(project_texts(project))
        # As with Argo CD: where a role of the project cannot be read, none of them counts.
        enforcer = self._enforcer if problems else Enforcer((*self._lines, *more), self.source.mode)
        return ProjectRights(enforcer, self.source.default_role, self.problems, project.metadata.name)

    def is_member(self, subject: str) -> bool:
        """Whether any line says that a user or group belongs to a role."""
        return self._enforcer.is_member(subject)

    def lines_for(self, who: Who) -> tuple[PolicyLine, ...]:
        """Return the lines that count for somebody, without those that are built in; none where one is unreadable."""
        if any(problem.fatal for problem in self.problems):
            return ()
        names = self._anywhere.subjects_of(who)
        return tuple(line for line in self._lines if line.place != builtin.PLACE and line.fields[0] in names)


class ProjectRights:
    """Rights as far as they concern one project, or none."""

    def __init__(self, enforcer: Enforcer, default: str, problems: Iterable[PolicyProblem], project: str = "") -> None:
        self._enforcer = enforcer
        self._default = default
        self._project = project
        self._broken = next((RbacVerdict(allowed=False, reason=str(problem)) for problem in problems), None)

    def decide(self, request: RbacRequest) -> RbacVerdict:
        """Return the answer for one subject: that of the default role where it allows, else the subject's own."""
        if self._broken is not None:
            return self._broken
        if self._default:
            everybody = self._enforcer.decide(msgspec.structs.replace(request, subject=self._default))
            if everybody.allowed:
                return msgspec.structs.replace(everybody, reason=f"{self._default} is the default role")
        return self._enforcer.decide(request)

    def decide_for(self, who: Who, request: RbacRequest) -> RbacVerdict:
        """Return the answer for somebody with groups; the subject of the request is theirs."""
        of = project_of_subject(who.subject)
        if of and self._project and of != self._project:
            return _ALIEN
        own = self.decide(msgspec.structs.replace(request, subject=who.subject))
        if own.allowed or self._broken is not None or (of and self._project):
            return own
        answers = [own]
        for group in self._groups_of(who):
            if self._enforcer.is_member(group):
                found = self.decide(msgspec.structs.replace(request, subject=group))
                found = msgspec.structs.replace(found, roles=(group, *found.roles))
                if found.allowed:
                    return found
                answers.append(found)
        return next((one for one in answers if one.line is not None), UNMATCHED)

    @staticmethod
    def _groups_of(who: Who) -> list[str]:
        """Return the groups of somebody that count: none that is named like a role, a project's token or `admin`."""
        return [group for group in who.groups if not is_reserved(group)]

    def subjects_of(self, who: Who) -> frozenset[str]:
        """Return the names whose lines count for somebody: their own, the default role, groups, and all their roles."""
        groups = [group for group in self._groups_of(who) if self._enforcer.is_member(group)]
        starts = [name for name in (who.subject, self._default, *groups) if name]
        return frozenset(name for start in starts for name in self._enforcer.reached(start))


def project_texts(project: AppProject) -> list[PolicyText]:
    """Return the policies of a project's roles: each may see its project, and has its lines and groups."""
    name = project.metadata.name
    found = []
    for role in project.spec.roles:
        subject = f"proj:{name}:{role.name}"
        seen = f"p, {subject}, projects, get, {name}, allow"
        groups = [f"g, {group}, {subject}" for group in role.groups]
        text = "\n".join((seen, *role.policies, *groups))
        found.append(PolicyText(text, f"AppProject {name}, role {role.name}", first_line=0))
    return found


def project_of_subject(subject: str) -> str:
    """Return the project of a subject such as `proj:team:ci`; empty for anybody else."""
    parts = subject.split(":")
    return parts[1] if len(parts) == 3 and parts[0] == "proj" else ""


def project_asked_about(request: RbacRequest) -> str:
    """Return the project that a request is about; empty where it is about none."""
    if request.resource == "projects":
        return request.object
    project, slash, _ = request.object.partition("/")
    return project if slash and request.resource in IN_PROJECTS else ""
