"""The settings of the installation, each with where it comes from and what is wrong with it."""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.settings import HOMES, settings_of
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.server.answers import installation
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Needs, always
from syncline.server.requests.routing import Endpoint


async def settings_with_origin(call: Call) -> dict[str, Any]:
    """Return the settings that ConfigMaps of the installation hold; Secrets are not among them."""
    index, namespace = call.backend.live.index, call.backend.namespace
    found = [obj for home in HOMES if (obj := index.get(ObjectKey("", "ConfigMap", namespace, home))) is not None]
    report = settings_of(found, namespace)
    rows = [
        {"key": key, "home": obj["metadata"]["name"], "value": _shown(key, str(value)), "origin": _origin(obj)}
        for obj in found
        for key, value in sorted((obj.get("data") or {}).items())
    ]
    return {
        "schemaVersion": 1,
        "settings": rows,
        "problems": [
            {
                "home": str(one.home),
                "key": one.key,
                "kind": one.kind.value,
                "severity": one.severity.value,
                "message": without_secrets(one.message),
                "fix": without_secrets(one.fix),
            }
            for one in report.problems
        ],
    }


def _shown(key: str, value: str) -> str:
    """Return a value without what looks like a secret; configurations of logins are not shown at all."""
    hidden = key.startswith(("dex.", "oidc.", "accounts.")) and "config" in key
    return "(hidden)" if hidden else without_secrets(value)


def _origin(obj: Any) -> str:
    metadata = obj["metadata"]
    return f"ConfigMap {metadata['namespace']}/{metadata['name']}"


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/syncline/settings",
        handler=settings_with_origin,
        about="Settings, with where they come from.",
        answer=installation.SettingsWithOrigin,
        # They say how everybody's Applications are treated, so it takes a right to everybody's.
        permission=(Needs("applications", "get", always("*/*")), Needs("projects", "get", always("*"))),
    ),
)
