"""Puts the built web page into the wheel. An editable install needs none of it, and no network."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface[Any]):
    """Builds the page before a wheel is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, and name the files that git ignores and the wheel carries."""
        if version == "editable":
            return
        sys.path.insert(0, str(pathlib.Path(self.root)))
        from tools.build_page import BUILT, build

        build()
        build_data["artifacts"].append(f"/{BUILT.relative_to(self.root)}/**")
