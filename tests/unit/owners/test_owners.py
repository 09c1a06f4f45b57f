"""Whose an object is that several Applications have to do with."""

import itertools

import msgspec
import pytest

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare.owners import Ownership, contest, owners
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.model import names
from syncline.model.application import Application, Metadata
from syncline.model.claims import Claim, OtherApp, Standing
from syncline.model.desired import Origin
from syncline.model.errors import Place
from syncline.model.settings.settings import Settings
from tests.support.objects import typed_application

KEY = ObjectKey("", "ConfigMap", "shop", "settings")
ORIGIN = Origin(file="web/settings.yaml", line=3)
SETTINGS = Settings(namespace="argocd")
OLD, NEW = "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"


def mine(created: str = NEW, name: str = "web") -> Application:
    metadata = Metadata(name=name, namespace="argocd", creation_timestamp=created)
    return msgspec.structs.replace(typed_application(), metadata=metadata)


def live(instance: str, installation: str = "") -> Object:
    marks = {names.TRACKING_ID: f"{instance}:{KEY}"} if instance else {}
    marks |= {names.INSTALLATION_ID: installation} if installation else {}
    metadata = {"name": KEY.name, "namespace": KEY.namespace, "annotations": marks}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def judged(
    *others: OtherApp,
    holder: str | None = None,
    claims: tuple[str, ...] = (),
    desired: bool = True,
    app: Application | None = None,
    settings: Settings = SETTINGS,
    installation: str = "",
) -> Ownership | None:
    obj = live("")
    prepared = PreparedSet((Prepared(KEY, obj, ORIGIN, "v1"),) if desired else (), (), ())
    claimed = [Claim(KEY, claim, Place(f"{claim}.yaml", 1)) for claim in claims]
    there = {} if holder is None else {KEY: live(holder, installation)}
    ours = not installation or installation == settings.installation_id
    holders = {KEY: holder} if holder and ours else {}
    return owners(contest(app or mine(), settings, others, claimed), prepared, there, holders).get(KEY)


def pay(standing: Standing = Standing.KNOWN, created: str = OLD) -> OtherApp:
    return OtherApp("argocd", "pay", standing, created)


def test_an_object_that_nobody_else_has_to_do_with_needs_no_word() -> None:
    assert judged() is None
    assert judged(holder="") is None
    assert judged(holder="web") is None
    assert judged(holder="web", desired=False) is None


@pytest.mark.parametrize(
    ("standing", "desires", "owned"),
    [
        (Standing.KNOWN, True, False),
        (Standing.KNOWN, False, True),
        (Standing.UNSEEN, True, False),
        (Standing.UNSEEN, False, False),
        (Standing.UNKNOWN, True, False),
        (Standing.UNKNOWN, False, False),
        (Standing.GONE, False, True),
    ],
)
def test_the_app_that_is_named_stays_the_owner_unless_it_is_gone_or_known_not_to_desire_it(
    standing: Standing, desires: bool, owned: bool
) -> None:
    found = judged(pay(standing), holder="pay", claims=("argocd/pay",) if desires else ())
    assert found is not None
    assert (found.mine, bool(found.taken_over), found.pending) == (owned, owned, standing is Standing.UNSEEN)


def test_from_whom_an_object_is_taken_over_is_told() -> None:
    gone, past = judged(pay(Standing.GONE), holder="pay"), judged(pay(), holder="pay")
    assert gone is not None
    assert past is not None
    assert gone.taken_over == "taken over from application argocd/pay, which no longer exists"
    assert past.taken_over == "taken over from application argocd/pay, which no longer desires it"
    assert (gone.shared, past.shared) == (True, False)
    assert gone.message == (
        "ConfigMap/settings is part of applications argocd/web and argocd/pay:"
        " argocd/pay does not exist here, so argocd/web takes it over once that is approved (syncline app adopt)"
    )


