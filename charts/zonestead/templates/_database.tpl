{{/* The Secrets and keys that hold the addresses of the database, for the api ("uri") and for the name servers. */}}

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

{{- define "zonestead.nameserverSecret" -}}
{{- if eq .Values.database.mode "external" -}}
{{- .Values.database.external.existingSecret -}}
{{- else -}}
{{- include "zonestead.fullname" . }}-database
{{- end -}}
{{- end -}}

{{- define "zonestead.nameserverKey" -}}
{{- ternary .Values.database.external.secretKeys.nameserverUri "nameserver-uri" (eq .Values.database.mode "external") -}}
{{- end -}}

{{/* host:port inside the cluster (builtin, cnpg), for the api and for the name servers. PowerDNS and the process next to it must read
the same server, so neither uses the Service that balances over the replicas. */}}
{{- define "zonestead.databaseHost" -}}
{{- $suffix := ternary "db-rw" "postgres" (eq .Values.database.mode "cnpg") -}}
{{- printf "%s-%s.%s.svc:5432" (include "zonestead.fullname" .) $suffix (include "zonestead.namespace" .) -}}
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
- { name: ZONESTEAD_PDNS_DATABASE_CA, value: /etc/zonestead/database-ca/ca.crt }
{{- end }}
{{- end -}}

{{- define "zonestead.nameservers" -}}
{{- if .Values.nameservers -}}
{{- join "," .Values.nameservers -}}
{{- else -}}
{{- printf "%s-dns.%s.svc.%s" (include "zonestead.fullname" .) (include "zonestead.namespace" .) .Values.clusterDomain -}}
{{- end -}}
{{- end -}}

{{- define "zonestead.operatorKeySecret" -}}
{{- .Values.operator.apiKey.existingSecret | default (printf "%s-operator-key" (include "zonestead.fullname" .)) -}}
{{- end -}}

{{- define "zonestead.apiUrl" -}}
{{- printf "http://%s-api.%s.svc:%v" (include "zonestead.fullname" .) (include "zonestead.namespace" .) .Values.api.service.port -}}
{{- end -}}

{{/* Settings that pdns-conf and nameserver share. */}}
{{- define "zonestead.nameserverEnv" -}}
- { name: ZONESTEAD_NAMESERVER_DATABASE_URL_FILE, value: /etc/zonestead/database/uri }
- { name: ZONESTEAD_PDNS_LISTEN, value: {{ join "," .values.listenAddresses | quote }} }
- { name: ZONESTEAD_PDNS_PORT, value: {{ .values.port | quote }} }
- { name: ZONESTEAD_PDNS_THREADS, value: {{ .values.powerdns.threads | quote }} }
{{- include "zonestead.caEnv" .root }}
{{- end -}}
