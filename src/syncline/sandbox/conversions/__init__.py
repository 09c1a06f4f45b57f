"""Kinds whose versions look different: what is stored, and how the other version is read and written.

Asked by `syncline.sandbox.served.resources` for every such kind. One version is stored (`KindFamily.stored`); a request
in the other one is carried out on the converted object, so that defaults and owners of fields are those of its version.
"""

from syncline.sandbox.conversions.families import FAMILIES, KindFamily, family_of

__all__ = ["FAMILIES", "KindFamily", "family_of"]
