"""Files of a small GitOps repository, as texts: what component tests commit."""

from collections.abc import Mapping

CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  annotations:
    argocd.argoproj.io/sync-wave: "-1"
data:
  colour: blue
"""


def deployment(name: str = "web", *, replicas: int = 1, image: str = "example/web:1", wave: int = 0) -> str:
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  annotations:
    argocd.argoproj.io/sync-wave: "{wave}"
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      containers:
        - name: main
          image: {image}
"""


def hook(name: str, phase: str, *, policy: str = "BeforeHookCreation", image: str = "example/job:1") -> str:
    return f"""\
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  annotations:
    argocd.argoproj.io/hook: {phase}
    argocd.argoproj.io/hook-delete-policy: {policy}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: {image}
"""


WIDGETS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.io
spec:
  group: example.io
  scope: Namespaced
  names:
    plural: widgets
    singular: widget
    kind: Widget
    listKind: WidgetList
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size:
                  type: integer
                  default: 3
                colour:
                  type: string
"""

WIDGET = """\
apiVersion: example.io/v1
kind: Widget
metadata:
  name: first
spec:
  colour: red
"""


WITHOUT_LOGIN = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
spec:
  selector:
    matchLabels: {app: api}
  template:
    metadata:
      labels: {app: api}
    spec:
      containers:
        - name: api
          image: registry.example/api:1
          envFrom:
            - secretRef: {name: login}
"""
"""A workload whose pods cannot start before somebody makes the Secret login."""


def files(**texts: str) -> dict[str, str]:
    """Return the files of the app's folder."""
    return {f"apps/web/{name}.yaml": text for name, text in texts.items()}


def annotated(name: str, annotations: Mapping[str, str], *, kind: str = "ConfigMap", data: str = "data: {a: b}") -> str:
    """Return an object without health, with annotations."""
    lines = "".join(f"    {key}: '{text}'\n" for key, text in annotations.items())
    return f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  annotations:\n{lines}{data}\n"
