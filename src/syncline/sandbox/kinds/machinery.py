"""ControllerRevisions, CertificateSigningRequests and CSINodes: what the cluster's own parts write for themselves."""

from __future__ import annotations

import base64
import re
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import KindRules

_BLOCK: Final = re.compile(r"^-----BEGIN ([A-Z0-9 ]+)-----\s", re.MULTILINE)


def _complete_revision(_backend: Backend, obj: Object, live: Object | None) -> Object:
    """Take a zero away from its owner: it is there anyway."""
    if live is None and not obj.get("revision"):
        for entry in obj["metadata"].get("managedFields") or ():
            entry["fieldsV1"].pop("f:revision", None)
    return obj


def _validate_revision(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    revision = obj.get("revision") or 0
    if revision < 0:
        causes.append(errors.invalid_value("revision", str(revision), "must be greater than or equal to 0"))
    return causes if obj.get("data") is not None else [*causes, errors.required("data", "data is mandatory")]


def _complete_request(backend: Backend, obj: Object, live: Object | None) -> Object:
    if live is not None:
        return obj
    name, groups = backend.acting
    known = list(dict.fromkeys((*groups, "system:authenticated")))
    return {**obj, "spec": {**(obj.get("spec") or {}), "username": name, "groups": known}}


def _validate_request(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    if live is not None:
        return []
    given = str((obj.get("spec") or {}).get("request") or "")
    found = _BLOCK.search(base64.b64decode(given).decode(errors="replace"))
    if found is None or found.group(1) != "CERTIFICATE REQUEST":
        return [errors.invalid_value("spec.request", f'"{given}"', "PEM block type must be CERTIFICATE REQUEST")]
    return _check_request(given)


def _check_request(given: str) -> list[FieldCause]:
    from cryptography import x509

    try:
        x509.load_pem_x509_csr(base64.b64decode(given))
    except ValueError as error:
        return [errors.invalid_value("spec.request", f'"{given}"', f"asn1: structure error: {error}")]
    return []


def _warn_of_driver(obj: Object) -> list[str]:
    spec = obj.get("spec") or {}
    if not spec.get("tokenRequests") or spec.get("serviceAccountTokenInSecrets") is not None:
        return []
    text = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent"
    return [f"{text} possible logging of tokens in volume attributes"]


def _prepare_node(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    """Write out what drivers do not say, as the API server does."""
    spec = obj.get("spec") or {}
    if not spec.get("drivers"):
        return obj
    return {**obj, "spec": {**spec, "drivers": [{"topologyKeys": None, **one} for one in spec["drivers"]]}}


def _complete_node(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    spec = obj.get("spec") or {}
    return {**obj, "spec": {**spec, "drivers": spec.get("drivers") or None}}


def _validate_node(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, driver in enumerate((obj.get("spec") or {}).get("drivers") or ()):
        where, name = f"spec.drivers[{index}]", str(driver.get("name") or "")
        causes += [errors.required(f"{where}.{field}") for field in ("name", "nodeID") if not driver.get(field)]
        if name in seen:
            causes.append(FieldCause(f"{where}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'))
        seen.add(name)
    return causes


REVISION = KindRules(complete=_complete_revision, validate=_validate_revision, fixed=True)
SIGNING_REQUEST = KindRules(complete=_complete_request, validate=_validate_request, fixed=True)
CSI_NODE = KindRules(
    prepare=_prepare_node, complete=_complete_node, validate=_validate_node, fixed=True, returns_deleted=True
)
DRIVER = KindRules(warn=_warn_of_driver, fixed=True)
