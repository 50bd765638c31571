{{/* The canary: its name in the zone, its key, and its way to the REST service. */}}

{{/* The name of its record: a label of at most 40 characters that differs between releases. */}}
{{- define "zonestead.canaryName" -}}
{{- .Values.canary.name | default (include "zonestead.fullname" .) -}}
{{- end -}}

{{/* Whether the canary has a token of this cluster: true or nothing. */}}
{{- define "zonestead.hasCanaryToken" -}}
{{- if and .Values.api.enabled .Values.trusts.ownCluster.enabled .Values.canary.enabled (not .Values.canary.apiKey.existingSecret) -}}
true
{{- end -}}
{{- end -}}

{{/* The pod of the canary, and that of its test: container fields, then volumes. */}}
{{- define "zonestead.canaryEnv" -}}
- { name: ZONESTEAD_URL, value: {{ .Values.canary.url | default (include "zonestead.apiUrl" .) | quote }} }
{{- if fromYaml (include "zonestead.canaryCa" .) }}
- { name: ZONESTEAD_URL_CA, value: /etc/zonestead/api-ca/ca.crt }
{{- end }}
- { name: ZONESTEAD_API_KEY_FILE, value: /etc/zonestead/key/apiKey }
- { name: ZONESTEAD_CANARY_ZONE, value: {{ .Values.canary.zone | quote }} }
- { name: ZONESTEAD_CANARY_NAME, value: {{ include "zonestead.canaryName" . | quote }} }
- { name: ZONESTEAD_CANARY_CHANGE_SECONDS, value: {{ .Values.canary.changeSeconds | quote }} }
- { name: ZONESTEAD_CANARY_QUERY_SECONDS, value: {{ .Values.canary.querySeconds | quote }} }
- { name: ZONESTEAD_CANARY_LIMIT_SECONDS, value: {{ .Values.canary.limitSeconds | quote }} }
- { name: ZONESTEAD_CANARY_CHALLENGE_MINUTES, value: {{ .Values.canary.challengeMinutes | quote }} }
{{- with .Values.canary.nameserverAddresses | default .Values.operator.nameserverAddresses }}
{{- $parts := list }}
{{- range $name, $address := . }}{{ $parts = append $parts (printf "%s=%s" $name $address) }}{{ end }}
- { name: ZONESTEAD_NAMESERVER_ADDRESSES, value: {{ join "," $parts | quote }} }
{{- end }}
{{- end -}}
{{- define "zonestead.canaryMounts" -}}
- { name: key, mountPath: /etc/zonestead/key, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- if fromYaml (include "zonestead.canaryCa" .) }}
- { name: api-ca, mountPath: /etc/zonestead/api-ca, readOnly: true }
{{- end }}
{{- end -}}
{{- define "zonestead.canaryVolumes" -}}
- name: key
  {{- if include "zonestead.hasCanaryToken" . }}
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { audience: {{ .Values.trusts.ownCluster.audience | quote }}, expirationSeconds: 600, path: apiKey }
  {{- else }}
  secret:
    secretName: {{ .Values.canary.apiKey.existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ .Values.canary.apiKey.key }}, path: apiKey }]
  {{- end }}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- with fromYaml (include "zonestead.canaryCa" .) }}
- name: api-ca
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
    items: [{ key: {{ .key }}, path: ca.crt }]
{{- end }}
{{- end -}}

{{- define "zonestead.canaryCa" -}}
{{- $c := .Values.canary -}}
{{- include "zonestead.apiCa" (dict "root" . "url" $c.url "caSecret" $c.caSecret "caKey" $c.caKey) -}}
{{- end -}}
