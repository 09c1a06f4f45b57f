"""The pullRequest generator: one set of parameters for each open pull request of a repository.

Called by `syncline.core.appset.generators`, for GitHub, GitLab, Gitea, Bitbucket (server and cloud) and Azure DevOps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from syncline.core.appset import hosts
from syncline.core.appset.context import Context
from syncline.core.appset.functions.argo import slugify
from syncline.core.appset.hosts import part
from syncline.core.appset.parameters import Origin, Parameters, Values
from syncline.core.appset.questions import GeneratorError
from syncline.core.appset.selecting import matches
from syncline.model.applicationset import Provider, PullRequestFilter, PullRequestGenerator

_API_VERSION = "api-version=7.1"
_BRANCH = "refs/heads/"


class Pull(NamedTuple):
    """An open pull request."""

    number: int
    title: str
    branch: str
    target: str
    sha: str
    author: str
    labels: tuple[str, ...]


def pull_request_parameters(generator: PullRequestGenerator, context: Context, field: str) -> Iterator[Parameters]:
    """Yield the pull requests that have all wanted labels and that some filter takes; without filters all do."""
    for pull, wanted in _pulls(generator, context, field):
        if wanted <= set(pull.labels) and _taken(pull, generator.filters, field):
            values = context.with_values(_values(pull, context), generator.values)
            yield Parameters(values, (Origin(field),))


def _pulls(generator: PullRequestGenerator, context: Context, field: str) -> Iterator[tuple[Pull, set[str]]]:
    skip = generator.continue_on_repo_not_found_error
    if (given := generator.github) is not None:
        found = _of_github(given, context, skip=skip)
    elif (given := generator.gitlab) is not None:
        found = _of_gitlab(given, context, skip=skip)
    elif (given := generator.gitea) is not None:
        found = _of_gitea(given, context, skip=skip)
    elif (given := generator.bitbucket_server) is not None:
        found = _of_bitbucket_server(given, context, skip=skip)
    elif (given := generator.bitbucket) is not None:
        found = _of_bitbucket(given, context, skip=skip)
    elif (given := generator.azuredevops) is not None:
        found = _of_azure(given, context, skip=skip)
    else:
        raise GeneratorError(f"{field} names no code host: give github, gitlab, gitea, bitbucket or another one")
    wanted = set(given.get("labels") or ())
    return ((pull, wanted) for pull in found)


def _of_github(given: Provider, context: Context, *, skip: bool) -> Iterator[Pull]:
    path = f"/repos/{part(given.get('owner'))}/{part(given.get('repo'))}/pulls?state=open&per_page=100"
    return map(_github, hosts.github(given).every(path, context, missing_is_none=skip))


def _of_gitea(given: Provider, context: Context, *, skip: bool) -> Iterator[Pull]:
    path = f"/repos/{part(given.get('owner'))}/{part(given.get('repo'))}/pulls?state=open&limit=50"
    # Gitea's answers have GitHub's form.
    return map(_github, hosts.gitea(given).every(path, context, missing_is_none=skip))


def _of_gitlab(given: Provider, context: Context, *, skip: bool) -> Iterator[Pull]:
    state = f"&state={given['pullRequestState']}" if given.get("pullRequestState") else ""
    path = f"/projects/{part(given.get('project'))}/merge_requests?per_page=100{state}"
    return map(_gitlab, hosts.gitlab(given).every(path, context, missing_is_none=skip))


def _of_bitbucket_server(given: Provider, context: Context, *, skip: bool) -> Iterator[Pull]:
    path = f"/projects/{part(given.get('project'))}/repos/{part(given.get('repo'))}/pull-requests?limit=100"
    return map(_bitbucket_server, hosts.bitbucket_server(given).every(path, context, "values", missing_is_none=skip))


def _of_bitbucket(given: Provider, context: Context, *, skip: bool) -> Iterator[Pull]:
    path = f"/repositories/{part(given.get('owner'))}/{part(given.get('repo'))}/pullrequests?pagelen=50"
    return map(_bitbucket, hosts.bitbucket_cloud(given).every(path, context, "values", missing_is_none=skip))


def _of_azure(given: Provider, context: Context, *, skip: bool) -> Iterator[Pull]:
    """Yield those of a whole project whose repository is the one; what is not complete is passed over."""
    path = f"/{part(given.get('project'))}/_apis/git/pullrequests?{_API_VERSION}"
    for one in hosts.azure(given, "tokenRef").counted(path, context, missing_is_none=skip):
        commit = (one.get("lastMergeSourceCommit") or {}).get("commitId")
        if (one.get("repository") or {}).get("name") == given.get("repo") and commit:
            yield Pull(
                number=int(one.get("pullRequestId") or 0),
                title=str(one.get("title") or ""),
                branch=str(one.get("sourceRefName") or "").replace(_BRANCH, "", 1),
                target=str(one.get("targetRefName") or "").replace(_BRANCH, "", 1),
                sha=str(commit),
                author=str((one.get("createdBy") or {}).get("uniqueName") or "").partition("@")[0],
                labels=tuple(str(label.get("name")) for label in one.get("labels") or ()),
            )


def _github(one: Mapping[str, Any]) -> Pull:
    head, base = one.get("head") or {}, one.get("base") or {}
    return Pull(
        number=int(one.get("number") or 0),
        title=str(one.get("title") or ""),
        branch=str(head.get("ref") or ""),
        target=str(base.get("ref") or ""),
        sha=str(head.get("sha") or ""),
        author=str((one.get("user") or {}).get("login") or ""),
        labels=tuple(str(label.get("name")) for label in one.get("labels") or ()),
    )


def _gitlab(one: Mapping[str, Any]) -> Pull:
    return Pull(
        number=int(one.get("iid") or 0),
        title=str(one.get("title") or ""),
        branch=str(one.get("source_branch") or ""),
        target=str(one.get("target_branch") or ""),
        sha=str(one.get("sha") or ""),
        author=str((one.get("author") or {}).get("username") or ""),
        labels=tuple(str(label) for label in one.get("labels") or ()),
    )


def _bitbucket_server(one: Mapping[str, Any]) -> Pull:
    source, target = one.get("fromRef") or {}, one.get("toRef") or {}
    return Pull(
        number=int(one.get("id") or 0),
        title=str(one.get("title") or ""),
        branch=str(source.get("displayId") or ""),
        target=str(target.get("displayId") or ""),
        sha=str(source.get("latestCommit") or ""),
        author=str(((one.get("author") or {}).get("user") or {}).get("name") or ""),
        labels=(),
    )


def _bitbucket(one: Mapping[str, Any]) -> Pull:
    source, target = one.get("source") or {}, one.get("destination") or {}
    return Pull(
        number=int(one.get("id") or 0),
        title=str(one.get("title") or ""),
        branch=str((source.get("branch") or {}).get("name") or ""),
        target=str((target.get("branch") or {}).get("name") or ""),
        sha=str((source.get("commit") or {}).get("hash") or ""),
        author=str((one.get("author") or {}).get("nickname") or ""),
        labels=(),
    )


def _taken(pull: Pull, filters: tuple[PullRequestFilter, ...], field: str) -> bool:
    """Whether a filter takes a pull request: all that it says must hold, and one filter is enough."""
    if not filters:
        return True
    return any(
        all(
            pattern is None or matches(pattern, text, field)
            for pattern, text in (
                (one.branch_match, pull.branch),
                (one.target_branch_match, pull.target),
                (one.title_match, pull.title),
            )
        )
        for one in filters
    )


def _values(pull: Pull, context: Context) -> Values:
    values: Values = {
        "number": str(pull.number),
        "title": pull.title,
        "branch": pull.branch,
        "branch_slug": slugify(pull.branch),
        "target_branch": pull.target,
        "target_branch_slug": slugify(pull.target),
        "head_sha": pull.sha,
        "head_short_sha": pull.sha[:8],
        "head_short_sha_7": pull.sha[:7],
        "author": pull.author,
    }
    return {**values, "labels": pull.labels} if context.go_template else values
