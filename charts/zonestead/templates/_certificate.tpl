{{/* The certificates of the api for HTTPS, and of the built-in Postgres. */}}

{{- define "zonestead.apiCertificateSecret" -}}
{{- .Values.api.tls.existingSecret | default (printf "%s-api-tls" (include "zonestead.fullname" .)) -}}
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

{{/* The certificates that the release needs and that are not given, as a dict from Secret to hosts. */}}
{{- define "zonestead.certificates" -}}
{{- $own := dict -}}
{{- if .Values.api.enabled -}}
{{- if and .Values.api.tls.enabled (not .Values.api.tls.existingSecret) -}}
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

{{/* Those that the bootstrap Job creates and the CronJob renews. */}}
{{- define "zonestead.ownCertificates" -}}
{{- if eq .Values.certificates.mode "self" }}{{ include "zonestead.certificates" . }}{{ else }}{}{{ end -}}
{{- end -}}

{{/* true if the bootstrap Job creates the certificate of Postgres, so that it knows the authority without a volume. */}}
{{- define "zonestead.makesDatabaseCa" -}}
{{- if and (eq .Values.database.mode "builtin") (eq .Values.certificates.mode "self") }}true{{ end -}}
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
