"""Webhook configurations: names, side effects, where to call.

Where a webhook is called is checked for conversions of custom kinds too, by `syncline.sandbox.kinds.definitions`.
"""

from __future__ import annotations

import re
from typing import Final

from syncline.apimachinery import names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, expressions, match_rules
from syncline.sandbox.kinds.rules import KindRules, go_value

_EFFECTS: Final = ("None", "NoneOnDryRun")
_VERSIONS: Final = ("v1", "v1beta1")
_FORM: Final = "; desired format: https://host[/path]"
_URL: Final = re.compile(
    r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?", re.ASCII | re.DOTALL
)
_LABEL: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_LABEL_TEXT: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def _validate(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, hook in enumerate(obj.get("webhooks") or ()):
        where, name = f"webhooks[{index}]", str(hook.get("name") or "")
        causes += _check_hook(hook, where)
        if name in seen:
            causes.append(FieldCause(f"{where}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'))
        seen.add(name)
    return causes


def _check_hook(hook: Object, where: str) -> list[FieldCause]:
    causes = _check_name(str(hook.get("name") or ""), f"{where}.name")
    for index, rule in enumerate(hook.get("rules") or ()):
        causes += match_rules.rule_causes(rule, f"{where}.rules[{index}]")
    causes += checks.one_of(f"{where}.failurePolicy", hook.get("failurePolicy"), ("Fail", "Ignore"))
    causes += checks.one_of(f"{where}.matchPolicy", hook.get("matchPolicy"), ("Equivalent", "Exact"))
    effects, timeout = hook.get("sideEffects"), hook.get("timeoutSeconds", 10)
    if effects is None:
        causes.append(errors.required(f"{where}.sideEffects", f"must specify one of {', '.join(_EFFECTS)}"))
    causes += checks.one_of(f"{where}.sideEffects", effects, _EFFECTS)
    if not 1 <= timeout <= 30:
        told = "the timeout value must be between 1 and 30 seconds"
        causes.append(errors.invalid_value(f"{where}.timeoutSeconds", str(timeout), told))
    causes += checks.selector(f"{where}.namespaceSelector", hook.get("namespaceSelector"))
    causes += checks.selector(f"{where}.objectSelector", hook.get("objectSelector"))
    causes += check_client(hook.get("clientConfig") or {}, f"{where}.clientConfig")
    causes += checks.one_of(f"{where}.reinvocationPolicy", hook.get("reinvocationPolicy"), ("IfNeeded", "Never"))
    conditions = hook.get("matchConditions") or []
    made = expressions.of_policy({"matchConditions": conditions})
    causes += match_rules.condition_causes(conditions, made, f"{where}.matchConditions")
    versions, told = hook.get("admissionReviewVersions") or [], f"must specify one of {', '.join(_VERSIONS)}"
    return causes + check_reviews(versions, f"{where}.admissionReviewVersions", told=told)


def _check_name(name: str, where: str) -> list[FieldCause]:
    if not name:
        return [errors.required(where)]
    complaints = names.subdomain(name)
    if not complaints and name.count(".") < 2:
        complaints = ["should be a domain with at least three segments separated by dots"]
    return checks.refused(where, name, [",".join(complaints)]) if complaints else []


def check_client(client: Object, where: str) -> list[FieldCause]:
    """Return what is wrong with the address of a webhook."""
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        return [errors.required(where, "exactly one of url or service is required")]
    return _check_url(str(url), f"{where}.url") if service is None else _check_service(service, f"{where}.service")


def check_reviews(versions: list[str], where: str, *, told: str) -> list[FieldCause]:
    """Return what is wrong with the versions of reviews that a webhook takes; `told` says what one without lacks."""
    if not versions:
        return [errors.required(where, told)]
    causes: list[FieldCause] = []
    for index, version in enumerate(versions):
        if version in versions[:index]:
            causes += checks.refused(f"{where}[{index}]", version, ["duplicate version"])
        elif not _LABEL.fullmatch(version):
            causes += checks.refused(f"{where}[{index}]", version, [_LABEL_TEXT])
    if not set(versions) & set(_VERSIONS):
        text = f"must include at least one of {', '.join(_VERSIONS)}"
        causes.append(errors.invalid_value(where, go_value(versions), text))
    return causes


def _check_url(url: str, where: str) -> list[FieldCause]:
    found = _URL.fullmatch(url)
    scheme, host, query, fragment = (part or "" for part in found.groups()) if found else ("", "", "", "")
    user, _, host = host.rpartition("@")
    causes: list[FieldCause] = []
    if scheme.lower() != "https":
        causes += checks.refused(where, scheme, [f"'https' is the only allowed URL scheme{_FORM}"])
    if not host:
        causes += checks.refused(where, host, [f"host must be specified{_FORM}"])
    if user:
        causes += checks.refused(where, user, ["user information is not permitted in the URL"])
    if fragment:
        causes += checks.refused(where, fragment, ["fragments are not permitted in the URL"])
    if query:
        causes += checks.refused(where, query, ["query parameters are not permitted in the URL"])
    return causes


def _check_service(service: Object, where: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    # The API server asks for these two the wrong way round.
    causes += [] if service.get("namespace") else [errors.required(f"{where}.name")]
    causes += [] if service.get("name") else [errors.required(f"{where}.namespace")]
    port = service.get("port", 443)
    if not 0 < port < 65536:
        text = "port is not valid: must be between 1 and 65535, inclusive"
        causes.append(errors.invalid_value(f"{where}.port", str(port), text))
    path = str(service.get("path") or "")
    if path in ("", "/"):
        return causes
    if path == "//":
        return [*causes, *checks.refused(f"{where}.path", path, ["segment[0] may not be empty"])]
    told = [] if path.startswith("/") else ["must start with a '/'"]
    for index, step in enumerate(path[1:].removesuffix("/").split("/")):
        complaints = names.subdomain(step) if step else []
        told += [f"segment[{index}]: {one}" for one in complaints] if step else [f"segment[{index}] may not be empty"]
    return causes + checks.refused(f"{where}.path", path, told)


MUTATING = KindRules(validate=_validate, fixed=True)
VALIDATING = MUTATING
