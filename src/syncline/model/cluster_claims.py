"""Which cluster Secrets count where several claim one name or address, and what a new cluster may be named.

Asked by `syncline.controller.clusters.destinations` about all Secrets, and by `syncline.verbs.clusters` before one is
written. A cluster of a project never takes the place of one that belongs to no project, nor of the cluster with the
Applications; where two projects claim one address, neither counts until one of them goes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from syncline.model import names
from syncline.model.cluster import IN_CLUSTER, KnownCluster, UnreadableCluster, changed

_ADDRESS = re.compile(r"(?P<scheme>https?)://(?P<host>\[[^\]]*\]|[^/:?#@]*)(?::(?P<port>[0-9]+))?(?P<rest>.*)")
_HOME = ("kubernetes", "kubernetes.default", "kubernetes.default.svc")


def normalized(server: str) -> str:
    """Return an address without what makes no difference: case, a final dot or slash, the port that is usual."""
    found = _ADDRESS.fullmatch(server.strip().lower())
    if found is None:
        return server.strip().lower().rstrip("/")
    port = "" if found["port"] in (None, "443" if found["scheme"] == "https" else "80") else f":{int(found['port'])}"
    return f"{found['scheme']}://{found['host'].rstrip('.')}{port}{found['rest'].rstrip('/')}"


def is_home(server: str) -> bool:
    """Whether an address is one of those by which pods reach the API server of their own cluster."""
    found = _ADDRESS.fullmatch(normalized(server))
    host = found["host"] if found is not None else ""
    return host in _HOME or host.startswith("kubernetes.default.svc.")


def settled(known: Iterable[KnownCluster]) -> tuple[tuple[KnownCluster, ...], tuple[UnreadableCluster, ...]]:
    """Return the clusters that count, one for each address, and the Secrets that do not, with why.

    Those of no project come first. One of a project whose name is taken keeps its address as its name.
    """
    ordered = sorted(known, key=lambda one: (bool(one.project), one.secret))
    shared = {normalized(one.server): one for one in reversed(ordered) if not one.project}
    taken = {one.name: one.secret for one in reversed(ordered) if not one.project}
    used = {one.server: one for one in reversed(ordered) if not one.project}
    refused: list[UnreadableCluster] = []
    for one in ordered:
        if not one.project:
            continue
        if before := shared.get(normalized(one.server)):
            refused.append(_refused(one, f"claims the address of the cluster in Secret {before.secret}"))
            continue
        rivals = [each for each in ordered if _are_rivals(one, each)]
        if rivals:
            listed = " and ".join(f"Secret {each.secret} of project '{each.project}'" for each in rivals)
            refused.append(_refused(one, f"claims the same address as {listed}"))
            continue
        if _is_reserved(one) or (one.name in taken and one.name != one.server):
            holder = f"Secret {taken[one.name]}" if taken.get(one.name) else "the cluster with the Applications"
            refused.append(_refused(one, f"claims the name of {holder}, so only its address counts"))
            one = changed(one, name=one.server)
        used.setdefault(one.server, one)
    return tuple(used[server] for server in sorted(used)), tuple(refused)


def _are_rivals(one: KnownCluster, other: KnownCluster) -> bool:
    """Whether two projects claim one address."""
    apart = one.secret != other.secret and bool(other.project) and one.project != other.project
    return apart and normalized(one.server) == normalized(other.server)


def _is_reserved(one: KnownCluster) -> bool:
    return one.name == names.IN_CLUSTER_NAME and one.server != IN_CLUSTER.server


def _refused(one: KnownCluster, why: str) -> UnreadableCluster:
    words = f"cluster Secret {one.secret} of project '{one.project}' {why}"
    return UnreadableCluster(secret=one.secret, why=words, server=one.server, name=one.name)


def refusal(wanted: KnownCluster, known: Iterable[KnownCluster]) -> str:
    """Return why a cluster may not be stored beside those that are known; empty where it may.

    What the same Secret describes would be replaced, and so would what is known of the home cluster without a Secret.
    """
    if _is_reserved(wanted) or _imitates_home(wanted):
        return f"the name {wanted.name} is reserved for the cluster with the Applications: choose another name"
    if "://" in wanted.name and wanted.name != wanted.server:
        return "the name of a cluster may not be the address of another one: choose another name"
    others = [one for one in known if (one.secret != wanted.secret if one.secret else one.server != wanted.server)]
    if any(_is_named_alike(wanted, one) for one in others):
        return f"a cluster named {wanted.name} exists already: choose another name"
    if any(normalized(one.server) == normalized(wanted.server) for one in others if one.secret):
        return f"a cluster with the address {wanted.server} exists already"
    return ""


def _imitates_home(wanted: KnownCluster) -> bool:
    """Whether people would take a project's cluster for the one with the Applications."""
    elsewhere = bool(wanted.project) and wanted.server != IN_CLUSTER.server
    return elsewhere and _plain(wanted.name) == names.IN_CLUSTER_NAME


def _is_named_alike(wanted: KnownCluster, other: KnownCluster) -> bool:
    """Whether two names are the same; those of projects must also differ for people, in more than case and spaces."""
    return wanted.name == other.name or (bool(wanted.project) and _plain(wanted.name) == _plain(other.name))


def _plain(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
