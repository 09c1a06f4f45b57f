"""References: one object names another one in a field.

Read from objects by `syncline.core.references`; the live view finds who names whom by them, and diagnosis follows them
from an effect to its cause. What is named need not exist: that is the most interesting case.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.finding import Confidence


class Reference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is named and in which field. `makes` turns it round: the object does not need the named one, it makes it.

    `part` is the key that is wanted of a ConfigMap or Secret. Without what is `optional` the object works all the same.
    A field that we know the meaning of is `declared`; one that merely has a telling name is `text`.
    """

    key: ObjectKey
    path: str
    makes: bool = False
    optional: bool = False
    part: str = ""
    confidence: Confidence = Confidence.DECLARED
