{{- /* Written by `python -m tools.build_manifests`; do not edit. */ -}}
{{- define "syncline.rules.controller" -}}
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - ""
  resources:
  - secrets
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - argoproj.io
  resources:
  - applications
  verbs:
  - get
  - list
  - watch
  - create
  - patch
  - delete
- apiGroups:
  - argoproj.io
  resources:
  - applicationsets
  verbs:
  - list
  - watch
  - patch
- apiGroups:
  - argoproj.io
  resources:
  - applicationsets/status
  verbs:
  - patch
- apiGroups:
  - argoproj.io
  resources:
  - appprojects
  verbs:
  - list
  - watch
- apiGroups:
  - syncline.io
  resources:
  - diagnoses
  verbs:
  - list
  - watch
  - create
- apiGroups:
  - syncline.io
  resources:
  - diagnoses
  verbs:
  - patch
  resourceNames:
  - syncline
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - create
- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - get
  - create
  - update
  - patch
- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - list
  - watch
- apiGroups:
  - apps
  resources:
  - statefulsets
  verbs:
  - list
- apiGroups:
  - ""
  resources:
  - pods
  verbs:
  - list
{{- end -}}
{{- define "syncline.rules.controller.controlPlane" -}}
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - ""
  resources:
  - secrets
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - argoproj.io
  resources:
  - appprojects
  verbs:
  - list
  - watch
- apiGroups:
  - syncline.io
  resources:
  - diagnoses
  verbs:
  - list
  - watch
  - create
- apiGroups:
  - syncline.io
  resources:
  - diagnoses
  verbs:
  - patch
  resourceNames:
  - syncline
- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - get
  - create
  - update
  - patch
- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - list
  - watch
- apiGroups:
  - apps
  resources:
  - statefulsets
  verbs:
  - list
- apiGroups:
  - ""
  resources:
  - pods
  verbs:
  - list
{{- end -}}
{{- define "syncline.rules.controller.applications" -}}
- apiGroups:
  - argoproj.io
  resources:
  - applications
  verbs:
  - get
  - list
  - watch
  - create
  - patch
  - delete
- apiGroups:
  - argoproj.io
  resources:
  - applicationsets
  verbs:
  - list
  - watch
  - patch
- apiGroups:
  - argoproj.io
  resources:
  - applicationsets/status
  verbs:
  - patch
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - create
{{- end -}}
{{- define "syncline.rules.controller.delivery.cluster-admin" -}}
- apiGroups:
  - "*"
  resources:
  - "*"
  verbs:
  - "*"
- nonResourceURLs:
  - "*"
  verbs:
  - "*"
{{- end -}}
{{- define "syncline.rules.controller.delivery.namespaces" -}}
- apiGroups:
  - "*"
  resources:
  - "*"
  verbs:
  - "*"
{{- end -}}
{{- define "syncline.rules.controller.delivery.impersonation" -}}
- apiGroups:
  - "*"
  resources:
  - "*"
  verbs:
  - get
  - list
  - watch
{{- end -}}
{{- define "syncline.rules.server" -}}
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - get
  - list
  - watch
  - create
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - patch
  resourceNames:
  - syncline-ended-sessions
  - syncline-login-failures
- apiGroups:
  - ""
  resources:
  - secrets
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - patch
  - delete
- apiGroups:
  - argoproj.io
  resources:
  - applications
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - patch
  - delete
- apiGroups:
  - argoproj.io
  resources:
  - applicationsets
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - patch
  - delete
- apiGroups:
  - argoproj.io
  resources:
  - appprojects
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - delete
- apiGroups:
  - syncline.io
  resources:
  - diagnoses
  verbs:
  - list
  - watch
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - list
{{- end -}}
{{- define "syncline.rules.server.controlPlane" -}}
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - get
  - list
  - watch
  - create
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - patch
  resourceNames:
  - syncline-ended-sessions
  - syncline-login-failures
- apiGroups:
  - ""
  resources:
  - secrets
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - patch
  - delete
- apiGroups:
  - argoproj.io
  resources:
  - appprojects
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - delete
- apiGroups:
  - syncline.io
  resources:
  - diagnoses
  verbs:
  - list
  - watch
{{- end -}}
{{- define "syncline.rules.server.applications" -}}
- apiGroups:
  - argoproj.io
  resources:
  - applications
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - patch
  - delete
- apiGroups:
  - argoproj.io
  resources:
  - applicationsets
  verbs:
  - get
  - list
  - watch
  - create
  - update
  - patch
  - delete
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - list
{{- end -}}
{{- define "syncline.rules.server.delivery.cluster-admin" -}}
- apiGroups:
  - "*"
  resources:
  - "*"
  verbs:
  - get
  - list
  - watch
  - patch
  - delete
- apiGroups:
  - batch
  resources:
  - jobs
  verbs:
  - create
- apiGroups:
  - argoproj.io
  resources:
  - workflows
  verbs:
  - create
{{- end -}}
{{- define "syncline.rules.server.delivery.namespaces" -}}
- apiGroups:
  - "*"
  resources:
  - "*"
  verbs:
  - get
  - list
  - watch
  - patch
  - delete
- apiGroups:
  - batch
  resources:
  - jobs
  verbs:
  - create
- apiGroups:
  - argoproj.io
  resources:
  - workflows
  verbs:
  - create
{{- end -}}
{{- define "syncline.rules.server.delivery.impersonation" -}}
- apiGroups:
  - "*"
  resources:
  - "*"
  verbs:
  - get
  - list
  - watch
{{- end -}}
{{- define "syncline.rules.diagnose" -}}
- apiGroups:
  - ""
  resources:
  - namespaces
  - nodes
  - persistentvolumes
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - admissionregistration.k8s.io
  resources:
  - mutatingwebhookconfigurations
  - validatingadmissionpolicies
  - validatingadmissionpolicybindings
  - validatingwebhookconfigurations
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - apiextensions.k8s.io
  resources:
  - customresourcedefinitions
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - apiregistration.k8s.io
  resources:
  - apiservices
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - argoproj.io
  resources:
  - applications
  - applicationsets
  - appprojects
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - networking.k8s.io
  resources:
  - ingressclasses
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - node.k8s.io
  resources:
  - runtimeclasses
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - scheduling.k8s.io
  resources:
  - priorityclasses
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - storage.k8s.io
  resources:
  - csidrivers
  - csinodes
  - storageclasses
  - volumeattachments
  verbs:
  - get
  - list
  - watch
{{- end -}}
