"""Finds the real tools that come with Syncline, or on PATH."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def program_path(name: str) -> str:
    """Return how to call a program that is installed beside this Python; empty when there is none."""
    beside = Path(sys.executable).with_name(name)
    if not beside.exists():
        return ""
    try:
        return str(beside.relative_to(Path.cwd()))
    except ValueError:
        return str(beside)


def kubectl_path() -> str:
    """Return how to call kubectl: the one beside this Python, else the one on PATH, else what to do."""
    if beside := program_path("kubectl"):
        return beside
    return "kubectl" if shutil.which("kubectl") else "kubectl (not installed: see the Kubernetes documentation)"
