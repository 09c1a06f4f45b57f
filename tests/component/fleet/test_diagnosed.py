"""Every way of breaking an app, all on one sandbox at once: each is named by its own cause, and nothing else is."""

from __future__ import annotations

import contextlib

import msgspec
import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery import times
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from syncline.model.fleet import FleetSnapshot
from syncline.ports.kube import ClusterReader
from syncline.verbs.fleet.hub import Contexts, FleetWish, read_fleet
from tests.support.breakages import BREAKAGES, PLAYED
from tests.support.loops.simulated import run_simulated
from tests.support.repairs import Repairs
from tests.support.world import SandboxBed

# What breaks, the code of its cause and where that is.
CAUSES = {
    "class": ("WKL-101", "StorageClass/fast-ssd"),
    "crash": ("WKL-008", "Deployment/web in crash"),
    "crash-later": ("WKL-008", "Deployment/web in crash-later"),
    "memory": ("WKL-009", "Deployment/web in memory"),
    "presync": ("WKL-008", "Job/migrate in presync"),
    "postsync": ("WKL-008", "Job/migrate in postsync"),
    "secret": ("SEC-004", "Secret/login in secret"),
    "external": ("SEC-201", "ExternalSecret/login in external"),
    "config": ("SEC-004", "ConfigMap/web-config in config"),
    "key": ("SEC-004", "ConfigMap/conf in key"),
    "kind": ("LIV-105", "sync policy by hand"),  # Of the app that delivers the kind.
    "immutable": ("OWN-007", "Deployment/web in immutable"),
    "recreated": ("OWN-007", "Deployment/web in recreated"),
    "webhook": ("LIV-112", "policy names.example.io"),
    "policy": ("LIV-112", "policy owner-label"),
    "quota": ("WKL-004", "ResourceQuota/team in quota"),
    "fewer": ("WKL-004", "ResourceQuota/team in fewer"),
    "count": ("WKL-004", "ResourceQuota/counts in count"),
    "field": ("SRC-009", "Deployment/web in field"),
    "twins": ("OWN-001", "ConfigMap/shared in twins"),
    "admission": ("LIV-101", "Deployment/web in admission"),
    "ignored": ("LIV-101", "Deployment/web in ignored"),
    "window": ("LIV-114", "AppProject/nightly in argocd"),
    "finalizer": ("LIV-010", "ConfigMap/held in finalizer"),
    "namespace": ("LIV-010", "Deployment/web in namespace"),
    "tag": ("WKL-002", "image example/web:missing"),
    "tag-later": ("WKL-002", "image example/web:missing"),
    "cpu": ("WKL-001", "nodes node-d"),
    "label": ("WKL-001", "nodes disk=sdd"),
    "probe": ("WKL-102", "Deployment/web in probe"),
    "selector": ("WKL-006", "Service/web in selector"),
    "port": ("WKL-006", "Service/web in port"),
}


def nowhere(context: str) -> contextlib.AbstractAsyncContextManager[ClusterReader]:
    raise AssertionError(f"{context} is not to be opened")


async def broken() -> FleetSnapshot:
    bed = SandboxBed(played=PLAYED)
    await bed.start()
    controller = bed.controller()
    await controller.start()
    await Repairs(bed, [one for one in BREAKAGES if one.name in CAUSES]).break_all()
    wish = FleetWish(
        name="home",
        server="https://10.0.0.1",
        as_of=times.format_time(bed.clock.now()),
        namespaces=(bed.control,),
    )
    reader = KubeCluster(bed.sandbox.transport("reader", ("system:masters",)))
    result = await read_fleet(reader, wish, Contexts({}, nowhere))
    await controller.stop()
    await bed.stop()
    return result.snapshot


@pytest.fixture(scope="module")
def snapshot() -> FleetSnapshot:
    return run_simulated(broken)


def without_events(snapshot: FleetSnapshot) -> FleetSnapshot:
    clusters = [msgspec.structs.replace(one, events=()) for one in snapshot.clusters]
    return msgspec.structs.replace(snapshot, clusters=tuple(clusters))


def named(found: Diagnosis) -> set[tuple[str, str]]:
    return {(cause.finding.code, str(cause.thing)) for cause in found.causes}


def test_each_breakage_is_named_and_nothing_else(snapshot: FleetSnapshot) -> None:
    found = diagnose(snapshot)
    assert named(found) == set(CAUSES.values())
    assert [one.message for one in found.unexplained] == []
    assert found.repairs[-1].good_after == found.total


def test_state_alone_names_them_all(snapshot: FleetSnapshot) -> None:
    found = diagnose(without_events(snapshot))
    assert named(found) == set(CAUSES.values())
