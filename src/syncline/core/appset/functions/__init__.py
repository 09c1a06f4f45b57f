"""The functions that templates of ApplicationSets may call: Go's own, Sprig's and Argo CD's.

Belongs here: what a function does with its arguments. Does not belong here: how a call is parsed, checked and counted,
which is `syncline.core.appset.gotemplate`. The executor looks functions up in `FUNCTIONS`.
"""

from __future__ import annotations

from syncline.core.appset.functions.argo import ARGO
from syncline.core.appset.functions.arithmetic import ARITHMETIC
from syncline.core.appset.functions.casing import CASING
from syncline.core.appset.functions.dates import DATES
from syncline.core.appset.functions.encodings import ENCODINGS
from syncline.core.appset.functions.json_texts import JSON
from syncline.core.appset.functions.lists import LISTS
from syncline.core.appset.functions.logic import LOGIC
from syncline.core.appset.functions.maps import MAPS
from syncline.core.appset.functions.paths import PATHS
from syncline.core.appset.functions.refused import REFUSED
from syncline.core.appset.functions.regexes import REGEXES
from syncline.core.appset.functions.texts import TEXTS
from syncline.core.appset.functions.urls import URLS
from syncline.core.appset.functions.versions import VERSIONS
from syncline.core.appset.gotemplate.builtins import BUILTINS
from syncline.core.appset.gotemplate.functions import Function

GROUPS: dict[str, dict[str, Function]] = {
    "Go's own": BUILTINS,
    "Argo CD's": ARGO,
    "Texts": {**TEXTS, **CASING},
    "Numbers": ARITHMETIC,
    "Lists": LISTS,
    "Maps": MAPS,
    "Choices and types": LOGIC,
    "JSON": JSON,
    "Dates": DATES,
    "Versions": VERSIONS,
    "Regular expressions": REGEXES,
    "Encodings and digests": ENCODINGS,
    "Paths": PATHS,
    "URLs": URLS,
    "Refused": REFUSED,
}
FUNCTIONS: dict[str, Function] = {name: function for group in GROUPS.values() for name, function in group.items()}
