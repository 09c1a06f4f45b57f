"""What the results of scripts mean: health, offered actions, steps of an action."""

from typing import Any

import pytest

from syncline.core.health import scripts
from syncline.model import actions
from syncline.model.actions import Action, ActionOperation, ActionStep
from syncline.model.errors import InvalidSpec
from syncline.model.health import Health, HealthCode
from syncline.model.script import Evaluated

INVALID = Health(HealthCode.UNKNOWN, "Lua returned an invalid health status", "ScriptStatusInvalid")
NO_TEXT = Health(HealthCode.UNKNOWN, "the health script returned a message that is not a string", "ScriptFailed")


@pytest.mark.parametrize(
    ("value", "health"),
    [
        (None, None),
        ([], None),
        ({}, None),
        ({"status": "Healthy"}, Health(HealthCode.HEALTHY, "", "Script")),
        ({"status": "Degraded", "message": "no quorum"}, Health(HealthCode.DEGRADED, "no quorum", "Script")),
        ({"status": "Suspended", "message": None}, Health(HealthCode.SUSPENDED, "", "Script")),
        ({"status": "Suspended", "message": 5}, NO_TEXT),
        ({"Status": "Missing", "MESSAGE": "gone"}, Health(HealthCode.MISSING, "gone", "Script")),
        ({"status": "Progressing", "other": 1}, Health(HealthCode.PROGRESSING, "", "Script")),
        ({"status": "healthy"}, INVALID),
        ({"status": ""}, INVALID),
        ({"status": {}}, INVALID),
        ({"message": "only words"}, INVALID),
        ("Healthy", Health(HealthCode.UNKNOWN, "the health script did not return a table", "ScriptFailed")),
    ],
)
def test_health_needs_one_of_the_six_words_and_its_message_is_a_text(value: Any, health: Health | None) -> None:
    assert scripts.read(Evaluated(value=value)) == health


def test_a_script_that_failed_makes_the_object_unknown() -> None:
    assert scripts.read(Evaluated(error="the Lua script ran for more than 1 s")) == Health(
        HealthCode.UNKNOWN, "the Lua script ran for more than 1 s", "ScriptFailed"
    )


@pytest.mark.parametrize(
    ("value", "offered"),
    [
        ([], ()),
        ({}, ()),
        ({"restart": [], "pause": {}}, (Action(name="pause"), Action(name="restart"))),
        ({"resume": {"disabled": True}}, (Action(name="resume", disabled=True),)),
        ({"resume": {"disabled": "yes"}}, (Action(name="resume"),)),
        (
            {"scale": {"params": [{"name": "replicas"}, {"other": 1}], "displayName": "Scale", "iconClass": "fa"}},
            (Action(name="scale", parameters=("replicas",), display_name="Scale", icon="fa"),),
        ),
    ],
)
def test_offered_actions_are_read_by_name(value: Any, offered: tuple[Action, ...]) -> None:
    assert actions.offered(value) == offered


OBJ = {"kind": "Deployment"}


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        (OBJ, (ActionStep(ActionOperation.PATCH, OBJ),)),
        ([], ()),
        (
            [{"operation": "create", "resource": {"kind": "Job"}}, {"operation": "patch", "resource": OBJ}],
            (ActionStep(ActionOperation.CREATE, {"kind": "Job"}), ActionStep(ActionOperation.PATCH, OBJ)),
        ),
    ],
)
def test_one_object_is_a_patch_and_a_list_names_its_operations(value: Any, steps: tuple[ActionStep, ...]) -> None:
    assert actions.steps(value) == steps


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (actions.offered, ["restart"], "discovery.lua returned a list (return a table from action name to its"),
        (actions.steps, "x", "action.lua returned no table"),
        (actions.steps, [{"operation": "delete", "resource": OBJ}], "the operation 'delete' (use patch or create)"),
        (actions.steps, [{"operation": "patch"}], "an operation without a resource"),
        (actions.steps, ["patch"], "an operation without a resource"),
    ],
)
def test_results_of_another_shape_are_refused_in_one_sentence(read: Any, value: Any, sentence: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        read(value)
    assert sentence in str(caught.value)
