"""Which of 10,000 objects a project permits, as it is asked on every look at an app."""

from __future__ import annotations

import time

from bench.rows import Row
from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy import projects
from syncline.model import project
from syncline.model.application import Destination

_KINDS = (("apps", "Deployment"), ("", "ConfigMap"), ("", "Service"), ("batch", "Job"), ("", "Secret"))


def rows() -> list[Row]:
    """Measure processor time of one question about all objects, in 40 namespaces of five kinds."""
    keys = [ObjectKey(*_KINDS[number % 5], f"team-{number % 40}", f"object-{number}") for number in range(9_500)]
    keys += [ObjectKey("rbac.authorization.k8s.io", "ClusterRole", "", f"team-{number}") for number in range(500)]
    typed = project.parse(
        {
            "metadata": {"name": "team"},
            "spec": {
                "destinations": [{"server": "https://a", "namespace": f"team-{number}*"} for number in range(20)]
                + [{"server": "*", "namespace": "!team-7"}],
                "clusterResourceWhitelist": [{"group": "*", "kind": "ClusterRole", "name": "team-1*"}],
                "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}, {"group": "policy", "kind": "*"}],
            },
        }
    )
    there = Destination(server="https://a", namespace="team-1")
    begin = time.process_time()
    denied = projects.denied_keys(keys, there, typed)
    figure = (time.process_time() - begin) * 1000
    assert 0 < len(denied) < len(keys)
    return [Row(name="project check of 10,000 objects", figure=figure, unit="ms", at_most=100)]
