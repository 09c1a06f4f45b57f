"""Health checks that could not be made: the object is Unknown, and the app has a ComparisonError that names it."""

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.health import failures
from syncline.core.health.assess import assess
from syncline.core.health.scripts import read
from syncline.model.application import Condition
from syncline.model.health import Health, HealthCode
from syncline.model.script import Evaluated
from tests.support.objects import key

WEB, JOB, KEYS = key("Deployment", "web", group="apps"), key("Job", "migrate", group="batch"), key("Secret", "keys")
FAILED = read(Evaluated(error="the Lua script failed: no field 'phase'"))
OLD = Health(HealthCode.UNKNOWN, "unsupported Deployment version apps/v1beta1", "VersionUnsupported")


def test_a_failed_check_is_a_comparison_error_with_argo_cds_words() -> None:
    assert FAILED is not None
    assert failures.conditions({JOB: FAILED}) == (
        Condition(
            "ComparisonError",
            'error setting app health: failed to get resource health for "Job" with name "migrate" in namespace "shop":'
            " the Lua script failed: no field 'phase'",
        ),
    )


def test_every_failed_check_is_named_not_only_one() -> None:
    assert FAILED is not None
    (condition,) = failures.conditions({JOB: FAILED, WEB: OLD})
    assert condition.message.count("failed to get resource health for") == 2


def test_what_a_script_says_about_a_secret_is_not_shown() -> None:
    (condition,) = failures.conditions({KEYS: Health(HealthCode.UNKNOWN, "index a string 'hunter2'", "ScriptFailed")})
    assert "hunter2" not in condition.message


def test_bad_health_and_an_invalid_status_word_are_no_failed_checks() -> None:
    invalid = read(Evaluated(value={"status": "Fine"}))
    assert invalid is not None
    assert failures.conditions({WEB: Health(HealthCode.DEGRADED, "x", "Failed"), JOB: invalid}) == ()


@pytest.mark.parametrize(
    "value",
    [
        {"apiVersion": "apps/v1", "kind": "Deployment", "status": "fine"},
        {"apiVersion": "apps/v1", "kind": "Deployment", "status": {"observedGeneration": 1, "conditions": ["fine"]}},
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "status": {"observedGeneration": "many"}},
        {"apiVersion": "v1", "kind": "Pod", "status": {"containerStatuses": "none"}},
        {"apiVersion": "batch/v1", "kind": "Job", "status": ["done"]},
    ],
)
def test_an_object_that_has_not_the_form_of_its_kind_cannot_be_checked(value: Object) -> None:
    found = assess({**value, "metadata": {"name": "x", "generation": 1}})
    assert found is not None
    assert (found.status, found.reason in failures.FAILED) == (HealthCode.UNKNOWN, True)
