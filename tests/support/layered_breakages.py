"""Apps whose fault stands in a layer: a values file of a chart, a patch or an entry of a kustomization.

Played like `tests.support.breakages`, with the real helm and kustomize. What is asserted is that `why` names the layer
that wins and what it hides, and that the edit printed there repairs the app.
"""

from __future__ import annotations

import textwrap

from tests.support.breakages import Breakage, deployment

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n",
    "values.yaml": """\
replicas: 1
image:
  repository: example/web
  tag: "1"
account: default
requests:
  cpu: 100m
class: standard
""",
    "templates/web.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      serviceAccountName: {{ .Values.account }}
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: main
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          resources:
            requests:
              {{- toYaml .Values.requests | nindent 14 }}
          {{- with .Values.settings }}
          envFrom:
            - configMapRef:
                name: {{ . }}
          {{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: blue
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: {{ .Values.class }}
  resources:
    requests:
      storage: 1Gi
""",
}


def chart(name: str, stronger: str, weaker: str = "", **more: object) -> Breakage:
    files = {**CHART, "env/all.yaml": textwrap.dedent(weaker), "env/prod.yaml": textwrap.dedent(stronger)}
    source = {"helm": {"valueFiles": ["env/all.yaml", "env/prod.yaml"]}}
    return Breakage(name=name, files=files, source=source, **more)  # type: ignore[arg-type]


def overlay(name: str, base: dict[str, str], kustomization: str, **more: object) -> Breakage:
    beside = more.pop("beside", {})
    assert isinstance(beside, dict)
    files = {
        **{f"base/{file}": text for file, text in base.items()},
        "base/kustomization.yaml": "resources:\n" + "".join(f"  - {file}\n" for file in base),
        "prod/kustomization.yaml": "resources:\n  - ../base\n" + textwrap.dedent(kustomization),
        **{f"prod/{file}": textwrap.dedent(text) for file, text in beside.items()},
    }
    return Breakage(name=name, files=files, source={"path": f"apps/{name}/prod"}, **more)  # type: ignore[arg-type]


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: standard
  resources:
    requests:
      storage: 1Gi
"""
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: blue\n"
FROM_SETTINGS = "envFrom:\n  - configMapRef:\n      name: settings\n"

LAYERED: tuple[Breakage, ...] = (
    chart(
        "chart-tag",
        "image:\n  tag: missing\n",
        'image:\n  tag: "2"\n',
        says=(
            "tag missing is not in",
            "apps/chart-tag/env/prod.yaml:2 image.tag: missing, hides apps/chart-tag/env/all.yaml:2 (2)",
            "name one that exists at apps/chart-tag/env/prod.yaml:2",
        ),
        never=("templates/web.yaml",),
        decided=("env/prod.yaml", "tag: missing", 'tag: "2"'),
    ),
    chart(
        "chart-selector",
        "nodeSelector:\n  disk: sdd\n",
        "nodeSelector:\n  disk: ssd\n",
        says=("apps/chart-selector/env/prod.yaml:2: sdd → ssd", "hides apps/chart-selector/env/all.yaml:2 (ssd)"),
        never=("templates/web.yaml", "syncline blame"),
    ),
    chart(
        "chart-tolerations",
        "nodeSelector:\n  kubernetes.io/hostname: node-b\ntolerations: []\n",
        "tolerations:\n  - key: team\n    value: data\n    effect: NoSchedule\n",
        says=(
            "tolerations: [], hides apps/chart-tolerations/env/all.yaml:1",
            "apps/chart-tolerations/env/prod.yaml:3: delete tolerations: []",
        ),
    ),
    chart(
        "chart-requests",
        'requests:\n  cpu: "300"\n',
        says=(
            "apps/chart-requests/env/prod.yaml:2 requests.cpu: 300, hides apps/chart-requests/values.yaml:7 (100m)",
            "request at most 64 cpu at apps/chart-requests/env/prod.yaml:2",
        ),
        decided=("env/prod.yaml", '"300"', "300m"),
    ),
    chart(
        "chart-account",
        "account: defualt\n",
        says=("apps/chart-account/env/prod.yaml:1", "defualt → default"),
        never=("templates/web.yaml",),
    ),
    chart(
        "chart-config",
        "settings: setings\n",
        says=("apps/chart-config/env/prod.yaml:1: setings → settings",),
    ),
    chart(
        "chart-class",
        "class: standart\n",
        says=(
            "apps/chart-class/env/prod.yaml:1: standart → standard",
            "hides apps/chart-class/values.yaml:8 (standard)",
        ),
    ),
    overlay(
        "overlay-images",
        {"web.yaml": deployment()},
        "images:\n  - name: example/web\n    newTag: missing\n",
        says=(
            "apps/overlay-images/prod/kustomization.yaml:5 image: example/web:missing (images: example/web), hides",
            "hides apps/overlay-images/base/web.yaml:17 (example/web:1)",
            "name one that exists at apps/overlay-images/prod/kustomization.yaml:5",
        ),
        decided=("prod/kustomization.yaml", "newTag: missing", 'newTag: "1"'),
    ),
    overlay(
        "overlay-patch",
        {"web.yaml": deployment(pod="nodeSelector:\n  disk: ssd\n")},
        "patches:\n  - path: place.yaml\n",
        beside={
            "place.yaml": """\
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: web
            spec:
              template:
                spec:
                  nodeSelector:
                    disk: sdd
            """
        },
        says=(
            "apps/overlay-patch/prod/place.yaml:9: sdd → ssd",
            "disk: sdd (patch), hides apps/overlay-patch/base/web.yaml:19 (ssd)",
        ),
        never=("syncline blame",),
    ),
    overlay(
        "overlay-inline",
        {"web.yaml": deployment(container=FROM_SETTINGS), "settings.yaml": SETTINGS},
        """\
        patches:
          - target:
              kind: Deployment
            patch: |-
              - op: replace
                path: /spec/template/spec/containers/0/envFrom/0/configMapRef/name
                value: setings
        """,
        says=("apps/overlay-inline/prod/kustomization.yaml:9: setings → settings",),
    ),
    overlay(
        "overlay-same",
        {"web.yaml": deployment(pod="nodeSelector:\n  disk: sdd\n")},
        """\
        patches:
          - target:
              kind: Deployment
            patch: |-
              - op: add
                path: /spec/template/spec/nodeSelector/disk
                value: sdd
        """,
        says=("apps/overlay-same/prod/kustomization.yaml:9: sdd → ssd",),
        never=("base/web.yaml:19:",),
    ),
    overlay(
        "overlay-base",
        {"web.yaml": deployment(container=FROM_SETTINGS.replace("settings", "setings")), "settings.yaml": SETTINGS},
        "commonAnnotations:\n  team: web\n",
        says=("apps/overlay-base/base/web.yaml:20: setings → settings",),
    ),
    overlay(
        "overlay-class",
        {"claim.yaml": CLAIM},
        "patches:\n  - path: class.yaml\n    target:\n      kind: PersistentVolumeClaim\n",
        beside={"class.yaml": "- op: replace\n  path: /spec/storageClassName\n  value: standart\n"},
        says=("apps/overlay-class/prod/class.yaml:3: standart → standard",),
    ),
)
