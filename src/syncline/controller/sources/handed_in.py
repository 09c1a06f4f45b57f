"""Objects that somebody hands in with a sync instead of having them rendered: `app sync --local`.

Read by `syncline.controller.deliver.observe` while such an operation stands in the Application; the next look compares
with Git again.
"""

from __future__ import annotations

from syncline.apimachinery import yaml
from syncline.model.application import Application
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.errors import InvalidSpec

_FILE = "handed in with the sync"


def handed_in(app: Application, revisions: tuple[str, ...]) -> Desired | None:
    """Return the objects of the operation; None where it has none. Raises `InvalidSpec` for what is not an object."""
    texts = app.operation.sync.manifests if app.operation and app.operation.sync else ()
    if not texts:
        return None
    found = []
    for number, text in enumerate(texts, start=1):
        try:
            obj = yaml.load(text, source=f"{_FILE}, object {number}")
        except yaml.YamlError as error:
            raise InvalidSpec(str(error)) from None
        if not isinstance(obj, dict) or not obj.get("kind"):
            raise InvalidSpec(f"{_FILE}, object {number}: this is not a Kubernetes object")
        found.append(DesiredObject(obj, Origin(file=_FILE)))
    return Desired(tuple(found), revisions=revisions)
