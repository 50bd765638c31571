{{/* Names and labels. A component is called with (dict "root" $ "component" "api"). */}}

{{- define "zonestead.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* 40 characters leave room for the longest suffix in names that end as DNS labels. */}}
{{- define "zonestead.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "zonestead.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "zonestead.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "zonestead.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{- define "zonestead.componentName" -}}
{{- printf "%s-%s" (include "zonestead.fullname" .root) .component -}}
{{- end -}}

{{/* Of what belongs to no namespace: two releases of one name in two namespaces must not meet. */}}
{{- define "zonestead.clusterName" -}}
{{- printf "%s:%s" (include "zonestead.namespace" .root) (include "zonestead.componentName" .) -}}
{{- end -}}

{{- define "zonestead.serviceAccountName" -}}
{{- $account := .values.serviceAccount | default dict -}}
{{- $own := include "zonestead.componentName" . -}}
{{- if eq (toString $account.create) "false" -}}
{{- $account.name | default "default" -}}
{{- else -}}
{{- $account.name | default $own -}}
{{- end -}}
{{- end -}}

{{/* What selectors select by: immutable, so nothing that changes from version to version. */}}
{{- define "zonestead.selectorLabels" -}}
app.kubernetes.io/name: {{ include "zonestead.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "zonestead.labels" -}}
{{- $own := fromYaml (include "zonestead.ownLabels" .) -}}
{{- toYaml (mergeOverwrite (dict) (.root.Values.global.commonLabels | default dict) (.root.Values.commonLabels | default dict) $own) -}}
{{- end -}}

{{- define "zonestead.ownLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{ include "zonestead.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: zonestead
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{/* metadata's name, namespace, labels and annotations; optional: "name", "annotations". */}}
{{- define "zonestead.metadata" -}}
name: {{ .name | default (include "zonestead.componentName" .) }}
namespace: {{ include "zonestead.namespace" .root }}
{{- include "zonestead.marks" . }}
{{- end -}}

{{/* The same of what belongs to no namespace. */}}
{{- define "zonestead.clusterMetadata" -}}
name: {{ .name | default (include "zonestead.clusterName" .) | quote }}
{{- include "zonestead.marks" . }}
{{- end -}}

{{- define "zonestead.marks" }}
labels:
  {{- include "zonestead.labels" . | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $values := .root.Values }}
{{- with mergeOverwrite (dict) ($values.global.commonAnnotations | default dict) ($values.commonAnnotations | default dict) (.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
