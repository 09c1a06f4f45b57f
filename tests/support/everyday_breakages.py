"""Broken apps of every day: switches, names of stores, ports that are taken, volumes; see `tests.support.breakages`."""

from __future__ import annotations

from tests.support.breakages import CLAIM, EXTERNAL, LOGIN, MOUNTED, PORTS, SCALER, Breakage, config, deployment

NODE_PORT = """\
apiVersion: v1
kind: Service
metadata:
  name: {}
spec:
  type: NodePort
  ports:
    - port: 80
      nodePort: 31999
"""
STORE = """\
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata:
  name: vault
spec:
  provider: {aws: {service: SecretsManager, region: eu-west-1}}
"""
MOUNTED_KEY = """\
volumes:
  - name: conf
    configMap:
      name: conf
      items: [{key: color, path: color}]
"""
LIVENESS = "livenessProbe:\n  httpGet: {path: /helthz, port: http}\n"
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: import
spec:
  activeDeadlineSeconds: 5
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: import
          image: example/slow:1
"""

EVERYDAY = (
    Breakage(
        name="paused",
        files={"web.yaml": deployment().replace("  replicas: 1\n", "  replicas: 1\n  paused: true\n")},
        says=(
            "Deployment/web is Suspended: Deployment is paused",
            "apps/paused/web.yaml:7: paused: true → paused: false",
        ),
    ),
    Breakage(
        name="store-name",
        files={
            "web.yaml": deployment(container=LOGIN),
            "login.yaml": EXTERNAL.replace("name: vault", "name: vualt"),
            "store.yaml": STORE,
        },
        says=(
            "ExternalSecret/login names SecretStore vualt in namespace store-name, which does not exist",
            "apps/store-name/login.yaml:6: vualt → vault",
            "↳ Deployment/web waits for Secret login",
        ),
        never=("LIV-106",),
    ),
    Breakage(
        name="shrunk",
        files={"web.yaml": deployment(pod=MOUNTED), "data.yaml": CLAIM.replace("fast-ssd", "standard")},
        later={
            "web.yaml": deployment(pod=MOUNTED),
            "data.yaml": CLAIM.replace("fast-ssd", "standard").replace("1Gi", "500Mi"),
        },
        says=("apps/shrunk/data.yaml:10: 500Mi → 1Gi", "a volume cannot shrink"),
    ),
    Breakage(
        name="taken-port",
        files={"a.yaml": NODE_PORT.format("a")},
        # Of two that are applied at once either may be the first.
        later={"a.yaml": NODE_PORT.format("a"), "b.yaml": NODE_PORT.format("b")},
        says=("another spec.ports[0].nodePort at apps/taken-port/b.yaml:9", "Service/a in taken-port has 31999"),
        decided=("b.yaml", "      nodePort: 31999\n", ""),
    ),
    Breakage(
        name="unstartable",
        files={"web.yaml": deployment(image="example/unstartable:1")},
        says=("container main cannot be started", "the image has no such program"),
        never=("kubectl logs", "what the log names"),
        decided=("web.yaml", "example/unstartable:1", "example/web:1"),
    ),
    Breakage(
        name="mounted-key",
        files={"web.yaml": deployment(pod=MOUNTED_KEY), "conf.yaml": config("conf")},
        says=("waits for key color of ConfigMap conf in namespace mounted-key", "web.yaml:22: color → colour"),
    ),
    Breakage(
        name="liveness",
        files={"web.yaml": deployment(image="example/sick:1", container=PORTS + LIVENESS)},
        says=(
            "the livenessProbe of container main (GET /helthz) fails: HTTP probe failed with statuscode: 404",
            "apps/liveness/web.yaml:22",
        ),
        never=("what the log names",),
        heals=False,
    ),
    Breakage(
        name="requests",
        files={"web.yaml": deployment(), "hpa.yaml": SCALER},
        says=("how much cpu container main requests (resources.requests.cpu) at apps/requests/web.yaml:16",),
        decided=(
            "web.yaml",
            "image: example/web:1\n",
            "image: example/web:1\n          resources: {requests: {cpu: 1m}}\n",
        ),
        heals=False,
    ),
    Breakage(
        name="deadline",
        files={"job.yaml": JOB},
        says=(
            "Job was active longer than specified deadline",
            "spec.activeDeadlineSeconds at apps/deadline/job.yaml:6",
        ),
        heals=False,
    ),
)
