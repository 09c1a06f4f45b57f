"""Values that the API server refuses: of the wrong type or form, out of range, or against another field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.apimachinery import quantity
from syncline.apimachinery.schema.validate import FieldProblem
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository import refused
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.validation import is_unknown, problems
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SRC-106",
    name="value-refused",
    severity=Severity.ERROR,
    summary="A field has a value that the API server refuses, or lacks one that it asks for.",
    fix="write a value as the message asks for",
    looks_at=(LooksAt.RENDERED,),
    why="The API server refuses the whole object, and a sync that contains it fails. The values are held against the "
    "schema of the kind and against the checks of the API server: amounts, ports and their names, requests above "
    "limits, mounts without a volume, restart policies and the like.",
    bad="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 10 GB
""",
    good="""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 10Gi
""",
)
_AMOUNT = re.compile(r"([0-9.]+)\s*([a-z]+)", re.IGNORECASE)
_SUFFIXES = {
    "mm": "m",
    **{f"{letter}b": f"{letter.upper()}i" for letter in "kmgtp"},
    **{f"{letter}ib": f"{letter.upper()}i" for letter in "kmgtp"},
    **{f"{letter}i": f"{letter.upper()}i" for letter in "kmgtp"},
    **{letter: letter.upper() for letter in "gtp"},
}
"""What people write, and what they must mean."""


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per value."""
    delivery, item = one
    found = problems(repo, delivery, item)
    misspelled = {problem.path.rpartition(".")[0] for problem in found if is_unknown(problem)}
    for problem in found:
        missing = problem.message.startswith("Required value")
        follows = missing and (problem.path.rpartition(".")[0] in misspelled or refused.is_part(delivery, item))
        if not is_unknown(problem) and not follows:
            message = f"{item.key.short} of {delivery}: {problem}"
            yield RULE.finding(item.key.short, message, evidence=[at(item, problem.path)], fix=_fix(item, problem))
    rest = refused.reported(
        RULE, repo, one, lambda found: not refused.is_name(found) and not refused.is_schedule(item, found)
    )
    yield from rest


def _fix(item: Prepared, problem: FieldProblem) -> Fix:
    if problem.hint:
        return Fix(text=f"write {problem.meant}" if problem.meant else problem.hint)
    steps = [int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", problem.path)]
    written = dig(item.obj, *steps)
    if "quantity" not in problem.message or not isinstance(written, str):
        return RULE.usual_fix
    meant = _meant(written)
    return Fix(text=f"write {meant}" if meant else "write a number with a unit such as m, Mi or Gi, without a space")


def _meant(written: str) -> str:
    """Return the amount that must be meant; empty where that is not clear."""
    found = _AMOUNT.fullmatch(written.strip())
    if found is None:
        return ""
    meant = f"{found[1]}{_SUFFIXES.get(found[2].lower(), found[2])}"
    try:
        quantity.parse(meant)
    except quantity.InvalidQuantity:
        return ""
    return meant
