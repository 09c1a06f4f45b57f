"""What a pass did: the operation as it now stands, and whether it is over.

Made by `syncline.controller.deliver.act`, written down by `syncline.controller.deliver.record`.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.model.look_again import ON_CHANGE, LookAgain
from syncline.model.operation import OperationState


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The operation after this pass; None when there is none. `written` are objects the API server answered with."""

    state: OperationState | None = None
    finished: bool = False
    written: dict[ObjectKey, Object] = {}
    released: str = ""
    """Which finalizers of a deleted Application go, by how they start."""
    leaves: str = ""
    """The one of them that stays."""
    undeleted: tuple[str, ...] = ()
    """What the server refused while the Application was being deleted."""
    look_again: LookAgain = ON_CHANGE
    """When the next pass can follow, whatever the decision says."""
