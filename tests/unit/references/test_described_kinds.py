"""Kinds of operators whose references are data: each file can be used, and says what its operator's API says."""

import pytest

from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.yaml import YamlError
from syncline.core.references import knowledge
from syncline.core.references.read import references


def test_every_file_can_be_used() -> None:
    kinds = knowledge.described()
    assert GroupKind("external-secrets.io", "ExternalSecret") in kinds
    for kind in sorted(kinds):
        assert knowledge.rules_for(kind), kind


def test_a_kind_that_nobody_described_has_no_rules() -> None:
    assert knowledge.rules_for(GroupKind("example.com", "Widget")) is None
    assert knowledge.rules_for(GroupKind("..", "..")) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"references: [{path: spec.a}]", "kind"),
        (b"references: [{path: spec.a, kind: Secret, make: true}]", "make"),
        (b"reference: []", "reference"),
    ],
)
def test_a_file_with_a_mistake_is_named(text: bytes, words: str) -> None:
    with pytest.raises(YamlError, match=words) as raised:
        knowledge.read(text, "a.example/Widget/references.yaml")
    assert "a.example/Widget/references.yaml" in str(raised.value)


def test_a_rollout_names_what_its_pods_need_and_its_services() -> None:
    rollout = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "strategy": {"canary": {"stableService": "web"}},
            "template": {"spec": {"containers": [{"name": "web", "envFrom": [{"secretRef": {"name": "login"}}]}]}},
        },
    }
    named = {(one.key.kind, one.key.name) for one in references(rollout)}
    assert {("Service", "web"), ("Secret", "login")} <= named
