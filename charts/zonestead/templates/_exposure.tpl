{{/* The Ingress and the HTTPRoute of the REST API and the console, and the address at which browsers reach them. */}}

{{/* true if the port of the api without TLS is open to other pods; otherwise it listens only inside of its pod. */}}
{{- define "zonestead.plainPort" -}}
{{- $asked := .Values.api.service.plain -}}
{{- if kindIs "invalid" $asked }}{{ $asked = or .Values.ingress.enabled .Values.httpRoute.enabled (not .Values.api.tls.enabled) }}{{ end -}}
{{- if $asked }}true{{ end -}}
{{- end -}}

{{/* The hosts of the Ingress for which it has no certificate, as a JSON list. An entry of tls without hosts is for all hosts. */}}
{{- define "zonestead.hostsWithoutTls" -}}
{{- $covered := list -}}
{{- $all := false -}}
{{- range .Values.ingress.tls -}}
{{- if .hosts }}{{ $covered = concat $covered .hosts }}{{ else }}{{ $all = true }}{{ end -}}
{{- end -}}
{{- $open := list -}}
{{- range .Values.ingress.hosts -}}
{{- $wildcard := regexReplaceAll "^[^.]+" .host "*" -}}
{{- if not (or $all (has .host $covered) (has $wildcard $covered)) }}{{ $open = append $open .host }}{{ end -}}
{{- end -}}
{{- toJson $open -}}
{{- end -}}

{{/* The first host that has TLS and is not a wildcard, or nothing. */}}
{{- define "zonestead.publicHost" -}}
{{- $hosts := list -}}
{{- if .Values.ingress.enabled -}}
{{- $open := fromJsonArray (include "zonestead.hostsWithoutTls" .) -}}
{{- range .Values.ingress.hosts }}{{ if not (has .host $open) }}{{ $hosts = append $hosts .host }}{{ end }}{{ end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.allowWithoutTls) -}}
{{- $hosts = concat $hosts .Values.httpRoute.hostnames -}}
{{- end -}}
{{- $found := "" -}}
{{- range $hosts }}{{ if not (or $found (hasPrefix "*" .)) }}{{ $found = . }}{{ end }}{{ end -}}
{{- $found -}}
{{- end -}}

{{/* The address of the service in a browser, without a slash at its end, or nothing if only the cluster reaches it. */}}
{{- define "zonestead.publicUrl" -}}
{{- if .Values.api.console.url -}}
{{- trimSuffix "/" .Values.api.console.url -}}
{{- else -}}
{{- with include "zonestead.publicHost" . }}{{ printf "https://%s" . }}{{ end -}}
{{- end -}}
{{- end -}}
