"""The scmProvider generator: one set of parameters for each repository of an organization, or for each of its branches.

Called by `syncline.core.appset.generators`. Filters that say something of branches or paths are asked of branches, all
others of repositories; inside of a filter everything must hold, and of each sort one filter is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from syncline.core.appset.context import Context
from syncline.core.appset.parameters import Origin, Parameters, Values, normalized
from syncline.core.appset.questions import Question, Unanswered
from syncline.core.appset.repositories import Organization, Repository, organization
from syncline.core.appset.selecting import matches
from syncline.model.applicationset import RepositoryFilter, SCMProviderGenerator


def repository_parameters(generator: SCMProviderGenerator, context: Context, field: str) -> Iterator[Parameters]:
    """Yield the repositories that filters take, at the branches that filters take."""
    asked = organization(generator, context, field)
    of_branches = [one for one in generator.filters if _is_of_branches(one)]
    of_repositories = [one for one in generator.filters if not _is_of_branches(one) and _says_something(one)]
    found = [one for one in asked.repositories() if _taken(one, of_repositories, asked, field)]

    def branches(one: Repository) -> list[Repository]:
        return [branch for branch in asked.branches(one) if _taken(branch, of_branches, asked, field)]

    for one in _together(found, branches):
        yield Parameters(context.with_values(_values(one), generator.values), (Origin(field),))


def _together(found: Iterable[Repository], branches: Callable[[Repository], list[Repository]]) -> Iterator[Repository]:
    """Yield the branches of all; what has no answer yet is asked for together, not one after the other."""
    missing: set[Question] = set()
    made: list[Repository] = []
    for one in found:
        try:
            made += branches(one)
        except Unanswered as unanswered:
            missing |= unanswered.questions
    if missing:
        raise Unanswered(missing)
    yield from made


def _is_of_branches(one: RepositoryFilter) -> bool:
    return bool(one.paths_exist or one.paths_do_not_exist or one.branch_match is not None)


def _says_something(one: RepositoryFilter) -> bool:
    return one.repository_match is not None or one.label_match is not None


def _taken(one: Repository, filters: Sequence[RepositoryFilter], asked: Organization, field: str) -> bool:
    return not filters or any(_matches(one, filter_, asked, field) for filter_ in filters)


def _matches(one: Repository, filter_: RepositoryFilter, asked: Organization, field: str) -> bool:
    patterns = ((filter_.repository_match, one.name), (filter_.branch_match, one.branch))
    if not all(pattern is None or matches(pattern, text, field) for pattern, text in patterns):
        return False
    labels = filter_.label_match
    if labels is not None and not any(matches(labels, label, field) for label in one.labels):
        return False
    wanted = ((True, filter_.paths_exist), (False, filter_.paths_do_not_exist))
    return all(asked.has(one, path.rstrip("/")) is there for there, paths in wanted for path in paths)


def _values(one: Repository) -> Values:
    return {
        "organization": one.organization,
        "repository": one.name,
        "repository_id": one.id,
        "url": one.url,
        "branch": one.branch,
        "branchNormalized": normalized(one.branch),
        "sha": one.sha,
        "short_sha": one.sha[:8],
        "short_sha_7": one.sha[:7],
        "labels": ",".join(one.labels),
    }
