"""Values that the API server refuses: of the wrong type or form, out of range, or against another field."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.validate import NOT_A_QUANTITY, FieldProblem
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository import refused
from syncline.core.diagnose.repository.pointing import at
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
    "schema of the kind and against the checks of the API server: types, ports and their names, requests above "
    "limits, mounts without a volume, restart policies and the like.",
    bad="""\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
    - name: web
      image: example/web:1
      volumeMounts:
        - name: cache
          mountPath: /cache
""",
    good="""\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  volumes:
    - name: cache
      emptyDir: {}
  containers:
    - name: web
      image: example/web:1
      volumeMounts:
        - name: cache
          mountPath: /cache
""",
)


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per value."""
    delivery, item = one
    found = problems(repo, delivery, item)
    misspelled = {problem.path.rpartition(".")[0] for problem in found if is_unknown(problem)}
    told = {one.path for one in refused.refused(repo, delivery, item) if refused.is_name(one)}
    for problem in found:
        if problem.path in told:
            continue  # the rule on names says it
        missing = problem.message.startswith("Required value")
        follows = missing and (problem.path.rpartition(".")[0] in misspelled or refused.is_part(delivery, item))
        if not is_unknown(problem) and not follows and not _is_amount(item, problem):
            message = f"{item.key.short} of {delivery}: {problem}"
            text = f"write {problem.meant}" if problem.meant else problem.hint
            fix = Fix(text=text) if text else RULE.usual_fix
            yield RULE.finding(
                item.key.short, message, evidence=[at(item, refused.written(item, problem.path))], fix=fix
            )
    rest = refused.reported(
        RULE, repo, one, lambda found: not refused.is_name(found) and not refused.is_schedule(item, found)
    )
    yield from rest


def _is_amount(item: Prepared, problem: FieldProblem) -> bool:
    """Whether it is about an amount, which has a rule of its own for the kinds of Kubernetes."""
    return problem.message == NOT_A_QUANTITY and builtin.for_kind(gvk_of(item.obj)) is not None
