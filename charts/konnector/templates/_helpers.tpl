{{- define "konnector.labels" -}}
app: {{ .Values.name }}
app.kubernetes.io/name: konnector
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "konnector.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "konnector.clusterName" -}}
hawser-{{ .Values.name }}-{{ .Release.Namespace }}
{{- end }}

{{- define "konnector.group" -}}
{{ if eq .Values.dialect "klutch" }}klutch.anynines.com{{ else }}kube-bind.io{{ end }}
{{- end }}

{{- define "konnector.replicas" -}}
{{- if gt (int .Values.shards) 1 }}{{ .Values.shards }}{{ else }}{{ .Values.replicas }}{{ end -}}
{{- end }}

{{- define "konnector.lease" -}}
{{ if eq .Values.dialect "klutch" }}klutch-bind{{ else }}kube-bind{{ end }}
{{- end }}

{{- define "konnector.aggregateLabel" -}}
rbac.hawser.dev/aggregate-to-konnector
{{- end }}

{{- define "konnector.metricsName" -}}
{{ .Values.name }}-metrics
{{- end }}

{{- /* Of the series of this release, as Prometheus labels what a ServiceMonitor finds. */}}
{{- define "konnector.series" -}}
namespace="{{ .Release.Namespace }}",service="{{ include "konnector.metricsName" . }}"
{{- end }}
