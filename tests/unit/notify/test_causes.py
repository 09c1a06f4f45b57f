"""One notification per cause: not again for more Applications, nor for one that comes and goes; one when it is gone."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.core.notify.about_causes import GONE_AFTER, JudgedCauses, Remembered, about_causes, read, write
from syncline.core.notify.settings import read_settings
from syncline.model.notifications import NotificationSettings

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
EVERYBODY = "- recipients: [hook]\n  triggers: [on-cause, on-cause-gone]\n"


def settings(**data: str) -> NotificationSettings:
    return read_settings({"data": {name.replace("__", "."): text for name, text in data.items()}}, None)


def cause(name: str, *apps: str, cluster: str = "") -> dict[str, Any]:
    made = {"id": name, "code": "X-001", "name": "some-cause", "message": "it broke", "cluster": cluster}
    return {**made, "affected": len(apps), "applications": list(apps)}


def diagnosis(*causes: dict[str, Any], remembered: dict[str, Remembered] | None = None, **more: Any) -> dict[str, Any]:
    text = write(remembered or {})
    metadata = {"name": "syncline", "annotations": {"syncline.io/told-causes": text} if text else {}}
    return {"metadata": metadata, "status": {"causes": list(causes), **more}}


def nobody(_name: str) -> list[Mapping[str, str]]:
    return []


def after_sending(judged: JudgedCauses, now: dt.datetime = NOW) -> dict[str, Remembered]:
    """Return what is remembered once all that was due has been sent."""
    remembered = dict(judged.remembered)
    for one in judged.due:
        known = remembered[one.cause["id"]]
        told = {**known.told, one.due.key: int(now.timestamp())}
        remembered[one.cause["id"]] = msgspec.structs.replace(known, told=told)
    return remembered


def test_a_cause_is_told_once_whatever_the_number_of_its_applications() -> None:
    known = settings(subscriptions=EVERYBODY)
    first = about_causes(diagnosis(cause("c1", "a", "b")), nobody, known, NOW)
    assert [(one.due.trigger, one.cause["id"]) for one in first.due] == [("on-cause", "c1")]
    remembered = after_sending(first)
    more = about_causes(diagnosis(cause("c1", "a", "b", "c"), remembered=remembered), nobody, known, NOW)
    assert more.due == ()
    other = about_causes(diagnosis(cause("c1", "a"), cause("c2", "b"), remembered=remembered), nobody, known, NOW)
    assert [one.cause["id"] for one in other.due] == ["c2"]


def test_a_cause_that_comes_back_within_minutes_was_never_away() -> None:
    known = settings(subscriptions=EVERYBODY)
    remembered = after_sending(about_causes(diagnosis(cause("c1", "a")), nobody, known, NOW))
    away = about_causes(diagnosis(remembered=remembered), nobody, known, NOW)
    assert (away.due, away.look_again) == ((), GONE_AFTER)
    soon = NOW + dt.timedelta(seconds=GONE_AFTER - 1)
    back = about_causes(diagnosis(cause("c1", "a"), remembered=away.remembered), nobody, known, soon)
    assert back.due == ()
    assert back.remembered["c1"].gone_since == 0


def test_a_cause_that_stays_away_is_told_as_gone_once_and_forgotten() -> None:
    known = settings(subscriptions=EVERYBODY)
    remembered = after_sending(about_causes(diagnosis(cause("c1", "a")), nobody, known, NOW))
    away = about_causes(diagnosis(remembered=remembered), nobody, known, NOW)
    later = NOW + dt.timedelta(seconds=GONE_AFTER)
    gone = about_causes(diagnosis(remembered=away.remembered), nobody, known, later)
    assert [(one.due.trigger, one.cause["name"]) for one in gone.due] == [("on-cause-gone", "some-cause")]
    end = about_causes(diagnosis(remembered=after_sending(gone, later)), nobody, known, later)
    assert (end.due, end.remembered) == ((), {})


def test_a_cause_that_may_only_be_hidden_is_not_gone() -> None:
    known = settings(subscriptions=EVERYBODY)
    before = diagnosis(cause("c1", "a", cluster="https://far.example"))
    remembered = after_sending(about_causes(before, nobody, known, NOW))
    later = NOW + dt.timedelta(days=1)
    for hidden in ({"omitted": 3}, {"unread": ["cluster https://far.example: connection refused"]}):
        found = about_causes(diagnosis(remembered=remembered, **hidden), nobody, known, later)
        assert (found.due, found.look_again, found.remembered) == ((), None, remembered)
    seen = about_causes(
        diagnosis(remembered=remembered, unread=["cluster https://other.example"]), nobody, known, later
    )
    assert seen.look_again == GONE_AFTER


def test_those_hear_who_are_subscribed_by_the_diagnosis_the_application_or_its_project() -> None:
    known = settings()
    own = {"notifications.argoproj.io/subscribe.on-cause.hook": "team"}

    def annotations(name: str) -> list[Mapping[str, str]]:
        return [own] if name == "argocd/cart" else []

    found = about_causes(diagnosis(cause("c1", "argocd/cart"), cause("c2", "argocd/shop")), annotations, known, NOW)
    assert [(one.cause["id"], str(one.due.to)) for one in found.due] == [("c1", "hook:team")]
    about = diagnosis(cause("c1", "a"))
    about["metadata"]["annotations"] = {"notifications.argoproj.io/subscribe.on-cause.hook": "ops"}
    assert [str(one.due.to) for one in about_causes(about, nobody, known, NOW).due] == ["hook:ops"]


def test_subscriber_through_an_app_of_a_bounded_project_gets_kind_name_and_reason() -> None:
    own = {"notifications.argoproj.io/subscribe.on-cause.hook": "team"}
    about = {**cause("c1", "argocd/cart", "argocd/vault"), "object": "apps/Deployment:theirs/ledger", "fix": "values"}
    found = about_causes(
        diagnosis(about), lambda _name: [own], settings(subscriptions=EVERYBODY), NOW, reads_all=lambda _name: False
    )
    told = {str(one.due.to): (one.whole, one.cause) for one in found.due}
    operators, whole_cause = told["hook"]
    assert (operators, whole_cause["message"], whole_cause["fix"]) == (True, "it broke", "values")
    whole, shown = told["hook:team"]
    assert not whole
    assert shown == {
        "id": "c1",
        "code": "X-001",
        "name": "some-cause",
        "message": "Deployment/ledger: some-cause",
        "affected": 0,
        "applications": [],
    }
    (unbounded,) = about_causes(diagnosis(about), lambda _name: [own], settings(), NOW).due
    assert unbounded.whole


def test_the_trigger_can_be_narrowed() -> None:
    many = "- when: cause.affected >= 2 and cause.code startsWith 'X'\n  oncePer: cause.id\n  send: [cause-found]\n"
    known = settings(subscriptions=EVERYBODY, **{"trigger__on-cause": many})
    found = about_causes(diagnosis(cause("c1", "a"), cause("c2", "a", "b")), nobody, known, NOW)
    assert [one.cause["id"] for one in found.due] == ["c2"]


def test_what_nobody_was_told_of_is_not_remembered() -> None:
    found = about_causes(diagnosis(cause("c1", "a")), nobody, settings(), NOW)
    assert write(found.remembered) is None
    assert read({"metadata": {"annotations": {"syncline.io/told-causes": "not it"}}}) == {}
