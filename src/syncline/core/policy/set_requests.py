"""What the generators of an ApplicationSet may ask for, decided before anybody is contacted.

Asked by `syncline.controller.appsets` for every question of a generator, and by whoever lists what would be refused. A
set asks on behalf of its projects, and one of them must permit the request. The words of a refusal depend on the
request and on the projects alone, never on what is at an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from syncline.apimachinery import globs
from syncline.core.appset.questions import (
    ClustersQuestion,
    ConfigMapQuestion,
    DirectoriesQuestion,
    FilesQuestion,
    ObjectsQuestion,
    PageQuestion,
    PermittedClusters,
    PluginQuestion,
    Question,
)
from syncline.core.policy import scoped_clusters
from syncline.core.policy.matching import destination_permitted
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.model.application import Destination
from syncline.model.cluster import IN_CLUSTER, KnownCluster
from syncline.model.logins import without_logins
from syncline.model.project import AppProject
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.settings import Compat
from syncline.model.sources.permitted import repo_permitted

PUBLIC_HOSTS = ("https://api.github.com", "https://gitlab.com", "https://api.bitbucket.org", "https://dev.azure.com")
"""Hosts that are asked where a set names no other; what the operator allows is said of others alone."""
_ORIGIN = re.compile(r"https?://(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_UPWARDS = re.compile(r"(?i)(?:^|/|%2f)(?:\.|%2e){1,2}(?:$|/|%2f)")
_ALLOWED = "applicationsetcontroller.allowed.scm.providers"
_HOSTS = "syncline.applicationSets.projectHosts"
_PLUGINS = "syncline.applicationSets.projectPlugins"


def request_refusal(question: Question, tenancy: SetTenancy, settings: ApplicationSets) -> str:
    """Say why a question of a generator is not asked; empty where it may be."""
    match question:
        case DirectoriesQuestion() | FilesQuestion():
            return repository_refusal(question.repo_url, tenancy)
        case PageQuestion():
            return page_refusal(question, tenancy, settings)
        case PluginQuestion():
            return plugin_refusal(question.config_map, tenancy, settings)
        case ClustersQuestion() | ConfigMapQuestion() | ObjectsQuestion():
            return "" if tenancy.is_operators or tenancy.behalf else _nobody(tenancy)


def repository_refusal(repo_url: str, tenancy: SetTenancy) -> str:
    """Say why a repository is not read for a set; empty where it may be."""
    if tenancy.is_operators or asking_project(repo_url, tenancy) is not None:
        return ""
    if not tenancy.behalf:
        return _nobody(tenancy)
    shown = without_logins(repo_url)
    return f"repository {shown} is not permitted in {_projects(tenancy)}: add it to spec.sourceRepos of the project"


def asking_project(repo_url: str, tenancy: SetTenancy) -> AppProject | None:
    """Return the project on whose behalf a repository is read; None for the operator, or where none permits it."""
    return next((one for one in tenancy.behalf if repo_permitted(repo_url, one.spec.source_repos)), None)


def page_refusal(question: PageQuestion, tenancy: SetTenancy, settings: ApplicationSets) -> str:
    """Say why a code host is not asked for a set; empty where it may be."""
    shown = question.url.partition("?")[0]
    if not settings.scm_providers:
        return f"{shown} is not asked: applicationsetcontroller.enable.scm.providers is false"
    if tenancy.is_operators:
        is_open = not settings.allowed_scm_providers or origin(question.url) in PUBLIC_HOSTS
        if is_open or _is_listed(question.url, settings.allowed_scm_providers):
            return ""
        return f"{shown} is not asked: it is not in {_ALLOWED}"
    if not tenancy.behalf:
        return _nobody(tenancy)
    if question.public_api and question.api == question.public_api and _is_below(question.url, question.public_api):
        # Whoever stands in between would get the token.
        return f"{shown} is not asked without checking its certificate: leave insecure out" if question.insecure else ""
    listed = (*settings.allowed_scm_providers, *_for_projects(settings.project_hosts, tenancy))
    is_plain = not re.search(r"[?#]", question.api)
    if is_plain and _is_listed(question.api, listed) and _is_below(question.url, origin(question.api)):
        return ""
    return f"{shown} is not asked on behalf of {_projects(tenancy)}: it is neither in {_ALLOWED} nor in {_HOSTS}"


def plugin_refusal(config_map: str, tenancy: SetTenancy, settings: ApplicationSets) -> str:
    """Say why a plugin is not asked for a set; empty where it may be."""
    if tenancy.is_operators:
        return ""
    if not tenancy.behalf:
        return _nobody(tenancy)
    if any(globs.matches(config_map, pattern) for pattern in _for_projects(settings.project_plugins, tenancy)):
        return ""
    return f"plugin {config_map} is not asked on behalf of {_projects(tenancy)}: it is not in {_PLUGINS} of argocd-cm"


def visible_clusters(
    known: Sequence[KnownCluster], tenancy: SetTenancy
) -> tuple[KnownCluster, ...] | PermittedClusters:
    """Return the clusters that a set may see: others are left out, as if nobody had registered them."""
    if tenancy.is_operators:
        return tuple(known)
    seen = tuple(one for one in known if _sees(one, tenancy))
    is_described = any(one.server == IN_CLUSTER.server for one in known)
    return PermittedClusters(seen, has_local=not is_described and _sees(IN_CLUSTER, tenancy))


def origin(url: str) -> str:
    """Return scheme, host and port of an address in lower case; empty for one that programs may read differently."""
    text = "/".join(url.split("/")[:3]).lower()
    return text if _ORIGIN.fullmatch(text) else ""


def _sees(cluster: KnownCluster, tenancy: SetTenancy) -> bool:
    return any(_permits(project, cluster) for project in tenancy.behalf)


def _permits(project: AppProject, cluster: KnownCluster) -> bool:
    """Whether a project may deliver to some namespace of a cluster; what `compat` says loosens nothing here."""
    if scoped_clusters.denial(cluster, project, Compat.SYNCLINE) is not None:
        return False
    rules = project.spec.destinations
    namespaces = dict.fromkeys([*(rule.namespace.removeprefix("!") for rule in rules), "any"])
    there = (Destination(server=cluster.server, name=cluster.name, namespace=one) for one in namespaces)
    return any(destination_permitted(one, rules) for one in there)


def _for_projects(entries: Iterable[str], tenancy: SetTenancy) -> Iterator[str]:
    """Yield what entries `VALUE` and `PROJECT=VALUE` say for the projects of a set."""
    for entry in entries:
        project, equals, value = entry.partition("=")
        if not equals or "/" in project:
            yield entry.strip()
        elif any(globs.matches(one.metadata.name, project.strip()) for one in tenancy.behalf):
            yield value.strip()


def _is_listed(url: str, allowed: Iterable[str]) -> bool:
    return any(_is_below(url, one.rstrip("/")) for one in allowed)


def _is_below(url: str, allowed: str) -> bool:
    """Whether an address begins with one that is allowed; the host of that may be a pattern."""
    home = origin(url)
    start = "/".join(allowed.split("/")[:3])
    path, wanted = url[len(home) :], allowed[len(start) :]
    plain = path.partition("?")[0].partition("#")[0]
    if not home or not start or _UPWARDS.search(plain) or "\\" in path:
        return False
    return globs.matches(home, start.lower()) and (plain == wanted or plain.startswith(f"{wanted}/"))


def _projects(tenancy: SetTenancy) -> str:
    named = [f"'{one.metadata.name}'" for one in tenancy.behalf]
    return f"project {named[0]}" if len(named) == 1 else f"any of the projects {', '.join(named)}"


def _nobody(tenancy: SetTenancy) -> str:
    """Say that there is no project on whose behalf anything could be asked."""
    if tenancy.project:
        return f"nothing is asked for the set: project '{tenancy.project}' does not exist"
    return "nothing is asked for the set: no project permits Applications in its namespace (spec.sourceNamespaces)"
