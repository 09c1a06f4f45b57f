{{- define "component.labels" -}}
app.kubernetes.io/name: {{ .Values.name | default .Release.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "component.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "component.pod" -}}
{{- include "component.placement" . }}
{{- with .Values.pullSecret }}
imagePullSecrets: [{name: {{ . }}}]
{{- end }}
containers:
- name: main
  image: {{ .Values.image.repository }}:{{ .Values.image.tag }}
  {{- with .Values.command }}
  command: {{- toYaml . | nindent 4 }}
  {{- end }}
  ports: [{name: http, containerPort: {{ .Values.port }}}]
  resources: {{- toYaml .Values.resources | nindent 4 }}
  {{- with .Values.secret }}
  envFrom: [{secretRef: {name: {{ . }}}}]
  {{- end }}
{{- end }}
