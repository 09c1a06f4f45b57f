"""What the server is and how it is set up: version, settings, health, readiness."""

from __future__ import annotations

from typing import Any

from starlette.responses import PlainTextResponse, Response

from syncline.model.logins import without_logins
from syncline.server.access.accounts import LOGIN
from syncline.server.answers import installation as answers
from syncline.server.answers.kinds import Text
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Needs, Open, always
from syncline.server.requests.routing import Endpoint
from syncline.server.routes import overrides
from syncline.server.routes.people.sso import described

_ARGO_CD = "v3.2.11"
"""The version whose API this is: clients of Argo CD compare it with their own."""


async def version(call: Call) -> dict[str, str]:
    """Return the version; to nobody no more than that."""
    shown = {"Version": f"{_ARGO_CD}+syncline"}
    if call.signed_in:
        shown |= {"Syncline": call.backend.version, "Platform": "python", "KustomizeVersion": "", "HelmVersion": ""}
    return shown


async def settings(call: Call) -> dict[str, Any]:
    """Return what a login page needs, and to those who are signed in a little more."""
    config = call.backend.config("argocd-cm")
    shown: dict[str, Any] = {
        "url": config.get("url", ""),
        "statusBadgeEnabled": config.get("statusbadge.enabled", "").lower() == "true",
        "userLoginsDisabled": not any(one.can(LOGIN) for one in call.backend.accounts.all()),
        "help": {"chatUrl": config.get("help.chatUrl", ""), "chatText": config.get("help.chatText", "")},
        "googleAnalytics": {"trackingID": "", "anonymizeUsers": True},
        "plugins": [],
        **described(call),
    }
    if call.signed_in:
        shown |= {
            "controllerNamespace": call.backend.namespace,
            "appLabelKey": call.backend.world.settings.instance_label,
            "trackingMethod": call.backend.world.settings.tracking,
            "kustomizeOptions": {
                "BuildOptions": config.get("kustomize.buildOptions", ""),
                "BinaryPath": "",
                "Versions": None,
            },
            "passwordPattern": config.get("passwordPattern", "^.{8,32}$"),
            "execEnabled": False,
            "appsInAnyNamespaceEnabled": bool(call.backend.world.settings.application_namespaces),
            "impersonationEnabled": call.backend.world.settings.impersonation,
            "resourceOverrides": overrides.resource_overrides(call.backend.world.settings),
        }
    return shown


async def plugins(_call: Call) -> dict[str, Any]:
    """Return the plugins of argocd-cm, of which Argo CD has none since 2.8."""
    return {"plugins": []}


async def healthz(call: Call) -> Response:
    """Return whether the server answers and reaches its cluster."""
    trouble = call.backend.live.unreachable
    return PlainTextResponse(without_logins(trouble) or "ok", status_code=503 if trouble else 200)


async def readyz(call: Call) -> Response:
    """Return whether the server has read its cluster, so that its answers are whole."""
    if call.backend.live.unreachable or not call.backend.is_read():
        return PlainTextResponse("not ready: the cluster is being read", status_code=503)
    return PlainTextResponse("ok")


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/version",
        handler=version,
        about="The version.",
        answer=answers.Version,
        permission=Open("clients compare it before they sign in; more than the version needs a session"),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/settings",
        handler=settings,
        about="How the server is set up.",
        answer=answers.ServerSettings,
        permission=Open("the login page needs it; what is not for that page needs a session"),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/settings/plugins",
        handler=plugins,
        about="List plugins of settings.",
        answer=answers.Plugins,
        permission=Needs("applications", "get", always("*/*")),
    ),
    Endpoint(
        method="GET",
        path="/healthz",
        handler=healthz,
        about="Whether it is alive.",
        answer=Text("text/plain"),
        permission=Open("probes of the kubelet have no session"),
        early=True,
    ),
    Endpoint(
        method="GET",
        path="/readyz",
        handler=readyz,
        about="Whether it is ready.",
        answer=Text("text/plain"),
        permission=Open("probes of the kubelet have no session"),
        early=True,
    ),
)
