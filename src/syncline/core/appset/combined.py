"""Generators of generators: every pairing of two (matrix), and one overridden by others (merge).

Called by `syncline.core.appset.generators`, which hands itself in to run the inner ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from syncline.apimachinery import encoding
from syncline.core.appset.context import Context
from syncline.core.appset.gotemplate.values import StringMap
from syncline.core.appset.limits import MOST_PARAMETERS
from syncline.core.appset.parameters import Parameters, Values, go_text, to_json
from syncline.core.appset.questions import GeneratorError, Question, Unanswered

Raw = Mapping[str, Any]
Inner = Callable[[Raw, Values, str], list[Parameters]]
"""Runs an inner generator, given as written, with the parameters that fill it and the name of its field."""


def matrix_parameters(generators: tuple[Raw, ...], inner: Inner, context: Context, field: str) -> Iterator[Parameters]:
    """Yield every pairing of two generators; the second is filled with the parameters of the first."""
    if len(generators) != 2:
        raise GeneratorError(f"{field} has {len(generators)} generators: a matrix has exactly two")
    first = inner(generators[0], {}, f"{field}.generators[0]")
    missing: set[Question] = set()
    pairs: list[tuple[Parameters, list[Parameters]]] = []
    count = 0
    for one in first:
        try:
            pairs.append((one, inner(generators[1], one.values, f"{field}.generators[1]")))
            count += len(pairs[-1][1])
            if count > MOST_PARAMETERS:
                raise GeneratorError(f"{field} gives more than {MOST_PARAMETERS} sets of parameters: split the set")
        except Unanswered as unanswered:
            # All of them are asked for together, not one after the other.
            missing |= unanswered.questions
    if missing:
        raise Unanswered(missing)
    for one, others in pairs:
        for other in others:
            values = _overlaid(other.values, one.values) if context.go_template else _joined(one, other, field)
            yield Parameters(values, (*one.origins, *other.origins))


def _joined(one: Parameters, other: Parameters, field: str) -> Values:
    found = {name: go_text(value) for name, value in one.values.items()}
    for name, value in other.values.items():
        text = go_text(value)
        if found.setdefault(name, text) != text:
            raise GeneratorError(
                f"{field}: both generators give the parameter {name}, as {found[name]!r} and as {text!r}: rename one"
            )
    return found


def merge_parameters(
    generators: tuple[Raw, ...], keys: tuple[str, ...], inner: Inner, context: Context, field: str
) -> Iterator[Parameters]:
    """Yield the parameters of the first generator, overridden by those of later ones with equal merge keys."""
    if len(generators) < 2:
        raise GeneratorError(f"{field} has {len(generators)} generators: a merge needs at least two")
    if not keys:
        raise GeneratorError(f"{field} has no mergeKeys: name the parameters that identify an entry")
    base, *later = _all(generators, inner, field)
    found = _by_key(base, keys, f"{field}.generators[0]")
    for number, others in enumerate(later, start=1):
        for key, other in _by_key(others, keys, f"{field}.generators[{number}]").items():
            if key in found:
                one = found[key]
                values = _overlaid(one.values, other.values) if context.go_template else {**one.values, **other.values}
                found[key] = Parameters(values, (*one.origins, *other.origins))
    yield from found.values()


def _all(generators: Iterable[Raw], inner: Inner, field: str) -> list[list[Parameters]]:
    missing: set[Question] = set()
    found = []
    for number, generator in enumerate(generators):
        try:
            found.append(inner(generator, {}, f"{field}.generators[{number}]"))
        except Unanswered as unanswered:
            missing |= unanswered.questions
    if missing:
        raise Unanswered(missing)
    return found


def _by_key(sets: Iterable[Parameters], keys: tuple[str, ...], field: str) -> dict[bytes, Parameters]:
    found: dict[bytes, Parameters] = {}
    for one in sets:
        identity = {key: to_json(one.values.get(key)) for key in sorted(set(keys))}
        text = encoding.encode(identity)
        if text in found:
            raise GeneratorError(f"{field} gives {text.decode()} twice: mergeKeys have to tell its entries apart")
        found[text] = one
    return found


def _overlaid(values: Mapping[str, Any], over: Mapping[str, Any]) -> Values:
    """Return parameters with others over them; maps are merged, all else is replaced."""
    texts = isinstance(values, StringMap) and isinstance(over, StringMap)
    result: Values = StringMap(values) if texts else dict(values)
    for name, value in over.items():
        before = result.get(name)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        result[name] = _overlaid(before, value) if both else value  # type: ignore[arg-type]
    return result
