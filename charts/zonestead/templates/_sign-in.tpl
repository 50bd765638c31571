{{/* The part of NOTES that leads to the first session of the console and the first API key. */}}

{{/* The workload whose pods have the container of the api. */}}
{{- define "zonestead.apiWorkload" -}}
{{- ternary (printf "statefulset/%s-nameserver" (include "zonestead.fullname" .)) (printf "deployment/%s-api" (include "zonestead.fullname" .)) (not (empty .Values.onePod)) -}}
{{- end -}}

{{- define "zonestead.usersAdd" -}}
{{- $team := .Values.bootstrap.team -}}
{{- if not (regexMatch "^[A-Za-z0-9._-]+$" $team) }}{{ $team = printf "'%s'" (replace "'" "'\\''" $team) }}{{ end -}}
{{- printf "kubectl exec -n %s %s -c api -- zonestead admin users add --email you@example.org --team %s" (include "zonestead.namespace" .) (include "zonestead.apiWorkload" .) $team -}}
{{- end -}}

{{/* Into the pod, where the api listens without TLS in any case. kubectl and the kubelet encrypt up to there. */}}
{{- define "zonestead.forward" -}}
{{- printf "kubectl port-forward -n %s %s 8080:8080" (include "zonestead.namespace" .) (include "zonestead.apiWorkload" .) -}}
{{- end -}}

{{- define "zonestead.signIn" -}}
{{- $console := .Values.api.console }}
{{- $public := include "zonestead.publicUrl" . }}
{{- $url := $public | default "http://localhost:8080" }}
{{- $withProvider := and $console.enabled $console.oidc.issuer }}
{{- if $withProvider -}}
Sign in with the OpenID provider {{ $console.oidc.issuer }}:

  {{ $public }}/console/

The provider must know the redirect URI {{ $public }}/console/sign-in/provider/back
{{- with $console.oidc.teams }}
The first sign-in creates a user for each person of these groups: {{ keys . | sortAlpha | join ", " }}
{{- else }}
No group is in api.console.oidc.teams, so only people who have been added can sign in. Add the first one with the address that the
provider knows:

  {{ include "zonestead.usersAdd" $ }}
{{- end }}

Create API keys in the console (Team, then API keys).
{{- else -}}
{{- if $console.enabled -}}
Sign in to the console. This command creates the first user, an owner of the team {{ .Values.bootstrap.team }}, and prints an API key that begins with yu_:
{{- else -}}
Create the first user, an owner of the team {{ .Values.bootstrap.team }}. This command prints an API key that begins with yu_:
{{- end }}

  {{ include "zonestead.usersAdd" . }}
{{- if not $public }}

This command forwards a local port to the api, until you stop it:

  {{ include "zonestead.forward" . }}
{{- end }}
{{- if $console.enabled }}

Then open {{ $url }}/console/ and enter the key.
{{- else }}
{{/* A line of its own. */}}
{{- end }}
The key works for the REST API too: curl -H 'Authorization: Bearer yu_...' {{ $url }}/v1/account
{{- end }}
{{- end -}}