@pytest.mark.parametrize("holder", [None, ""])
@pytest.mark.parametrize(
    ("created", "name", "owned"), [(OLD, "a", True), (OLD, "z", False), (NEW, "a", False), ("", "a", False)]
)
def test_what_names_no_app_belongs_to_the_oldest_and_of_equals_to_the_first_by_name(
    holder: str | None, created: str, name: str, owned: bool
) -> None:
    found = judged(pay(), holder=holder, claims=("argocd/pay",), app=mine(created, name))
    assert found is not None
    assert (found.mine, found.shared) == (owned, True)


def test_an_app_of_which_nobody_knows_what_it_desires_does_not_keep_an_object_from_being_made() -> None:
    for standing in (Standing.UNKNOWN, Standing.UNSEEN):
        assert judged(pay(standing), claims=("argocd/pay",)) is None


def test_the_owner_stays_the_owner_however_old_others_are_and_both_places_are_told() -> None:
    found = judged(pay(), holder="web", claims=("argocd/pay",))
    assert found is not None
    assert found.mine
    assert found.message == (
        "ConfigMap/settings is part of applications argocd/web and argocd/pay:"
        " argocd/web (web/settings.yaml:3) owns it, argocd/pay (argocd/pay.yaml:1) does not write it"
    )


def test_what_an_app_no_longer_desires_goes_to_the_oldest_that_does() -> None:
    shop = OtherApp("argocd", "shop", Standing.KNOWN, NEW)
    found = judged(pay(), shop, holder="web", claims=("argocd/pay", "argocd/shop"), desired=False)
    assert found is not None
    assert (found.mine, found.desired, found.shared) == (False, False, False)
    assert "goes from application argocd/web to argocd/pay (argocd/pay.yaml:1)" in found.message


def test_an_app_that_nobody_said_anything_about_is_no_owner() -> None:
    assert judged(holder="somebody") is None


def test_of_three_apps_two_do_not_write() -> None:
    shop = OtherApp("team", "shop", Standing.KNOWN, NEW)
    found = judged(pay(), shop, holder="pay", claims=("argocd/pay", "team/shop"))
    assert found is not None
    assert found.message.endswith(
        "argocd/pay (argocd/pay.yaml:1) owns it,"
        " argocd/web (web/settings.yaml:3), team/shop (team/shop.yaml:1) do not write it"
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "holder", "foreign"),
    [
        ("a", "b", "web", True),
        ("a", "b", "pay", True),
        ("a", "a", "web", False),
        ("a", "", "web", False),
        ("", "b", "pay", True),
        ("", "b", "web", False),
    ],
)
def test_an_object_of_another_installation_is_left_alone(ours: str, theirs: str, holder: str, foreign: bool) -> None:
    settings = msgspec.structs.replace(SETTINGS, installation_id=ours)
    found = judged(holder=holder, settings=settings, installation=theirs)
    assert (found is not None and not found.mine and "installation b" in found.message) is foreign


def test_apps_agree_on_who_the_owner_is_whoever_is_asked() -> None:
    """Of several apps that are all known exactly one takes itself for the owner, whatever the object names."""
    apps = [("argocd", "a", OLD), ("argocd", "b", OLD), ("team", "a", NEW)]
    for desiring in itertools.product((True, False), repeat=3):
        wanting = [app for app, wants in zip(apps, desiring, strict=True) if wants]
        for holder in (None, "", "a", "b", "team_a"):
            claiming = []
            for namespace, name, created in wanting:
                metadata = Metadata(name=name, namespace=namespace, creation_timestamp=created)
                app = msgspec.structs.replace(typed_application(), metadata=metadata)
                others = [OtherApp(*one[:2], Standing.KNOWN, one[2]) for one in apps if one[:2] != (namespace, name)]
                claims = tuple(f"{one[0]}/{one[1]}" for one in wanting if one[:2] != (namespace, name))
                found = judged(*others, holder=holder, claims=claims, app=app)
                claiming.append(found is None or found.mine)
            assert sum(claiming) == min(1, len(wanting)), (wanting, holder)
