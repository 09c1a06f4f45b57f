"""What one look at a repository leaves for the next: files as read, what they hold, and renders.

Kept by `syncline check --watch` from one look to the next and by `syncline.api.preview` for both sides of a change;
handed to `syncline.api.repo_snapshot`. Nothing in it is believed without a look at what it was made from.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from syncline import wiring
from syncline.api.repo_files import FileFacts
from syncline.controller.sources.render_stores import MemoryRenders


@dataclass(slots=True)
class CheckMemory:
    """All that may be used again."""

    renders: MemoryRenders = field(default_factory=MemoryRenders)
    looks: wiring.FolderLooks = field(default_factory=wiring.FolderLooks)
    facts: FileFacts = field(default_factory=FileFacts)
