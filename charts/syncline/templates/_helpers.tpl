{{- define "syncline.labels" -}}
{{- with .name }}
app.kubernetes.io/name: {{ . }}
{{- end }}
app.kubernetes.io/part-of: syncline
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
syncline.io/installation: {{ .root.Release.Namespace }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "syncline.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: syncline
{{- end -}}

{{- define "syncline.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default .Chart.AppVersion $image.tag }}
{{- end -}}
{{- end -}}

{{- /* The namespaces that are delivered to, as JSON; none means the whole cluster. */ -}}
{{- define "syncline.targets" -}}
{{- if eq .Values.delivery.profile "cluster-admin" -}}[]{{- else -}}{{ .Values.delivery.namespaces | uniq | sortAlpha | toJson }}{{- end -}}
{{- end -}}

{{- define "syncline.probe" -}}
httpGet:
  path: {{ .path }}
  port: {{ .port }}
  scheme: {{ .scheme }}
timeoutSeconds: 10
periodSeconds: {{ .period }}
failureThreshold: {{ .failures }}
{{- end -}}

{{- /* A Deployment: root, name, values, replicas, args, port, number, scheme, ready, alive, isolation. */ -}}
{{- define "syncline.deployment" -}}
{{- $root := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  namespace: {{ $root.Release.Namespace }}
  labels: {{- include "syncline.labels" . | nindent 4 }}
spec:
  replicas: {{ .replicas }}
  selector:
    matchLabels: {{- include "syncline.selector" . | nindent 6 }}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  template:
    metadata:
      labels: {{- include "syncline.selector" . | nindent 8 }}
      {{- with .values.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ .name }}
      automountServiceAccountToken: true
      enableServiceLinks: false
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if not (kindIs "invalid" $root.Values.podSecurity.hostUsers) }}
      hostUsers: {{ $root.Values.podSecurity.hostUsers }}
      {{- end }}
      {{- with .values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile: {{- toYaml $root.Values.podSecurity.seccompProfile | nindent 10 }}
      {{- with $root.Values.topologySpreadKey }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "syncline.selector" $ | nindent 14 }}
      {{- end }}
      containers:
        - name: {{ .name }}
          image: {{ include "syncline.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: {{- toYaml .args | nindent 12 }}
          env:
            - {name: HOME, value: /home/syncline}
            {{- if and .isolation $root.Values.renders.requireIsolation }}
            - {name: SYNCLINE_REQUIRE_WALLS, value: "1"}
            {{- end }}
            {{- with .values.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          ports:
            - {name: {{ .port }}, containerPort: {{ .number }}, protocol: TCP}
          startupProbe: {{- include "syncline.probe" (dict "path" .ready "port" .port "scheme" .scheme "period" 5 "failures" 120) | nindent 12 }}
          readinessProbe: {{- include "syncline.probe" (dict "path" .ready "port" .port "scheme" .scheme "period" 10 "failures" 3) | nindent 12 }}
          livenessProbe: {{- include "syncline.probe" (dict "path" .alive "port" .port "scheme" .scheme "period" 30 "failures" 4) | nindent 12 }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            capabilities: {drop: [ALL]}
            readOnlyRootFilesystem: true
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            - {name: home, mountPath: /home/syncline}
      volumes:
        {{- range list "tmp" "home" }}
        - name: {{ . }}
          emptyDir: {{ with $root.Values.cache.sizeLimit }}{sizeLimit: {{ . }}}{{ else }}{}{{ end }}
        {{- end }}
{{- end -}}

{{- /* A Service with one port: root, name of the component, service, port, number, target. */ -}}
{{- define "syncline.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .service }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "syncline.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ .type | default "ClusterIP" }}
  selector: {{- include "syncline.selector" . | nindent 4 }}
  ports:
    - {name: {{ .port }}, port: {{ .number }}, targetPort: {{ .target }}, protocol: TCP}
{{- end -}}

{{- define "syncline.budget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "syncline.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "syncline.selector" . | nindent 6 }}
{{- end -}}

{{- /* A ServiceAccount; pods ask for its token themselves. */ -}}
{{- define "syncline.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "syncline.labels" . | nindent 4 }}
automountServiceAccountToken: false
{{- end -}}

{{- /* A role and its binding to the account of a component: root, name, role, place (empty: the cluster), rules. */ -}}
{{- define "syncline.role" -}}
{{- $kind := ternary "Role" "ClusterRole" (ne .place "") -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  name: {{ .role }}
  {{- with .place }}
  namespace: {{ . }}
  {{- end }}
  labels: {{- include "syncline.labels" . | nindent 4 }}
rules: {{- .rules | nindent 2 }}
---
{{ include "syncline.binding" (merge (dict "roleName" .role) .) }}
{{- end -}}

{{- define "syncline.binding" -}}
{{- $kind := ternary "Role" "ClusterRole" (ne .place "") -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ .role }}
  {{- with .place }}
  namespace: {{ . }}
  {{- end }}
  labels: {{- include "syncline.labels" . | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ .roleName }}
subjects:
  - kind: ServiceAccount
    name: {{ .name }}
    namespace: {{ .root.Release.Namespace }}
{{- end -}}
