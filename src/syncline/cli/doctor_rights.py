"""What `syncline doctor` says about the rights of the identity it runs as: what a component lacks, what is beyond.

Called by `syncline.cli.doctor`. Rights to deliver are beyond those for Syncline's own work, and are listed as such;
only what can be used to gain further rights, and a server that reads all Secrets, is a warning.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from syncline.cli.doctor import MachineCheck
from syncline.core.rights import review
from syncline.core.rights.review import Right
from syncline.core.rights.table import Component
from syncline.ports.kube import Cluster, Discovery
from syncline.verbs.own_rights import ComponentRights, reviewed

_SHOWN = 8


async def own_rights(
    cluster: Cluster, discovery: Discovery, namespace: str, application_namespaces: Iterable[str]
) -> AsyncIterator[MachineCheck]:
    """Say what the current identity lacks of the rights of the controller and of the server, and has beyond them."""
    found = await reviewed(cluster, discovery, namespace, application_namespaces)
    # Under the account of a component only that one counts; anybody else is held against each.
    own = [one for one in found if one.is_itself]
    for one in own or found:
        yield _lacking(one, namespace, [place for place in one.lacking if place != namespace])
    for one in own:
        yield _beyond(one)


def _lacking(one: ComponentRights, namespace: str, further: Sequence[str]) -> MachineCheck:
    words = _told(one.lacking)
    flags = "".join(f" --application-namespace {place}" for place in further)
    return MachineCheck(
        f"rights of the {one.component}",
        "warning" if words else "ok",
        f"lacks {words}" if words else "all that its own work needs",
        f"syncline admin rbac --component {one.component} -N {namespace}{flags} | kubectl apply -f -",
    )


def _beyond(one: ComponentRights) -> MachineCheck:
    words = _told(one.beyond)
    gains = any(review.is_gain(right) for rights in one.beyond.values() for right in rights)
    secrets = one.component is Component.SERVER and one.reads_all_secrets
    reasons = [
        *(["it can gain rights that nobody gave it"] if gains else []),
        *(["it reads the Secrets of all namespaces"] if secrets else []),
    ]
    found = words or "nothing"
    return MachineCheck(
        "rights beyond",
        "warning" if reasons else "ok",
        f"{found} ({' and '.join(reasons)})" if reasons else found,
        "give rights to deliver in the namespaces that are delivered to, by a Role of their own",
    )


def _told(rights: Mapping[str, Sequence[Right]]) -> str:
    lines = [f"{words} in {place}" for place, listed in rights.items() for words in review.told(listed)]
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return "; ".join(lines[:_SHOWN]) + more
