"""The variables a source may use in its settings (`$ARGOCD_APP_NAME`), and how they are put in.

Made for each render by the tools of `syncline.adapters.render`. Nothing of the machine's own environment is in it; an
unknown variable becomes empty and `$$` a dollar sign, as with Argo CD.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest

_VARIABLE = re.compile(r"\$(?:\{(?P<braced>[^}]*)\}|(?P<special>[*#$@!?\-0-9])|(?P<plain>\w+))")


def build_environment(request: RenderRequest, source: ApplicationSource, revision: str) -> dict[str, str]:
    """Return the variables of one render."""
    return {
        "ARGOCD_APP_NAME": request.app_name,
        "ARGOCD_APP_NAMESPACE": request.namespace,
        "ARGOCD_APP_PROJECT_NAME": request.project,
        "ARGOCD_APP_REVISION": revision,
        "ARGOCD_APP_REVISION_SHORT": revision[:7],
        "ARGOCD_APP_REVISION_SHORT_8": revision[:8],
        "ARGOCD_APP_SOURCE_PATH": source.path,
        "ARGOCD_APP_SOURCE_REPO_URL": source.shown_url,
        "ARGOCD_APP_SOURCE_TARGET_REVISION": source.target_revision,
        "KUBE_VERSION": request.kube_version,
        "KUBE_API_VERSIONS": ",".join(request.api_versions),
    }


def substitute(text: str, variables: Mapping[str, str]) -> str:
    """Return the text with `$NAME` and `${NAME}` put in."""

    def put_in(found: re.Match[str]) -> str:
        if found["special"] == "$":
            return "$"
        return variables.get(found["braced"] or found["plain"] or "", "")

    return _VARIABLE.sub(put_in, text)
