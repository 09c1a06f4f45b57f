"""The error every patch raises, in kube-apiserver's words.

Raised by the modules of this package and turned into a Status by the sandbox. Where Kubernetes prints the
object at fault, the text here names its keys and leaves the values out, because they may be secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


class PatchError(ValueError):
    """A patch that cannot be applied or computed."""

    def __init__(self, message: str, *, status: int = 500) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status kube-apiserver answers with."""

    @property
    def reason(self) -> str:
        """The reason in the Status kube-apiserver answers with; empty where it gives none."""
        return _REASONS.get(self.status, "")

    @property
    def answer(self) -> str:
        """The message in that Status: of a patch that does not apply it keeps the cause to itself."""
        return _DOES_NOT_APPLY if self.status == _UNPROCESSABLE else str(self)


_UNPROCESSABLE: Final = 422
_DOES_NOT_APPLY: Final = "the server rejected our request due to an error in our request"
_REASONS: Final = {400: "BadRequest", 409: "Conflict", 413: "RequestEntityTooLarge", 422: "Invalid"}


def malformed(message: str) -> PatchError:
    """Return the error for a patch that is not one (HTTP 400)."""
    return PatchError(message, status=400)


def undecodable(patch: Any, wanted: str, prefix: str = "error decoding patch: ") -> PatchError:
    """Return the error for a patch of another JSON type than the one wanted (a Go type)."""
    return malformed(f"{prefix}json: cannot unmarshal {_json_type(patch)} into Go value of type {wanted}")


def does_not_apply(message: str) -> PatchError:
    """Return the error for a patch that does not fit its document (HTTP 422)."""
    return PatchError(message, status=422)


def describe(value: Mapping[str, Any]) -> str:
    """Return a map the way Go prints one, values left out."""
    return f"map[{' '.join(f'{key}:…' for key in sorted(value))}]"


def _json_type(value: Any) -> str:
    names = {type(None): "null", dict: "object", list: "array", str: "string", bool: "bool"}
    return names.get(type(value), "number")
