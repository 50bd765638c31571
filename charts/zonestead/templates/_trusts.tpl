{{/* Tokens in place of API keys: the trusts of the values, and the volume with the token of a pod. */}}

{{/* Whether the operator and the test have tokens of this cluster: true or nothing. */}}
{{- define "zonestead.hasOwnToken" -}}
{{- if and .Values.api.enabled .Values.trusts.ownCluster.enabled .Values.operator.enabled (not .Values.operator.apiKey.existingSecret) -}}
true
{{- end -}}
{{- end -}}

{{/* The trusts as JSON, for the bootstrap Job. Those without an issuer are for the tokens of this cluster. */}}
{{- define "zonestead.trusts" -}}
{{- $own := .Values.trusts.ownCluster -}}
{{- $cluster := dict "audience" $own.audience -}}
{{- $all := list -}}
{{- if include "zonestead.hasOwnToken" . -}}
{{- $account := include "zonestead.serviceAccountName" (dict "root" . "component" "operator" "values" .Values.operator) -}}
{{- $match := dict "kubernetes.io" (dict "namespace" (include "zonestead.namespace" .) "serviceaccount" (dict "name" $account)) -}}
{{- $trust := dict "name" "operator" "match" $match "records" "write" "manageZones" "write" "clusters" "write" -}}
{{- /* Numbers limit also where the service has no limits for others, which is not meant by api.limits false. */ -}}
{{- if .Values.api.limits -}}
{{- with .Values.operator.limits.records }}{{ $_ := set $trust "recordWrites" (int .) }}{{ end -}}
{{- with .Values.operator.limits.zones }}{{ $_ := set $trust "zoneWrites" (int .) }}{{ end -}}
{{- end -}}
{{- $all = append $all (merge $trust $cluster) -}}
{{- end -}}
{{- if include "zonestead.hasCanaryToken" . -}}
{{- $account := include "zonestead.serviceAccountName" (dict "root" . "component" "canary" "values" .Values.canary) -}}
{{- $match := dict "kubernetes.io" (dict "namespace" (include "zonestead.namespace" .) "serviceaccount" (dict "name" $account)) -}}
{{- /* The name with any end is also that of `canary --once`. */ -}}
{{- $names := list (printf "%s*" (include "zonestead.canaryName" .)) -}}
{{- $trust := dict "name" "canary" "team" .Values.canary.team "match" $match "zones" (list .Values.canary.zone) "records" "write" "onlyNames" $names "onlyTypes" (list "TXT") -}}
{{- $all = append $all (merge $trust $cluster) -}}
{{- end -}}
{{- range .Values.trusts.list -}}
{{- if .issuer -}}
{{- $all = append $all . -}}
{{- else -}}
{{- $all = append $all (merge (dict) . $cluster) -}}
{{- end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* The volume with the API key of the operator, as the file "apiKey": a token that kubelet renews, or the Secret of the values. */}}
{{- define "zonestead.keyVolume" -}}
- name: key
  {{- if include "zonestead.hasOwnToken" . }}
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { audience: {{ .Values.trusts.ownCluster.audience | quote }}, expirationSeconds: 600, path: apiKey }
  {{- else }}
  secret:
    secretName: {{ .Values.operator.apiKey.existingSecret }}
    defaultMode: 0440
    items: [{ key: {{ .Values.operator.apiKey.key }}, path: apiKey }]
  {{- end }}
{{- end -}}
