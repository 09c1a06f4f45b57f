"""web/src/lib/types.ts has the answers that the table of routes declares."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest
from msgspec import inspect

from syncline.model.finding import Severity
from syncline.server.answers.kinds import Answer
from tools import build_page_types as types


def test_the_file_is_as_the_table_of_routes_is_now() -> None:
    assert types.TARGET.read_text(encoding="utf-8") == types.page(), (
        "web/src/lib/types.ts is stale: run python tools/build_page_types.py"
    )


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value of the model: what has its default is not sent."""

    text: str = ""
    other: int | None = None


class Whole(Answer, frozen=True, kw_only=True):
    """An answer.

    More about it.
    """

    name: str
    some_flag: bool = False
    part: Part | None = None
    maybe: Part | msgspec.UnsetType = msgspec.UNSET
    severity: Severity
    word: Literal["b", "a"]
    counts: dict[str, int]
    rows: tuple[Part | None, ...]
    anything: Any


def test_members_are_optional_nullable_and_named_as_they_are_sent() -> None:
    found = dict(types._definitions([inspect.type_info(Whole)]))
    assert sorted(found) == ["Part", "Severity", "Whole"]
    assert found["Whole"] == (
        "/** An answer. */\n"
        "export interface Whole {\n"
        "  name: string;\n"
        "  someFlag?: boolean;\n"
        "  part?: Part | null;\n"
        "  maybe?: Part;\n"
        "  severity: Severity;\n"
        '  word: "a" | "b";\n'
        "  counts: Record<string, number>;\n"
        "  rows: (Part | null)[];\n"
        "  anything: unknown;\n"
        "}\n"
    )
    assert "  text?: string;\n  other?: number;\n" in found["Part"]
    assert found["Severity"].endswith('export type Severity = "error" | "warning" | "info";\n')


def test_two_types_of_one_name_are_refused() -> None:
    class Part(msgspec.Struct):
        """Another."""

    infos = [inspect.type_info(Whole), inspect.type_info(Part)]
    with pytest.raises(TypeError, match="have the same name"):
        list(types._definitions(infos))
