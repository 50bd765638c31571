{{/* Edges: Knot DNS without private keys in front of the name servers, which it follows as a secondary. */}}

{{/* The component that answers queries. */}}
{{- define "zonestead.dnsComponent" -}}
{{- ternary "edge" "nameserver" .Values.edge.enabled -}}
{{- end -}}

{{- define "zonestead.hasDns" -}}
{{- if or .Values.nameserver.enabled .Values.edge.enabled }}true{{ end -}}
{{- end -}}

{{/* The Service that answers queries over TCP, as host:port. */}}
{{- define "zonestead.dnsForQueries" -}}
{{- $s := .Values.dns.service -}}
{{- printf "%s-dns%s.%s.svc:%v" (include "zonestead.fullname" .) (ternary "-tcp" "" $s.split) (include "zonestead.namespace" .) $s.port -}}
{{- end -}}

{{/* Whether the edges follow the name servers of this release: true or nothing. */}}
{{- define "zonestead.ownEdges" -}}
{{- if and .Values.edge.enabled (not .Values.edge.primaries) }}true{{ end -}}
{{- end -}}

{{/* The nodes that edges transfer from, each with its own address. */}}
{{- define "zonestead.edgePrimaries" -}}
{{- if .Values.edge.primaries -}}
{{- join "," .Values.edge.primaries -}}
{{- else -}}
{{- $all := list -}}
{{- range $index := until (int .Values.nameserver.replicaCount) -}}
{{- $all = append $all (printf "%s-nameserver-%d.%s.svc:%v" (include "zonestead.fullname" $) $index (include "zonestead.namespace" $) (ternary $.Values.nameserver.podServices.tlsPort $.Values.nameserver.podServices.port (not (empty $.Values.edge.primaryPins)))) -}}
{{- end -}}
{{- join "," $all -}}
{{- end -}}
{{- end -}}

{{- define "zonestead.edgeSecret" -}}
{{- .Values.edge.tsig.existingSecret | default (printf "%s-secondary-%s" (include "zonestead.fullname" .) .Values.edge.secondary) -}}
{{- end -}}

{{/* The number of bytes of a quantity, for instance 1Gi. */}}
{{- define "zonestead.bytes" -}}
{{- $factors := dict "" 1 "m" 0.001 "k" 1e3 "Ki" 1024 "M" 1e6 "Mi" 1048576 "G" 1e9 "Gi" 1073741824 "T" 1e12 "Ti" 1099511627776 "P" 1e15 "Pi" 1125899906842624 -}}
{{- mulf (regexFind "^[0-9.]+" . | float64) (get $factors (regexFind "[A-Za-z]*$" .) | float64) | int64 -}}
{{- end -}}
