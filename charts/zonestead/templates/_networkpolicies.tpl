{{/* Who may reach a component, and what it has to reach. */}}

{{- define "zonestead.peer" -}}
- podSelector:
    matchLabels:
      {{- include "zonestead.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* The service is for everybody; keys say who may what. */}}
{{- define "zonestead.ingress.api" -}}
- ports: [{ port: http }]
{{- end -}}

{{/* kube-apiserver, whose address no policy can know. */}}
{{- define "zonestead.ingress.solver" -}}
- ports: [{ port: https }]
{{- end -}}

{{- define "zonestead.ingress.nameserver" -}}
- ports: [{ port: dns-udp, protocol: UDP }, { port: dns-tcp, protocol: TCP }]
{{- end -}}

{{- define "zonestead.ingress.postgres" -}}
- ports: [{ port: postgres }]
  from:
    {{- range list "api" "nameserver" "bootstrap" }}
    {{- include "zonestead.peer" (dict "root" $.root "component" .) | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "zonestead.egress.database" -}}
{{- $values := .root.Values -}}
{{- if eq $values.database.mode "builtin" -}}
- ports: [{ port: 5432 }]
  to:
    {{- include "zonestead.peer" (dict "root" .root "component" "postgres") | nindent 4 }}
{{- else if eq $values.database.mode "cnpg" -}}
- ports: [{ port: 5432 }]
  to:
    - podSelector:
        matchLabels:
          cnpg.io/cluster: {{ include "zonestead.fullname" .root }}-db
{{- else -}}
- ports:
    {{- range $values.networkPolicy.databasePorts }}
    - { port: {{ . }} }
    {{- end }}
{{- end -}}
{{- end -}}

{{/* Name servers of its own, whose Service leads to their port in the pod. */}}
{{- define "zonestead.egress.nameservers" -}}
- ports: [{ port: {{ .root.Values.nameserver.port }}, protocol: UDP }, { port: {{ .root.Values.nameserver.port }}, protocol: TCP }]
  to:
    {{- include "zonestead.peer" (dict "root" .root "component" "nameserver") | nindent 4 }}
{{- end -}}

{{/* The REST service. */}}
{{- define "zonestead.egress.client" -}}
{{- with .root.Values.operator.url -}}
- ports: [{ port: {{ include "zonestead.urlPort" . }} }]
{{- else -}}
- ports: [{ port: 8080 }]
  to:
    {{- include "zonestead.peer" (dict "root" .root "component" "api") | nindent 4 }}
{{- end }}
{{- end -}}

{{/* What the values name outside of the release: resolvers, the OpenID provider, the receiver of traces. */}}
{{- define "zonestead.egress.outside" -}}
{{- $ports := list -}}
{{- range .values.resolvers }}
{{- $port := regexFind "[0-9]+$" . }}
{{- if ne $port "53" }}
- ports: [{ port: {{ $port }}, protocol: UDP }, { port: {{ $port }}, protocol: TCP }]
{{- end }}
{{- end }}
{{- with (.values.console | default dict).oidc }}
{{- with .issuer }}
{{- $ports = append $ports (include "zonestead.urlPort" .) }}
{{- end }}
{{- end }}
{{- if has .component (list "api" "operator" "solver" "nameserver") }}
{{- with .root.Values.tracing.endpoint }}
{{- $ports = append $ports (include "zonestead.urlPort" .) }}
{{- end }}
{{- end }}
{{- range uniq $ports }}
- ports: [{ port: {{ . }} }]
{{- end }}
{{- end -}}

{{/* Of an address, said or by its scheme. */}}
{{- define "zonestead.urlPort" -}}
{{- $url := urlParse . -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary 443 80 (eq $url.scheme "https")) -}}
{{- end -}}
