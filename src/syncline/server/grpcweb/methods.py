"""The methods that are served, each with its way over REST: verb, path and body as Argo CD's .proto files have them.

`syncline.server.grpcweb.service` finds the endpoint of a method by verb and path. A body of `*` is the whole message,
any other the field of that name. What has no route has no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from syncline.server.requests.routing import Endpoint

PARAMETER: Final = re.compile(r"\{([\w.]+)[^}]*\}")


class Method(msgspec.Struct, frozen=True):
    """One method: `package.Service/Name`, the messages it takes and returns, and its way over REST."""

    name: str
    request: str
    response: str
    verb: str
    path: str
    body: str = ""
    stream: bool = False
    instead: tuple[str, ...] = ()
    """The fields that say what the one in the path would, where that is empty."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The fields of the message that stand in the path, in order."""
        return tuple(PARAMETER.findall(self.path))


def endpoints(methods: Iterable[Method], known: Iterable[Endpoint]) -> dict[str, tuple[Method, Endpoint]]:
    """Return each method with the endpoint that does it; parameters of paths may have other names there."""
    by_way = {(one.method, PARAMETER.sub("{}", one.path)): one for one in known}
    return {one.name: (one, by_way[one.verb, PARAMETER.sub("{}", one.path)]) for one in methods}


_APPS = "/api/v1/applications"
_APP = "/api/v1/applications/{name}"
_OF_APP = "/api/v1/applications/{applicationName}"
_PROJECTS = "/api/v1/projects"
_ROLE = "/api/v1/projects/{project}/roles/{role}/token"


def _app(
    name: str, request: str, response: str, verb: str, path: str, body: str = "", *, stream: bool = False
) -> Method:
    of = f"application.{request}"
    return Method(f"application.ApplicationService/{name}", of, response, verb, path, body, stream)


