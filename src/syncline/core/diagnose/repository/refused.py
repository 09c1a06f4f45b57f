"""What an API server would refuse of the objects of a repository, for the rules that report it, each its own part.

An object that does not fit its schema is only told about its metadata: whatever else would be refused follows from
fields that are misspelled or of the wrong type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from syncline.apimachinery.paths import FieldPath
from syncline.apimachinery.schema.validate import FieldProblem
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.validation import problems
from syncline.core.diagnose.repository.world import Delivery, Made
from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix
from syncline.model.sync_options import SyncOptions

_SCHEDULE = ("spec.schedule", "spec.timeZone")
_GROUPS = ("", "apps", "batch")
_WHOLE_WITH = {"Pod": "containers", "Service": "ports", "CronJob": "schedule", "Job": "template"}
"""What an object that is more than a part has below `spec`, by kind."""
_QUOTED = re.compile(r'Invalid value: "((?:[^"\\]|\\.)*)"')
_TOLD_BY_OTHERS = (
    ("labels", "does not match template"),
    (".image", "Required value"),
    (".requests.storage", "Required value"),
    (".resources[storage]", "Required value"),
    (".sideEffects", "Unsupported value"),
)
"""How paths end, and what is said of them, that other rules say more about."""


def refused(repo: Repo, delivery: Delivery, item: Prepared) -> Iterator[FieldProblem]:
    """Yield what would be refused of an object."""
    found = delivery.refused.get(id(item), ())
    unfit = bool(found) and (is_part(delivery, item) or bool(problems(repo, delivery, item)))
    for one in found:
        others = any(one.path.endswith(ending) and said in one.message for ending, said in _TOLD_BY_OTHERS)
        if not others and (not unfit or is_name(one)):
            yield one._replace(message=one.message.partition(" (e.g. ")[0])


def is_part(delivery: Delivery, item: Prepared) -> bool:
    """Whether an object is only some fields of one that others make, which server-side apply adds to it."""
    own = SyncOptions.of(item.obj).server_side_apply
    if not (delivery.typed.spec.options.server_side_apply if own is None else own):
        return False
    whole = "selector" if item.key.group == "apps" else _WHOLE_WITH.get(item.key.kind, "")
    return bool(whole) and item.key.group in _GROUPS and not dig(item.obj, "spec", whole)


def is_name(problem: FieldProblem) -> bool:
    """Whether it is about a name: of the object, of labels and annotations, or the keys of a ConfigMap or Secret."""
    return "metadata." in problem.path or problem.path.startswith(("data[", "binaryData["))


def is_schedule(item: Prepared, problem: FieldProblem) -> bool:
    """Whether it is about when a CronJob runs."""
    return item.key.kind == "CronJob" and problem.path in _SCHEDULE


def reported(rule: Rule, repo: Repo, made: Made, concerns: Callable[[FieldProblem], bool]) -> Iterator[Finding]:
    """Yield a finding about everything that would be refused and concerns a rule."""
    delivery, item = made
    for one in refused(repo, delivery, item):
        if concerns(one):
            message = f"{item.key.short} of {delivery}: {one}"
            evidence = [at(item, _written(item, one))]
            yield rule.finding(item.key.short, message, evidence=evidence, fix=_fix(one) or rule.usual_fix)


def written(item: Prepared, path: str) -> str:
    """Return a path as the lines of a file are known by: a name with dots in it stands in brackets there."""
    known = item.origin.positions.paths
    parts = path.split(".")
    for count in range(1, len(parts)):
        quoted = f'{".".join(parts[:count])}["{".".join(parts[count:])}"]'
        if path not in known and quoted in known:
            return quoted
    return path


def _fix(problem: FieldProblem) -> Fix | None:
    """Return the nearest name that would be taken, where a name is refused for its letters."""
    wrong = _QUOTED.search(problem.message)
    if wrong is None or not is_name(problem) or "no more than" in problem.message:
        return None
    letters = r"[^a-z0-9.-]" if problem.path.endswith("metadata.name") else r"[^A-Za-z0-9_.-]"
    name = wrong[1].lower() if problem.path.endswith("metadata.name") else wrong[1]
    meant = re.sub(letters, "-", name.strip()).strip("-._")
    return Fix(text=f"write {meant}") if meant and "/" not in wrong[1] and meant != wrong[1] else None


def _written(item: Prepared, problem: FieldProblem) -> str:
    """Return the path of the field in the file, or of what it would stand in.

    Of labels, annotations and data the API server names the map, and the wrong key or value in its message.
    """
    known = item.origin.positions.paths
    # The API server leaves out a step where it speaks of the labels of pods.
    problem = problem._replace(path=problem.path.replace(".template.labels", ".template.metadata.labels"))
    steps: tuple[str | int, ...] = tuple(
        int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", problem.path.partition("[")[0])
    )
    there = dig(item.obj, *steps)
    wrong = _QUOTED.search(problem.message)
    if wrong is not None and isinstance(there, dict) and is_name(problem):
        for key, value in there.items():
            if wrong[1] in (key, value) and (path := str(FieldPath((*steps, key)))) in known:
                return path
    above = problem.path.replace("[", ".[")
    while above and above.replace(".[", "[") not in known:
        above = above.rpartition(".")[0]
    return above.replace(".[", "[")
