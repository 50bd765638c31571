{{/* The metadata of a role in one namespace, or of a cluster role if "namespace" is empty: (dict "context" $c "namespace" "" "suffix" "") */}}
{{- define "zonestead.grantMetadata" -}}
name: {{ printf "%s%s" (include "zonestead.clusterName" .context) (.suffix | default "") | quote }}
{{- with .namespace }}
namespace: {{ . }}
{{- end }}
{{- include "zonestead.marks" .context }}
{{- end -}}

{{- define "zonestead.leaseNamespace" -}}
{{- .Values.operator.leaderElection.namespace | default (include "zonestead.namespace" .) -}}
{{- end -}}

{{- define "zonestead.solverSecret" -}}
{{- $given := ternary .Values.solver.certificate.existingSecret "" (eq .Values.solver.certificate.mode "existing") -}}
{{- $given | default (printf "%s-solver-tls" (include "zonestead.fullname" .)) -}}
{{- end -}}

{{/* The metadata of an object that can be in another namespace. "place" has its namespace, labels and annotations. */}}
{{- define "zonestead.elsewhere" -}}
name: {{ .name | default (include "zonestead.componentName" .) }}
namespace: {{ .place.namespace | default (include "zonestead.namespace" .root) }}
{{- include "zonestead.marks" (mergeOverwrite (dict) . (dict "labels" .place.labels "annotations" .place.annotations)) }}
{{- end -}}
