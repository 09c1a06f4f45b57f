"""What a story is made of: requests with names for what later ones need, and how texts stand for a place of their own.

The tables beside this module build stories; `tests.contract.playing` sends them to a server. A text `<name>` in a path
or body stands for what an earlier step kept under that name. The word `trial` in paths and bodies names everything a
story makes, so that a shared server can give each run names of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"
METADATA_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request."""

    method: str
    path: str
    body: Any = None
    content_type: str = JSON
    accept: str = JSON
    user: str = ""
    keep: dict[str, str] = field(default_factory=dict)
    """Names for values of the answer, by their dotted paths."""
    until: tuple[str, ...] = ()
    """Ask again until the answer holds these texts: for what a server does a moment later."""
    warned: str = ""
    """Ask again until the answer warns of this."""

    @property
    def title(self) -> str:
        """What the step is called in a failure."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Story:
    """Requests that follow one another, in a namespace of their own."""

    name: str
    steps: tuple[Step, ...]


def get(path: str, **rest: Any) -> Step:
    return Step(method="GET", path=path, **rest)


def post(path: str, body: Any, **rest: Any) -> Step:
    return Step(method="POST", path=path, body=body, **rest)


def put(path: str, body: Any, **rest: Any) -> Step:
    return Step(method="PUT", path=path, body=body, **rest)


def delete(path: str, body: Any = None, **rest: Any) -> Step:
    return Step(method="DELETE", path=path, body=body, **rest)


def merge(path: str, body: Any, **rest: Any) -> Step:
    return Step(method="PATCH", path=path, body=body, content_type=MERGE, **rest)


def strategic(path: str, body: Any, **rest: Any) -> Step:
    return Step(method="PATCH", path=path, body=body, content_type=STRATEGIC, **rest)


def json_patch(path: str, *operations: tuple[Any, ...], **rest: Any) -> Step:
    """Patch with operations written as (op, path, value)."""
    names = ("op", "path", "value")
    body = [dict(zip(names, operation, strict=False)) for operation in operations]
    return Step(method="PATCH", path=path, body=body, content_type=JSON_PATCH, **rest)


def apply(path: str, body: Any, *, manager: str = "one", **rest: Any) -> Step:
    """Apply on the server; `manager` may bring further parameters along."""
    joint = "&" if "?" in path else "?"
    return Step(method="PATCH", path=f"{path}{joint}fieldManager={manager}", body=body, content_type=APPLY, **rest)


def watch(path: str, query: str = "", **rest: Any) -> Step:
    """Watch for one second; the events are the answer."""
    joint = "&" if "?" in path else "?"
    extra = f"&{query}" if query else ""
    return Step(method="GET", path=f"{path}{joint}watch=true&timeoutSeconds=1{extra}", **rest)


def obj(name: str, **rest: Any) -> dict[str, Any]:
    """An object by its name; `metadata` adds to that of the name."""
    return {"metadata": {"name": name, **rest.pop("metadata", {})}, **rest}


def typed(api_version: str, kind: str, name: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, **obj(name, **rest)}


def template(image: str = "i", *, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    containers = spec.pop("containers", [{"name": "c", "image": image}])
    return {"metadata": {"labels": labels or {"app": "w"}}, "spec": {"containers": containers, **spec}}
