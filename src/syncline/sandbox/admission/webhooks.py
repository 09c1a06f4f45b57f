"""Validating and mutating webhooks: who is asked about a write, and what comes of their answers.

Called by `syncline.sandbox.admission.chain`. A webhook is called where its URL leads to this machine, or where the
cluster file gives a local address for its Service; of any other the answer warns.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Final, NamedTuple

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import json_patch
from syncline.apimachinery.patch.errors import PatchError
from syncline.sandbox import errors, hooks
from syncline.sandbox.admission import evaluating
from syncline.sandbox.admission.attempts import GROUP, Attempt, seen_by
from syncline.sandbox.admission.evaluating import Failure
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds import expressions
from syncline.sandbox.store.store import Bucket

_MUTATING: Final = Bucket(GROUP, "mutatingwebhookconfigurations")
_VALIDATING: Final = Bucket(GROUP, "validatingwebhookconfigurations")
_LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")


class _Hook(NamedTuple):
    """One webhook and the configuration it stands in."""

    configuration: str
    spec: Object

    @property
    def name(self) -> str:
        return str(self.spec.get("name"))

    @property
    def strict(self) -> bool:
        return self.spec.get("failurePolicy") != "Ignore"


def mutate(backend: Backend, attempt: Attempt) -> Attempt:
    """Return a write as webhooks change it; one that asks for it is called again when a later one changed more."""
    if attempt.free or not backend.hooks.open or not backend.store.count(_MUTATING):
        return attempt
    again: list[_Hook] = []
    for hook in _asked(backend, _MUTATING):
        before = attempt
        attempt = _mutated(backend, attempt, hook)
        if attempt is not before:
            for earlier in again:
                attempt = _mutated(backend, attempt, earlier)
            again = []
        if hook.spec.get("reinvocationPolicy") == "IfNeeded":
            again.append(hook)
    return attempt


def check(backend: Backend, attempt: Attempt) -> None:
    """Refuse a write that a webhook denies."""
    if attempt.free or not backend.hooks.open or not backend.store.count(_VALIDATING):
        return
    for hook in _asked(backend, _VALIDATING):
        seen = seen_by(backend, attempt, hook.spec, hook.spec.get("rules") or ())
        if seen is not None:
            _response(backend, seen, hook)


def _asked(backend: Backend, bucket: Bucket) -> Iterator[_Hook]:
    for row in backend.store.rows(bucket):
        for spec in row.decode().get("webhooks") or ():
            yield _Hook(row.place.name, spec)


def _mutated(backend: Backend, attempt: Attempt, hook: _Hook) -> Attempt:
    seen = seen_by(backend, attempt, hook.spec, hook.spec.get("rules") or ())
    response = None if seen is None else _response(backend, seen, hook)
    if seen is None or not response or not response.get("patch"):
        return attempt
    if seen.obj is None:
        told = "attempted to modify the object, which is not supported for this operation"
        raise _internal(f'admission webhook "{hook.name}" {told}')
    try:
        patch = orjson.loads(base64.b64decode(response["patch"], validate=True))
        changed = json_patch.apply(seen.obj, patch)
    except (PatchError, orjson.JSONDecodeError, binascii.Error) as error:
        raise _internal(str(error)) from None
    return attempt if changed == seen.obj else attempt.changed(changed)


def _response(backend: Backend, attempt: Attempt, hook: _Hook) -> Object | None:
    """Return what a webhook says to a write that it allows, None where it is not asked; raises what it denies."""
    try:
        if not _holds(backend, attempt, hook):
            return None
    except Failure as failure:
        if not hook.strict:
            return None
        resource = attempt.resource
        raise errors.forbidden(resource.plural, resource.group, attempt.name, str(failure)) from None
    call = _call(backend, attempt, hook)
    if call is None:
        return None
    reply = backend.hooks.answer(call)
    if reply.problem:
        _fail(backend, hook, reply.problem)
        return None
    for warning in reply.response.get("warnings") or ():
        backend.warn(str(warning))
    if not reply.response.get("allowed"):
        raise _denied(hook.name, reply.response.get("status") or {})
    return reply.response


def _holds(backend: Backend, attempt: Attempt, hook: _Hook) -> bool:
    conditions = hook.spec.get("matchConditions")
    if not conditions:
        return True
    made = expressions.of_policy({"matchConditions": conditions})
    return evaluating.hold(made.conditions, evaluating.values(backend, attempt))


def _call(backend: Backend, attempt: Attempt, hook: _Hook) -> hooks.Call | None:
    client = hook.spec.get("clientConfig") or {}
    timeout = hook.spec.get("timeoutSeconds") or 10
    service = client.get("service")
    if service is not None:
        known = f"{service.get('namespace')}/{service.get('name')}"
        address = backend.settings.webhooks.get(known)
        name, path = f"{service.get('name')}.{service.get('namespace')}.svc", str(service.get("path") or "")
        path = f"/{path.removeprefix('/')}" if path else "/"
        shown = f"https://{name}:{service.get('port') or 443}{path}?timeout={timeout}s"
        if address is None:
            text = f'the sandbox did not ask webhook "{hook.name}": webhooks in the cluster file has no {known}'
            backend.cannot(text)
            return None
        url = f"https://{address}{path}?timeout={timeout}s"
    else:
        name, base = "", str(client.get("url") or "")
        shown = url = f"{base}{'&' if '?' in base else '?'}timeout={timeout}s"
        if not _is_local(base):
            backend.cannot(f'the sandbox did not ask webhook "{hook.name}": {base} is not on this machine')
            return None
    request = {"uid": backend.ids.uid(), **attempt.request(backend), **_objects(attempt, hook)}
    return hooks.Call(
        key=hooks.key_of(f"{hook.configuration}/{hook.name}", request),
        webhook=hook.name,
        url=url,
        shown_url=shown,
        server_name=name,
        authority=str(client.get("caBundle") or ""),
        timeout=float(timeout),
        review={"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request},
    )


def _is_local(url: str) -> bool:
    host = url.removeprefix("https://").partition("/")[0].partition("?")[0]
    return any(host == one or host.startswith(f"{one}:") for one in _LOCAL)


def _objects(attempt: Attempt, hook: _Hook) -> Object:
    """Return the object and the one before it, as a webhook gets them."""
    obj = attempt.obj
    if obj is not None and attempt.live is None and "reinvocationPolicy" in hook.spec:
        # Changes come before the server names a new object.
        drawn = {"uid", "creationTimestamp"} | ({"name"} if meta.metadata(obj).get("generateName") else set())
        kept = {name: value for name, value in meta.metadata(obj).items() if name not in drawn}
        obj = {**obj, "metadata": kept}
    return {"object": obj, "oldObject": attempt.live}


def _fail(backend: Backend, hook: _Hook, problem: str) -> None:
    text = f'failed calling webhook "{hook.name}": {problem}'
    if not hook.strict:
        backend.log(text)
        return
    raise _internal(text)


def _internal(text: str) -> errors.StatusError:
    details = {"causes": [{"message": text}]}
    return errors.StatusError(500, "InternalError", f"Internal error occurred: {text}", details)


def _denied(name: str, status: Object) -> errors.StatusError:
    before = f'admission webhook "{name}" denied the request'
    told = status.get("message") or status.get("reason")
    message = f"{before}: {told}" if told else f"{before} without explanation"
    code = status.get("code") or 0
    return errors.StatusError(max(code, 400), str(status.get("reason") or ""), message, status.get("details") or None)
