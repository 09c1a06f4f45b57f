"""Faults that an engineer on call met while breaking apps by hand; see `tests.support.breakages`."""

from __future__ import annotations

from tests.support.breakages import CLAIM, MOUNTED, PORTS, Breakage, deployment, namespace

MODE = CLAIM.replace("fast-ssd", "standard").replace("[ReadWriteOnce]", "[ReadWriteMeny]")
QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata:
  name: small
  annotations: {argocd.argoproj.io/sync-wave: "-1"}
spec:
  hard:
    requests.cpu: 500m
"""
TWO_PORTS = """\
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
  ports:
    - name: web
      port: 80
      targetPort: http
    - name: figures
      port: 9090
      targetPort: htpp
"""
STATEFUL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
spec:
  serviceName: db
  replicas: 1
  selector:
    matchLabels: {app: db}
  template:
    metadata:
      labels: {app: db}
    spec:
      containers:
        - name: main
          image: example/db:1
          volumeMounts: [{name: data, mountPath: /data}]
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: fast-ssd
        resources:
          requests:
            storage: 1Gi
"""
RANGE = """\
apiVersion: v1
kind: LimitRange
metadata:
  name: caps
  annotations: {argocd.argoproj.io/sync-wave: "-1"}
spec:
  limits:
    - type: Container
      max:
        memory: 128Mi
"""
REQUESTS = "resources:\n  requests:\n    cpu: {}\n"
LIMITS = "resources:\n  limits:\n    memory: {}\n"

ON_CALL: tuple[Breakage, ...] = (
    Breakage(
        name="cores",
        files={"web.yaml": deployment(container=REQUESTS.format("2cores"))},
        says=(
            'spec.template.spec.containers[0].resources.requests.cpu is "2cores", which is not a quantity',
            "apps/cores/web.yaml:20: 2cores → 2",
        ),
        never=("could not be synced",),
    ),
    Breakage(
        name="spaced",
        files={"web.yaml": deployment(container=LIMITS.format("1G i"))},
        says=("apps/spaced/web.yaml:20: 1G i → 1Gi",),
    ),
    Breakage(
        name="ten",
        files={"claim.yaml": CLAIM.replace("storage: 1Gi", "storage: ten").replace("fast-ssd", "standard")},
        says=(
            'spec.resources.requests.storage is "ten", which is not a quantity',
            "write the amount at apps/ten/claim.yaml:",
            "such as 512Mi or 10Gi",
        ),
        decided=("claim.yaml", "storage: ten", "storage: 10Gi"),
    ),
    Breakage(
        name="mode",
        files={"claim.yaml": MODE, "web.yaml": deployment(pod=MOUNTED)},
        says=(
            "apps/mode/claim.yaml:6: ReadWriteMeny → ReadWriteMany",
            "a volume claim of its pods does not exist, because of PersistentVolumeClaim/data",
        ),
        never=("syncline blame", "no node fits"),
    ),
    Breakage(
        name="two-ports",
        files={"web.yaml": deployment(container=PORTS), "svc.yaml": TWO_PORTS},
        says=("Service/web points to port htpp", "apps/two-ports/svc.yaml:14: htpp → http"),
    ),
    Breakage(
        name="small",
        files={"quota.yaml": QUOTA, "web.yaml": deployment(replicas=3, container=REQUESTS.format("200m"))},
        says=(
            "apps/small/quota.yaml:8: 500m → 600m",
            "raise ResourceQuota/small; then the missing pods are created automatically",
        ),
        never=("by themselves",),
    ),
    Breakage(
        name="pool",
        files={"web.yaml": deployment(pod="nodeSelector:\n  kubernetes.io/hostname: node-b\n")},
        says=("decide: tolerate team=data:NoSchedule at apps/pool/web.yaml:14, or select another",),
        decided=(
            "web.yaml",
            "      nodeSelector:",
            "      tolerations: [{key: team, value: data, effect: NoSchedule}]\n      nodeSelector:",
        ),
    ),
    Breakage(
        name="template",
        files={"db.yaml": STATEFUL},
        says=(
            'PersistentVolumeClaim/data-db-0: StorageClass "fast-ssd" does not exist',
            "apps/template/db.yaml:23: fast-ssd → standard",
            "kubectl delete statefulset.apps db -n template --cascade=orphan",
        ),
    ),
    Breakage(
        name="limited",
        files={"range.yaml": RANGE, "web.yaml": deployment(container=LIMITS.format("512Mi"))},
        says=(
            "a LimitRange of namespace limited sets the maximum memory of a Container to 128Mi, and its limit is 512Mi",
            "apps/limited/web.yaml:20: 512Mi → 128Mi",
        ),
    ),
    Breakage(
        name="guarded",
        files={"web.yaml": deployment()},
        objects=(namespace("guarded", **{"pod-security.kubernetes.io/enforce": "restricted"}),),
        says=(
            'pod security "restricted:latest" denies Deployment/web: allowPrivilegeEscalation != false',
            "apps/guarded/web.yaml:17: add below: securityContext: {allowPrivilegeEscalation: false, capabilities: {",
            "{drop: [ALL]}, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}",
            "change the level of namespace guarded",
        ),
    ),
)
