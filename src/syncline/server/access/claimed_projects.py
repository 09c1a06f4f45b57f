"""What a caller may read of a repository in the name of a project that the request only claims.

Used by the routes that look into repositories. A claim gives nothing away: the project has to exist and to permit the
repository, and the right is asked of the repository as it is stored, so that `team/URL` in a policy opens no
repository that is not the team's. Everything is decided before anybody outside is contacted, and a project that does
not exist is refused in the same words as one that does not permit the repository.
"""

from __future__ import annotations

from syncline.core.policy import global_projects
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.permitted import repo_permitted
from syncline.server.backend import Backend
from syncline.server.requests.failures import INVALID, Failure


def permits_repository(backend: Backend, project: str, url: str) -> bool:
    """Whether a project exists and lists a repository among its sourceRepos."""
    known = global_projects.read_merged(project, backend.world.settings.global_projects, backend.project)
    return known is not None and repo_permitted(url, known.spec.source_repos)


def require_permitted(backend: Backend, project: str, url: str) -> None:
    """Raise unless a project exists and permits a repository."""
    if not permits_repository(backend, project, url):
        raise Failure(INVALID, f"the project {project} does not permit that repository")


def stored_name(access: SourceAccess, url: str, project: str) -> str:
    """Return what policies call a repository as it is stored for a project: its own, else the one of no project."""
    known = access.known(url, project)
    owner = known.project if known is not None else ""
    return f"{owner}/{url}" if owner else url
