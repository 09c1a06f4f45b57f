"""The repositories of an organization and their branches, as each code host lists them.

Asked by `syncline.core.appset.scm`. A repository without a default branch is empty, and has no branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from syncline.core.appset import hosts
from syncline.core.appset.context import Context
from syncline.core.appset.gotemplate.values import Int64
from syncline.core.appset.hosts import part
from syncline.core.appset.questions import GeneratorError
from syncline.model.applicationset import Provider, SCMProviderGenerator

_API_VERSION = "api-version=7.1"
_BRANCH = "refs/heads/"


class Repository(NamedTuple):
    """A repository at one of its branches; the commit is known once the branch was looked at."""

    organization: str
    name: str
    id: Any
    url: str
    branch: str
    labels: tuple[str, ...] = ()
    sha: str = ""

    def at(self, branch: object, sha: object) -> Repository:
        """Return the repository at a branch."""
        return self._replace(branch=str(branch or ""), sha=str(sha or ""))


class Organization(Protocol):
    """What a code host is asked about the repositories of an organization."""

    def repositories(self) -> Iterator[Repository]:
        """Yield all repositories, at their default branches."""
        ...

    def branches(self, one: Repository) -> Iterator[Repository]:
        """Yield the default branch, or all where that is asked for."""
        ...

    def has(self, one: Repository, path: str) -> bool:
        """Whether there is a file or folder."""
        ...


def organization(generator: SCMProviderGenerator, context: Context, field: str) -> Organization:
    """Return the organization that a generator is about."""
    protocol = generator.clone_protocol
    if (given := generator.github) is not None:
        return _GitHub(hosts.github(given), given, protocol, context)
    if (given := generator.gitlab) is not None:
        return _GitLab(hosts.gitlab(given), given, protocol, context)
    if (given := generator.gitea) is not None:
        return _Gitea(hosts.gitea(given), given, protocol, context)
    if (given := generator.bitbucket_server) is not None:
        return _BitbucketServer(hosts.bitbucket_server(given), given, protocol, context)
    if (given := generator.azure_dev_ops) is not None:
        return _Azure(hosts.azure(given, "accessTokenRef"), given, protocol, context)
    if (given := generator.bitbucket) is not None:
        return _Bitbucket(hosts.bitbucket_cloud(given), given, protocol, context)
    if generator.aws_code_commit is not None:
        raise GeneratorError(f"{field}: AWS CodeCommit is not asked for repositories")
    raise GeneratorError(f"{field} names no code host: give github, gitlab, gitea, bitbucket or another one")


class _Asked:
    """What all hosts have in common."""

    def __init__(self, host: hosts.Host, given: Provider, protocol: str, context: Context) -> None:
        self._host = host
        self._given = given
        self._protocol = protocol
        self._context = context
        self._all = bool(given.get("allBranches"))

    def _url(self, ssh: object, https: object) -> str:
        """Return the address to clone from; SSH unless HTTPS is asked for."""
        if self._protocol not in ("", "ssh", "https"):
            raise GeneratorError(f"unknown clone protocol for {self._host.name} {self._protocol}: use ssh or https")
        return str((https if self._protocol == "https" else ssh) or "")

    def _is_left_out(self, one: Mapping[str, Any]) -> bool:
        """Whether a repository is archived, and such ones do not count."""
        return bool(self._given.get("excludeArchivedRepos") and one.get("archived"))

    def _every(self, path: str, *, missing_is_none: bool = False) -> Iterator[Mapping[str, Any]]:
        return self._host.every(path, self._context, missing_is_none=missing_is_none)

    def _one(self, path: str, *, missing_is_none: bool = True) -> Mapping[str, Any] | None:
        found = self._host.ask(path, "one", self._context, missing_is_none=missing_is_none)
        return next(iter(found.items), None)

    def _there(self, path: str) -> bool:
        return self._host.ask(path, "there", self._context, missing_is_none=True).there


class _GitHub(_Asked):
    def repositories(self) -> Iterator[Repository]:
        for one in self._every(f"/orgs/{part(self._given.get('organization'))}/repos?per_page=100"):
            if self._is_left_out(one):
                continue
            yield Repository(
                organization=str((one.get("owner") or {}).get("login") or ""),
                name=str(one.get("name") or ""),
                id=Int64(one.get("id") or 0),
                url=self._url(one.get("ssh_url"), one.get("clone_url")),
                branch=str(one.get("default_branch") or ""),
                labels=tuple(map(str, one.get("topics") or ())),
            )

    def branches(self, one: Repository) -> Iterator[Repository]:
        base = f"{self._base(one)}/branches"
        if self._all:
            found = list(self._every(f"{base}?per_page=100"))
        else:
            default = self._one(f"{base}/{part(one.branch)}")
            found = [default] if default is not None else []
        for branch in found:
            yield one.at(branch.get("name"), (branch.get("commit") or {}).get("sha"))

    def has(self, one: Repository, path: str) -> bool:
        return self._there(f"{self._base(one)}/contents/{hosts.path(path)}?ref={part(one.branch)}")

    def _base(self, one: Repository) -> str:
        return f"/repos/{part(one.organization)}/{part(one.name)}"


class _GitLab(_Asked):
    def repositories(self) -> Iterator[Repository]:
        given = self._given
        asked = {
            "per_page": "100",
            "include_subgroups": "true" if given.get("includeSubgroups") else "false",
            "with_shared": "false" if given.get("includeSharedProjects") is False else "true",
        }
        if given.get("includeArchivedRepos"):
            asked["archived"] = "true"
        if given.get("topic"):
            asked["topic"] = part(given["topic"])
        query = "&".join(f"{name}={text}" for name, text in asked.items())
        for one in self._every(f"/groups/{part(given.get('group'))}/projects?{query}"):
            yield Repository(
                organization=str((one.get("namespace") or {}).get("full_path") or ""),
                name=str(one.get("path") or ""),
                id=Int64(one.get("id") or 0),
                url=self._url(one.get("ssh_url_to_repo"), one.get("http_url_to_repo")),
                branch=str(one.get("default_branch") or ""),
                labels=tuple(map(str, one.get("topics") or one.get("tag_list") or ())),
            )

    def branches(self, one: Repository) -> Iterator[Repository]:
        base = f"/projects/{one.id}/repository/branches"
        if self._all:
            found = list(self._every(f"{base}?per_page=100", missing_is_none=True))
        else:
            default = self._one(f"{base}/{part(one.branch)}")
            found = [default] if default is not None else []
        for branch in found:
            yield one.at(branch.get("name"), (branch.get("commit") or {}).get("id"))

    def has(self, one: Repository, path: str) -> bool:
        base, at = f"/projects/{one.id}/repository", f"ref={part(one.branch)}"
        return self._there(f"{base}/files/{part(path)}?{at}") or self._there(f"{base}/tree?path={part(path)}&{at}")


class _Gitea(_Asked):
    def repositories(self) -> Iterator[Repository]:
        owner = str(self._given.get("owner") or "")
        for one in self._every(f"/orgs/{part(owner)}/repos?limit=50"):
            if self._is_left_out(one):
                continue
            name = str(one.get("name") or "")
            labels = self._every(f"/repos/{part(owner)}/{part(name)}/labels?limit=50")
            yield Repository(
                organization=owner,
                name=name,
                id=Int64(one.get("id") or 0),
                url=self._url(one.get("ssh_url"), one.get("html_url")),
                branch=str(one.get("default_branch") or ""),
                labels=tuple(str(label.get("name")) for label in labels),
            )

    def branches(self, one: Repository) -> Iterator[Repository]:
        base = f"/repos/{part(one.organization)}/{part(one.name)}/branches"
        if self._all:
            for branch in self._every(f"{base}?limit=50"):
                yield one.at(branch.get("name"), (branch.get("commit") or {}).get("id"))
            return
        default = self._one(f"{base}/{part(one.branch)}", missing_is_none=False)
        yield one.at(one.branch, ((default or {}).get("commit") or {}).get("id"))

    def has(self, one: Repository, path: str) -> bool:
        base = f"/repos/{part(one.organization)}/{part(one.name)}"
        return self._there(f"{base}/contents/{hosts.path(path)}?ref={part(one.branch)}")


class _BitbucketServer(_Asked):
    def repositories(self) -> Iterator[Repository]:
        path = f"/projects/{part(self._given.get('project'))}/repos?limit=100"
        for one in self._host.every(path, self._context, "values"):
            links = {link.get("name"): link.get("href") for link in (one.get("links") or {}).get("clone") or ()}
            found = Repository(
                organization=str((one.get("project") or {}).get("key") or ""),
                name=str(one.get("name") or ""),
                id=Int64(one.get("id") or 0),
                url=self._url(links.get("ssh"), links.get("http")),
                branch="",
            )
            if (default := self._default(found)) is not None:
                yield default

    def branches(self, one: Repository) -> Iterator[Repository]:
        if not self._all:
            yield one
            return
        for branch in self._host.every(f"{self._base(one)}/branches?limit=100", self._context, "values"):
            yield one.at(branch.get("displayId"), branch.get("latestCommit"))

    def has(self, one: Repository, path: str) -> bool:
        return self._there(f"{self._base(one)}/browse/{hosts.path(path)}?at={part(one.branch)}&type=true&limit=100")

    def _default(self, one: Repository) -> Repository | None:
        branch = self._one(f"{self._base(one)}/branches/default")
        return one.at(branch.get("displayId"), branch.get("latestCommit")) if branch is not None else None

    def _base(self, one: Repository) -> str:
        return f"/projects/{part(one.organization)}/repos/{part(one.name)}"


class _Bitbucket(_Asked):
    def repositories(self) -> Iterator[Repository]:
        owner = str(self._given.get("owner") or "")
        path = f"/repositories/{part(owner)}?role=member&pagelen=100"
        for one in self._host.every(path, self._context, "values"):
            links = {link.get("name"): link.get("href") for link in (one.get("links") or {}).get("clone") or ()}
            yield Repository(
                organization=owner,
                name=str(one.get("slug") or ""),
                id=str(one.get("uuid") or ""),
                url=self._url(links.get("ssh"), links.get("https")),
                branch=str((one.get("mainbranch") or {}).get("name") or ""),
            )

    def branches(self, one: Repository) -> Iterator[Repository]:
        base = f"{self._base(one)}/refs/branches"
        if self._all:
            found = list(self._host.every(f"{base}?pagelen=100", self._context, "values"))
        else:
            default = self._one(f"{base}/{part(one.branch)}", missing_is_none=False)
            found = [default] if default is not None else []
        for branch in found:
            yield one.at(branch.get("name"), (branch.get("target") or {}).get("hash"))

    def has(self, one: Repository, path: str) -> bool:
        return self._there(f"{self._base(one)}/src/{part(one.sha)}/{hosts.path(path)}?format=meta")

    def _base(self, one: Repository) -> str:
        return f"/repositories/{part(one.organization)}/{part(one.name)}"


class _Azure(_Asked):
    def repositories(self) -> Iterator[Repository]:
        for one in self._host.every(f"{self._project()}?{_API_VERSION}", self._context, "value"):
            if all(one.get(name) for name in ("name", "defaultBranch", "remoteUrl", "id")):
                yield Repository(
                    organization=str(self._given.get("organization") or ""),
                    name=str(one["name"]),
                    id=str(one["id"]),
                    url=str(one["remoteUrl"]),
                    branch=str(one["defaultBranch"]),
                )

    def branches(self, one: Repository) -> Iterator[Repository]:
        base = f"{self._project()}/{part(one.name)}/stats/branches?{_API_VERSION}"
        if self._all:
            found = list(self._host.every(base, self._context, "value", missing_is_none=True))
        else:
            default = self._one(f"{base}&name={part(one.branch.replace(_BRANCH, '', 1))}")
            found = [default] if default is not None else []
        for branch in found:
            yield one.at(branch.get("name"), (branch.get("commit") or {}).get("commitId"))

    def has(self, one: Repository, path: str) -> bool:
        at = f"versionDescriptor.version={part(one.branch.replace(_BRANCH, '', 1))}"
        return self._there(f"{self._project()}/{part(one.id)}/items?path={part(path)}&{at}&{_API_VERSION}")

    def _project(self) -> str:
        return f"/{part(self._given.get('teamProject'))}/_apis/git/repositories"
