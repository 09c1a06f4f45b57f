"""Which requests a policy or webhook is about: rules and conditions, in the API server's words.

Asked by `syncline.sandbox.kinds.admission_policies` and `syncline.sandbox.kinds.webhooks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from syncline.apimachinery import names
from syncline.apimachinery.cel.program import Program
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks
from syncline.sandbox.kinds.expressions import Expressions
from syncline.sandbox.kinds.rules import go_value

OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_MOST_CONDITIONS: Final = 64


def rule_causes(rule: Object, where: str) -> list[FieldCause]:
    """Return what is wrong with one rule."""
    causes = _listed(rule.get("operations") or [], f"{where}.operations", "operations")
    for index, one in enumerate(rule.get("operations") or ()):
        causes += checks.one_of(f"{where}.operations[{index}]", one, OPERATIONS)
    causes += _listed(rule.get("apiGroups") or [], f"{where}.apiGroups", "API groups")
    versions = rule.get("apiVersions") or []
    causes += _listed(versions, f"{where}.apiVersions", "API versions")
    causes += [errors.required(f"{where}.apiVersions[{index}]") for index, one in enumerate(versions) if not one]
    causes += _resources(rule.get("resources") or [], f"{where}.resources")
    return causes + checks.one_of(f"{where}.scope", rule.get("scope"), _SCOPES)


def _listed(given: Sequence[str], where: str, called: str) -> list[FieldCause]:
    if not given:
        return [errors.required(where)]
    if "*" not in given or len(given) == 1:
        return []
    return [errors.invalid_value(where, go_value(given), f"if '*' is present, must not specify other {called}")]


def _resources(given: Sequence[str], where: str) -> list[FieldCause]:
    if not given:
        return [errors.required(where)]
    causes = [cause for index, one in enumerate(given) for cause in _resource(one, given[:index], f"{where}[{index}]")]
    if "*/*" in given and len(given) > 1:
        told = "if '*/*' is present, must not specify other resources"
        causes.append(errors.invalid_value(where, go_value(given), told))
    plain = [one for one in given if "/" not in one and one]
    if "*" in plain and plain[-1] != "*":
        told = "if '*' is present, must not specify other resources without subresources"
        causes.append(errors.invalid_value(where, go_value(given), told))
    return causes


def _resource(one: str, before: Sequence[str], where: str) -> Iterator[FieldCause]:
    if not one:
        yield errors.required(where)
        return
    name, slash, part = one.partition("/")
    for wider in (f"{name}/*", f"*/{part}") if slash else ():
        if wider in before:
            yield errors.invalid_value(where, go_value(one), f"if '{wider}' is present, must not specify {one}")


def condition_causes(conditions: Sequence[Object], made: Expressions, where: str) -> list[FieldCause]:
    """Return what is wrong with match conditions, compiled as `made` has them."""
    causes: list[FieldCause] = []
    seen: set[str] = set()
    if len(conditions) > _MOST_CONDITIONS:
        text = f"Too many: {len(conditions)}: must have at most {_MOST_CONDITIONS} items"
        causes.append(FieldCause(where, "FieldValueTooMany", text))
    for index, (one, (_, found)) in enumerate(zip(conditions, made.conditions, strict=True)):
        field, name, text = f"{where}[{index}]", str(one.get("name") or ""), str(one.get("expression") or "")
        if not text.strip():
            causes.append(errors.required(f"{field}.expression"))
        else:
            causes += compiled_causes(found, text, f"{field}.expression", "bool", ("bool",))
        if not name:
            causes.append(errors.required(f"{field}.name"))
        causes += checks.refused(f"{field}.name", name, names.qualified(name)) if name else []
        if name and name in seen:
            causes.append(FieldCause(f"{field}.name", "FieldValueDuplicate", f"Duplicate value: {go_value(name)}"))
        seen.add(name)
    return causes


def compiled_causes(
    found: Program | str, text: str, where: str, wanted: str, kinds: Sequence[str] | None
) -> list[FieldCause]:
    """Return why an expression is none, or that it comes to something else than is wanted."""
    if isinstance(found, str):
        return [errors.invalid_value(where, go_value(text.strip()), f"compilation failed: {found}")]
    if kinds is not None and str(found.result) not in kinds:
        told = f"must evaluate to {wanted} but got {found.result}"
        return [errors.invalid_value(where, go_value(text.strip()), told)]
    return []
