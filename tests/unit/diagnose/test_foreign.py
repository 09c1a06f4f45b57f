"""A reader gets kind, name and reason of a foreign object in a cause; what is in it, its Events and logs never."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.findings import foreign
from syncline.core.diagnose.findings.foreign import Reader
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model import codec
from syncline.model.diagnosis import Diagnosis, Link, RootCause, Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from syncline.model.snapshot import PodLog
from tests.support.planted import FAULTS, SHOW_WITHOUT_APPS, Fault
from tests.support.sick_fleet import Fleet

CANARY = "c4n4ry"
_IDENTITY = ("name", "namespace", "kind", "apiVersion", "uid", "creationTimestamp", "lastTimestamp")


def planted_with(value: Any, chance: random.Random, share: float, name: str = "") -> Any:
    """Return a value with a canary behind some of its texts, wherever they stand."""
    if isinstance(value, dict):
        return {key: planted_with(member, chance, share, key) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [planted_with(member, chance, share, name) for member in value]
    if isinstance(value, str) and name not in _IDENTITY and chance.random() < share:
        return f"{value} {CANARY}" if chance.random() < 0.5 else f"{value}-{CANARY}"
    return value


def is_foreign(key: ObjectKey, kinds: frozenset[str]) -> bool:
    return key.kind in kinds


def with_canaries(snapshot: FleetSnapshot, kinds: frozenset[str], seed: int, share: float) -> FleetSnapshot:
    chance = random.Random(seed)
    (cluster,) = snapshot.clusters
    objects = [planted_with(obj, chance, share) if obj["kind"] in kinds else obj for obj in cluster.objects]
    events = [
        planted_with(one, chance, share) if one["involvedObject"]["kind"] in kinds else one for one in cluster.events
    ]
    logs = [
        PodLog(log.pod, log.container, tuple(planted_with(list(log.lines), chance, share))) if "Pod" in kinds else log
        for log in cluster.logs
    ]
    told = msgspec.structs.replace(cluster, objects=tuple(objects), events=tuple(events), logs=tuple(logs))
    return msgspec.structs.replace(snapshot, clusters=(told,))


def sick(fault: Fault) -> FleetSnapshot:
    fleet = Fleet()
    for app in ("cart", "mail"):
        fleet.app(app)
        fleet.deploy(app, app=app)
    fault(fleet, "mail")
    return fleet.snapshot(with_apps=fault not in SHOW_WITHOUT_APPS)


def reader_of(diagnosis: Diagnosis, snapshot: FleetSnapshot, kinds: frozenset[str]) -> Reader:
    seen = foreign.sightings(foreign.texts_of_diagnosis(diagnosis), snapshot)
    return Reader(lambda _cluster, key: not is_foreign(key, kinds), seen)


def shown(diagnosis: Diagnosis, reader: Reader) -> str:
    causes = [foreign.redact_cause(cause, reader) for cause in diagnosis.causes]
    findings = [foreign.redact_finding(one, Thing(cluster="prod"), reader) for one in diagnosis.unexplained]
    return str([codec.to_object(one) for one in (*causes, *findings)])


WORKLOADS = ["Pod", "ReplicaSet", "Deployment", "Service", "ConfigMap", "Secret", "Node", "Namespace"]
OTHERS = [
    "StorageClass",
    "ServiceAccount",
    "PersistentVolumeClaim",
    "ResourceQuota",
    "ExternalSecret",
    "SecretStore",
    "CustomResourceDefinition",
]
WEBHOOKS = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]
KINDS = st.frozensets(st.sampled_from([*WORKLOADS, *OTHERS, *WEBHOOKS]), min_size=1)


@given(st.sampled_from(FAULTS), KINDS, st.integers(0, 2**32), st.sampled_from((0.05, 0.3, 1.0)))
def test_nothing_of_a_foreign_object_its_events_and_logs_is_shown(
    fault: Fault, kinds: frozenset[str], seed: int, share: float
) -> None:
    snapshot = with_canaries(sick(fault), kinds, seed, share)
    diagnosis = diagnose(snapshot)
    assert CANARY not in shown(diagnosis, reader_of(diagnosis, snapshot, kinds))


def test_the_canaries_do_show_where_nothing_is_foreign() -> None:
    kinds = frozenset({"Pod"})
    leaking = 0
    for fault in FAULTS:
        snapshot = with_canaries(sick(fault), kinds, seed=1, share=0.3)
        diagnosis = diagnose(snapshot)
        leaking += CANARY in shown(diagnosis, Reader(lambda _cluster, _key: True))
    assert leaking > 5


@pytest.mark.parametrize("fault", FAULTS)
def test_a_reader_of_everything_gets_the_very_same(fault: Fault) -> None:
    snapshot = sick(fault)
    diagnosis = diagnose(snapshot)
    reader = reader_of(diagnosis, snapshot, frozenset())
    assert [foreign.redact_cause(cause, reader) for cause in diagnosis.causes] == list(diagnosis.causes)


TEXT = st.sampled_from((CANARY, f"has {CANARY} in it", f"cut off {CANARY[:4]}…", f"{CANARY.upper()}!"))
KEY = ObjectKey("apps", "Deployment", "theirs", "ledger")
OWN = ObjectKey("apps", "Deployment", "ours", "web")


@given(
    thing=st.sampled_from((Thing(cluster="c", key=KEY), Thing(cluster="c", key=OWN), Thing(outside="host", name="x"))),
    text=TEXT,
    where=st.sampled_from(("message", "evidence", "fix", "command", "option", "chain", "assumption", "afterwards")),
)
def test_no_text_of_a_cause_shows_a_word_that_only_foreign_objects_have(thing: Thing, text: str, where: str) -> None:
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "ledger", "namespace": "theirs"}}
    cluster = ClusterSnapshot(name="c", objects=({**obj, "spec": {"note": [{"deep": CANARY}]}},))
    finding = Finding(
        code="IMG-101",
        name="image-not-found",
        severity=Severity.ERROR,
        subject="Deployment/web",
        message=text if where == "message" else "fine",
        confidence=Confidence.TEXT,
        evidence=(Evidence(kind=EvidenceKind.EVENT, text=text if where == "evidence" else "fine"),),
        fix=Fix(text=text if where == "fix" else "", command=text if where == "command" else ""),
        options=(Fix(text=text if where == "option" else ""),),
    )
    cause = RootCause(
        id="1",
        rank=1,
        thing=thing,
        finding=finding,
        chain=(Link(count=1, kind="Pod", state=text if where == "chain" else "Failed"),),
        assumptions=(text,) if where == "assumption" else (),
        afterwards=(text,) if where == "afterwards" else (),
    )
    fleet = FleetSnapshot(as_of="", origin="", clusters=(cluster,))
    reader = Reader(lambda _c, key: key.namespace == "ours", foreign.sightings(foreign.texts_of_cause(cause), fleet))
    got = str(codec.to_object(foreign.redact_cause(cause, reader))).lower()
    assert CANARY[:4] not in got


def test_of_a_foreign_object_kind_name_and_reason_are_left() -> None:
    finding = Finding(
        code="IMG-101", name="image-not-found", severity=Severity.ERROR, subject="x", message="values and all"
    )
    cause = RootCause(id="1", rank=1, thing=Thing(cluster="c", key=KEY), finding=finding, affected=("argocd/shop",))
    got = foreign.redact_cause(cause, Reader(lambda _c, _key: False))
    assert got.thing == Thing(key=ObjectKey("apps", "Deployment", "", "ledger"))
    assert got.finding.message.startswith("Deployment/ledger: ")
    assert (got.finding.code, got.finding.evidence, got.affected) == ("IMG-101", (), ("argocd/shop",))
