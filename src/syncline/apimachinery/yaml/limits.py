"""How much YAML is accepted before a text is refused, so that a hostile file costs no more than an honest one.

Handed by callers to `syncline.apimachinery.yaml.load_documents`. Each limit is checked while events arrive, so
refusing a text never takes longer than reading one of the permitted size.
"""

from __future__ import annotations

from typing import NamedTuple


class YamlLimits(NamedTuple):
    """Bounds on one text; the defaults fit any manifest an API server would take."""

    max_bytes: int = 10 * 1024 * 1024
    """Size of the text; bigger than the largest bundles of CRDs, as one object may not exceed 3 MiB."""
    max_depth: int = 200
    """Collections inside collections; the deepest CRD schemas need about 60."""
    max_nodes: int = 2_000_000
    """Fields and list items of all documents together."""
    max_documents: int = 100_000
    """Documents, the empty ones included."""
    max_alias_expansion: int = 400_000
    """Nodes that aliases and merges may add; the same number from which Go's reader begins to refuse."""


DEFAULT = YamlLimits()
