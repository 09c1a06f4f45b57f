"""What `check` says that an API server would refuse, beside what a real one does refuse: the same fields and words."""

import copy
import itertools

import pytest

from syncline import wiring
from syncline.apimachinery import pod_security, yaml
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.schema import resources
from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.rules.sources import name_refused
from syncline.core.diagnose.rules.workloads import schedule_refused
from tests.real.api import Api

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: web, image: "example/web:1"}]
"""
CRON = schedule_refused.RULE.good
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: b}\n"
CHANGES: tuple[tuple[str, str, object], ...] = (
    (POD, "metadata.name", "Web_Front"),
    (POD, "metadata.name", "w" * 254),
    (POD, "metadata.labels", {"app": "web front"}),
    (POD, "metadata.labels", {"app": "-x", "a b": "c"}),
    (POD, "metadata.labels", {"app": "x" * 64}),
    (POD, "metadata.annotations", {"a/b/c": "x"}),
    (POD, "metadata.annotations", {"Upper.Example/Name": "x"}),
    (POD, "spec.containers.0.name", "Web"),
    (POD, "spec.containers.0.ports", [{"containerPort": 80, "name": "http_web"}]),
    (POD, "spec.containers.0.ports", [{"containerPort": 99999}]),
    (POD, "spec.containers.0.resources", {"requests": {"memory": "1Gi"}, "limits": {"memory": "64Mi"}}),
    (POD, "spec.containers.0.volumeMounts", [{"name": "data", "mountPath": "/data"}]),
    (POD, "spec.containers.0.livenessProbe", {"tcpSocket": {"port": 70000}}),
    (POD, "spec.containers.0.env", [{"name": ""}]),
    (POD, "spec.restartPolicy", "Sometimes"),
    (SERVICE, "metadata.name", "web.front"),
    (SERVICE, "metadata.name", "1web"),
    (SERVICE, "spec.ports", [{"port": 80}, {"port": 443}]),
    (SERVICE, "spec.ports", [{"port": 80, "name": "Web"}]),
    (SERVICE, "spec.ports", [{"port": 0}]),
    (SERVICE, "spec.ports", [{"port": 80, "name": "a"}, {"port": 80, "name": "b"}]),
    (CONFIG, "data", {"bad key": "x"}),
    (CONFIG, "metadata.name", "web.settings-2"),
    (CRON, "metadata.name", "a" * 53),
    (CRON, "metadata.name", "a" * 52),
    (CRON, "spec.jobTemplate.spec.template.spec.restartPolicy", "Always"),
    (CRON, "spec.timeZone", "Europe/Berln"),
    (CRON, "spec.timeZone", "Local"),
    *(
        (CRON, "spec.schedule", schedule)
        for schedule in (
            "0 25 * * *", "* * * *", "0 0 * * 7", "0 0 * * sun", "0 0 0 * *", "*/0 * * * *", "5-1 * * * *",
            "1-2-3 * * * *", "1/2/3 * * * *", "a * * * *", "-1 * * * *", "0 0 * jan-dec mon,wed", "60 * * * *",
            "@hourly", "@every 1h30m", "@every soon", "@sometimes", "TZ=UTC 0 0 * * *", "0 0 ? * *", "*/5 * * * *",
            "1,,2 * * * *", "5/10 * * * *", "0 0 31 2 *",
        )
    ),
)  # fmt: skip


def changed(text: str, path: str, value: object) -> Object:
    """Return the object of a text with another value at a path."""
    obj: Object = copy.deepcopy(yaml.load(text.encode(), source="test"))
    *above, last = path.split(".")
    holder: object = obj
    for step in above:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]  # type: ignore[index]
    holder[last] = value  # type: ignore[index]
    return obj


def refused(api: Api, namespace: str, obj: Object) -> set[str]:
    """Return what a real API server refuses, each with its field."""
    gvk = gvk_of(obj)
    resource = resources.for_group_kind(gvk.group_kind)
    assert resource is not None
    base = f"/apis/{gvk.api_version}" if gvk.group else "/api/v1"
    path = f"{base}/namespaces/{namespace}/{resource.plural}?dryRun=All&fieldValidation=Strict"
    code, answer = api.request("POST", path, obj)
    if code in (200, 201):
        return set()
    assert code == 422, answer
    return {f"{one['field']}: {one['message']}" for one in answer["details"]["causes"]}


@pytest.mark.parametrize(("text", "path", "value"), CHANGES)
def test_the_judge_says_what_a_real_api_server_says(
    text: str, path: str, value: object, api: Api, namespace: str
) -> None:
    obj = changed(text, path, value)
    assert {str(one) for one in wiring.judge()(obj)} == refused(api, namespace, obj)


SPECS = (
    "hostNetwork: true",
    "securityContext: {seLinuxOptions: {type: spc_t, user: root}}",
    "securityContext: {sysctls: [{name: net.ipv4.tcp_notsent_lowat, value: '1'}]}",
    "securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}",
    "securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}",
    "hostUsers: false",
    "volumes: [{name: a, hostPath: {path: /}}]",
)
CONTAINERS = (
    "stdin: false",
    "readinessProbe: {httpGet: {path: /, port: 80, host: example.com}}",
    "lifecycle: {preStop: {tcpSocket: {port: 80, host: a}}}",
    "securityContext: {privileged: true}",
    "securityContext: {allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: {drop: [ALL]}}",
    "securityContext: {seLinuxOptions: {role: a}}",
)
PODS = (
    *itertools.product(SPECS, CONTAINERS),
    ("hostUsers: false", "securityContext: {procMount: Unmasked}"),
    ("os: {name: windows}", "stdin: false"),
)


@pytest.mark.parametrize("level", ["baseline", "restricted"])
@pytest.mark.parametrize(("spec", "container"), PODS)
def test_levels_of_pod_security_forbid_what_a_real_api_server_forbids(
    level: str, spec: str, container: str, api: Api
) -> None:
    labels = {f"{pod_security.PREFIX}enforce": level}
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"psa-{level}", "labels": labels}}
    assert api.request("POST", "/api/v1/namespaces", body)[0] in (201, 409)
    text = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: web}}
spec:
  {spec}
  serviceAccountName: default
  automountServiceAccountToken: false
  containers:
    - name: web
      image: example/web:1
      {container}
"""
    pod = yaml.load(text.encode(), source="test")
    code, answer = api.request("POST", f"/api/v1/namespaces/psa-{level}/pods?dryRun=All", pod)
    assert code in (201, 403), answer
    told = [f"{short} ({full})" for short, full in pod_security.violations(pod["spec"], level)]
    words = answer.get("message", "").partition("violates PodSecurity ")[2]
    assert words == (f'"{level}:latest": {", ".join(told)}' if told else ""), answer


@pytest.mark.parametrize("rule", [name_refused.RULE, schedule_refused.RULE], ids=lambda rule: rule.code)
def test_a_real_api_server_refuses_the_bad_example_and_takes_the_good_one(rule: Rule, api: Api, namespace: str) -> None:
    bad, good = (yaml.load(text.encode(), source="test") for text in (rule.bad, rule.good))
    assert refused(api, namespace, bad)
    assert refused(api, namespace, good) == set()
