{{/* The Secrets that the release creates, as a dict from component to names: {"bootstrap": [...], "solver": [...]}. RBAC cannot limit
the names of new objects; secrets-policy.yaml does. */}}
{{- define "zonestead.madeSecrets" -}}
{{- $made := list -}}
{{- if .Values.api.enabled -}}
{{- if eq .Values.database.mode "builtin" -}}
{{- $made = append $made (include "zonestead.databaseSecret" .) -}}
{{- end -}}
{{- $made = concat $made (keys (fromYaml (include "zonestead.ownCertificates" .)) | sortAlpha) -}}
{{- if and .Values.nameserver.enabled (not .Values.nameserver.nodeKey.existingSecret) -}}
{{- $made = append $made (include "zonestead.nodeKeySecret" .) -}}
{{- end -}}
{{- range fromJsonArray (include "zonestead.secondaries" .) -}}
{{- if .secret.own }}{{ $made = append $made .secret.name }}{{ end -}}
{{- end -}}
{{- $made = append $made (include "zonestead.secondariesSecret" .) -}}
{{- if not .Values.api.encryption.existingSecret -}}
{{- $made = append $made (include "zonestead.encryptionSecret" .) -}}
{{- end -}}
{{- if and .Values.api.console.enabled (not .Values.api.console.existingSecret) -}}
{{- $made = append $made (include "zonestead.sessionSecret" .) -}}
{{- end -}}
{{- end -}}
{{- $all := dict "bootstrap" $made -}}
{{- with keys (fromYaml (include "zonestead.ownCertificates" .)) | sortAlpha -}}
{{- $all = set $all "certificates" . -}}
{{- end -}}
{{- if and .Values.solver.enabled (eq .Values.solver.certificate.mode "self") -}}
{{- $all = set $all "solver" (list (include "zonestead.solverSecret" .)) -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}
