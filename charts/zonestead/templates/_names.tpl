{{/* Names and labels. Call a template for a component with (dict "root" $ "component" "api"). */}}

{{- define "zonestead.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* 40 characters leave room for the longest suffix, because the names must be valid DNS labels. */}}
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

{{/* The name of a cluster-scoped object contains the namespace, so that releases of one name in two namespaces do not conflict. */}}
{{- define "zonestead.clusterName" -}}
{{- printf "%s:%s" (include "zonestead.namespace" .root) (include "zonestead.componentName" .) -}}
{{- end -}}

{{/* The one pod has the account of the operator, which does the most at kube-apiserver. */}}
{{- define "zonestead.serviceAccountName" -}}
{{- $account := .values.serviceAccount | default dict -}}
{{- $own := include "zonestead.componentName" . -}}
{{- if and .root.Values.onePod .root.Values.operator.enabled (eq (include "zonestead.podComponent" .) "nameserver") -}}
{{- $account = .root.Values.operator.serviceAccount | default dict -}}
{{- $own = include "zonestead.componentName" (dict "root" .root "component" "operator") -}}
{{- end -}}
{{- if eq (toString $account.create) "false" -}}
{{- $account.name | default "default" -}}
{{- else -}}
{{- $account.name | default $own -}}
{{- end -}}
{{- end -}}

{{/* Labels for selectors of pods. Selectors are immutable, so these labels must not change from version to version. */}}
{{- define "zonestead.selectorLabels" -}}
{{- include "zonestead.componentLabels" (dict "root" .root "component" (include "zonestead.podComponent" .)) -}}
{{- end -}}

{{- define "zonestead.componentLabels" -}}
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
{{ include "zonestead.componentLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: zonestead
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end -}}

{{/* Name, namespace, labels and annotations of an object. "name" and "annotations" are optional. */}}
{{- define "zonestead.metadata" -}}
name: {{ .name | default (include "zonestead.componentName" .) }}
namespace: {{ include "zonestead.namespace" .root }}
{{- include "zonestead.marks" . }}
{{- end -}}

{{/* The same for a cluster-scoped object. */}}
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

{{/* Whether the release has a component: true or nothing. Without the api, it has no database and nothing to bootstrap. */}}
{{- define "zonestead.isPresent" -}}
{{- $values := .root.Values -}}
{{- $own := get $values .component | default dict -}}
{{- $is := ternary $own.enabled true (hasKey $own "enabled") -}}
{{- if eq .component "bootstrap" }}{{ $is = $values.api.enabled }}{{ end -}}
{{- if eq .component "postgres" }}{{ $is = and $values.api.enabled (eq $values.database.mode "builtin") }}{{ end -}}
{{- if eq .component "certificates" }}{{ $is = not (empty (fromYaml (include "zonestead.ownCertificates" .root))) }}{{ end -}}
{{- if eq .component "uninstall" }}{{ $is = and $values.operator.enabled $own.releaseFinalizers }}{{ end -}}
{{- if eq .component "test" }}{{ $is = and $own.enabled (or $values.nameserver.enabled $values.edge.enabled) }}{{ end -}}
{{- if $is }}true{{ end -}}
{{- end -}}

{{/* The IP families of a Service that clients use: (dict "root" $ "values" .Values.dns.service); "values" can override those of the chart. */}}
{{- define "zonestead.ipFamilies" -}}
{{- $own := .values | default dict -}}
ipFamilyPolicy: {{ $own.ipFamilyPolicy | default .root.Values.ipFamilyPolicy }}
{{- with $own.ipFamilies | default .root.Values.ipFamilies }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end -}}
