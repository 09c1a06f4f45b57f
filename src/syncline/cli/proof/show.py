"""The screen of `syncline check --deliver`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from syncline.core.diagnose.live.around import listed, plural

if TYPE_CHECKING:
    from syncline.cli.proof.deliver import Delivered

_SHOWN = 20
_WIDE = 160


def screen(found: Delivered, seconds: float) -> str:
    """Return what came up and what did not, with the few causes."""
    return "\n".join(_lines(found, seconds))


def _lines(found: Delivered, seconds: float) -> Iterator[str]:
    yield _first(found, seconds)
    for number, cause in enumerate(found.diagnosis.causes, start=1):
        yield f"#{number} {plural(len(cause.affected), 'app')}  {cause.finding.code} {cause.finding.message}"
    for one in found.bad[:_SHOWN]:
        yield f"  {one.name} stays {one.health or 'Unknown'}, {one.sync or 'Unknown'}: {one.message[:_WIDE]}".rstrip(
            ": "
        )
    if len(found.bad) > _SHOWN:
        yield f"  and {len(found.bad) - _SHOWN} more"
    if found.absent:
        yield f"  never created: {listed(list(found.absent), _SHOWN)}"
    if found.played:
        yield f"only simulated, so not proven: {', '.join(found.played)}"
    for text in found.left_out[:_SHOWN]:
        yield f"not delivered: {text}"
    if len(found.left_out) > _SHOWN:
        yield f"not delivered: {len(found.left_out) - _SHOWN} more"


def _first(found: Delivered, seconds: float) -> str:
    total = found.apps + len(found.absent)
    if not total and not found.left_out:
        return "nothing to deliver: there is no Application here that can be rendered"
    if not total:
        return f"nothing was delivered: {plural(len(found.left_out), 'app')} cannot be delivered here"
    healthy = found.apps - len(found.bad)
    return (
        f"delivered to a sandbox: {healthy} of {plural(total, 'app')} become Healthy, {found.good} Synced and "
        f"Healthy · {found.minutes:.0f} virtual minutes in {seconds:.1f} s"
    )
