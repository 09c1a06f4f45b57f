"""What an Application has to say before it is stored: a repository, something to render, and one destination."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.model import application
from syncline.verbs.errors import InvalidRequest


def validate(app: Object) -> None:
    """Raise a sentence when an Application cannot be worked with as written."""
    spec = app["spec"]
    raws = spec.get("sources") or [spec.get("source") or {}]
    # What is not a list or a mapping is named by `parse`.
    for raw in raws if isinstance(raws, list) else ():
        if isinstance(raw, dict) and not raw.get("repoURL") and not spec.get("sourceHydrator"):
            raise InvalidRequest("the source has no repository", hint="set --repo URL")
    parsed = application.parse(app)
    for source in parsed.spec.all_sources:
        if not (source.path or source.chart or source.ref):
            raise InvalidRequest(
                f"the source {source.repo_url} has neither path nor chart", hint="set --path or --helm-chart"
            )
    destination = parsed.spec.destination
    if bool(destination.server) == bool(destination.name):
        many = "both a server and a name" if destination.server else "neither a server nor a name"
        raise InvalidRequest(f"the destination has {many}", hint="set --dest-server or --dest-name, not both")
