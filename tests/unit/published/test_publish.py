"""What is published of a diagnosis: bounded, steady, without logs and secrets."""

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.findings.publish import LARGEST, published
from syncline.model.diagnosis import Diagnosis, Repair, RootCause, Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.published import PublishedStatus
from syncline.server.metering.metrics import exposition

EARLIER, NOW, LATER = "2030-01-01T00:00:00Z", "2030-01-01T00:01:00Z", "2030-01-01T00:02:00Z"


def cause(name: str, message: str, *apps: str, evidence: tuple[Evidence, ...] = ()) -> RootCause:
    finding = Finding(
        code="WKL-001", name="crash", severity=Severity.ERROR, subject=name, message=message, evidence=evidence
    )
    thing = Thing(cluster="in-cluster", key=ObjectKey("apps", "Deployment", "shop", name))
    return RootCause(id=name, rank=1, thing=thing, finding=finding, affected=apps)


def diagnosis(*causes: RootCause) -> Diagnosis:
    repairs = tuple(Repair(cause=one.id, good_after=1) for one in causes)
    return Diagnosis(as_of=NOW, origin="", total=9, good=0, causes=causes, repairs=repairs)


def test_a_cause_keeps_its_words_and_time_while_only_numbers_change() -> None:
    first = published(diagnosis(cause("web", "restarted 3 times", "argocd/web")), PublishedStatus(), EARLIER)
    assert (first.changed_at, first.causes[0].first_seen) == (EARLIER, EARLIER)
    assert published(diagnosis(cause("web", "restarted 4 times", "argocd/web")), first, NOW) == first
    other = published(diagnosis(cause("web", "exits with 1", "argocd/web")), first, LATER)
    assert (other.causes[0].message, other.causes[0].first_seen, other.changed_at) == ("exits with 1", EARLIER, LATER)


def test_more_than_fits_is_left_out_from_the_end_and_counted() -> None:
    apps = [f"argocd/{number:03}-{'x' * 200}" for number in range(300)]
    many = published(diagnosis(*(cause(f"c{one}", "bad", *apps) for one in range(60))), PublishedStatus(), NOW)
    assert len(msgspec.json.encode(many)) <= LARGEST
    assert 0 < len(many.causes) < 50
    assert (many.causes[0].id, many.found, many.omitted) == ("c0", 60, 60 - len(many.causes))
    assert (many.causes[0].affected, len(many.causes[0].applications)) == (300, 100)
    assert list(many.repair_order) == [one.id for one in many.causes]


def test_lines_of_logs_and_secrets_are_not_published() -> None:
    seen = (
        Evidence(kind=EvidenceKind.LOG, text="login failed for bob"),
        Evidence(kind=EvidenceKind.EVENT, text="password=hunter2 was refused"),
    )
    found = published(
        diagnosis(cause("web", "token=abcdef0123456789 is refused", evidence=seen)), PublishedStatus(), NOW
    )
    text = msgspec.json.encode(found).decode()
    assert "refused" in text
    for secret in ("hunter2", "abcdef0123456789", "bob"):
        assert secret not in text


def test_each_cause_is_one_series_and_quotes_are_escaped() -> None:
    status = published(diagnosis(cause('we"b', "bad", "argocd/a", "argocd/b")), PublishedStatus(), NOW)
    resource = {"kind": "Diagnosis", "metadata": {}, "status": msgspec.to_builtins(status)}
    app = {"kind": "Application", "status": {"sync": {"status": "Synced"}, "health": {"status": "Degraded"}}}
    lines = exposition([app, app, resource]).splitlines()
    assert 'syncline_applications{sync_status="Synced",health_status="Degraded"} 2' in lines
    [sample] = [line for line in lines if line.startswith("syncline_diagnosis_cause{")]
    assert r'id="we\"b"' in sample
    assert sample.endswith("} 2")
    assert "syncline_diagnosis_not_ok 9" in lines
