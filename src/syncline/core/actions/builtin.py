"""Lists the built-in actions of an object and runs one on it: pure, the objects to write come back as steps.

Called by `syncline admin settings resource-overrides` and by whoever offers actions to people. Actions of the settings
come first: they take the place of these unless their definition says `mergeBuiltinActions`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from syncline.apimachinery.keys import GroupKind, Object, gvk_of, key_of
from syncline.core.actions import argo, numaflow, operators, workloads
from syncline.core.actions.edits import ActionInput
from syncline.core.actions.offers import Offer
from syncline.model.actions import Action, ActionStep
from syncline.model.errors import InvalidSpec

NO_PARAMETERS: Mapping[str, str] = {}


@functools.cache
def _table() -> dict[GroupKind, tuple[Offer, ...]]:
    return {**workloads.OFFERS, **argo.OFFERS, **operators.OFFERS, **numaflow.OFFERS}


def names(kind: GroupKind) -> tuple[str, ...]:
    """Return the names of all built-in actions of a kind, sorted, whether an object offers them now or not."""
    return tuple(sorted(offer.name for offer in _table().get(kind, ())))


def offered(obj: Object) -> tuple[Action, ...]:
    """Return the actions that an object offers now, sorted by name; those that would change nothing are disabled."""
    found = _table().get(gvk_of(obj).group_kind, ())
    return tuple(
        Action(
            name=offer.name,
            disabled=not offer.usable(obj),
            parameters=offer.parameters,
            display_name=offer.display_name if isinstance(offer.display_name, str) else offer.display_name(obj),
        )
        for offer in sorted(found, key=lambda one: one.name)
        if offer.offered(obj)
    )


def with_own(built_in: Iterable[Action], own: Iterable[Action], *, defined: bool, merge: bool) -> tuple[Action, ...]:
    """Return the actions of the settings (`own`) together with the built-in ones, sorted by name.

    Where the settings define actions for the kind, the built-in ones are offered only if they say so (`merge`); an
    action of the settings takes the place of the built-in one of its name.
    """
    found = {action.name: action for action in (built_in if merge or not defined else ())}
    found |= {action.name: action for action in own}
    return tuple(found[name] for name in sorted(found))


def run(name: str, obj: Object, *, now: str, parameters: Mapping[str, str] = NO_PARAMETERS) -> tuple[ActionStep, ...]:
    """Return what an action wants written; raises InvalidSpec if the kind has no such action or it cannot be run.

    `now` is a time such as 2026-03-01T08:30:00Z. A disabled action runs all the same, for trying it on files; whoever
    writes the steps to a cluster asks `offered` first.
    """
    kind = gvk_of(obj).group_kind
    for offer in _table().get(kind, ()):
        if offer.name == name:
            if unknown := sorted(set(parameters) - set(offer.parameters)):
                known = ", ".join(offer.parameters) or "none"
                raise InvalidSpec(f"{name} has no parameter {unknown[0]}", hint=f"known: {known}")
            return offer.run(ActionInput(obj, now, parameters))
    known = ", ".join(names(kind))
    hint = f"known: {known}" if known else "the kind has no built-in actions"
    raise InvalidSpec(f"no built-in action {name} for {key_of(obj)}", hint=hint)
