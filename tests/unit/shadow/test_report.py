"""A recording beside Argo CD is summed up: what agrees, what is timing, and every disagreement with its reason."""

from syncline.core.shadow import Disagreement, report
from syncline.model.shadow import Mark, Opinion, OurMove, Record, Seen, TheirMove, Unwatched

GOOD = Opinion("Synced", "Healthy", "aaaaaaaaaa")
DRIFTED = Opinion("OutOfSync", "Healthy", "aaaaaaaaaa")
REST = OurMove("rest", "AlreadySynced")
START = OurMove("start", "AutoSync")


def at(minute: int) -> str:
    return f"2026-01-{1 + minute // 1440:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z"


def seen(
    minute: int,
    app: str = "argocd/cart",
    ours: Opinion = GOOD,
    theirs: Opinion = GOOD,
    decision: OurMove = REST,
    operation: TheirMove | None = None,
    why: tuple[str, ...] = (),
) -> Seen:
    return Seen(time=at(minute), app=app, ours=ours, theirs=theirs, why=why, decision=decision, operation=operation)


def mark(minute: int, what: str) -> Mark:
    return Mark(time=at(minute), what=what)


def test_two_that_always_agree() -> None:
    records: list[Record] = [mark(0, "began"), seen(0), seen(0, "argocd/shop"), mark(2880, "alive")]
    found = report(records)
    assert (found.apps, found.equal_now, found.equal_share, found.disagreements) == (2, 2, 1.0, ())
    assert (found.watched_seconds, found.since, found.until) == (2880 * 60, at(0), at(2880))


def test_a_verdict_that_differs_is_listed_with_its_reason_its_times_and_whether_it_lasts() -> None:
    why = ("Deployment/cart: here OutOfSync (spec.replicas), Argo CD Synced",)
    records: list[Record] = [
        mark(0, "began"),
        seen(0),
        seen(100, ours=DRIFTED, why=why),
        seen(160),
        seen(200, ours=DRIFTED, why=why),
        mark(400, "alive"),
    ]
    found = report(records)
    assert found.disagreements == (
        Disagreement(
            app="argocd/cart",
            about="verdict",
            here="OutOfSync/Healthy",
            argo_cd="Synced/Healthy",
            why=why,
            times=2,
            seconds=260 * 60,
            first=at(100),
            last=at(400),
            still=True,
        ),
    )
    assert (found.equal_share, found.equal_now, found.timing) == (140 / 400, 0, 0)


def test_a_difference_that_is_over_soon_is_timing() -> None:
    records: list[Record] = [seen(0), seen(10, theirs=DRIFTED), seen(14), seen(20, theirs=DRIFTED), seen(25)]
    found = report(records)
    assert (found.timing, len(found.disagreements)) == (1, 1)
    assert report(records, settle=600.0).timing == 2


def test_time_that_nobody_watched_counts_for_nothing() -> None:
    records: list[Record] = [
        mark(0, "began"),
        seen(0, theirs=DRIFTED),
        mark(10, "ended"),
        mark(1000, "began"),
        seen(1001),
        mark(1010, "alive"),
    ]
    found = report(records)
    assert found.watched_seconds == 20 * 60
    [one] = found.disagreements
    assert (one.seconds, one.still, one.last) == (600, False, at(10))


def test_a_process_that_was_killed_ends_what_it_saw_with_its_last_line() -> None:
    records: list[Record] = [seen(0, theirs=DRIFTED), mark(10, "alive"), mark(1000, "began"), seen(1000)]
    found = report(records)
    [one] = found.disagreements
    assert (one.first, one.last, one.seconds, one.still) == (at(0), at(10), 600, False)
    assert (found.equal_now, found.watched_seconds) == (1, 600)


def operation(
    started: int, revision: str = "aaaaaaaaaa", *, automated: bool = True, phase: str = "Running"
) -> TheirMove:
    return TheirMove(at(started), phase, revision, automated)


def test_a_sync_of_argo_cds_is_agreed_with_not_judged_or_a_disagreement() -> None:
    agreed: list[Record] = [seen(0, decision=START), seen(1, operation=operation(1))]
    found = report(agreed)
    assert (found.syncs, found.syncs_agreed, found.disagreements) == (1, 1, ())
    first: list[Record] = [seen(0), seen(1, operation=operation(1, "bbbbbbbbbb"))]
    found = report(first)
    assert (found.syncs, found.syncs_not_judged, found.disagreements) == (1, 1, ())
    by_hand: list[Record] = [seen(0), seen(1, operation=operation(1, automated=False))]
    assert report(by_hand).syncs == 0
    window = OurMove("rest", "SyncWindowClosed", "denied until 06:00")
    other: list[Record] = [seen(0, decision=window), seen(1, operation=operation(1)), seen(2, operation=operation(1))]
    found = report(other)
    assert (found.syncs, found.syncs_agreed) == (1, 0)
    [one] = found.disagreements
    assert (one.about, one.here, one.argo_cd) == ("decision", "no sync: SyncWindowClosed", "synced aaaaaaaa")
    assert one.why == ("denied until 06:00",)


def test_a_sync_that_only_we_would_begin_is_a_disagreement_after_a_while() -> None:
    failed = operation(0, phase="Failed")
    records: list[Record] = [
        seen(0, ours=DRIFTED, theirs=DRIFTED, decision=START, operation=failed),
        mark(60, "alive"),
    ]
    [one] = report(records).disagreements
    assert (one.here, one.argo_cd, one.still) == (
        "sync aaaaaaaa: AutoSync",
        "no sync after one that ended Failed",
        True,
    )
    soon: list[Record] = [seen(0, decision=START), seen(1, operation=operation(1)), mark(60, "alive")]
    assert report(soon).disagreements == ()
    asked: list[Record] = [seen(0, decision=OurMove("start", "Requested")), mark(60, "alive")]
    assert report(asked).disagreements == ()


def test_an_application_that_is_gone_ends_its_difference() -> None:
    records: list[Record] = [
        seen(0, theirs=DRIFTED),
        Unwatched(time=at(10), app="argocd/cart"),
        mark(100, "alive"),
    ]
    found = report(records)
    assert (found.disagreements[0].seconds, found.equal_now, found.apps) == (600, 0, 1)


def test_nothing_was_recorded() -> None:
    found = report([])
    assert (found.apps, found.since, found.disagreements) == (0, "", ())
