"""The wave an object asks for, and the rank of its kind within a wave."""

import pytest

from syncline.core.sync.waves import kind_rank, wave_of
from syncline.model import names
from tests.support.objects import config_map

WAVE, WEIGHT = names.SYNC_WAVE, names.HELM_HOOK_WEIGHT


@pytest.mark.parametrize(
    ("annotations", "wave"),
    [
        ({}, 0),
        ({WAVE: "3"}, 3),
        ({WAVE: "-3"}, -3),
        ({WAVE: "+3"}, 3),
        ({WEIGHT: "4"}, 4),
        ({WAVE: "3", WEIGHT: "4"}, 3),
        ({WAVE: "three", WEIGHT: "4"}, 4),
        ({WAVE: "", WEIGHT: "4"}, 4),
        ({WAVE: "1.5"}, 0),
        ({WAVE: " 3"}, 0),
        ({WAVE: "1_0"}, 0),
        ({WAVE: "٣"}, 0),
        ({WAVE: "three", WEIGHT: "four"}, 0),
    ],
)
def test_the_wave_is_a_whole_number_else_the_helm_weight_else_zero(annotations: dict[str, str], wave: int) -> None:
    assert wave_of(config_map(annotations=annotations)) == wave


RANKED = """
Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret
SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole
ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet
Pod ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress
APIService Anything
"""


def test_kinds_are_ranked_and_unknown_ones_come_last() -> None:
    kinds = RANKED.split()
    assert [kind_rank(kind) for kind in kinds] == list(range(len(kinds)))
    assert kind_rank("Widget") == kind_rank("Anything")
