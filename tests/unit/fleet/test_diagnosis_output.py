"""How a diagnosis looks: within the width, without secrets and without lines of logs where it is passed on."""

import json
from datetime import UTC, datetime

import msgspec
import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.cli.show import terminal
from syncline.cli.show.columns import cells
from syncline.cli.show.diagnosis import data, markdown, page, screen, slack
from syncline.cli.show.diagnosis.comparison import comparison, predicted
from syncline.cli.show.diagnosis.report import Report
from syncline.model.diagnosis import Diagnosis, Link, Repair, RootCause, RuledOut, Thing
from syncline.model.errors import InvalidSpec, Place
from syncline.model.finding import Confidence, Edit, Evidence, EvidenceKind, Finding, Fix, Severity

NOW = datetime(2026, 1, 3, tzinfo=UTC)
LOG = "dial tcp: lookup vault.vault.svc: no such host"
SECRET = "pl4nted-Canary-9f"


def cause(rank: int, *affected: str, severity: Severity = Severity.ERROR, message: str = "") -> RootCause:
    return RootCause(
        id=f"{rank:08x}",
        rank=rank,
        thing=Thing(cluster="home", key=ObjectKey("external-secrets.io", "ClusterSecretStore", "", f"store-{rank}")),
        finding=Finding(
            code="SEC-001",
            name="store-not-ready",
            severity=severity,
            subject=f"ClusterSecretStore/store-{rank}",
            message=message
            or f'ClusterSecretStore/store-{rank}: namespace "vault" does not exist, so that nothing is read',
            evidence=(
                Evidence(
                    kind=EvidenceKind.MESSAGE, text=f"login with password={SECRET} failed", time="2026-01-01T01:00:00Z"
                ),
                Evidence(kind=EvidenceKind.LOG, text=LOG, time="2026-01-01T02:00:00Z"),
                Evidence(kind=EvidenceKind.FILE, text="namespace: vault", place=Place("apps/store.yaml", 12)),
            ),
            confidence=Confidence.DECLARED,
            fix=Fix(edits=(Edit(place=Place("apps/store.yaml", 12), before="vault", after="vault-core"),)),
            since="2026-01-01T00:00:00Z",
        ),
        affected=affected,
        chain=(
            Link(count=63, kind="ExternalSecret", state="SecretSyncedError"),
            Link(count=1, kind="Pod", state="waits"),
        ),
        assumptions=("Vault is unsealed",),
    )


def a_report(*causes: RootCause, with_logs: bool = True, states: dict[str, str] | None = None) -> Report:
    found = Diagnosis(
        as_of="2026-01-03T00:00:00Z",
        origin="context aks",
        total=9,
        good=2,
        counts={"Degraded": 5, "OutOfSync": 2},
        causes=causes,
        repairs=tuple(Repair(cause=one.id, good_after=2 + one.rank) for one in reversed(causes)),
        ruled_out=(RuledOut(text="5 PVCs Pending", because="effect of #1"),),
        unread=("Node", "cluster far"),
        objects=5312,
    )
    return Report(
        diagnosis=found,
        words="context aks, read-only",
        read_seconds=6.2,
        seconds=0.31,
        now=NOW,
        home="home",
        states=states or {},
        with_logs=with_logs,
    )


TWO = (cause(1, "argocd/a", "argocd/b"), cause(2, "argocd/c"))


def test_the_first_lines_tell_what_was_read_and_what_was_not_before_anything_else() -> None:
    first, second = screen.screen(a_report(*TWO), width=160).splitlines()[:2]
    assert first == (
        "context aks, read-only · 9 apps, 5,312 objects read in 6.2 s, reasoned in 0.3 s · Secrets not read · "
        "not read: Node, cluster far"
    )
    assert terminal.plain(second) == "7 of 9 apps not OK · 2 causes · 5 Degraded, 2 OutOfSync"


@pytest.mark.parametrize("width", [80, 100, 160])
def test_nothing_is_wider_than_the_screen_but_what_is_copied(width: int) -> None:
    lines = [terminal.plain(line) for line in screen.screen(a_report(*TWO), width=width).splitlines()]
    assert [line for line in lines if cells(line) > width and "git apply" not in line and "→" not in line] == []
    told = " ".join(" ".join(lines).split())
    assert "63 ExternalSecrets SecretSyncedError └ 1 Pod waits" in told
    assert "apps/store.yaml:12 namespace: vault" in told
    assert f"syncline diagnose {TWO[0].id} --patch | git apply" in told
    assert "syncline diagnose 1 " not in told
    assert "if Vault is unsealed" in told
    assert "Repair order 2 → 1 · OK after each, at most: 4, 3 (now 2)" in told


