"""Reads the whole objects of some kinds from a cluster, or from a dump, to compare renders with.

Called by the command line for `syncline preview` and `syncline parity`. Only lists are asked for, and never Secrets: a
preview ends up in comments. In a dump a kind of which there is nothing may have been left out, so nothing is said about
it; Applications that name another cluster than the one that was read are the caller's to leave out.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.model.live_objects import LiveObjects
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.fleet.dump import DumpFile, whole_objects

SECRET = GroupKind("", "Secret")
_SECRETS = "Secrets are not read"


async def read_live(cluster: Cluster, kinds: Iterable[GroupKind], origin: str, server: str, as_of: str) -> LiveObjects:
    """Return the objects of some kinds; those that may not be read, and why, are told."""
    discovery = await cluster.discover()
    objects: dict[ObjectKey, Object] = {}
    unread: dict[GroupKind, str] = {SECRET: _SECRETS}
    for kind in sorted(set(kinds) - {SECRET}):
        resource = discovery.find(kind)
        if resource is None:
            continue  # what is not served is not there
        try:
            listed = await cluster.list(resource)
        except ApiError as error:
            unread[kind] = error.message
            continue
        objects |= {key_of(obj): obj for obj in listed.items}
    return LiveObjects(origin=origin, server=server, as_of=as_of, objects=objects, unread=unread)


def live_of_dump(files: Iterable[DumpFile], kinds: Iterable[GroupKind], origin: str) -> LiveObjects:
    """Return the objects of some kinds out of a dump."""
    found, skipped, as_of = whole_objects(files)
    wanted = set(kinds)
    objects = {key: obj for key, obj in found.items() if key.group_kind in wanted and key.group_kind != SECRET}
    there = {key.group_kind for key in objects}
    unread = dict.fromkeys(wanted - there, f"{origin} has none") | {SECRET: _SECRETS}
    return LiveObjects(origin=origin, as_of=as_of, objects=objects, unread=unread, skipped=skipped)
