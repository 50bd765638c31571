{{/* The peers that can reach a component, and the peers that the component must reach. */}}

{{- define "zonestead.peer" -}}
- podSelector:
    matchLabels:
      {{- include "zonestead.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* Without networkPolicy.apiFrom, all pods can reach the REST service, because API keys control the access. The pods of the release use
the port with TLS; the one without is for proxies, and the api itself refuses everything else there. */}}
{{- define "zonestead.ingress.api" -}}
- ports: [{ port: {{ ternary "https" "http" .root.Values.api.tls.enabled }} }]
{{- with .root.Values.networkPolicy.apiFrom }}
  from:
    {{- range list "operator" "nameserver" "test" }}
    {{- include "zonestead.peer" (dict "root" $.root "component" .) | nindent 4 }}
    {{- end }}
    {{- if $.root.Values.canary.enabled }}
    {{- include "zonestead.peer" (dict "root" $.root "component" "canary") | nindent 4 }}
    {{- end }}
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- if and .root.Values.api.tls.enabled (include "zonestead.plainPort" .root) }}
- ports: [{ port: http }]
{{- with .root.Values.networkPolicy.apiFrom }}
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
{{- if .root.Values.api.updates.enabled }}
- ports: [{ port: updates-udp, protocol: UDP }, { port: updates-tcp, protocol: TCP }]
{{- end }}
{{- end -}}

{{/* Health and metrics. The kubelet of the node reaches its pods in any case. Without metricsFrom, a ServiceMonitor means that some
Prometheus reads the metrics, and the chart cannot know where it runs; otherwise no pod has business with the port. */}}
{{- define "zonestead.ingress.health" -}}
{{- if or .Values.networkPolicy.metricsFrom .Values.monitoring.serviceMonitor.enabled -}}
- ports: [{ port: health }{{ range fromJsonArray (include "zonestead.besideNameserver" .) }}{{ if ne . "postgres" }}, { port: health-{{ . }} }{{ end }}{{ end }}]
{{- with .Values.networkPolicy.metricsFrom }}
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* kube-apiserver. A policy cannot know its address, so only the ports are limited. */}}
{{- define "zonestead.ingress.solver" -}}
- ports: [{ port: {{ include "zonestead.solverPortName" .root }} }]
{{- end -}}

{{/* Behind edges, only they and the secondaries of the values reach the name servers. */}}
{{- define "zonestead.ingress.nameserver" -}}
- ports: {{ include "zonestead.dnsPorts" .root.Values.nameserver }}
{{- if include "zonestead.ownEdges" .root }}
  from:
    {{- include "zonestead.peer" (dict "root" .root "component" "edge") | nindent 4 }}
    {{- range .root.Values.secondaries }}
    {{- $places := .transfersFrom | default list }}
    {{- range .addresses }}
    {{- $places = append $places (regexReplaceAll "^\\[(.*)\\](:[0-9]+)?$|^([0-9.]+)(:[0-9]+)?$" . "${1}${3}") }}
    {{- end }}
    {{- range uniq $places }}
    - ipBlock: { cidr: {{ ternary . (printf "%s/%d" . (ternary 128 32 (contains ":" .))) (contains "/" .) | quote }} }
    {{- end }}
    {{- end }}
{{- end }}
{{- end -}}

{{- define "zonestead.ingress.edge" -}}
- ports: {{ include "zonestead.dnsPorts" .root.Values.edge }}
{{- end -}}

{{/* Call it with the values of the name servers or of the edges. */}}
{{- define "zonestead.dnsPorts" -}}
[{ port: dns-udp, protocol: UDP }, { port: dns-tcp, protocol: TCP }{{ if .knot.tls.existingSecret }}, { port: dns-tls, protocol: TCP }{{ end }}]
{{- end -}}

{{- define "zonestead.ingress.postgres" -}}
- ports: [{ port: postgres }]
  from:
    {{- range list "api" "bootstrap" }}
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
          cnpg.io/cluster: {{ include "zonestead.cnpgName" .root }}
{{- else -}}
- ports:
    {{- range $values.networkPolicy.databasePorts }}
    - { port: {{ . }} }
    {{- end }}
{{- end -}}
{{- end -}}

