"""ApplicationSets that fail are symptoms of their own: the apps they should make are not there to show it."""

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.graph.diagnose import diagnose
from tests.support.sick_fleet import Fleet, condition, made

MISSING_KEY = (
    'failed to execute go template {{.folder}}: template: :1:2: executing "" at <.folder>: map has no entry for key '
    '"folder" (did you mean foldr?), with the parameters of tenants/b.yaml:1'
)


def fleet_with(*conditions: dict[str, str], **status: Any) -> Fleet:
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    add_set(fleet, *conditions, **status)
    return fleet


def add_set(fleet: Fleet, *conditions: dict[str, str], **status: Any) -> Object:
    generators = [{"git": {"repoURL": "https://git.example.com/tenants.git", "files": [{"path": "tenants/*.yaml"}]}}]
    template = {"spec": {"source": {"repoURL": "https://git.example.com/deploy.git"}}}
    spec = {"generators": generators, "template": template}
    given = {"conditions": list(conditions), **status}
    return fleet.add(made("argoproj.io/v1alpha1", "ApplicationSet", "argocd", "tenants", spec=spec, status=given))


def failing(message: str, reason: str = "RenderTemplateParamsError") -> dict[str, str]:
    return condition("ErrorOccurred", "True", reason, message)


def test_a_set_that_fails_beside_healthy_apps_is_a_cause() -> None:
    found = diagnose(fleet_with(failing(MISSING_KEY)).snapshot())
    (cause,) = found.causes
    assert (cause.finding.code, str(cause.thing)) == ("APS-001", "ApplicationSet/tenants in argocd")
    assert MISSING_KEY in cause.finding.message
    assert [str(one.place) for one in cause.finding.evidence if one.place] == ["tenants/b.yaml:1"]
    assert cause.finding.fix is not None
    assert "call it folder in tenants/b.yaml" in cause.finding.fix.text


def test_a_failing_set_is_no_app() -> None:
    found = diagnose(fleet_with(failing(MISSING_KEY)).snapshot())
    assert (found.total, found.good, found.counts) == (1, 1, {"ApplicationSet failing": 1})
    assert (found.causes[0].affected, found.untold, found.unexplained) == ((), (), ())
    assert [step.good_after for step in found.repairs] == [1]


def test_a_failing_set_without_any_app_is_a_cause_too() -> None:
    fleet = Fleet()
    add_set(fleet, failing(MISSING_KEY))
    assert [cause.finding.code for cause in diagnose(fleet.snapshot()).causes] == ["APS-001"]


def test_a_set_that_is_up_to_date_or_rolls_out_has_no_cause() -> None:
    fine = condition("ErrorOccurred", "False", "ApplicationSetUpToDate", "All applications have been generated")
    rolling = condition("RolloutProgressing", "True", "ApplicationSetModified", "ApplicationSet is performing rollout")
    found = diagnose(fleet_with(fine, rolling).snapshot())
    assert (found.causes, found.counts, found.good) == ((), {}, 1)


def test_a_repository_that_does_not_answer_is_one_cause_for_apps_and_sets() -> None:
    said = "failed to list refs: dial tcp: lookup git.example.com: no such host"
    fleet = fleet_with(failing(said, "ApplicationGenerationFromParamsError"))
    fleet.compare_error("web", f"Failed to load target state: {said}")
    (cause,) = diagnose(fleet.snapshot()).causes
    assert (cause.finding.code, cause.thing.name, cause.affected) == ("SRC-201", "git.example.com", ("argocd/web",))


def test_deletions_that_wait_for_approval_have_the_command() -> None:
    said = "2 of 3 Applications would be deleted (a, b); approve with: syncline appset approve argocd/tenants 0a1b2c3d"
    (cause,) = diagnose(fleet_with(failing(said)).snapshot()).causes
    assert cause.finding.fix is not None
    assert cause.finding.fix.command == "syncline appset approve argocd/tenants 0a1b2c3d"
    assert "approve with" not in cause.finding.message
