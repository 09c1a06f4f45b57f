"""The words of the API server for conflicts."""

import pytest

from syncline.apimachinery import merge

KUBECTL = {"manager": "kubectl-client-side-apply", "operation": "Update", "api_version": "apps/v1"}


@pytest.mark.parametrize(
    ("conflicts", "message"),
    [
        (
            [merge.FieldConflict(**KUBECTL, path=".spec.replicas")],
            'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
        ),
        (
            [merge.FieldConflict(manager="argocd", operation="Apply", api_version="apps/v1", path=".spec.replicas")],
            'Apply failed with 1 conflict: conflict with "argocd": .spec.replicas',
        ),
        (
            [merge.FieldConflict(**KUBECTL, subresource="scale", path=".spec.replicas")],
            (
                'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" with subresource "scale"'
                " using apps/v1: .spec.replicas"
            ),
        ),
        (
            [
                merge.FieldConflict(manager="argocd", operation="Apply", path=".spec.paused"),
                merge.FieldConflict(**KUBECTL, path=".spec.replicas"),
                merge.FieldConflict(**KUBECTL, path='.spec.template.spec.containers[name="app"].image'),
            ],
            (
                'Apply failed with 3 conflicts: conflicts with "argocd":\n'
                "- .spec.paused\n"
                'conflicts with "kubectl-client-side-apply" using apps/v1:\n'
                "- .spec.replicas\n"
                '- .spec.template.spec.containers[name="app"].image'
            ),
        ),
    ],
)
def test_conflicts_are_worded_as_the_api_server_does(conflicts: list[merge.FieldConflict], message: str) -> None:
    assert merge.conflict_message(conflicts) == message


def test_causes_name_owner_and_field() -> None:
    assert merge.conflict_causes([merge.FieldConflict(**KUBECTL, path=".spec.replicas")]) == [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "kubectl-client-side-apply" using apps/v1',
            "field": ".spec.replicas",
        }
    ]