{{/* The name servers of this release. A policy sees the port of the pod, not the port of the Service. */}}
{{- define "zonestead.egress.nameservers" -}}
{{- $component := include "zonestead.dnsComponent" .root }}
{{- include "zonestead.egress.dns" (dict "root" .root "component" $component) }}
{{- end -}}

{{- define "zonestead.egress.dns" -}}
{{- $port := (get .root.Values .component).port -}}
- ports: [{ port: {{ $port }}, protocol: UDP }, { port: {{ $port }}, protocol: TCP }]
  to:
    {{- include "zonestead.peer" . | nindent 4 }}
{{- end -}}

{{/* Zone transfers: NOTIFY to secondaries, and transfers from name servers. Port 53 is open for all components. */}}
{{- define "zonestead.egress.transfers" -}}
{{- $places := list -}}
{{- if eq .component "edge" -}}
{{- $places = .root.Values.edge.primaries -}}
{{- if include "zonestead.ownEdges" .root }}
{{ include "zonestead.egress.dns" (dict "root" .root "component" "nameserver") }}
{{- if .root.Values.edge.primaryPins }}
- ports: [{ port: {{ .root.Values.nameserver.knot.tls.port }}, protocol: TCP }]
  to:
    {{- include "zonestead.peer" (dict "root" .root "component" "nameserver") | nindent 4 }}
{{- end }}
{{- end }}
{{- else -}}
{{- range .root.Values.secondaries }}{{ $places = concat $places .addresses }}{{ end -}}
{{- if include "zonestead.ownEdges" .root }}
{{ include "zonestead.egress.dns" (dict "root" .root "component" "edge") }}
{{- end }}
{{- end -}}
{{- $ports := list -}}
{{- range $places -}}
{{- $port := regexFind "(\\]|^[^:]+):[0-9]+$" . | regexFind "[0-9]+$" -}}
{{- if and $port (ne $port "53") }}{{ $ports = append $ports $port }}{{ end -}}
{{- end -}}
{{- range uniq $ports }}
- ports: [{ port: {{ . }}, protocol: UDP }, { port: {{ . }}, protocol: TCP }]
{{- end }}
{{- end -}}

{{/* The REST service. For the name servers it has the feed. */}}
{{- define "zonestead.egress.client" -}}
{{- $values := .root.Values -}}
{{- $own := get (dict "nameserver" $values.nameserver.feed.url "canary" $values.canary.url) .component | default "" -}}
{{- with ternary $own $values.operator.url (has .component (list "nameserver" "canary")) -}}
- ports: [{ port: {{ include "zonestead.urlPort" . }} }]
{{- else -}}
- ports: [{ port: {{ ternary $values.api.tls.port 8080 $values.api.tls.enabled }} }]
  to:
    {{- include "zonestead.peer" (dict "root" .root "component" "api") | nindent 4 }}
{{- end }}
{{- end -}}

{{/* Health checks: public addresses and the networks of the values. The process itself refuses the others, too. */}}
{{- define "zonestead.egress.checks" -}}
{{- $ports := .root.Values.api.checks.ports | default (list "80" "443" "1024-49151") -}}
- ports:
    {{- range $ports }}
    {{- $ends := splitList "-" . }}
    - { port: {{ first $ends }}{{ if gt (len $ends) 1 }}, endPort: {{ last $ends }}{{ end }} }
    {{- end }}
  to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: [10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16]
    - ipBlock: { cidr: "::/0", except: ["fc00::/7", "fe80::/10"] }
    {{- range .root.Values.api.checks.networks }}
    - ipBlock: { cidr: {{ ternary . (printf "%s/%d" . (ternary 128 32 (contains ":" .))) (contains "/" .) | quote }} }
    {{- end }}
{{- end -}}

{{/* Peers outside the release that the values name: resolvers, the OpenID provider, issuers of tokens, the receiver of traces. */}}
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
{{- if eq .component "api" }}
{{- range .root.Values.trusts.list }}
{{- range list .issuer (.keySource | default dict).url }}
{{- if hasPrefix "http" (. | default "") }}
{{- $ports = append $ports (include "zonestead.urlPort" .) }}
{{- end }}
{{- end }}
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

{{/* The port of an address, explicit or by its scheme. */}}
{{- define "zonestead.urlPort" -}}
{{- $url := urlParse . -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary 443 80 (eq $url.scheme "https")) -}}
{{- end -}}
