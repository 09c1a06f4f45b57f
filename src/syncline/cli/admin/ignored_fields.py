"""Which fields of an object do not count in comparisons, as the settings say it.

Called by `syncline admin settings resource-overrides ignore-differences`; the rules are those of comparing itself. What
a trusted manager owns counts as long as it does not differ, so such fields are listed apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syncline.apimachinery.keys import Object
    from syncline.model.settings.settings import Settings
    from syncline.ports.evaluate import Evaluator

_UNSAID = "an expression failed (its message is not shown: this is a Secret)"


async def ignored(obj: Object, settings: Settings, evaluator: Evaluator) -> dict[str, Any]:
    """Return the ignored fields of an object, those that trusted managers own, and which rules failed."""
    from syncline.apimachinery import cuts
    from syncline.apimachinery.keys import gvk_of, key_of
    from syncline.apimachinery.paths import FieldPath
    from syncline.core.compare import normal
    from syncline.core.compare.ignore import rules as ignoring
    from syncline.model.masking import is_secret

    rules = ignoring.rules_of(None, settings).of(obj)
    answers = ignoring.NO_ANSWERS
    found = ignoring.stripped(obj, rules, answers)
    while found.pending:
        answers = answers.with_results(found.pending, await evaluator.evaluate(list(found.pending)))
        found = ignoring.stripped(obj, rules, answers)
    paths = [str(FieldPath(path)) for path in cuts.taken_out(obj, found.obj)]
    if "status" in found.obj and not normal.status_counts(gvk_of(obj), settings.compare):
        paths.append("status")
    errors = [_UNSAID] if found.problems and is_secret(obj) else list(found.problems)
    return {"key": str(key_of(obj)), "ignored": paths, "trusted": list(_trusted(obj, rules)), "errors": errors}


def _trusted(obj: Object, rules: Any) -> Iterator[dict[str, str]]:
    from syncline.apimachinery.paths import FieldPath
    from syncline.core.compare.ignore import respect
    from syncline.core.compare.ignore import rules as ignoring
    from syncline.core.compare.strategies import dry_run as dryrun

    for manager in sorted(ignoring.managers(rules)):
        for path in dryrun.owned_by(obj, (manager,)).iterate():
            yield {"path": str(FieldPath(respect.steps_of(path))), "manager": manager}
