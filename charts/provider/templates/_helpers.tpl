{{- define "provider.labels" -}}
app: {{ .Values.name }}
app.kubernetes.io/name: provider
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "provider.gatewayLabels" -}}
app: {{ .Values.name }}-gateway
app.kubernetes.io/name: gateway
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "provider.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "provider.clusterName" -}}
hawser-{{ .Values.name }}-{{ .Release.Namespace }}
{{- end }}

{{- define "provider.metricsName" -}}
{{ .Values.name }}-metrics
{{- end }}

{{- /* Of the series of this release, as Prometheus labels what a ServiceMonitor finds. */}}
{{- define "provider.series" -}}
namespace="{{ .Release.Namespace }}",service="{{ include "provider.metricsName" . }}"
{{- end }}

{{- define "provider.gatewayMetricsName" -}}
{{ .Values.name }}-gateway-metrics
{{- end }}

{{- define "provider.gatewaySeries" -}}
namespace="{{ .Release.Namespace }}",service="{{ include "provider.gatewayMetricsName" . }}"
{{- end }}
