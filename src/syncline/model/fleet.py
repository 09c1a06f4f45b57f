"""All that a diagnosis sees: many clusters and their Applications at one time, frozen and serialisable.

Collected from living clusters, from a folder of `kubectl get -o yaml` output or from a file that `syncline snapshot`
wrote; handed to `syncline.core.diagnose`, which reasons without asking anything more. Secrets are never in it: at most
their names and the names of their keys.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.model.desired import Desired
from syncline.model.layers import Layers
from syncline.model.snapshot import PodLog


class ClusterSnapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was read of one cluster.

    `name` is for people, `server` is the address by which Applications name it; the home of the Applications has the
    address of the cluster that they call their own. `unreadable` are kinds, and "pods/log", that may not be read;
    `problem` says why nothing at all could be read. `secrets_listed` says that names of Secrets were read, so that an
    absent one is known to be absent. `partial` says that only what Applications manage was read, as Argo CD's API gives
    it: nothing that is not here is known to be absent.
    """

    name: str
    server: str = ""
    objects: tuple[Object, ...] = ()
    events: tuple[Object, ...] = ()
    logs: tuple[PodLog, ...] = ()
    unreadable: tuple[str, ...] = ()
    problem: str = ""
    secrets_listed: bool = False
    partial: bool = False


class Rendered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the source of one Application renders, with files and lines; without `desired`, why nothing is known."""

    app: ObjectKey
    desired: Desired | None = None
    problem: str = ""
    layers: Layers = Layers()


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the Applications that an ApplicationSet generates now, as far as its repositories were read."""

    appset: ObjectKey
    names: tuple[str, ...]


class FleetSnapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Clusters, the first of which holds the Applications, if there are any; and what their sources render.

    `origin` names where it was read, for the first line of every answer. `generated` is what ApplicationSets stand for,
    of those whose generators could be asked. `alerts` are those of an Alertmanager,
    `series` results of a Prometheus, where they lie beside a dump.
    """

    as_of: str
    origin: str
    clusters: tuple[ClusterSnapshot, ...] = ()
    rendered: tuple[Rendered, ...] = ()
    generated: tuple[Generated, ...] = ()
    alerts: tuple[Object, ...] = ()
    series: tuple[Object, ...] = ()
    schema_version: int = 1
