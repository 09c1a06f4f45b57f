"""A healthy repository in which nothing is to be found, as files: the ground that mistakes are planted in."""

from __future__ import annotations

HERE = "https://git.example/team/platform.git"


def _app(name: str, *, wave: int = 0, namespace: str = "", options: str = "", more: str = "") -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {name}
  namespace: argocd
  annotations: {{argocd.argoproj.io/sync-wave: "{wave}"}}
spec:
  project: team
  source:
    repoURL: {HERE}
    targetRevision: main
    path: {name}
  destination:
    server: https://kubernetes.default.svc
    namespace: {namespace or name}
  syncPolicy:
    automated: {{prune: true, selfHeal: true}}
    syncOptions: [CreateNamespace=true, ServerSideApply=true{options}]
{more}"""


FILES = {
    "root.yaml": _app("apps", namespace="argocd").replace("name: apps\n", "name: root\n"),
    "apps/definitions.yaml": _app("definitions", namespace="web"),
    "apps/web.yaml": _app(
        "web",
        wave=1,
        options=", RespectIgnoreDifferences=true",
        more="""\
  ignoreDifferences:
    - group: apps
      kind: Deployment
      jsonPointers: [/spec/template/spec/priority]
""",
    ),
    "apps/data.yaml": _app("data", wave=1),
    "apps/teams.yaml": f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: teams, namespace: argocd}}
spec:
  goTemplate: true
  goTemplateOptions: [missingkey=error]
  generators:
    - git:
        repoURL: {HERE}
        revision: main
        directories:
          - path: teams/*
          - path: teams/old
            exclude: true
  template:
    metadata: {{name: "team-{{{{ .path.basename }}}}"}}
    spec:
      project: team
      source: {{repoURL: {HERE}, targetRevision: main, path: "{{{{ .path.path }}}}"}}
      destination: {{server: https://kubernetes.default.svc, namespace: "team-{{{{ .path.basename }}}}"}}
      syncPolicy: {{automated: {{prune: true}}, syncOptions: [CreateNamespace=true]}}
""",
    "apps/project.yaml": """\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: team, namespace: argocd}
spec:
  sourceRepos: ["*"]
  destinations: [{server: "*", namespace: "*"}]
  clusterResourceWhitelist: [{group: "*", kind: "*"}]
""",
    "settings/argocd-cm.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
  application.resourceTrackingMethod: annotation
  resource.exclusions: |
    - apiGroups: [cilium.io]
      kinds: [CiliumIdentity]
  resource.customizations.health.argoproj.io_Application: |
    hs = {status = "Progressing"}
    if obj.status ~= nil and obj.status.sync ~= nil and obj.status.sync.comparedTo ~= nil then
      hs.status = obj.status.health.status
    end
    return hs
  resource.customizations.health.example.com_Widget: |
    hs = {status = "Progressing"}
    if obj.status ~= nil and obj.status.ready then
      hs.status = "Healthy"
    end
    return hs
""",
    "settings/argocd-cmd-params-cm.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cmd-params-cm, namespace: argocd}
data:
  controller.diff.server.side: "true"
""",
    "definitions/widgets.yaml": """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  scope: Namespaced
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
              properties: {size: {type: integer}}
""",
    "web/deployment.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web-runner
      imagePullSecrets: [{name: registry-login}]
      containers:
        - name: web
          image: example/web:1
          ports: [{name: http, containerPort: 8080}]
          env:
            - {name: MODE, value: fast}
            - {name: COLOUR, valueFrom: {configMapKeyRef: {name: settings, key: colour}}}
""",
    "web/others.yaml": """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: web-runner}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80, targetPort: http}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: web}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  rules:
    - host: web.example.com
      http:
        paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
spec: {size: 1}
""",
    "web/hooks.yaml": """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: migrator
  annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/sync-wave: "-1"}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: migrator
      containers:
        - name: migrate
          image: example/migrate:1
          command: [sh, -c, "until nc -z db 5432; do sleep 2; done"]
""",
    "web/webhook.yaml": """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: web
  annotations: {cert-manager.io/inject-ca-from: web/web}
webhooks:
  - name: web.example.com
    sideEffects: None
    failurePolicy: Fail
    admissionReviewVersions: [v1]
    namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [web]}]}
    clientConfig: {service: {name: web, namespace: web}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
""",
    "data/database.yaml": """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  annotations: {argocd.argoproj.io/sync-wave: "1"}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  resources: {requests: {storage: 1Gi}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: database
  annotations: {argocd.argoproj.io/sync-wave: "1"}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: database}}
  template:
    metadata: {labels: {app: database}}
    spec:
      containers:
        - name: database
          image: example/database:1
          envFrom: [{secretRef: {name: database-login}}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: waiter}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list, watch]}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: waiter}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: waiter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: waiter}
subjects: [{kind: ServiceAccount, name: waiter, namespace: data}]
---
apiVersion: batch/v1
kind: Job
metadata:
  name: wait
  annotations: {argocd.argoproj.io/hook: PostSync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: waiter
      containers:
        - name: wait
          image: example/tools:1
          command: [kubectl, wait, --for=condition=Ready, pod/database, --timeout=5m]
""",
    "data/secrets.yaml": """\
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec:
  provider:
    vault:
      server: https://vault.example.com
      auth: {kubernetes: {mountPath: kubernetes, role: web, serviceAccountRef: {name: default, namespace: data}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: database-login}
spec:
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  target: {name: database-login}
  dataFrom: [{extract: {key: database}}]
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: registry-login, namespace: web}
spec:
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  target: {name: registry-login}
  dataFrom: [{extract: {key: registry}}]
""",
    "teams/red/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: red}\n",
    "teams/blue/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: blue}\n",
    "teams/old/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: old}\n",
}
