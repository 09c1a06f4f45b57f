"""How much one expression may do, so that its cost is bounded whatever it says.

Read by `syncline.core.expr.evaluate` and the functions it calls. Work is counted, not time: the same expression on the
same values ends the same way on every machine.
"""

from __future__ import annotations

from typing import Final

MOST_STEPS: Final = 200_000
"""Nodes that are worked out, those of closures once for each element."""
MOST_ITEMS: Final = 100_000
LONGEST_TEXT: Final = 1024 * 1024
