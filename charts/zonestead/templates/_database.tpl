{{/* The Secret and the key that hold the address of the database for the api, and the addresses of the release itself. */}}

{{- define "zonestead.databaseSecret" -}}
{{- if eq .Values.database.mode "external" -}}
{{- .Values.database.external.existingSecret -}}
{{- else if eq .Values.database.mode "cnpg" -}}
{{- include "zonestead.fullname" . }}-db-app
{{- else -}}
{{- include "zonestead.fullname" . }}-database
{{- end -}}
{{- end -}}

{{- define "zonestead.databaseKey" -}}
{{- ternary .Values.database.external.secretKeys.uri "uri" (eq .Values.database.mode "external") -}}
{{- end -}}

{{/* The certificate authority of Postgres, as a volume and as its mount. */}}
{{- define "zonestead.caVolume" -}}
{{- if and (eq .Values.database.mode "external") .Values.database.external.tls.caSecret }}
- name: database-ca
  secret:
    secretName: {{ .Values.database.external.tls.caSecret }}
    items: [{ key: {{ .Values.database.external.tls.caKey }}, path: ca.crt }]
{{- end }}
{{- end -}}
{{- define "zonestead.caMount" -}}
{{- if and (eq .Values.database.mode "external") .Values.database.external.tls.caSecret }}
- { name: database-ca, mountPath: /etc/zonestead/database-ca, readOnly: true }
{{- end }}
{{- end -}}
{{- define "zonestead.caEnv" -}}
{{- if and (eq .Values.database.mode "external") .Values.database.external.tls.caSecret }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/zonestead/database-ca/ca.crt }
{{- end }}
{{- end -}}

{{- define "zonestead.apiUrl" -}}
{{- printf "http://%s-api.%s.svc:%v" (include "zonestead.fullname" .) (include "zonestead.namespace" .) .Values.api.service.port -}}
{{- end -}}
