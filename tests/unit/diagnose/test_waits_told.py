"""What waits says whom it waits for: a later wave for the object before it, a deletion for what a finalizer holds."""

from typing import Any

from syncline.apimachinery.keys import key_of
from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.explain import explain
from syncline.core.diagnose.subjects import App
from syncline.model.decision import Decision, DecisionKind, Step, StepKind, Wait
from syncline.model.finding import Finding
from syncline.model.reason import Reason
from tests.support.objects import application_object, config_map, deployment, desired
from tests.unit.diagnose.app_cases import live, look

SINCE = "2026-03-01T08:00:00Z"


def told(app: App, code: str) -> list[Finding]:
    return list(engine.run([check for check in registry.checks(App) if check.rule.code == code], app))


def waiting(kind: DecisionKind, *, waits: bool = True, **rest: Any) -> App:
    """Return an app of a Deployment and a ConfigMap, with a sync or a deletion that waits for the first."""
    wait = Wait(key=key_of(deployment()), reason=Reason.WAITING_FOR_HEALTH, message="0 of 1 ready")
    step = Step(kind=StepKind.WAIT, reason=Reason.WAITING_FOR_HEALTH, waits=(wait,) if waits else ())
    decision = Decision(kind=kind, reason=Reason.OPERATION_RUNNING, step=step)
    return look(wanted=desired(deployment(), config_map()), decision=decision, **rest)


def test_an_object_of_a_later_wave_follows_from_what_the_sync_waits_for() -> None:
    app = waiting(DecisionKind.PROCEED, live=[live(deployment())])
    (missing,) = told(app, "LIV-102")
    assert (missing.subject, missing.effect_of) == ("ConfigMap/settings", "Deployment/web")
    assert "has not reached it yet" in missing.message
    shown = explain(app.assessment, app.decision).findings
    assert [one.effect_of for one in shown if one.subject == "ConfigMap/settings"] == ["Deployment/web"]


def test_an_object_that_no_sync_waits_before_stands_for_itself() -> None:
    (missing,) = told(waiting(DecisionKind.PROCEED, waits=False, live=[live(deployment())]), "LIV-102")
    assert missing.effect_of == ""


def test_a_deletion_that_waits_is_no_sync() -> None:
    held = live(deployment())
    held["metadata"] |= {"deletionTimestamp": SINCE, "finalizers": ["example.io/guard"]}
    app = application_object(
        metadata={"deletionTimestamp": SINCE, "finalizers": ["resources-finalizer.argocd.argoproj.io"]}
    )
    (found,) = told(waiting(DecisionKind.TEAR_DOWN, app=app, live=[held, live(config_map())]), "LIV-110")
    assert found.message.startswith(f"shop has been terminating since {SINCE}, and waits for Deployment/web")
    assert found.fix is not None
    assert "the controller of example.io runs, which removes example.io/guard" in found.fix.text


def test_a_sync_that_waits_is_no_deletion() -> None:
    (found,) = told(waiting(DecisionKind.PROCEED, live=[live(deployment()), live(config_map())]), "LIV-110")
    assert found.message.startswith("the sync waits for Deployment/web")
    assert found.fix is None