_OBJECT = "ApplicationResourceRequest"
_DONE = "application.ApplicationResponse"
METHODS: Final = (
    Method("version.VersionService/Version", "protobuf.Empty", "version.VersionMessage", "GET", "/api/version"),
    Method("cluster.SettingsService/Get", "cluster.SettingsQuery", "cluster.Settings", "GET", "/api/v1/settings"),
    Method(
        "session.SessionService/Create",
        "session.SessionCreateRequest",
        "session.SessionResponse",
        "POST",
        "/api/v1/session",
        "*",
    ),
    Method(
        "session.SessionService/Delete",
        "session.SessionDeleteRequest",
        "session.SessionResponse",
        "DELETE",
        "/api/v1/session",
    ),
    Method(
        "session.SessionService/GetUserInfo",
        "session.GetUserInfoRequest",
        "session.GetUserInfoResponse",
        "GET",
        "/api/v1/session/userinfo",
    ),
    _app("List", "ApplicationQuery", "v1alpha1.ApplicationList", "GET", _APPS),
    _app(
        "Watch",
        "ApplicationQuery",
        "v1alpha1.ApplicationWatchEvent",
        "GET",
        "/api/v1/stream/applications",
        stream=True,
    ),
    _app("Get", "ApplicationQuery", "v1alpha1.Application", "GET", _APP),
    _app("Create", "ApplicationCreateRequest", "v1alpha1.Application", "POST", _APPS, "application"),
    _app(
        "Update",
        "ApplicationUpdateRequest",
        "v1alpha1.Application",
        "PUT",
        "/api/v1/applications/{application.metadata.name}",
        "application",
    ),
    _app("UpdateSpec", "ApplicationUpdateSpecRequest", "v1alpha1.ApplicationSpec", "PUT", f"{_APP}/spec", "spec"),
    _app("Patch", "ApplicationPatchRequest", "v1alpha1.Application", "PATCH", _APP, "*"),
    _app("Delete", "ApplicationDeleteRequest", _DONE, "DELETE", _APP),
    _app("Sync", "ApplicationSyncRequest", "v1alpha1.Application", "POST", f"{_APP}/sync", "*"),
    _app("Rollback", "ApplicationRollbackRequest", "v1alpha1.Application", "POST", f"{_APP}/rollback", "*"),
    _app(
        "TerminateOperation",
        "OperationTerminateRequest",
        "application.OperationTerminateResponse",
        "DELETE",
        f"{_APP}/operation",
    ),
    _app(
        "ManagedResources",
        "ResourcesQuery",
        "application.ManagedResourcesResponse",
        "GET",
        f"{_OF_APP}/managed-resources",
    ),
    _app("ResourceTree", "ResourcesQuery", "v1alpha1.ApplicationTree", "GET", f"{_OF_APP}/resource-tree"),
    _app("GetManifests", "ApplicationManifestQuery", "repository.ManifestResponse", "GET", f"{_APP}/manifests"),
    _app("GetResource", _OBJECT, "application.ApplicationResourceResponse", "GET", f"{_APP}/resource"),
    _app(
        "PatchResource",
        "ApplicationResourcePatchRequest",
        "application.ApplicationResourceResponse",
        "POST",
        f"{_APP}/resource",
        "patch",
    ),
    _app("DeleteResource", "ApplicationResourceDeleteRequest", _DONE, "DELETE", f"{_APP}/resource"),
    _app(
        "ListResourceActions",
        _OBJECT,
        "application.ResourceActionsListResponse",
        "GET",
        f"{_APP}/resource/actions",
    ),
    _app("RunResourceAction", "ResourceActionRunRequest", _DONE, "POST", f"{_APP}/resource/actions", "action"),
    _app("RunResourceActionV2", "ResourceActionRunRequestV2", _DONE, "POST", f"{_APP}/resource/actions/v2", "*"),
    _app("PodLogs", "ApplicationPodLogsQuery", "application.LogEntry", "GET", f"{_APP}/logs", stream=True),
    Method(
        "applicationset.ApplicationSetService/List",
        "applicationset.ApplicationSetListQuery",
        "v1alpha1.ApplicationSetList",
        "GET",
        "/api/v1/applicationsets",
    ),
    Method(
        "applicationset.ApplicationSetService/Get",
        "applicationset.ApplicationSetGetQuery",
        "v1alpha1.ApplicationSet",
        "GET",
        "/api/v1/applicationsets/{name}",
    ),
    Method(
        "project.ProjectService/List",
        "project.ProjectQuery",
        "v1alpha1.AppProjectList",
        "GET",
        _PROJECTS,
    ),
    Method(
        "project.ProjectService/Get",
        "project.ProjectQuery",
        "v1alpha1.AppProject",
        "GET",
        f"{_PROJECTS}/{{name}}",
    ),
    Method(
        "project.ProjectService/GetDetailedProject",
        "project.ProjectQuery",
        "project.DetailedProjectsResponse",
        "GET",
        f"{_PROJECTS}/{{name}}/detailed",
    ),
    Method(
        "project.ProjectService/Create",
        "project.ProjectCreateRequest",
        "v1alpha1.AppProject",
        "POST",
        _PROJECTS,
        "*",
    ),
    Method(
        "project.ProjectService/Update",
        "project.ProjectUpdateRequest",
        "v1alpha1.AppProject",
        "PUT",
        f"{_PROJECTS}/{{project.metadata.name}}",
        "*",
    ),
    Method(
        "project.ProjectService/Delete",
        "project.ProjectQuery",
        "project.EmptyResponse",
        "DELETE",
        f"{_PROJECTS}/{{name}}",
    ),
    Method(
        "project.ProjectService/CreateToken",
        "project.ProjectTokenCreateRequest",
        "project.ProjectTokenResponse",
        "POST",
        _ROLE,
        "*",
    ),
    Method(
        "project.ProjectService/DeleteToken",
        "project.ProjectTokenDeleteRequest",
        "project.EmptyResponse",
        "DELETE",
        f"{_ROLE}/{{iat}}",
    ),
    Method(
        "repository.RepositoryService/ListRepositories",
        "repository.RepoQuery",
        "v1alpha1.RepositoryList",
        "GET",
        "/api/v1/repositories",
    ),
    Method(
        "repository.RepositoryService/Get",
        "repository.RepoQuery",
        "v1alpha1.Repository",
        "GET",
        "/api/v1/repositories/{repo}",
    ),
    Method(
        "cluster.ClusterService/List",
        "cluster.ClusterQuery",
        "v1alpha1.ClusterList",
        "GET",
        "/api/v1/clusters",
    ),
    Method(
        "cluster.ClusterService/Get",
        "cluster.ClusterQuery",
        "v1alpha1.Cluster",
        "GET",
        "/api/v1/clusters/{id.value}",
        instead=("server", "name"),
    ),
    Method(
        "account.AccountService/CanI",
        "account.CanIRequest",
        "account.CanIResponse",
        "GET",
        "/api/v1/account/can-i/{resource}/{action}/{subresource=**}",
    ),
    Method(
        "account.AccountService/ListAccounts",
        "account.ListAccountRequest",
        "account.AccountsList",
        "GET",
        "/api/v1/account",
    ),
    Method(
        "account.AccountService/GetAccount",
        "account.GetAccountRequest",
        "account.Account",
        "GET",
        "/api/v1/account/{name}",
    ),
    Method(
        "account.AccountService/UpdatePassword",
        "account.UpdatePasswordRequest",
        "account.UpdatePasswordResponse",
        "PUT",
        "/api/v1/account/password",
        "*",
    ),
    Method(
        "account.AccountService/CreateToken",
        "account.CreateTokenRequest",
        "account.CreateTokenResponse",
        "POST",
        "/api/v1/account/{name}/token",
        "*",
    ),
    Method(
        "account.AccountService/DeleteToken",
        "account.DeleteTokenRequest",
        "account.EmptyResponse",
        "DELETE",
        "/api/v1/account/{name}/token/{id}",
    ),
)

REFUSED: Final = {
    "application.ApplicationService/GetManifestsWithFiles": (
        "a stream of files is not read here",
        "leave out --server-side-generate",
    ),
    "application.ApplicationService/ServerSideDiff": (
        "a server-side diff of what a client sends is not made here",
        "leave out --server-side-diff: what the server compares itself honours the annotation",
    ),
}
"""What is known and not served: why, and what to do instead."""
