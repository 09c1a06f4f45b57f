"""Broken apps, each with what `why` must say about it, and which of the printed ways out is followed.

Played by `tests.support.repairs`: broken, explained, repaired by the printed words alone, and healthy again. All files
of a breakage are those of one folder; its namespace has the name of the breakage.
"""

from __future__ import annotations

import dataclasses
import textwrap
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster.controls import Admission
from syncline.sandbox.cluster.outside import KnownImages
from syncline.sandbox.cluster.settings import Container, NodeSpec, OperatorSpec, SandboxSettings
from tests.support.manifests import WIDGETS

AUTO = {"prune": True, "selfHeal": True}
TAINT = {"key": "team", "value": "data", "effect": "NoSchedule"}
PLAYED = SandboxSettings(
    nodes=(
        NodeSpec(name="node-a", cpu="4", memory="8Gi"),
        NodeSpec(name="node-b", cpu="4", memory="8Gi", taints=(TAINT,)),
        NodeSpec(name="node-c", cpu="64", memory="256Gi", labels={"disk": "ssd"}),
        NodeSpec(name="node-d", cpu="96", memory="256Gi", labels={"rack": "4"}, unschedulable=True),
    ),
    containers=(
        Container(
            image="example/crash:1",
            exit_code=1,
            run_seconds=1,
            lines=("starting", 'panic: address ":http" is not valid'),
        ),
        Container(image="example/greedy:1", memory="600Mi"),
        Container(
            image="example/migrate:bad", exit_code=3, lines=("migrating 12 tables", 'ERROR: relation "orders" exists')
        ),
        Container(image="example/migrate:1", exit_code=0),
        Container(
            image="example/unstartable:1", start_error='exec: "serve": executable file not found in $PATH: unknown'
        ),
        Container(image="example/sick:1", live_for=3, probe_error="HTTP probe failed with statuscode: 404"),
        Container(image="example/slow:1", exit_code=0, run_seconds=3600),
        Container(image="example/deaf:1", never_ready=True, probe_error="HTTP probe failed with statuscode: 503"),
    ),
    images=KnownImages(unknown=("*:missing",)),
    operators=(OperatorSpec(name="external-secrets"),),
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Breakage:
    """One broken app. `later` replaces its files once it runs; `others` are more apps, with their files."""

    name: str
    files: dict[str, str]
    says: tuple[str, ...]
    """What must be printed, in these words."""
    never: tuple[str, ...] = ()
    """What must not be printed."""
    later: dict[str, str] | None = None
    objects: tuple[Object, ...] = ()
    """What is in the cluster already."""
    others: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    by_hand: tuple[str, ...] = ()
    """The apps that are not synced automatically."""
    spec: dict[str, Any] = dataclasses.field(default_factory=dict)
    source: dict[str, Any] = dataclasses.field(default_factory=dict)
    admission: tuple[Admission, ...] = ()
    held: str = ""
    """The object (kind and name) that gets a finalizer and is deleted with its namespace."""
    way: int = 0
    """Which way out is followed: 0 is the fix, the others are those behind `or`."""
    decided: tuple[str, str, str] | None = None
    """For a decision: in which file which text is replaced by which; the place must be printed."""
    gives: dict[str, str] = dataclasses.field(default_factory=dict)
    """What somebody puts for the words in capitals of a command."""
    about: str = ""
    """The app that is asked about, if it is another one."""
    heals: bool = True
    """Whether it recovers; a sync window only has to end."""


def deployment(
    name: str = "web",
    *,
    image: str = "example/web:1",
    replicas: int = 1,
    container: str = "",
    pod: str = "",
    app: str = "",
) -> str:
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: {app or name}
  template:
    metadata:
      labels:
        app: {app or name}
    spec:
      containers:
        - name: main
          image: {image}
{textwrap.indent(textwrap.dedent(container), " " * 10)}{textwrap.indent(textwrap.dedent(pod), " " * 6)}"""


def config(name: str, colour: str = "blue") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  colour: {colour}\n"


def hook(phase: str) -> str:
    return f"""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: {phase}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: example/migrate:bad
"""


def namespace(name: str, **labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def quota(name: str, where: str, **hard: str) -> Object:
    amounts = {key.replace("_", "/").replace("requests/", "requests."): value for key, value in hard.items()}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": where},
        "spec": {"hard": amounts},
    }


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast-ssd
  resources:
    requests:
      storage: 1Gi
"""
MOUNTED = "volumes:\n  - name: data\n    persistentVolumeClaim: {claimName: data}\n"
SCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 3
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
"""
ASKS = "resources:\n  requests:\n    cpu: {}\n"
LOGIN = """\
env:
  - name: PASSWORD
    valueFrom:
      secretKeyRef:
        name: login
        key: password
"""
COLOUR = """\
env:
  - name: COLOUR
    valueFrom:
      configMapKeyRef:
        name: conf
        key: color
"""
EXTERNAL = """\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: login
spec:
  secretStoreRef: {kind: SecretStore, name: vault}
  target: {name: login}
  data:
    - secretKey: password
      remoteRef: {key: shop/login, property: password}
"""
WIDGET = "apiVersion: example.io/v1\nkind: Widget\nmetadata:\n  name: {}\nspec:\n  size: 1\n"
SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
  ports:
    - port: 80
      targetPort: http
"""
PORTS = "ports:\n  - name: http\n    containerPort: 8080\n"
PROBE = "readinessProbe:\n  httpGet: {path: /, port: htttp}\n"
HELD = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: held
  finalizers: [backup.example.io/archive]
data: {a: b}
"""
_ADMISSION = "admissionregistration.k8s.io/v1"
_RULES = {
    "apiGroups": ["apps"],
    "apiVersions": ["v1"],
    "operations": ["CREATE", "UPDATE"],
    "resources": ["deployments"],
}
POLICY: tuple[Object, ...] = (
    {
        "apiVersion": _ADMISSION,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "owner-label"},
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {"resourceRules": [_RULES]},
            "validations": [
                {
                    "expression": "has(object.metadata.labels) && 'owner' in object.metadata.labels",
                    "message": "every Deployment needs the label owner",
                }
            ],
        },
    },
    {
        "apiVersion": _ADMISSION,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "owner-label"},
        "spec": {
            "policyName": "owner-label",
            "validationActions": ["Deny"],
            "matchResources": {"namespaceSelector": {"matchLabels": {"policed": "yes"}}},
        },
    },
)
WEBHOOK: Object = {
    "apiVersion": _ADMISSION,
    "kind": "MutatingWebhookConfiguration",
    "metadata": {"name": "replica-keeper"},
    "webhooks": [
        {
            "name": "replicas.example.io",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "clientConfig": {"service": {"namespace": "keepers", "name": "replica-keeper"}},
            "rules": [_RULES],
            "failurePolicy": "Ignore",
        }
    ],
}

BREAKAGES = (
    Breakage(
        name="class",
        files={
            "web.yaml": deployment(container=ASKS.format("100m"), pod=MOUNTED),
            "data.yaml": CLAIM,
            "hpa.yaml": SCALER,
        },
        says=(
            'PersistentVolumeClaim/data: StorageClass "fast-ssd" does not exist (existing: standard)',
            "apps/class/data.yaml:7 storageClassName: fast-ssd",
            "↳ Deployment/web: a volume claim of its pods is not bound, because of PersistentVolumeClaim/data",
        ),
        never=("no node fits",),
    ),
    Breakage(
        name="crash",
        files={"web.yaml": deployment(image="example/crash:1", container=ASKS.format("100m")), "hpa.yaml": SCALER},
        says=(
            "Deployment/web: container main crashed",
            "with exit code 1",
            'log panic: address ":http" is not valid',
            "more kubectl logs -n crash web-",
            "↳ HorizontalPodAutoscaler/web is Degraded",
        ),
        decided=("web.yaml", "example/crash:1", "example/web:1"),
    ),
    Breakage(
        name="crash-later",
        files={"web.yaml": deployment()},
        later={"web.yaml": deployment(image="example/crash:1")},
        says=("with exit code 1", "the image before"),
        way=1,
    ),
    Breakage(
        name="memory",
        files={
            "web.yaml": deployment(image="example/greedy:1", container="resources:\n  limits:\n    memory: 512Mi\n")
        },
        says=("it used more memory than its limit of 512Mi (OOMKilled)", "apps/memory/web.yaml:20 memory: 512Mi"),
        decided=("web.yaml", "512Mi", "1Gi"),
    ),
    Breakage(
        name="presync",
        files={"job.yaml": hook("PreSync"), "web.yaml": deployment()},
        says=(
            "PreSync hook Job/migrate failed: container migrate ended with exit code 3",
            "nothing is applied; waiting: Deployment/web",
            'log ERROR: relation "orders" exists',
            "more kubectl logs -n presync migrate-",
        ),
        never=("--previous",),
        decided=("job.yaml", "migrate:bad", "migrate:1"),
    ),
    Breakage(
        name="postsync",
        files={"job.yaml": hook("PostSync"), "web.yaml": deployment()},
        says=("PostSync hook Job/migrate failed", "everything else is applied", 'log ERROR: relation "orders" exists'),
        decided=("job.yaml", "migrate:bad", "migrate:1"),
    ),
    Breakage(
        name="secret",
        files={"web.yaml": deployment(container=LOGIN)},
        says=(
            "Deployment/web waits for Secret login in namespace secret: it does not exist",
            "apps/secret/web.yaml:22 name: login",
        ),
        gives={"VALUE": "hunter2"},
    ),
    Breakage(
        name="external",
        files={"web.yaml": deployment(container=LOGIN), "login.yaml": EXTERNAL},
        says=(
            "ExternalSecret/login names SecretStore vault in namespace external, which does not exist",
            (
                "↳ Deployment/web waits for Secret login in namespace external: it does not exist; "
                "ExternalSecret/login "
                "should create it, because of ExternalSecret/login"
            ),
        ),
        heals=False,
    ),
    Breakage(
        name="config",
        files={
            "web.yaml": deployment(pod="volumes:\n  - name: conf\n    configMap:\n      name: web-config\n"),
            "conf.yaml": config("web-conf"),
        },
        says=("Deployment/web waits for ConfigMap web-config in namespace config", "web-config → web-conf"),
    ),
    Breakage(
        name="key",
        files={"web.yaml": deployment(container=COLOUR), "conf.yaml": config("conf")},
        says=("waits for key color of ConfigMap conf in namespace key", "apps/key/web.yaml:23: color → colour"),
    ),
    Breakage(
        name="kind",
        files={"a.yaml": WIDGET.format("a"), "b.yaml": WIDGET.format("b"), "web.yaml": deployment()},
        others={"widget-kinds": {"crd.yaml": WIDGETS}},
        by_hand=("widget-kinds",),
        says=(
            (
                "2 objects need Widget (example.io), which the cluster does not serve: app widget-kinds would "
                "deliver it, "
                "and is OutOfSync"
            ),
            "apps/kind/a.yaml:1 Widget/a",
            "fix syncline why widget-kinds",
        ),
        never=("could not find",),
    ),
    Breakage(
        name="immutable",
        files={"web.yaml": deployment()},
        later={"web.yaml": deployment(app="web2")},
        says=(
            "Deployment/web: spec.selector cannot change once the object exists (live web, Git web2)",
            "apps/immutable/web.yaml:9: web2 → web",
            "its pods stop until it is created again",
        ),
    ),
    Breakage(
        name="recreated",
        files={"web.yaml": deployment()},
        later={"web.yaml": deployment(app="web2")},
        says=("kubectl delete deployment.apps web -n recreated && syncline app sync recreated",),
        way=1,
    ),
    Breakage(
        name="webhook",
        files={"cm.yaml": config("bad-a"), "cm2.yaml": config("bad-b")},
        admission=(
            Admission(
                name="names.example.io", kind="ConfigMap", namespace="webhook", object_name="bad*", deny="no bad names"
            ),
        ),
        says=(
            "admission webhook names.example.io denies 2 objects (ConfigMap/bad-a and ConfigMap/bad-b): no bad names",
        ),
        heals=False,
    ),
    Breakage(
        name="policy",
        files={"web.yaml": deployment()},
        objects=(namespace("policy", policed="yes"), *POLICY),
        says=(
            "ValidatingAdmissionPolicy owner-label denies Deployment/web: every Deployment needs the label owner",
            "apps/policy/web.yaml:3",
            "the rule: has(object.metadata.labels)",
        ),
        decided=("web.yaml", "  name: web\n", "  name: web\n  labels: {owner: shop}\n"),
    ),
    Breakage(
        name="quota",
        files={"web.yaml": deployment(replicas=3, container=ASKS.format("500m"))},
        objects=(namespace("quota"), quota("team", "quota", requests_cpu="1")),
        says=(
            "ResourceQuota/team in namespace quota has no room: 1 of 1 requests.cpu used, 500m more wanted",
            "apps/quota/web.yaml:20 cpu: 500m",
        ),
    ),
    Breakage(
        name="fewer",
        files={"web.yaml": deployment(replicas=3, container=ASKS.format("500m"))},
        objects=(namespace("fewer"), quota("team", "fewer", requests_cpu="1")),
        says=("apps/fewer/web.yaml:6: 3 → 2",),
        way=1,
    ),
    Breakage(
        name="count",
        files={"a.yaml": config("a"), "b.yaml": config("b")},
        objects=(namespace("count"), quota("counts", "count", count_configmaps="1")),
        says=("ConfigMap/a and ConfigMap/b: ResourceQuota/counts in namespace count has no room: 1 of 1",),
    ),
    Breakage(
        name="field",
        files={"web.yaml": deployment().replace("replicas:", "replcas:")},
        says=(
            "Deployment/web has no field spec.replcas; did you mean replicas?",
            "apps/field/web.yaml:6: replcas: → replicas:",
        ),
    ),
    Breakage(
        name="twins",
        files={"own.yaml": config("own"), "cm.yaml": config("shared")},
        others={"twin": {"own.yaml": config("own-twin"), "cm.yaml": config("shared", "red")}},
        says=(
            "ConfigMap/shared is delivered by argocd/twins and by argocd/twin; argocd/twins owns it",
            "apps/twins/cm.yaml:1 ConfigMap/shared of argocd/twins",
            "apps/twin/cm.yaml:1 ConfigMap/shared of argocd/twin",
        ),
        heals=False,
    ),
    Breakage(
        name="admission",
        files={"web.yaml": deployment(replicas=2)},
        objects=(WEBHOOK,),
        admission=(
            Admission(name="x.example.io", kind="Deployment", namespace="admission", set_fields={"spec.replicas": 3}),
        ),
        says=(
            "we write spec.replicas 2, and it comes back 3 in the same request",
            "mutating webhooks match such objects: replica-keeper",
            "Self-heal cannot win",
        ),
        never=("backing off", "nothing to do"),
    ),
    Breakage(
        name="ignored",
        files={"web.yaml": deployment(replicas=2)},
        admission=(
            Admission(name="x.example.io", kind="Deployment", namespace="ignored", set_fields={"spec.replicas": 3}),
        ),
        says=('"jsonPointers":["/spec/replicas"]',),
        way=1,
    ),
    Breakage(
        name="window",
        files={"web.yaml": deployment()},
        spec={"project": "nightly"},
        says=("nightly", "'0 0 * * *'", "nothing to do: it is synced automatically at 2030-01-01T23:00:00Z"),
        heals=False,
    ),
    Breakage(
        name="finalizer",
        files={"a.yaml": config("a"), "held.yaml": HELD},
        later={"a.yaml": config("a")},
        says=(
            "ConfigMap/held has been terminating since",
            "the finalizer backup.example.io/archive blocks it; it belongs to the controller of backup.example.io",
        ),
        never=("nothing to do",),
    ),
    Breakage(
        name="namespace",
        files={"web.yaml": deployment()},
        held="Deployment/web",
        says=(
            "the finalizer example.io/guard blocks it",
            "↳ Namespace namespace has been terminating since",
            "Deployment/web holds it: nothing can be created in it",
        ),
    ),
    Breakage(
        name="tag",
        files={"web.yaml": deployment(image="example/web:missing")},
        says=("tag missing is not in docker.io/example/web", "apps/tag/web.yaml:17 image: example/web:missing"),
        decided=("web.yaml", "web:missing", "web:1"),
    ),
    Breakage(
        name="tag-later",
        files={"web.yaml": deployment()},
        later={"web.yaml": deployment(image="example/web:missing")},
        says=("old pods still serve: 1 ready", "apps/tag-later/web.yaml:17: example/web:missing → example/web:1"),
    ),
    Breakage(
        name="cpu",
        files={"web.yaml": deployment(container=ASKS.format('"70"'))},
        says=(
            "1 of 4 has the taint team=data:NoSchedule",
            "1 of 4 is cordoned",
            "2 of 4 have too little cpu",
            "it requests 70",
        ),
    ),
    Breakage(
        name="label",
        files={"web.yaml": deployment(pod="nodeSelector:\n  disk: sdd\n")},
        says=("lack the labels it selects (disk=sdd)", "apps/label/web.yaml:19: sdd → ssd"),
    ),
    Breakage(
        name="probe",
        files={"web.yaml": deployment(image="example/deaf:1", container=PORTS + PROBE)},
        says=(
            "the readinessProbe of container main uses port htttp, which the container does not have (it has: http",
            "apps/probe/web.yaml:22",
            "apps/probe/web.yaml:18 ports: http",
        ),
        heals=False,
    ),
    Breakage(
        name="selector",
        files={"web.yaml": deployment(container=PORTS), "svc.yaml": SERVICE.replace("app: web", "app: wbe")},
        says=(
            "Service/web selects app=wbe, which no pod has; Deployment/web has app=web",
            "apps/selector/svc.yaml:7",
            "apps/selector/web.yaml:13",
        ),
    ),
    Breakage(
        name="port",
        files={"web.yaml": deployment(container=PORTS), "svc.yaml": SERVICE.replace("Port: http", "Port: htp")},
        says=("Service/web points to port htp, which Deployment/web does not have (it has: http)", "htp → http"),
    ),
)
