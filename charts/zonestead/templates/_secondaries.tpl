{{/* The secondaries of the values, in the form of the bootstrap Job: a JSON list. Edges of the release are one of them. */}}
{{- define "zonestead.secondaries" -}}
{{- $all := list -}}
{{- range .Values.secondaries -}}
{{- $tsig := .tsig | default dict -}}
{{- $key := dict -}}
{{- with $tsig.name }}{{ $_ := set $key "name" . }}{{ end -}}
{{- with $tsig.algorithm }}{{ $_ := set $key "algorithm" . }}{{ end -}}
{{- $own := printf "%s-secondary-%s" (include "zonestead.fullname" $) .name -}}
{{- $secret := dict "name" ($tsig.existingSecret | default $own) "key" ($tsig.key | default "secret") "own" (empty $tsig.existingSecret) -}}
{{- $one := merge (dict "tsig" $key "secret" $secret) (pick . "name" "addresses" "transfersFrom" "nameservers" "zones" "catalog" "notify" "requireTls" "pins") -}}
{{- if .allZones }}{{ $_ := set $one "zones" "all" }}{{ end -}}
{{- with .offerTo }}{{ $_ := set $one "offer" . }}{{ end -}}
{{- $all = append $all $one -}}
{{- end -}}
{{- if include "zonestead.ownEdges" . -}}
{{- $edge := .Values.edge -}}
{{- $addresses := list -}}
{{- range $index := until (int $edge.replicaCount) -}}
{{- $addresses = append $addresses (printf "%s-edge-%d.%s.svc:%v" (include "zonestead.fullname" $) $index (include "zonestead.namespace" $) $edge.podServices.port) -}}
{{- end -}}
{{- $secret := dict "name" (include "zonestead.edgeSecret" .) "key" $edge.tsig.key "own" (empty $edge.tsig.existingSecret) -}}
{{- $key := dict "algorithm" $edge.tsig.algorithm -}}
{{- with $edge.tsig.name }}{{ $_ := set $key "name" . }}{{ end -}}
{{- $all = append $all (dict "name" $edge.secondary "addresses" $addresses "transfersFrom" $edge.networks "zones" "all" "requireTls" (not (empty $edge.primaryPins)) "tsig" $key "secret" $secret) -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{- define "zonestead.secondariesSecret" -}}
{{- include "zonestead.fullname" . }}-secondaries
{{- end -}}
