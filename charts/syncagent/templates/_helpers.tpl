{{- define "syncagent.name" -}}
{{ if .Values.fullnameOverride }}{{ .Values.fullnameOverride }}{{ else }}{{ .Release.Name }}-syncagent{{ end }}
{{- end }}

{{- define "syncagent.agentName" -}}
{{ if .Values.agentName }}{{ .Values.agentName }}{{ else }}{{ .Release.Name }}{{ end }}
{{- end }}

{{- define "syncagent.selector" -}}
app.kubernetes.io/name: syncagent
app.kubernetes.io/instance: {{ include "syncagent.agentName" . }}
{{- end }}

{{- define "syncagent.labels" -}}
{{ include "syncagent.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- if .Values.extraLabels }}
{{ toYaml .Values.extraLabels }}
{{- end }}
{{- end }}

{{- define "syncagent.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "syncagent.clusterName" -}}
hawser-{{ include "syncagent.name" . }}-{{ .Release.Namespace }}
{{- end }}

{{- define "syncagent.aggregateLabel" -}}
rbac.hawser.dev/aggregate-to-syncagent
{{- end }}

{{- define "syncagent.subject" -}}
- kind: ServiceAccount
  name: {{ include "syncagent.name" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "syncagent.series" -}}
namespace="{{ .Release.Namespace }}",service="{{ include "syncagent.name" . }}-metrics"
{{- end }}
