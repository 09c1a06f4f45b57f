"""More broken apps: sources, versions, names of other objects, nodes; see `tests.support.breakages`."""

from __future__ import annotations

from tests.support.breakages import (
    ASKS,
    CLAIM,
    MOUNTED,
    PORTS,
    SCALER,
    SERVICE,
    WIDGET,
    Breakage,
    config,
    deployment,
    namespace,
)

INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  rules:
    - host: shop.example.com
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {}
                port:
                  number: {}
"""
APART = """\
affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - labelSelector: {matchLabels: {app: web}}
        topologyKey: kubernetes.io/hostname
"""
ATTRACTED = """\
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions: [{key: disk, operator: In, values: [nvme]}]
"""

MORE = (
    Breakage(
        name="path",
        files={"web.yaml": deployment()},
        source={"path": "apps/pth"},
        says=("apps/pth: app path does not exist (nearest existing path: apps/path)",),
        never=("Failed to load target state", "Syncline retries"),
    ),
    Breakage(
        name="branch",
        files={"web.yaml": deployment()},
        source={"targetRevision": "mian"},
        says=("unable to resolve 'mian' to a commit SHA (did you mean main?)", "app set branch --revision main"),
    ),
    Breakage(
        name="project",
        files={"web.yaml": deployment()},
        spec={"project": "defualt"},
        says=("project defualt which does not exist", "syncline app set project --project default"),
    ),
    Breakage(
        name="yaml",
        files={"web.yaml": deployment().replace("  replicas: 1", "\treplicas: 1")},
        says=("apps/yaml/web.yaml:6", "YAML takes no tabs"),
        decided=("web.yaml", "\treplicas", "  replicas"),
    ),
    Breakage(
        name="version",
        files={"web.yaml": deployment().replace("apps/v1", "app/v1")},
        says=(
            "Deployment/web is of app/v1 Deployment, which the cluster does not serve",
            "did you mean apps/v1 Deployment?",
            "apps/version/web.yaml:1: app/v1 → apps/v1",
        ),
    ),
    Breakage(
        name="spelled",
        files={"web.yaml": deployment().replace("kind: Deployment", "kind: Deploymnet")},
        says=("apps/spelled/web.yaml:2: Deploymnet → Deployment",),
    ),
    Breakage(
        name="removed",
        files={
            "job.yaml": "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: a\nspec:\n"
            "  schedule: 0 0 1 1 *\n  jobTemplate:\n    spec:\n      template:\n        spec:\n"
            "          restartPolicy: Never\n          containers: [{name: main, image: example/web:1}]\n"
        },
        says=("Kubernetes 1.25 removed it, and batch/v1 replaces it",),
    ),
    Breakage(
        name="chosen",
        files={"web.yaml": deployment(container="imagePullPolicy: Alwayss\n")},
        says=('Unsupported value: "Alwayss"', "apps/chosen/web.yaml:18: Alwayss → Always"),
    ),
    Breakage(
        name="typed",
        files={"web.yaml": deployment().replace("replicas: 1", "replicas: two")},
        says=("apps/typed/web.yaml:6 replicas: two", "decide: correct spec.replicas at apps/typed/web.yaml:6"),
        decided=("web.yaml", "replicas: two", "replicas: 2"),
    ),
    Breakage(
        name="guessed",
        files={"a.yaml": WIDGET.format("a").replace("example.io", "gadgets.example.io").replace("Widget", "Gadget")},
        others={"gadgets": {"crd.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n"}},
        says=(
            "1 object needs Gadget (gadgets.example.io), which the cluster does not serve",
            "app gadgets delivers it, by its name, and cannot be rendered: apps/gadgets/crd.yaml:",
            "fix syncline why gadgets",
        ),
        heals=False,
    ),
    Breakage(
        name="account",
        files={
            "web.yaml": deployment(pod="serviceAccountName: webb\n"),
            "sa.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: web\n",
        },
        says=(
            "Deployment/web names ServiceAccount webb in namespace account, which does not exist",
            "apps/account/web.yaml:18: webb → web",
        ),
    ),
    Breakage(
        name="account-made",
        files={"web.yaml": deployment(pod="serviceAccountName: builder\n")},
        says=("kubectl create serviceaccount builder -n account-made",),
    ),
    Breakage(
        name="target",
        files={"web.yaml": deployment(container=ASKS.format("100m")), "hpa.yaml": SCALER.replace("e: web}", "e: wbe}")},
        says=(
            "HorizontalPodAutoscaler/web names Deployment wbe in namespace target, which does not exist",
            "apps/target/hpa.yaml:6: wbe → web",
        ),
    ),
    Breakage(
        name="backend",
        files={"web.yaml": deployment(container=PORTS), "svc.yaml": SERVICE, "ing.yaml": INGRESS.format("webb", 80)},
        says=(
            "Ingress/web names Service webb in namespace backend, which does not exist",
            "apps/backend/ing.yaml:14: webb → web",
        ),
    ),
    Breakage(
        name="doors",
        files={"web.yaml": deployment(container=PORTS), "svc.yaml": SERVICE, "ing.yaml": INGRESS.format("web", 8080)},
        says=(
            "Ingress/web points to port 8080 of Service/web, which has no such port (it has: 80)",
            "apps/doors/ing.yaml:16 number: 8080",
            "apps/doors/svc.yaml:8",
            "apps/doors/ing.yaml:16: 8080 → 80",
        ),
    ),
    Breakage(
        name="nowhere",
        files={"cm.yaml": config("a").replace("  name: a\n", "  name: a\n  namespace: portl\n")},
        objects=(namespace("portal"),),
        says=("ConfigMap/a: namespace portl does not exist", "apps/nowhere/cm.yaml:5: portl → portal"),
    ),
    Breakage(
        name="nowhere-made",
        files={"cm.yaml": config("a").replace("  name: a\n", "  name: a\n  namespace: orchard\n")},
        says=("kubectl create namespace orchard",),
        way=1,
    ),
    Breakage(
        name="twice",
        files={"a.yaml": config("same"), "b.yaml": config("same", "red")},
        says=("ConfigMap/same is defined 2 times, and only the last one counts: apps/twice/b.yaml:1",),
        decided=("a.yaml", "name: same", "name: other"),
    ),
    Breakage(
        name="gpu",
        files={"web.yaml": deployment(container='resources:\n  limits:\n    nvidia.com/gpu: "1"\n')},
        says=(
            "2 of 4 have too little nvidia.com/gpu (it requests 1, no node has any)",
            "apps/gpu/web.yaml:20 nvidia.com/gpu: 1",
            "decide: add a node with nvidia.com/gpu, or request none at apps/gpu/web.yaml:20",
        ),
        never=("tolerate team",),
        decided=("web.yaml", 'nvidia.com/gpu: "1"', "cpu: 100m"),
    ),
    Breakage(
        name="apart",
        files={"web.yaml": deployment(replicas=3, pod=APART)},
        says=(
            "2 of 4 have a pod already that its anti-affinity keeps it apart from",
            "run fewer pods at apps/apart/web.yaml:6",
            "apps/apart/web.yaml:19 podAntiAffinity",
        ),
        decided=("web.yaml", "replicas: 3", "replicas: 2"),
    ),
    Breakage(
        name="affinity",
        files={"web.yaml": deployment(pod=ATTRACTED)},
        says=("lack the labels its affinity requires (disk in nvme)", "(nodes have: disk=ssd)"),
        decided=("web.yaml", "nvme", "ssd"),
    ),
    Breakage(
        name="limits",
        files={"web.yaml": deployment(container="resources:\n  limits:\n    memory: 1Gi\n")},
        objects=(
            namespace("limits"),
            {
                "apiVersion": "v1",
                "kind": "LimitRange",
                "metadata": {"name": "caps", "namespace": "limits"},
                "spec": {"limits": [{"type": "Container", "max": {"memory": "512Mi"}}]},
            },
        ),
        says=(
            "no pods are created: a LimitRange of namespace limits sets the maximum memory of a Container to 512Mi",
            "apps/limits/web.yaml:20: 1Gi → 512Mi",
        ),
    ),
    Breakage(
        name="classless",
        files={
            "web.yaml": deployment(pod=MOUNTED),
            "data.yaml": CLAIM.replace("fast-ssd", '""').replace("ReadWriteOnce", "ReadWriteMany"),
        },
        says=('PersistentVolumeClaim/data: storageClassName is ""', "apps/classless/data.yaml:7"),
        heals=False,
    ),
    Breakage(
        name="rivals",
        files={
            "web.yaml": deployment(container=ASKS.format("100m")),
            "hpa.yaml": SCALER.replace("minReplicas: 1", "minReplicas: 2"),
        },
        says=(
            "Git says replicas 1, and HorizontalPodAutoscaler/web wants 2 (2 to 3): both write it",
            "apps/rivals/web.yaml:6: delete replicas: 1",
        ),
    ),
)
