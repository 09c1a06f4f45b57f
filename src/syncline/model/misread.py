"""What is said of an object of Argo CD's that has a field of the wrong type, in words that do not come from Python.

Used where Applications, ApplicationSets and projects are read.
"""

from __future__ import annotations

import re

_TYPES = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a map",
    "null": "nothing",
}
_WRONG = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`(?: - at `\$\.(?P<path>[^`]+)`)?")


def sentence(error: Exception) -> str:
    """Return the field, what it must be and what it is; the error itself where it says something else."""
    found = _WRONG.fullmatch(str(error))
    if found is None:
        return str(error)
    wanted = " or ".join(_TYPES.get(one.strip(), one.strip()) for one in found["wanted"].split("|"))
    quote = ": quote it" if wanted == "a text" and found["given"] in ("int", "float", "bool") else ""
    path = found["path"] or "it"
    if path.endswith("[...]"):
        path = f"a value of {path.removesuffix('[...]')}"
    return f"{path} must be {wanted}, is {_TYPES.get(found['given'], found['given'])}{quote}"
