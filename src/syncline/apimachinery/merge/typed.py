"""The face of the schema-driven walks: list, compare, merge, remove and extract fields of one object."""

from syncline.apimachinery.merge.combining import combine
from syncline.apimachinery.merge.comparing import FieldChanges, compare
from syncline.apimachinery.merge.described import checked_set_of, set_of
from syncline.apimachinery.merge.removing import extract, remove

__all__ = ["FieldChanges", "checked_set_of", "combine", "compare", "extract", "remove", "set_of"]
