"""Generators that are about clusters give parameters only for those that the set may see."""

from typing import Any

import pytest

from syncline.core.appset.generate import generate
from syncline.core.appset.questions import (
    ClustersQuestion,
    ConfigMapQuestion,
    ObjectsQuestion,
    PermittedClusters,
    Question,
)
from syncline.model.cluster import KnownCluster

EAST = KnownCluster(server="https://east.example", name="east")
DECISIONS = ({"status": {"clusters": [{"cluster": name} for name in ("east", "west", "in-cluster")]}},)
DECISION = {"clusterDecisionResource": {"configMapRef": "duck", "name": "fleet"}}


def servers(generator: Any, seen: PermittedClusters) -> list[str]:
    answers: dict[Question, Any] = {
        ClustersQuestion(): seen,
        ConfigMapQuestion("duck"): {"apiVersion": "rules.example/v1", "kind": "placements", "matchKey": "cluster"},
        ObjectsQuestion("rules.example/v1", "placements", "fleet"): DECISIONS,
    }
    template = {"metadata": {"name": "{{name}}"}, "spec": {}}
    spec = {"generators": [generator], "template": template}
    return [one.values["server"] for one in generate({"metadata": {"name": "set"}, "spec": spec}, answers)]


@pytest.mark.parametrize("generator", [{"clusters": {}}, DECISION], ids=["clusters", "decisions"])
def test_the_cluster_of_the_installation_is_not_made_up_for_those_who_may_not_see_it(generator: Any) -> None:
    assert servers(generator, PermittedClusters((EAST,), has_local=False)) == ["https://east.example"]
    assert sorted(servers(generator, PermittedClusters((EAST,), has_local=True))) == [
        "https://east.example",
        "https://kubernetes.default.svc",
    ]
    assert servers(generator, PermittedClusters((), has_local=False)) == []
