"""Server-side apply arithmetic: merging by schema, field ownership, conflicts.

Belongs here: sets of field paths, the walks that list, compare, merge and remove fields, managedFields.
Does not belong here: defaults, validation, storage. The sandbox and `syncline.core` call `apply` and `update`; times
come in as texts, since nothing here has a clock.
"""

from syncline.apimachinery.merge import typed
from syncline.apimachinery.merge.applying import Merged, apply
from syncline.apimachinery.merge.comparing import FieldChanges
from syncline.apimachinery.merge.conflicts import FieldConflict, conflict_causes, conflict_message
from syncline.apimachinery.merge.described import set_of
from syncline.apimachinery.merge.fieldset import FieldSet
from syncline.apimachinery.merge.migration import migrate_client_side
from syncline.apimachinery.merge.paths import (
    Element,
    FieldName,
    IndexElement,
    InvalidPathElement,
    KeyElement,
    Path,
    ValueElement,
    key,
    path,
)
from syncline.apimachinery.merge.resets import reset_fields
from syncline.apimachinery.merge.updating import update
from syncline.apimachinery.merge.values import SchemaError

__all__ = [
    "Element",
    "FieldChanges",
    "FieldConflict",
    "FieldName",
    "FieldSet",
    "IndexElement",
    "InvalidPathElement",
    "KeyElement",
    "Merged",
    "Path",
    "SchemaError",
    "ValueElement",
    "apply",
    "conflict_causes",
    "conflict_message",
    "key",
    "migrate_client_side",
    "path",
    "reset_fields",
    "set_of",
    "typed",
    "update",
]
