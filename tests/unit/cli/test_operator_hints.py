"""Where an Application lacks kinds that the sandbox could play, the operator is named, once."""

from __future__ import annotations

from typing import Any

import pytest

from syncline import wiring
from syncline.cli.run.operator_hints import OperatorHints


def app(**status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "shop", "namespace": "argocd"},
        "status": status,
    }


def result(message: str) -> dict[str, Any]:
    return {"operationState": {"phase": "Failed", "syncResult": {"resources": [{"message": message}]}}}


CERTIFICATE = (
    'The Kubernetes API could not find cert-manager.io/Certificate for requested resource a/b. Make sure the "'
)
ROLLOUT = 'no matches for kind "Rollout" in version "argoproj.io/v1alpha1"'


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (
            result(CERTIFICATE),
            ["shop needs Certificate of cert-manager.io: the sandbox can play it, start again with "],
        ),
        (
            {"conditions": [{"message": ROLLOUT}]},
            ["shop needs Rollout of argoproj.io: the sandbox can play it, start "],
        ),
        (result(ROLLOUT.replace("Rollout", "Workflow")), []),
        (result("The Kubernetes API could not find example.io/Widget for requested resource a/b."), []),
        ({}, []),
    ],
)
def test_an_operator_is_offered_once(status: dict[str, Any], told: list[str]) -> None:
    said: list[str] = []
    hints = OperatorHints(wiring.operator_groups(), said.append)
    hints(app(**status))
    hints(app(**status))
    assert [line[: len(told[0])] if told else line for line in said] == told


def test_an_operator_that_is_there_is_not_offered() -> None:
    said: list[str] = []
    OperatorHints(wiring.operator_groups(without=["cert-manager"]), said.append)(app(**result(CERTIFICATE)))
    assert said == []
