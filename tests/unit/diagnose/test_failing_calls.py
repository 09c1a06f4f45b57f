"""Programs that run and are ready and fail their callers: what their logs, alerts and the objects around them tell."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.core.diagnose.graph.workloads.log_lines import plain
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.model.snapshot import PodLog
from tests.support.sick_fleet import HOURS_AGO, NODES, Fleet, condition, hold, made

OFTEN = 5


def fleet_of(*names: str) -> Fleet:
    fleet = Fleet()
    for name in names:
        fleet.deploy(name)
    return fleet


def prints(fleet: Fleet, name: str, line: str, *after: str, times: int = OFTEN) -> None:
    """Let the pods of a workload print a line again and again."""
    for pod in fleet.pods(name):
        fleet.logs.append(PodLog(key_of(pod), "main", (*[line] * times, *after)))


def told(fleet: Fleet, name: str, variable: str, value: str) -> None:
    """Give a variable to the containers of a workload."""
    for spec in fleet.change(name):
        spec["containers"][0].setdefault("env", []).append({"name": variable, "value": value})


def alert(name: str = "Errors", words: str = "too many errors", **labels: str) -> Object:
    return {
        "annotations": {"summary": words},
        "endsAt": "2030-01-01T00:00:00Z",
        "startsAt": HOURS_AGO,
        "status": {"state": "active"},
        "labels": {"alertname": name, "severity": "critical", "namespace": "shop", **labels},
    }


def found(fleet: Fleet, *alerts: Object) -> Diagnosis:
    return diagnose(msgspec.structs.replace(fleet.snapshot(with_apps=False), alerts=alerts))


def only(fleet: Fleet, *alerts: Object) -> RootCause:
    (cause,) = found(fleet, *alerts).causes
    return cause


def fix_of(cause: RootCause) -> str:
    assert cause.finding.fix is not None
    fix = cause.finding.fix
    return " ".join([*(str(edit) for edit in fix.edits), fix.command, fix.text])


# -- Addresses


def test_a_port_that_the_service_does_not_have_is_corrected_where_it_is_set() -> None:
    fleet = fleet_of("web", "cart")
    told(fleet, "web", "CART", "cart:81")
    prints(fleet, "web", "error: dial tcp 10.96.0.9:81: connect: connection refused")
    cause = only(fleet)
    assert str(cause.thing) == "Deployment/web in shop"
    assert "calls cart:81, a port that Service cart does not have (80); CART says so" in cause.finding.message
    assert "env[0].value of Deployment/web to cart:80" in fix_of(cause)


def test_a_port_in_a_file_of_a_config_map_is_found_there() -> None:
    fleet = fleet_of("web", "cart")
    fleet.get("ConfigMap", "web-config")["data"]["proxy.conf"] = "proxy_pass http://cart:81;"
    prints(fleet, "web", 'connect() failed (111: Connection refused), upstream: "http://10.96.0.9:81/"')
    assert "proxy.conf of ConfigMap/web-config says so" in only(fleet).finding.message


@pytest.mark.parametrize(
    "line",
    [
        "error: dial tcp cart:80: connect: connection refused",
        "error: failed to export spans to cart:81: connection refused",
        "info: cart:81 is fine",
    ],
    ids=["the right port", "spans", "no complaint"],
)
def test_nothing_is_said_about_an_address_that_may_be_right(line: str) -> None:
    fleet = fleet_of("web", "cart")
    told(fleet, "web", "CART", "cart:81")
    prints(fleet, "web", line)
    assert found(fleet).causes == ()


def test_a_complaint_that_is_over_is_over() -> None:
    fleet = fleet_of("web", "cart")
    prints(fleet, "web", "error: dial tcp cart:81: connection refused", *["ok"] * 6)
    assert found(fleet).causes == ()


def test_a_complaint_that_was_printed_once_tells_nothing() -> None:
    fleet = fleet_of("web", "cart")
    prints(fleet, "web", "error: dial tcp cart:81: connection refused", times=1)
    assert found(fleet).causes == ()


def test_a_host_that_no_service_has_is_named() -> None:
    fleet = fleet_of("web", "cart")
    told(fleet, "web", "CART", "carts:80")
    prints(fleet, "web", "Error: getaddrinfo ENOTFOUND carts")
    cause = only(fleet)
    assert "no Service carts exists in namespace shop; CART names it" in cause.finding.message
    assert "near: cart" in fix_of(cause)


def test_a_host_outside_the_cluster_is_not_called_absent() -> None:
    fleet = fleet_of("web")
    prints(fleet, "web", "Error: getaddrinfo ENOTFOUND api.example.com")
    assert found(fleet).causes == ()


# -- Policies


def closed(fleet: Fleet) -> None:
    spec = {"podSelector": {"matchLabels": {"app": "db"}}, "policyTypes": ["Ingress"]}
    fleet.add(made("networking.k8s.io/v1", "NetworkPolicy", "shop", "closed", spec=spec))


def test_a_policy_that_keeps_several_from_calling_is_one_cause() -> None:
    fleet = fleet_of("web", "api", "db")
    closed(fleet)
    prints(fleet, "web", "error: dial tcp db:80: i/o timeout")
    told(fleet, "api", "DB", "db:80")
    prints(fleet, "api", "error: command timed out after 10 seconds")
    cause = only(fleet)
    assert str(cause.thing) == "NetworkPolicy/closed in shop"
    assert "Deployment/api in shop and Deployment/web in shop from calling db:80" in cause.finding.message


def test_a_call_that_is_refused_got_through() -> None:
    fleet = fleet_of("web", "db")
    closed(fleet)
    prints(fleet, "web", "error: dial tcp db:80: connection refused")
    assert found(fleet).causes == ()


def test_a_policy_that_keeps_one_program_from_calling_two_is_one_cause() -> None:
    fleet = fleet_of("web", "db", "cart")
    spec = {"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Egress"]}
    fleet.add(made("networking.k8s.io/v1", "NetworkPolicy", "shop", "shut", spec=spec))
    prints(fleet, "web", "error: dial tcp db:80: i/o timeout", "error: dial tcp cart:80: i/o timeout")
    assert "from calling cart:80 and db:80" in only(fleet).finding.message


def mesh_policy(fleet: Fleet, app: str) -> None:
    spec = {"selector": {"matchLabels": {"app": app}}, "rules": [{"from": [{"source": {"principals": ["x"]}}]}]}
    fleet.add(made("security.istio.io/v1", "AuthorizationPolicy", "shop", "only-x", spec=spec))


def test_a_policy_of_the_mesh_that_denies_is_named() -> None:
    fleet = fleet_of("web", "db")
    mesh_policy(fleet, "db")
    prints(fleet, "web", '403 Forbidden from GET http://db/x: "RBAC: access denied"')
    assert str(only(fleet).thing) == "AuthorizationPolicy/only-x in shop"


def test_a_policy_of_the_mesh_for_others_is_not() -> None:
    fleet = fleet_of("web", "db", "other")
    mesh_policy(fleet, "other")
    prints(fleet, "web", '403 Forbidden from GET http://db/x: "RBAC: access denied"')
    assert found(fleet).causes == ()


def mesh_tls(mode: str) -> Fleet:
    fleet = fleet_of("web", "db")
    spec: dict[str, Any] = {"host": "db.shop.svc.cluster.local", "trafficPolicy": {"tls": {"mode": "DISABLE"}}}
    fleet.add(made("networking.istio.io/v1", "DestinationRule", "shop", "db", spec=spec))
    fleet.add(made("security.istio.io/v1", "PeerAuthentication", "shop", "default", spec={"mtls": {"mode": mode}}))
    prints(fleet, "web", "503 from http://db/x: upstream connect error, reset reason: connection termination")
    return fleet


def test_two_sides_that_disagree_on_tls_are_named() -> None:
    cause = only(mesh_tls("STRICT"))
    assert "makes its pods take mutual TLS only (STRICT)" in cause.finding.message
    assert "tls.mode of DestinationRule/db to ISTIO_MUTUAL" in fix_of(cause)


def test_pods_that_take_both_are_not_blamed() -> None:
    assert found(mesh_tls("PERMISSIVE")).causes == ()


# -- Alerts, and what they lead to


def test_an_alert_about_a_caller_is_proof_of_what_it_calls() -> None:
    fleet = fleet_of("web", "cart", "db")
    told(fleet, "web", "CART", "cart:80")
    told(fleet, "cart", "DB", "db:80")
    fleet.crashes("db", code=137, reason="OOMKilled")
    answer = found(fleet, alert(service="web"))
    (cause,) = answer.causes
    assert "Deployment/db" in str(cause.thing)
    assert "shop/Service/web" in cause.affected
    assert any("alert Errors" in one.text for one in cause.finding.evidence)
    assert answer.unexplained == ()


def test_an_alert_about_something_that_calls_others_is_not() -> None:
    fleet = fleet_of("web", "cart", "db")
    told(fleet, "web", "CART", "cart:80")
    fleet.crashes("db", code=137, reason="OOMKilled")
    answer = found(fleet, alert(service="web"))
    assert answer.causes[0].affected == ("shop/Deployment/db", "shop/Service/db")
    assert "nothing that was read explains it" in answer.unexplained[0].message


WORDS = "OOM command not allowed when used memory > 'maxmemory'"


def test_the_last_program_that_complains_is_named_for_want_of_better() -> None:
    fleet = fleet_of("web", "cart", "cache")
    told(fleet, "web", "CART", "cart:80")
    told(fleet, "cart", "CACHE", "cache:80")
    prints(fleet, "web", "error: 500 from http://cart/x")
    prints(fleet, "cart", f"error: {WORDS}")
    cause = only(fleet, alert(service="web"))
    assert str(cause.thing) == "Deployment/cart in shop"
    assert WORDS in cause.finding.message


def test_what_several_complain_about_is_named_instead() -> None:
    fleet = fleet_of("web", "api", "cache")
    for name in ("web", "api"):
        told(fleet, name, "CACHE", "cache:80")
        prints(fleet, name, f"error: cache: {WORDS}")
    cause = only(fleet, alert(service="web"), alert(service="api"))
    assert str(cause.thing) == "Deployment/cache in shop"
    assert "Deployment/api in shop and Deployment/web in shop complain about it" in cause.finding.message


def test_who_answered_with_an_error_is_named_and_not_who_got_it() -> None:
    fleet = fleet_of("web", "auth")
    prints(fleet, "web", "error: 429 Too Many Requests from POST http://auth/token")
    cause = only(fleet, alert(service="web"))
    assert str(cause.thing) == "Deployment/auth in shop"
    assert "Deployment/web in shop complains about it" in cause.finding.message


def test_without_an_alert_nobody_is_hurt_by_a_complaint() -> None:
    fleet = fleet_of("web")
    prints(fleet, "web", "error: wrong password for user 17")
    assert found(fleet).causes == ()


def test_words_are_not_named_where_there_is_a_cause() -> None:
    fleet = fleet_of("web", "cart", "db")
    told(fleet, "web", "CART", "cart:80")
    told(fleet, "web", "DB", "db:80")
    prints(fleet, "cart", "error: wrong password for user 17")
    fleet.crashes("db", code=137, reason="OOMKilled")
    answer = found(fleet, alert(service="web"))
    assert [str(one.thing) for one in answer.causes] == ["Deployment/db in shop"]
    assert answer.unexplained == ()


def test_words_of_a_program_that_explain_no_alert_are_not_named() -> None:
    fleet = fleet_of("web", "queue")
    told(fleet, "web", "QUEUE", "queue:80")
    prints(fleet, "queue", "error: access to vhost refused")
    fleet.crashes("web", code=137, reason="OOMKilled")
    assert [str(one.thing) for one in found(fleet, alert(deployment="web")).causes] == ["Deployment/web in shop"]


# -- What makes programs slow


def throttled(limit: str | None) -> Fleet:
    fleet = fleet_of("web", "cart")
    told(fleet, "web", "CART", "cart:80")
    if limit is not None:
        for spec in fleet.change("cart"):
            spec["containers"][0]["resources"]["limits"]["cpu"] = limit
    prints(fleet, "web", "error: deadline exceeded, remote_addr=cart:80")
    return fleet


SLOW = alert("CPUThrottlingHigh", "98% throttling of CPU", pod="cart-5d7f-0", container="main")


def test_a_cpu_limit_that_throttles_is_named_with_whom_it_holds_up() -> None:
    cause = only(throttled("15m"), SLOW)
    assert "container main is throttled by its CPU limit of 15m" in cause.finding.message
    assert "shop/Deployment/web" in cause.affected


def test_without_a_limit_nothing_throttles() -> None:
    answer = found(throttled(None), SLOW)
    assert not any("throttled by" in one.finding.message for one in answer.causes)


def scaled(reason: str) -> Fleet:
    fleet = fleet_of("web")
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    wanted = {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 60}}}
    now = {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 150}}}
    limited = condition("ScalingLimited", "True", reason, "the desired replica count is more than the maximum")
    fleet.add(
        made(
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            "shop",
            "web",
            spec={"maxReplicas": 2, "scaleTargetRef": target, "metrics": [wanted]},
            status={"currentMetrics": [now], "conditions": [limited]},
        )
    )
    return fleet


def test_an_autoscaler_at_its_maximum_is_named_with_what_would_do() -> None:
    cause = only(scaled("TooManyReplicas"), alert(service="web"))
    assert "at its maximum of 2 replicas and would run more: cpu is at 150%" in cause.finding.message
    assert "5 would meet the target" in fix_of(cause)


def test_an_autoscaler_at_its_minimum_is_not() -> None:
    assert found(scaled("TooFewReplicas"), alert(service="web")).causes == ()


def test_an_autoscaler_at_its_maximum_hurts_nobody_by_itself() -> None:
    assert found(scaled("TooManyReplicas")).causes == ()


def test_a_full_database_is_the_cause_and_not_its_callers() -> None:
    fleet = fleet_of("web", "api", "db")
    for name in ("web", "api"):
        told(fleet, name, "DB", "db:80")
        prints(fleet, name, "error: FATAL: sorry, too many clients already")
    prints(fleet, "db", "FATAL:  sorry, too many clients already")
    for spec in fleet.change("db"):
        spec["containers"][0]["args"] = ["-c", "max_connections=20"]
    cause = only(fleet)
    assert "Deployment/db in shop" in str(cause.thing)
    assert "max_connections is 20" in cause.finding.message
    assert "let Deployment/api in shop and Deployment/web in shop open fewer" in fix_of(cause)


def killed_before(finished: str) -> Fleet:
    fleet = fleet_of("web")
    for pod in fleet.pods("web"):
        status = pod["status"]["containerStatuses"][0]
        status["restartCount"] = 7
        status["lastState"] = {"terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": finished}}
    return fleet


def test_a_container_that_is_killed_again_and_again_is_told_between_two_times() -> None:
    cause = only(killed_before("2026-03-02T11:50:00Z"), alert(service="web"))
    assert "killed for using too much memory" in cause.finding.message


def test_one_that_was_killed_long_ago_is_not() -> None:
    assert found(killed_before(HOURS_AGO), alert(service="web")).causes == ()


# -- Who else gets the requests


def sharing(image: str) -> Fleet:
    fleet = fleet_of("web", "cart", "mock")
    for spec in fleet.change("mock"):
        spec["containers"][0]["image"] = image
    for pod in fleet.pods("mock"):
        pod["metadata"]["labels"] = {"app": "cart", "mock": "yes"}
    fleet.drop("Service", "mock")
    prints(fleet, "web", "error: 404 from GET http://cart/items")
    return fleet


def test_pods_of_another_program_behind_a_service_are_named() -> None:
    cause = only(sharing("mockserver:5"))
    assert str(cause.thing) == "Deployment/mock in shop"
    assert "gets part of the traffic of Service cart, which is meant for Deployment/cart" in cause.finding.message


def test_another_version_of_the_same_program_is_meant_to_share() -> None:
    assert found(sharing("registry.example.com/cart:1.5")).causes == ()


# -- Settings


def flagged(mounted: bool) -> Fleet:
    fleet = fleet_of("web", "flags")
    told(fleet, "web", "FLAGS", "flags:80")
    fleet.add(made("v1", "ConfigMap", "shop", "switches", data={"flags.json": '{"payFailure": {"state": "on"}}'}))
    for spec in fleet.change("flags") if mounted else ():
        spec["volumes"] = [{"name": "switches", "configMap": {"name": "switches"}}]
    prints(fleet, "web", "error: charge failed: payFailure is enabled")
    return fleet


def test_a_setting_that_the_log_names_is_looked_up_where_it_is_read() -> None:
    cause = only(flagged(mounted=True), alert(service="web"))
    assert str(cause.thing) == "ConfigMap/switches in shop"
    assert "names the setting payFailure, which flags.json of ConfigMap/switches" in cause.finding.message


def test_a_config_map_that_nobody_reads_is_not_blamed() -> None:
    cause = only(flagged(mounted=False), alert(service="web"))
    assert str(cause.thing) == "Deployment/web in shop"


# -- Experiments, networks, names


def experiment(phase: str) -> Fleet:
    fleet = fleet_of("web", "cart")
    record = {"id": "shop/cart-5d7f-0", "phase": phase}
    fleet.add(
        made(
            "chaos-mesh.org/v1alpha1",
            "NetworkChaos",
            "chaos",
            "slow",
            spec={"action": "delay", "delay": {"latency": "3s"}},
            status={"experiment": {"containerRecords": [record]}},
        )
    )
    prints(fleet, "web", "error: timeout, serverEndpoint: cart:80")
    return fleet


def test_an_experiment_on_whom_a_program_calls_is_named() -> None:
    cause = only(experiment("Injected"))
    assert "a chaos experiment and runs now: delay (latency 3s) on cart-5d7f-0" in cause.finding.message
    assert "kubectl delete -n chaos networkchaos slow" in fix_of(cause)


def test_an_experiment_that_is_over_is_not() -> None:
    assert found(experiment("Not Injected")).causes == ()


def proxied(node: str) -> Fleet:
    """Return a fleet in which kube-proxy crashes on a node, and a program on the first one gets no answer."""
    fleet = fleet_of("web", "cart")
    template = {
        "metadata": {"labels": {"k8s-app": "kube-proxy"}},
        "spec": {"containers": [{"name": "p", "image": "p"}]},
    }
    spec = {"selector": {"matchLabels": {"k8s-app": "kube-proxy"}}, "template": template}
    status = {"desiredNumberScheduled": 1, "numberReady": 0, "numberUnavailable": 1}
    top = fleet.add(made("apps/v1", "DaemonSet", "kube-system", "kube-proxy", spec=spec, status=status))
    fleet.pod(top, "kube-proxy-1", template, node=node)["metadata"]["labels"] |= {"app": "kube-proxy"}
    fleet.crashes("kube-proxy", code=1, namespace="kube-system")
    fleet.drop("Pod", "web-5d7f-1")
    prints(fleet, "web", "error: connect timed out: http://cart/x")
    return fleet


def test_a_program_gets_no_answer_where_the_network_of_its_node_is_down() -> None:
    (cause,) = [one for one in found(proxied(NODES[0])).causes if "kube-proxy" in str(one.thing)]
    assert "shop/Deployment/web" in cause.affected


def test_the_network_of_another_node_does_not_matter() -> None:
    (cause,) = [one for one in found(proxied(NODES[1])).causes if "kube-proxy" in str(one.thing)]
    assert "shop/Deployment/web" not in cause.affected


def without_sandbox(node: str) -> Fleet:
    fleet = proxied(node)
    fleet.logs = []
    for pod in fleet.pods("web"):
        hold(pod, {"waiting": {"reason": "ContainerCreating"}})
        fleet.event(pod, "FailedCreatePodSandBox", "failed to setup network for sandbox")
    return fleet


def test_pods_without_a_sandbox_wait_for_the_network_of_their_node() -> None:
    assert "kube-proxy" in str(only(without_sandbox(NODES[0])).thing)


def test_pods_without_a_sandbox_do_not_wait_for_that_of_another() -> None:
    assert "network of node node-a" in {str(one.thing) for one in found(without_sandbox(NODES[1])).causes}


def test_names_that_are_not_resolved_lead_to_what_serves_them() -> None:
    fleet = fleet_of("web")
    fleet.deploy("coredns", namespace="kube-system")
    fleet.get("Service", "coredns", "kube-system")["metadata"]["name"] = "kube-dns"
    fleet.get("Deployment", "coredns", "kube-system", "apps")["spec"]["replicas"] = 0
    for pod in fleet.pods("coredns", "kube-system"):
        del fleet.objects[key_of(pod)]
    prints(fleet, "web", "Error: 14 UNAVAILABLE: Name resolution failed for target dns:cart:80")
    cause = only(fleet)
    assert "Deployment/coredns in kube-system is scaled to zero" in cause.finding.message
    assert "shop/Deployment/web" in cause.affected


def test_a_probe_that_fails_because_of_whom_its_program_calls_is_an_effect() -> None:
    fleet = fleet_of("web", "hub")
    fleet.crashes("hub", code=137, reason="OOMKilled")
    for pod in fleet.pods("web"):
        status = pod["status"]["containerStatuses"][0]
        status |= {"ready": False, "state": {"running": {"startedAt": HOURS_AGO}}}
        pod["status"]["conditions"] = [condition("Ready", "False", "ContainersNotReady")]
    prints(fleet, "web", "warning: stream closed: dial tcp: lookup hub.shop.svc:80: connection refused")
    assert str(only(fleet).thing) == "Deployment/hub in shop"


# -- Operators


def operated(line: str) -> Fleet:
    fleet = fleet_of("web", "operator")
    waiting = condition("Ready", "False", "Creating", "waiting for instances")
    fleet.add(made("db.example.io/v1", "Cluster", "shop", "cards", spec={}, status={"conditions": [waiting]}))
    fleet.crashes("web", "java.net.UnknownHostException: cards")
    prints(fleet, "operator", line)
    return fleet


DENIED = (
    '{"msg":"Reconciler error","controller":"cluster","object":{"name":"cards","namespace":"shop"},"error":'
    '"statefulsets.apps is forbidden: User \\"system:serviceaccount:shop:op\\" cannot create resource '
    '\\"statefulsets\\" in API group \\"apps\\" in the namespace \\"shop\\""}'
)


def test_a_service_that_an_operator_may_not_make_is_traced_to_its_account() -> None:
    cause = only(operated(DENIED))
    assert "account shop/op may not create statefulsets.apps in namespace shop" in cause.finding.message
    assert "shop/Deployment/web" in cause.affected


def test_an_operator_that_complains_about_another_object_is_not_blamed() -> None:
    answer = found(operated(DENIED.replace('"cards"', '"others"')))
    (cause,) = [one for one in answer.causes if "shop/Deployment/web" in one.affected]
    assert str(cause.thing) == "Cluster/cards in shop"


# -- Volumes


def full(*claims: str) -> Fleet:
    fleet = fleet_of("web")
    for claim in claims:
        wanted = {"accessModes": ["ReadWriteOnce"], "storageClassName": "standard"}
        status = {"phase": "Bound", "capacity": {"storage": "5Gi"}}
        fleet.add(made("v1", "PersistentVolumeClaim", "shop", claim, spec=wanted, status=status))
    for spec in fleet.change("web"):
        spec["volumes"] = [{"name": one, "persistentVolumeClaim": {"claimName": one}} for one in claims]
        spec["containers"][0]["volumeMounts"] = [{"name": one, "mountPath": f"/var/{one}"} for one in claims]
    fleet.crashes("web", "java.io.IOException: No space left on device", "ERROR shutting down: all logs failed")
    return fleet


def test_a_full_volume_is_named() -> None:
    cause = only(full("data"))
    assert str(cause.thing) == "PersistentVolumeClaim/data in shop"
    assert "(5Gi) is full" in cause.finding.message
    assert "class standard does not let PersistentVolumeClaim/data grow" in fix_of(cause)


def test_of_two_volumes_none_is_blamed_without_a_word() -> None:
    assert str(only(full("data", "logs")).thing) == "Deployment/web in shop"


# -- Lines


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"level":"error","msg":"failed","error":"no \\"x\\""}', 'failed: no "x"'),
        ('{"msg":"failed","attr":{"error":{"errmsg":"not authorized"}}}', "failed: not authorized"),
        ('{"@mt":"Consume error","@x":"Unknown topic"}', "Consume error: Unknown topic"),
        ("plain words", "plain words"),
        ('{"msg":"cut of', '{"msg":"cut of'),
        ('{"level":"info"}', '{"level":"info"}'),
        ("{}", "{}"),
    ],
)
def test_a_line_printed_as_json_is_told_by_its_words(line: str, said: str) -> None:
    assert plain(line) == said


def test_a_long_chain_of_calls_is_followed_to_its_end() -> None:
    names = [f"s{number}" for number in range(260)]
    fleet = Fleet()
    for name in names:
        fleet.deploy(name, replicas=1)
    for name, called in itertools.pairwise(names):
        prints(fleet, name, f"error: dial tcp {called}:80: connection refused")
    fleet.crashes(names[-1], code=137, reason="OOMKilled")
    cause = only(fleet)
    assert str(cause.thing) == "Deployment/s259 in shop"
    assert "shop/Deployment/s0" in cause.affected
