"""ComponentStatuses: the old way to ask whether the parts of the control plane live.

Asked by `syncline.sandbox.api.requests`; nothing is stored, and everything is well.
"""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api import answers
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.served.resources import Resource

WARNING: Final = "v1 ComponentStatus is deprecated in v1.19+"
_NAMES: Final = ("scheduler", "controller-manager", "etcd-0")


def answer(resource: Resource, name: str) -> ServerResponse:
    """Answer a get or list."""
    if not name:
        listed = {
            "kind": resource.list_kind,
            "apiVersion": "v1",
            "metadata": {},
            "items": [_part(one) for one in _NAMES],
        }
        return answers.json(listed, warnings=[WARNING])
    if name not in _NAMES:
        raise errors.not_found(resource.plural, "", name)
    return answers.json({"kind": resource.kind, "apiVersion": "v1", **_part(name)}, warnings=[WARNING])


def _part(name: str) -> Object:
    return {"metadata": {"name": name}, "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]}
