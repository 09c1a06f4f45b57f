"""The kinds of answers that an endpoint can declare: a type of JSON, several, a stream, a text, a redirect.

Read by `syncline.server.requests.openapi` and `tools/build_page_types.py`.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """Base of the shapes that are ours: what has a default may be left out, and nothing else may be there."""


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of objects of a cluster: members that clients rely on are named, others may be there."""


class OneOf(msgspec.Struct, frozen=True):
    """One of several types, under a name of its own."""

    name: str
    types: tuple[Any, ...]


class Stream(msgspec.Struct, frozen=True):
    """A stream; each line has one of these as its `result`."""

    of: Any


class Text(msgspec.Struct, frozen=True):
    """Something else than JSON."""

    media: str


class Redirect(msgspec.Struct, frozen=True):
    """A browser is sent elsewhere."""


class Empty(Answer, frozen=True, kw_only=True):
    """Done; there is nothing to say."""


def types_of(answer: Any) -> tuple[Any, ...]:
    """Return the types of JSON that an answer may have."""
    if isinstance(answer, Stream):
        return types_of(answer.of)
    if isinstance(answer, OneOf):
        return answer.types
    return () if isinstance(answer, Text | Redirect) else (answer,)
