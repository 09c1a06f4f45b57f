"""Which strategy an object is compared by, and why."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.context import Context, DryRunRefused, for_app
from syncline.core.compare.strategies.choose import choose
from syncline.model import names
from syncline.model.comparison import CompareStrategy, StrategyChoice
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import NOW, config_map, node_for, typed_application

SSD_TRUE, SSD_FALSE = "ServerSideDiff=true", "ServerSideDiff=false"


def context(
    compare: str = "", sync: tuple[str, ...] = (), *, flag: bool = False, compat: Compat = Compat.ARGOCD
) -> Context:
    app = typed_application(
        metadata={"annotations": {names.COMPARE_OPTIONS: compare}}, syncPolicy={"syncOptions": list(sync)}
    )
    return for_app(app, Settings(server_side_diff=flag, compat=compat), node_for, NOW)


def wanted(compare: str = "", sync: str = "") -> Object:
    given = {names.COMPARE_OPTIONS: compare, names.SYNC_OPTIONS: sync}
    return config_map(annotations={name: text for name, text in given.items() if text})


@pytest.mark.parametrize(
    ("obj", "given", "strategy"),
    [
        (wanted(), context(), CompareStrategy.CLIENT_SIDE),
        (wanted(), context(compat=Compat.SYNCLINE), CompareStrategy.STRUCTURED),
        (wanted(), context(flag=True), CompareStrategy.SERVER_SIDE),
        (wanted(), context(SSD_TRUE), CompareStrategy.SERVER_SIDE),
        (wanted(), context(f"IgnoreExtraneous , {SSD_TRUE}"), CompareStrategy.SERVER_SIDE),
        (wanted(), context(SSD_FALSE, flag=True), CompareStrategy.CLIENT_SIDE),
        (wanted(SSD_FALSE), context(SSD_TRUE, flag=True), CompareStrategy.CLIENT_SIDE),
        (wanted(SSD_TRUE), context(SSD_FALSE), CompareStrategy.SERVER_SIDE),
        (wanted(SSD_TRUE), context(compat=Compat.SYNCLINE), CompareStrategy.SERVER_SIDE),
        (wanted(), context(sync=("ServerSideApply=true",)), CompareStrategy.STRUCTURED),
        (wanted(sync="Prune=false,ServerSideApply=true"), context(), CompareStrategy.STRUCTURED),
        (wanted(sync="ServerSideApply=false"), context(sync=("ServerSideApply=true",)), CompareStrategy.CLIENT_SIDE),
        (wanted(), context(SSD_TRUE, sync=("ServerSideApply=true",)), CompareStrategy.SERVER_SIDE),
        (wanted("serversidediff=true"), context(), CompareStrategy.CLIENT_SIDE),
    ],
)
def test_server_side_wins_then_structured_merge_then_the_default_and_the_object_over_its_app(
    obj: Object, given: Context, strategy: CompareStrategy
) -> None:
    choice = choose(obj, given, obj)
    assert choice.strategy is strategy
    assert choice.reason


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "no dry run was made"),
        (DryRunRefused("field is immutable"), "the server refused the dry run: field is immutable"),
    ],
)
def test_a_dry_run_that_was_not_had_is_replaced_by_the_structured_merge_with_the_reason(answer: Any, why: str) -> None:
    reason = f"the Application's compare options say ServerSideDiff=true, but {why}"
    assert choose(wanted(), context(SSD_TRUE), answer) == StrategyChoice(
        CompareStrategy.STRUCTURED, reason, CompareStrategy.SERVER_SIDE
    )


@pytest.mark.parametrize(
    ("own", "app", "included"),
    [
        ("", SSD_TRUE, False),
        ("", f"{SSD_TRUE},IncludeMutationWebhook=true", True),
        ("IncludeMutationWebhook=true", SSD_TRUE, True),
        ("IncludeMutationWebhook=false", f"{SSD_TRUE},IncludeMutationWebhook=true", False),
    ],
)
def test_webhooks_are_included_only_where_that_is_said(own: str, app: str, included: bool) -> None:
    assert choose(wanted(own), context(app), wanted()).include_webhooks is included
