{{/* The settings of the console, as part of the environment of the api. */}}
{{- define "zonestead.consoleEnv" -}}
{{- $c := .Values.api.console -}}
- { name: ZONESTEAD_CONSOLE, value: {{ ternary "on" "off" $c.enabled | quote }} }
{{- if $c.enabled }}
- { name: ZONESTEAD_SESSION_KEY_FILE, value: /etc/zonestead/session/sessionKey }
{{- with include "zonestead.publicUrl" . }}
- { name: ZONESTEAD_CONSOLE_URL, value: {{ . | quote }} }
{{- end }}
{{- with $c.oidc.issuer }}
- { name: ZONESTEAD_OIDC_ISSUER, value: {{ . | quote }} }
- { name: ZONESTEAD_OIDC_CLIENT_ID, value: {{ $c.oidc.clientId | quote }} }
{{- if $c.oidc.existingSecret }}
- { name: ZONESTEAD_OIDC_CLIENT_SECRET_FILE, value: /etc/zonestead/oidc/clientSecret }
{{- end }}
- { name: ZONESTEAD_OIDC_SCOPES, value: {{ $c.oidc.scopes | quote }} }
- { name: ZONESTEAD_OIDC_GROUPS_CLAIM, value: {{ $c.oidc.groupsClaim | quote }} }
- { name: ZONESTEAD_OIDC_TRUST_EMAIL, value: {{ ternary "on" "off" $c.oidc.trustEmail | quote }} }
{{- with $c.oidc.teams }}
- { name: ZONESTEAD_OIDC_TEAMS, value: {{ toJson . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "zonestead.sessionSecret" -}}
{{- .Values.api.console.existingSecret | default (printf "%s-session" (include "zonestead.fullname" .)) -}}
{{- end -}}
