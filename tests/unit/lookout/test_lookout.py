"""Who has yet to be looked at before anything is pruned."""

from syncline.controller.app_key import AppKey
from syncline.controller.deliver.lookout import Lookout

PAY, SHOP = AppKey("argocd", "pay"), AppKey("argocd", "shop")


def look(lookout: Lookout, app: AppKey) -> None:
    lookout.begin(app)
    lookout.end(app)


def test_a_new_app_is_expected_until_it_was_looked_at_and_then_only_when_its_source_moves_on() -> None:
    lookout = Lookout()
    assert lookout.unseen(SHOP) == ()
    lookout.heard_of(PAY)
    assert lookout.unseen(SHOP) == ("argocd/pay",)
    look(lookout, PAY)
    assert lookout.unseen(SHOP) == ()
    lookout.heard_of(PAY)
    assert lookout.unseen(SHOP) == ()
    lookout.moved_on(PAY)
    assert lookout.unseen(SHOP) == ("argocd/pay",)


def test_nobody_waits_for_oneself() -> None:
    lookout = Lookout()
    lookout.moved_on(SHOP)
    assert lookout.unseen(SHOP) == ()


def test_a_look_under_way_counts_when_it_ends_and_what_comes_up_meanwhile_needs_another() -> None:
    lookout = Lookout()
    lookout.moved_on(PAY)
    lookout.begin(PAY)
    assert lookout.unseen(SHOP) == ("argocd/pay",)
    lookout.moved_on(PAY)
    lookout.end(PAY)
    assert lookout.unseen(SHOP) == ("argocd/pay",)
    look(lookout, PAY)
    assert lookout.unseen(SHOP) == ()


def test_a_look_that_nobody_expected_holds_up_nobody() -> None:
    lookout = Lookout()
    lookout.begin(PAY)
    assert lookout.unseen(SHOP) == ()


def test_an_app_that_is_gone_is_expected_again_when_it_comes_back() -> None:
    lookout = Lookout()
    look(lookout, PAY)
    lookout.begin(PAY)
    lookout.end(PAY, gone=True)
    lookout.heard_of(PAY)
    assert lookout.unseen(SHOP) == ("argocd/pay",)


def test_nobody_waits_for_an_app_that_is_passed_over() -> None:
    lookout = Lookout()
    lookout.heard_of(PAY)
    lookout.pass_over(PAY)
    assert lookout.unseen(SHOP) == ()
    lookout.heard_of(PAY)
    assert lookout.unseen(SHOP) == ()
