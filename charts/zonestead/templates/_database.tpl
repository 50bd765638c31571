{{/* The Secret and the key that hold the address of the database for the api, and the addresses of the release itself. */}}

{{- define "zonestead.databaseSecret" -}}
{{- if eq .Values.database.mode "external" -}}
{{- .Values.database.external.existingSecret -}}
{{- else if eq .Values.database.mode "cnpg" -}}
{{- include "zonestead.cnpgSecret" . -}}
{{- else -}}
{{- include "zonestead.fullname" . }}-database
{{- end -}}
{{- end -}}

{{- define "zonestead.databaseKey" -}}
{{- ternary .Values.database.external.secretKeys.uri "uri" (eq .Values.database.mode "external") -}}
{{- end -}}

{{/* The Secret with the authority of Postgres and its key, as a dict; empty for the authorities that the image trusts. The Job that
creates the one of the built-in Postgres knows it without a volume. */}}
{{- define "zonestead.databaseCa" -}}
{{- $d := .Values.database -}}
{{- $ca := dict -}}
{{- if eq $d.mode "builtin" -}}
{{- $ca = dict "secret" (include "zonestead.postgresCertificateSecret" .) "key" "ca.crt" -}}
{{- else if eq $d.mode "cnpg" -}}
{{- $own := ($d.cnpg.extraSpec.certificates | default dict).serverCASecret -}}
{{- $ca = dict "secret" ($own | default (printf "%s-ca" (include "zonestead.cnpgName" .))) "key" "ca.crt" -}}
{{- else if $d.external.tls.caSecret -}}
{{- $ca = dict "secret" $d.external.tls.caSecret "key" $d.external.tls.caKey -}}
{{- end -}}
{{- toYaml $ca -}}
{{- end -}}
{{- define "zonestead.databaseCaVolume" -}}
{{- with fromYaml (include "zonestead.databaseCa" .) }}
- name: database-ca
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
    items: [{ key: {{ .key }}, path: ca.crt }]
{{- end }}
{{- end -}}
{{- define "zonestead.databaseCaMount" -}}
{{- if fromYaml (include "zonestead.databaseCa" .) }}
- { name: database-ca, mountPath: /etc/zonestead/database-ca, readOnly: true }
{{- end }}
{{- end -}}
{{- define "zonestead.databaseEnv" -}}
{{- if fromYaml (include "zonestead.databaseCa" .) }}
- { name: ZONESTEAD_DATABASE_CA, value: /etc/zonestead/database-ca/ca.crt }
{{- end }}
{{- if and (eq .Values.database.mode "external") (eq .Values.database.external.tls.unverified "allow") }}
- { name: ZONESTEAD_DATABASE_WITHOUT_TLS, value: allow }
{{- end }}
{{- end -}}

{{/* The address of the api of this release. */}}
{{- define "zonestead.apiHost" -}}
{{- printf "%s-api.%s.svc" (include "zonestead.fullname" .) (include "zonestead.namespace" .) -}}
{{- end -}}
{{- define "zonestead.apiUrl" -}}
{{- $host := include "zonestead.apiHost" . -}}
{{- if not .Values.api.tls.enabled -}}
{{- printf "http://%s:%v" $host .Values.api.service.port -}}
{{- else -}}
{{- printf "https://%s:%v" $host .Values.api.service.tlsPort -}}
{{- end -}}
{{- end -}}

{{/* The Secret with the authority of the api for clients of it, and its key: (dict "root" $ "url" "" "caSecret" "" "caKey" "ca.crt"). An
address outside of the release has the authority of the values, or a public one. */}}
{{- define "zonestead.apiCa" -}}
{{- $ca := dict -}}
{{- if .caSecret -}}
{{- $ca = dict "secret" .caSecret "key" .caKey -}}
{{- else if and (not .url) .root.Values.api.enabled .root.Values.api.tls.enabled -}}
{{- $ca = dict "secret" (include "zonestead.apiCertificateSecret" .root) "key" "ca.crt" -}}
{{- end -}}
{{- toYaml $ca -}}
{{- end -}}

{{/* The same for the operator and for `helm test`, with the volume, its mount and the setting. */}}
{{- define "zonestead.clientCa" -}}
{{- include "zonestead.apiCa" (dict "root" . "url" .Values.operator.url "caSecret" .Values.operator.caSecret "caKey" .Values.operator.caKey) -}}
{{- end -}}
{{- define "zonestead.clientCaVolume" -}}
{{- with fromYaml (include "zonestead.clientCa" .) }}
- name: api-ca
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
    items: [{ key: {{ .key }}, path: ca.crt }]
{{- end }}
{{- end -}}
{{- define "zonestead.clientCaMount" -}}
{{- if fromYaml (include "zonestead.clientCa" .) }}
- { name: api-ca, mountPath: /etc/zonestead/api-ca, readOnly: true }
{{- end }}
{{- end -}}
{{- define "zonestead.clientCaEnv" -}}
{{- if fromYaml (include "zonestead.clientCa" .) }}
- { name: ZONESTEAD_URL_CA, value: /etc/zonestead/api-ca/ca.crt }
{{- end }}
{{- end -}}

{{/* The octets of the volume of the database; empty if the release has none. */}}
{{- define "zonestead.databaseVolume" -}}
{{- $d := .Values.database -}}
{{- if and (eq $d.mode "builtin") $d.builtin.persistence.enabled -}}{{ include "zonestead.bytes" $d.builtin.persistence.size }}
{{- else if eq $d.mode "cnpg" -}}{{ include "zonestead.bytes" $d.cnpg.storage.size }}
{{- end -}}
{{- end -}}

{{/* The most connections that Postgres takes; empty if the release does not know. */}}
{{- define "zonestead.maxConnections" -}}
{{- $d := .Values.database -}}
{{- if eq $d.mode "builtin" -}}{{ int $d.builtin.maxConnections }}
{{- else if eq $d.mode "cnpg" -}}{{ dig "postgresql" "parameters" "max_connections" "100" $d.cnpg.extraSpec }}
{{- else if $d.external.maxConnections -}}{{ int $d.external.maxConnections }}
{{- end -}}
{{- end -}}

{{/* The octets on disk that the quotas allow one team. */}}
{{- define "zonestead.teamBytes" -}}
{{- $q := .Values.api.quotas -}}
{{- $records := add (include "zonestead.bytes" $q.bytes | int64) (mul (int64 $q.records) 500) -}}
{{- $history := include "zonestead.bytes" .Values.api.history.bytes | int64 -}}
{{- add (mul 2 $records) (div (mul 9 $history) 2) -}}
{{- end -}}

{{/* The Secret with the keys that encrypt private keys in the database. */}}
{{- define "zonestead.encryptionSecret" -}}
{{- .Values.api.encryption.existingSecret | default (printf "%s-encryption" (include "zonestead.fullname" .)) -}}
{{- end -}}
