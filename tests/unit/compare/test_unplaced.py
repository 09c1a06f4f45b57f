"""An object that belongs into a namespace, and nobody says which: Unknown here, OutOfSync with Argo CD."""

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.assess import Assessment
from syncline.model import names
from syncline.model.comparison import Verdict
from syncline.model.condition import ConditionType
from syncline.model.health import HealthCode
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import application_object, as_applied, assessed, config_map, desired

LOST, PLACED = config_map("lost", namespace=""), config_map("placed")


def judged(compat: Compat, *live: Object, destination: str = "") -> Assessment:
    where = {"server": names.IN_CLUSTER_SERVER, **({"namespace": destination} if destination else {})}
    app = application_object(destination=where)
    return assessed(app, wanted=desired(LOST, PLACED), live=live, settings=Settings(compat=compat))


@pytest.mark.parametrize(
    ("compat", "live", "verdict", "health"),
    [
        (Compat.ARGOCD, (), Verdict.OUT_OF_SYNC, HealthCode.MISSING),
        (Compat.ARGOCD, (as_applied(PLACED),), Verdict.OUT_OF_SYNC, HealthCode.HEALTHY),
        (Compat.SYNCLINE, (), Verdict.UNKNOWN, HealthCode.UNKNOWN),
    ],
)
def test_an_object_without_a_namespace_lacks_with_argo_cd_and_leaves_the_app_unknown_here(
    compat: Compat, live: tuple[Object, ...], verdict: Verdict, health: HealthCode
) -> None:
    found = judged(compat, *live)
    assert (found.comparison.verdict, found.health.status) == (verdict, health)
    assert ConditionType.INVALID_SPEC_ERROR in {one.type for one in found.comparison.conditions}


def test_its_row_is_there_with_argo_cd_alone() -> None:
    rows = {compat: {row.key.name: row.verdict for row in judged(compat).comparison.rows} for compat in Compat}
    assert rows[Compat.ARGOCD] == {"lost": Verdict.OUT_OF_SYNC, "placed": Verdict.OUT_OF_SYNC}
    assert "lost" not in rows[Compat.SYNCLINE]


@pytest.mark.parametrize("compat", Compat)
def test_the_namespace_of_the_destination_is_enough(compat: Compat) -> None:
    found = judged(compat, destination="shop")
    assert (found.comparison.verdict, found.comparison.conditions) == (Verdict.OUT_OF_SYNC, ())
