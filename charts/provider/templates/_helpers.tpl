{{- define "provider.labels" -}}
app: {{ .Values.name }}
app.kubernetes.io/name: provider
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
