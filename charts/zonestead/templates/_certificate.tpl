{{/* The certificate of the api for HTTPS. */}}

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

{{/* The labels of the Secrets that the release creates, as an option of its commands. */}}
{{- define "zonestead.labelsOption" -}}
{{- printf "--labels=app.kubernetes.io/name=%s,app.kubernetes.io/instance=%s,app.kubernetes.io/part-of=zonestead" (include "zonestead.name" .) .Release.Name -}}
{{- end -}}
