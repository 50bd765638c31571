{{/* The certificates of the api for HTTPS, and of the built-in Postgres. */}}

{{- define "zonestead.apiCertificateSecret" -}}
{{- if eq .Values.api.tls.mode "existing" -}}
{{- .Values.api.tls.existingSecret -}}
{{- else -}}
{{- printf "%s-api-tls" (include "zonestead.fullname" .) -}}
{{- end -}}
{{- end -}}

{{/* The first name is the one that the name servers of the release use. */}}
{{- define "zonestead.apiCertificateHosts" -}}
{{- $name := printf "%s-api" (include "zonestead.fullname" .) -}}
{{- $namespace := include "zonestead.namespace" . -}}
{{- $own := list (printf "%s.%s.svc" $name $namespace) (printf "%s.%s.svc.%s" $name $namespace .Values.clusterDomain) (printf "%s.%s" $name $namespace) $name -}}
{{- join "," (concat $own .Values.api.tls.hosts | uniq) -}}
{{- end -}}

{{- define "zonestead.postgresCertificateSecret" -}}
{{- printf "%s-postgres-tls" (include "zonestead.fullname" .) -}}
{{- end -}}

{{- define "zonestead.postgresHost" -}}
{{- printf "%s-postgres.%s.svc" (include "zonestead.fullname" .) (include "zonestead.namespace" .) -}}
{{- end -}}

{{/* The certificates that the release creates and renews, as a dict from Secret to hosts. */}}
{{- define "zonestead.ownCertificates" -}}
{{- $own := dict -}}
{{- if .Values.api.enabled -}}
{{- if eq .Values.api.tls.mode "self" -}}
{{- $own = set $own (include "zonestead.apiCertificateSecret" .) (include "zonestead.apiCertificateHosts" .) -}}
{{- end -}}
{{- if eq .Values.database.mode "builtin" -}}
{{- $name := printf "%s-postgres" (include "zonestead.fullname" .) -}}
{{- $hosts := list (include "zonestead.postgresHost" .) (printf "%s.%s" $name (include "zonestead.namespace" .)) $name "localhost" -}}
{{- $own = set $own (include "zonestead.postgresCertificateSecret" .) (join "," $hosts) -}}
{{- end -}}
{{- end -}}
{{- toYaml $own -}}
{{- end -}}

{{/* The same as options of a command. */}}
{{- define "zonestead.certificateOptions" -}}
{{- range $secret, $hosts := fromYaml (include "zonestead.ownCertificates" .) }}
- {{ printf "--certificate=%s=%s" $secret $hosts | quote }}
{{- end }}
{{- end -}}

{{/* The labels of the Secrets that the release creates, as an option of its commands. */}}
{{- define "zonestead.labelsOption" -}}
{{- printf "--labels=app.kubernetes.io/name=%s,app.kubernetes.io/instance=%s,app.kubernetes.io/part-of=zonestead" (include "zonestead.name" .) .Release.Name -}}
{{- end -}}