def test_a_full_screen_counts_what_it_leaves_out() -> None:
    many = [cause(rank, f"argocd/{rank}") for rank in range(1, 9)]
    lines = [terminal.plain(line) for line in screen.screen(a_report(*many), width=120, height=40).splitlines()]
    shown = [line for line in lines if line.startswith("#")]
    (rest,) = [line for line in lines if "-o wide (all)" in line]
    assert 1 <= len(shown) < 8
    assert rest.strip().startswith(f"{8 - len(shown)} more: syncline diagnose {many[len(shown)].id} (one)")


@pytest.mark.parametrize("write", [markdown.document, slack.message, page.page, data.as_json])
def test_formats_that_are_passed_on_have_no_log_lines_unless_asked(write: object) -> None:
    assert callable(write)
    assert LOG not in write(a_report(*TWO, with_logs=False))


@pytest.mark.parametrize(
    "write", [markdown.document, slack.message, page.page, data.as_json, lambda one: screen.screen(one, width=120)]
)
def test_no_format_shows_a_secret(write: object) -> None:
    assert callable(write)
    assert SECRET not in write(a_report(*TWO))


def test_lines_of_logs_are_there_where_asked() -> None:
    assert LOG in page.page(a_report(*TWO))
    assert LOG in data.as_json(a_report(*TWO))


@pytest.mark.parametrize("count", [0, 1, 8, 40])
def test_a_message_for_a_chat_has_twelve_lines_at_most(count: int) -> None:
    lines = slack.message(a_report(*(cause(rank, "argocd/a") for rank in range(1, count + 1)))).splitlines()
    listed = [line for line in lines if line[:1].isdigit()]
    assert len(lines) <= 12
    assert len(listed) == count or f"… and {count - len(listed)} more causes" in lines


def test_a_page_escapes_and_loads_nothing() -> None:
    text = page.page(a_report(cause(1, "argocd/<b>", message="<script>alert(1)</script>")))
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert "&lt;script&gt;" in text
    assert text.index("2026-01-01T00:00:00Z") < text.index("2026-01-01T02:00:00Z")


@pytest.mark.parametrize(
    ("affected", "states", "severity", "level"),
    [
        (("argocd/a", "argocd/b"), {"argocd/a": "Degraded", "argocd/b": "Missing"}, Severity.ERROR, "P0"),
        (("argocd/a",), {"argocd/a": "OutOfSync, Degraded"}, Severity.ERROR, "P1"),
        (("argocd/a",), {"argocd/a": "OutOfSync"}, Severity.WARNING, "P2"),
        (("argocd/a",), {"argocd/a": "Progressing"}, Severity.ERROR, "P3"),
        (("argocd/a",), {"argocd/a": "Degraded"}, Severity.INFO, "P3"),
    ],
)
def test_the_inventory_sorts_by_urgency(
    affected: tuple[str, ...], states: dict[str, str], severity: Severity, level: str
) -> None:
    report = a_report(cause(1, *affected, severity=severity), states=states)
    assert markdown.level(report, report.diagnosis.causes[0]) == level
    assert f"## {level} – " in markdown.document(report)


def test_markdown_cannot_be_broken_by_what_a_cluster_says() -> None:
    assert markdown.escaped("a | b\n# c `d` <img>") == "a \\| b \\# c \\`d\\` \\<img\\>"


def test_programs_find_object_code_and_rank_and_read_it_back() -> None:
    report = a_report(*TWO)
    text = data.as_json(report)
    told = json.loads(text)
    assert told["schemaVersion"] == 1
    first = told["causes"][0]
    assert (first["rank"], first["code"], first["object"]) == (
        1,
        "SEC-001",
        "external-secrets.io/ClusterSecretStore:/store-1",
    )
    read = data.from_json(text.encode(), "x")
    assert [(one.id, one.affected, one.chain) for one in read.causes] == [
        (one.id, one.affected, one.chain) for one in report.diagnosis.causes
    ]
    assert (read.total, read.good, read.repairs) == (9, 2, report.diagnosis.repairs)
    with pytest.raises(InvalidSpec, match="not a diagnosis"):
        data.from_json(b"{}", "x")


def test_two_answers_are_compared_by_what_was_predicted() -> None:
    old = a_report(*TWO).diagnosis
    now = msgspec.structs.replace(old, causes=(cause(1, "argocd/a"), cause(3, "argocd/d")), good=3)
    shown = terminal.plain(comparison(old, a_report(*now.causes), width=160))
    assert predicted(old, [TWO[1]]) == 3
    assert "predicted at most 3 OK with 1 cause repaired" in shown
    assert "gone: ClusterSecretStore/store-2" in shown
    assert "1 of 1 recovered" in shown
    assert "still: ClusterSecretStore/store-1" in shown
    assert "hit 2, hits 1 app" in shown
    assert "new: ClusterSecretStore/store-3" in shown
