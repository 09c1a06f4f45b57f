"""Fields of Application files that nothing reads: told with file, line and the nearest right one, then left out.

Called by `syncline up` for the files that it is given. The API server would refuse the whole object, and one misspelt
field must not keep all the other apps from being delivered.
"""

from __future__ import annotations

import re

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.schema import crd
from syncline.apimachinery.schema.prune import prune
from syncline.apimachinery.schema.validate import validate
from syncline.model import crds

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def without_unknown(file: str, document: yaml.Document) -> tuple[Object, list[str]]:
    """Return an object without fields that its schema does not have, and a sentence for each of them."""
    obj: Object = document.value
    kind = gvk_of(obj)
    definition = next((one for one in crds.all_crds() if one["spec"]["names"]["kind"] == kind.kind), None)
    node = crd.schema_for(definition, kind.version) if definition is not None else None
    if node is None or kind.group != "argoproj.io":
        return obj, []
    told = []
    for problem in validate(obj, node):
        if problem.message.startswith("unknown field "):
            line = document.position_or_parent(_path(problem.path)).line
            hint = f" ({problem.hint})" if problem.hint else ""
            told.append(f"{file}:{line}: {problem.message} is left out{hint}")
    return (prune(obj, node), told) if told else (obj, [])


def _path(text: str) -> yaml.Path:
    return tuple(int(found[1]) if found[1] else found[2] for found in _STEP.finditer(text))
