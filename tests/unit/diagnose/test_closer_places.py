"""Faults that show far from where they are: what is named is the place that somebody has to change."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.core.diagnose.graph.workloads.log_lines import telling
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.model.snapshot import PodLog
from tests.support.sick_fleet import HOURS_AGO, NODES, Fleet, condition, made, owned


def fleet_of(*names: str) -> Fleet:
    fleet = Fleet()
    for name in names or ("web",):
        fleet.deploy(name)
    return fleet


def found(fleet: Fleet) -> Diagnosis:
    return diagnose(fleet.snapshot(with_apps=False))


def only(fleet: Fleet) -> RootCause:
    (cause,) = found(fleet).causes
    return cause


def fix_of(cause: RootCause) -> str:
    assert cause.finding.fix is not None
    return f"{cause.finding.fix.command} {cause.finding.fix.text}"


# -- Addresses in log lines


@pytest.mark.parametrize(
    ("line", "host", "port"),
    [
        ("2026-05-07T04:45:20.352Z ERROR link failure: Connection refused db:3306", "db", "3306"),
        ("connection timed out: cache/10.96.3.14:6379", "cache", "6379"),
        ("Unable to connect to cache/<unresolved>:6379; connection timed out", "cache", "6379"),
        ("2026-05-07 04:45:20,352 WARN dial tcp 10.1.2.3:5432: i/o timeout", "10.1.2.3", "5432"),
    ],
)
def test_an_address_is_read_whatever_stands_before_it(line: str, host: str, port: str) -> None:
    told = telling([line])
    assert told is not None
    assert (told.host, told.port) == (host, port)


def test_the_time_of_a_line_is_not_an_address() -> None:
    told = telling(["2026-05-07T04:45:20.352Z ERROR request timed out"])
    assert told is not None
    assert told.host == ""


# -- Nodes


def lost(fleet: Fleet) -> None:
    unknown = condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
    fleet.get("Node", NODES[0], "")["status"]["conditions"] = [unknown]


def stranded() -> Fleet:
    """Return a fleet with a StatefulSet whose only pod is being deleted and still there."""
    fleet = fleet_of("web")
    template = {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "main", "image": "db:1"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "db"}}, "template": template, "serviceName": "db"}
    top = fleet.add(made("apps/v1", "StatefulSet", "shop", "db", spec=spec))
    pod = fleet.pod(top, "db-0", template, node=NODES[0])
    pod["metadata"]["deletionTimestamp"] = HOURS_AGO
    pod["status"]["conditions"] = [condition("Ready", "False")]
    return fleet


def test_a_pod_that_nobody_ends_is_an_effect_of_its_lost_node() -> None:
    fleet = stranded()
    lost(fleet)
    (cause,) = [one for one in found(fleet).causes if "shop/StatefulSet/db" in one.affected]
    assert "node node-a does not report any more" in cause.finding.message


def test_a_pod_that_is_stuck_on_a_good_node_is_told_itself() -> None:
    cause = only(stranded())
    assert "Pod/db-0 in shop is stuck in deletion" in cause.finding.message
    assert "kubelet" in fix_of(cause)


FULL = 'failed to pull and unpack image "web:2": failed to extract layer: write /var/lib/x: no space left on device'


def test_an_image_that_finds_no_room_is_a_matter_of_the_node() -> None:
    fleet = fleet_of("web")
    fleet.get("Deployment", "web", group="apps")["spec"]["replicas"] = 1
    fleet.drop("Pod", "web-5d7f-1")
    fleet.waits("web", "ErrImagePull", FULL)
    cause = only(fleet)
    assert str(cause.thing) == "Node/node-a"
    assert "no space left on its disk" in cause.finding.message
    assert "free space" in fix_of(cause)


def test_an_image_that_is_not_there_is_not_a_matter_of_the_node() -> None:
    fleet = fleet_of("web")
    fleet.waits("web", "ErrImagePull", 'failed to resolve reference "web:2": web:2: not found')
    assert "is not in its registry" in only(fleet).finding.message


def test_cordoned_nodes_are_counted_together() -> None:
    fleet = fleet_of("web")
    for name in NODES:
        fleet.get("Node", name, "")["spec"]["unschedulable"] = True
    fleet.unscheduled("web", "0/3 nodes are available: 3 node(s) were unschedulable.")
    assert only(fleet).finding.message.endswith("3 of 3 are cordoned")


# -- Images


def test_the_tag_before_is_the_way_back() -> None:
    fleet = fleet_of("web")
    middle = fleet.get("ReplicaSet", "web-5d7f", group="apps")
    older = copy.deepcopy(middle)
    older["metadata"] |= {"name": "web-1111", "uid": "older", "creationTimestamp": "2026-02-01T08:00:00Z"}
    older["spec"]["replicas"] = 0
    older["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example.com/web:1.3"
    fleet.add(older)
    fleet.waits("web", "ErrImagePull", "manifest unknown")
    cause = only(fleet)
    assert "(1.3 of the same repository ran before)" in cause.finding.message
    assert "go back to 1.3, which ran before" in fix_of(cause)


def of_one_repository(tag: str) -> Fleet:
    """Return a fleet in which programs are told apart by tags of one repository."""
    fleet = fleet_of("web", "cart", "mail")
    for name, this in (("web", tag), ("cart", "1.4-cart"), ("mail", "1.4-mail")):
        for spec in fleet.change(name):
            spec["containers"][0]["image"] = f"registry.example.com/demo:{this}"
        for pod in fleet.pods(name):
            pod["status"]["containerStatuses"][0]["image"] = f"registry.example.com/demo:{this}"
    fleet.waits("web", "ErrImagePull", "manifest unknown")
    return fleet


def test_the_tag_of_another_program_is_no_way_back() -> None:
    cause = only(of_one_repository("1.4-recomendation"))
    assert "runs here" not in cause.finding.message
    assert "cart" not in fix_of(cause)


def test_a_tag_that_is_spelled_almost_the_same_is() -> None:
    assert "go back to 1.4-cart" in fix_of(only(of_one_repository("1.4-carts")))


# -- Memory


def killed(limit: str | None, **env: str) -> Fleet:
    fleet = fleet_of("web")
    for spec in fleet.change("web"):
        spec["containers"][0]["env"] = [{"name": name, "value": value} for name, value in env.items()]
    if limit is not None:
        deployment = fleet.get("Deployment", "web", group="apps")
        del deployment["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
        default = {"type": "Container", "default": {"memory": limit}}
        fleet.add(made("v1", "LimitRange", "shop", "small", spec={"limits": [default]}))
    fleet.crashes("web", code=137, reason="OOMKilled")
    return fleet


def test_a_limit_that_a_limit_range_gave_is_changed_there() -> None:
    cause = only(killed("131072Ki"))
    assert str(cause.thing) == "LimitRange/small in shop"
    assert "which LimitRange/small gives to containers without one" in cause.finding.message


def test_a_limit_range_that_gives_another_limit_is_not_blamed() -> None:
    assert str(only(killed("1Gi")).thing) == "Deployment/web in shop"


def test_a_heap_that_does_not_fit_is_named() -> None:
    cause = only(killed(None, JAVA_OPTS="-Xms64m -Xmx2g"))
    assert "-Xmx2g in JAVA_OPTS lets its heap alone grow to that" in cause.finding.message
    assert "lower -Xmx2g" in fix_of(cause)


def test_a_heap_that_fits_is_not() -> None:
    assert "Xmx" not in only(killed(None, JAVA_OPTS="-Xmx64m")).finding.message


# -- Configuration


def configured(line: str, **mount: Any) -> Fleet:
    fleet = fleet_of("web")
    fleet.add(made("v1", "ConfigMap", "shop", "rules", data={"main.conf": "x", "other.conf": "y"}))
    for spec in fleet.change("web"):
        spec["volumes"] = [{"name": "rules", "configMap": {"name": "rules"}}]
        spec["containers"][0]["volumeMounts"] = [{"name": "rules", "mountPath": "/etc/web", **mount}]
        spec["containers"][0]["env"] = [{"name": "CACHE_TTL", "value": "2s"}, {"name": "MODE", "value": "fast"}]
    fleet.crashes("web", line)
    return fleet


def test_a_file_that_a_config_map_holds_is_corrected_there() -> None:
    cause = only(configured("/etc/web/main.conf:9 - error: unknown directive 'forwrd'"))
    assert str(cause.thing) == "ConfigMap/rules in shop"
    assert "correct line 9 of main.conf in ConfigMap/rules of shop" in fix_of(cause)


def test_a_file_mounted_alone_is_found_as_well() -> None:
    line = "error: unknown directive in /etc/web.conf"
    cause = only(configured(line, mountPath="/etc/web.conf", subPath="main.conf"))
    assert str(cause.thing) == "ConfigMap/rules in shop"


@pytest.mark.parametrize("path", ["/etc/webs/main.conf", "/etc/web/absent.conf", "/usr/lib/main.conf"])
def test_a_file_of_the_image_is_not_looked_for_in_a_config_map(path: str) -> None:
    assert str(only(configured(f"{path}:9 - error: unknown directive")).thing) == "Deployment/web in shop"


def test_a_file_that_an_earlier_line_names_is_found_as_well() -> None:
    fleet = configured("==> failed to parse /etc/web/main.conf: 1 error occurred:")
    fleet.logs = [PodLog(one.pod, one.container, (*one.lines, "\t* invalid key forwrd")) for one in fleet.logs]
    cause = only(fleet)
    assert str(cause.thing) == "ConfigMap/rules in shop"
    assert "invalid key forwrd" in cause.finding.message


def test_the_variable_whose_value_is_not_accepted_is_named() -> None:
    cause = only(configured('panic: strconv.Atoi: parsing "2s": invalid syntax'))
    assert "correct variable CACHE_TTL" in fix_of(cause)


def test_a_value_that_no_variable_has_is_not() -> None:
    assert "variable" not in fix_of(only(configured('panic: strconv.Atoi: parsing "3s": invalid syntax')))


# -- Probes


def probed(said: str, seconds: int, **probe: int) -> Fleet:
    """Return a fleet in which a container is ended by its liveness probe after so many seconds."""
    fleet = fleet_of("web")
    for spec in fleet.change("web"):
        spec["containers"][0]["livenessProbe"] = {"httpGet": {"path": "/live", "port": "http"}, **probe}
    fleet.crashes("web", code=143)
    for pod in fleet.pods("web"):
        ended = pod["status"]["containerStatuses"][0]["lastState"]["terminated"]
        ended |= {"startedAt": "2026-03-02T11:50:00Z", "finishedAt": f"2026-03-02T11:{50 + seconds // 60}:00Z"}
        fleet.event(pod, "Unhealthy", f"Liveness probe failed: {said}")
    return fleet


def test_a_program_that_is_ended_while_it_starts_needs_more_time() -> None:
    cause = only(probed("connection refused", 60, initialDelaySeconds=10, periodSeconds=5, failureThreshold=5))
    assert "is ended by its probe: its livenessProbe" in cause.finding.message
    assert "longer to start than the 35s that the livenessProbe allows, by a startupProbe" in fix_of(cause)


def test_a_program_that_ran_for_long_before_does_not() -> None:
    assert "startupProbe" not in fix_of(only(probed("connection refused", 540)))


def test_an_answer_that_comes_too_late_needs_more_time() -> None:
    cause = only(probed("context deadline exceeded", 540, timeoutSeconds=2))
    assert "raise timeoutSeconds of the livenessProbe above 2" in fix_of(cause)


# -- Jobs that are waited for


def waiting_for(job: str) -> Fleet:
    fleet = fleet_of("web")
    template = {"spec": {"containers": [{"name": "migrate", "image": "migrate:1"}], "restartPolicy": "Never"}}
    failed = condition("Failed", "True", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    top = fleet.add(
        made("batch/v1", "Job", "shop", "migrate-42", spec={"template": template}, status={"conditions": [failed]})
    )
    ended = {"exitCode": 1, "reason": "Error", "finishedAt": HOURS_AGO}
    container = {"name": "migrate", "image": "migrate:1", "ready": False, "state": {"terminated": ended}}
    pod = owned(top, "v1", "Pod", "migrate-42-x", spec={**template["spec"], "nodeName": NODES[0]})
    pod["status"] = {"phase": "Failed", "containerStatuses": [container]}
    fleet.add(pod)
    fleet.logs.append(PodLog(key_of(pod), "migrate", ("error: column already exists",)))
    for spec in fleet.change("web"):
        spec["initContainers"] = [{"name": "wait", "image": "wait:1", "args": ["job", job]}]
    for one in fleet.pods("web"):
        _initialising(one)
    return fleet


def _initialising(pod: Object) -> None:
    running = {"name": "wait", "image": "wait:1", "ready": False, "state": {"running": {"startedAt": HOURS_AGO}}}
    pod["status"] = {
        "phase": "Pending",
        "initContainerStatuses": [running],
        "conditions": [condition("Ready", "False")],
    }


def test_what_waits_for_a_failed_job_is_an_effect_of_it() -> None:
    cause = only(waiting_for("migrate-42"))
    assert str(cause.thing) == "Job/migrate-42 in shop"
    assert "shop/Deployment/web" in cause.affected


def test_what_waits_for_another_job_is_told_apart() -> None:
    assert {str(one.thing) for one in found(waiting_for("migrate-43")).causes} == {
        "Job/migrate-42 in shop",
        "Deployment/web in shop",
    }


def test_the_fleet_of_these_tests_is_well_without_a_fault() -> None:
    assert found(fleet_of("web", "db")).causes == ()
