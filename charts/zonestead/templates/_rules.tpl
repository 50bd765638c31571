{{- /* The files of the rules for the components that the release has, as JSON. */}}
{{- define "zonestead.ruleFiles" -}}
{{- $files := list }}
{{- if include "zonestead.hasDns" . }}{{ $files = append $files "nameserver" }}{{ end }}
{{- if .Values.edge.enabled }}{{ $files = append $files "edge" }}{{ end }}
{{- if include "zonestead.isPresent" (dict "root" . "component" "api") }}
{{- $files = concat $files (list "nodes" "api" "database") }}
{{- if eq .Values.database.mode "cnpg" }}{{ $files = append $files "cnpg" }}{{ end }}
{{- end }}
{{- range list "operator" "solver" }}
{{- if include "zonestead.isPresent" (dict "root" $ "component" .) }}{{ $files = append $files . }}{{ end }}
{{- end }}
{{- concat $files (list "processes" "slo") | toJson }}
{{- end }}
