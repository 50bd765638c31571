{{/* The rules of profile production, as a JSON list of sentences: each begins with the word by which providedElsewhere names it. */}}

{{- define "zonestead.productionMissing" -}}
{{- $missing := list -}}
{{- range $word := list "database" "backups" "replicas" "budgets" "volumes" "tls" "networkPolicies" "monitoring" "nameservers" -}}
{{- if not (has $word $.Values.providedElsewhere) -}}
{{- range fromJsonArray (include (printf "zonestead.production.%s" $word) $) }}{{ $missing = append $missing (printf "%s: %s" $word .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{- define "zonestead.production.database" -}}
{{- $d := .Values.database -}}
{{- $missing := list -}}
{{- if not .Values.api.enabled -}}
{{- else if eq $d.mode "builtin" -}}
{{- $missing = append $missing "database.mode is builtin, which is one Postgres without a standby. Set it to cnpg, or to external for a Postgres of yours" -}}
{{- else if and (eq $d.mode "cnpg") (lt (int $d.cnpg.instances) 2) -}}
{{- $missing = append $missing (printf "database.cnpg.instances is %d. Set it to 3, or at least 2, so that a standby takes over" (int $d.cnpg.instances)) -}}
{{- else if and (eq $d.mode "external") (not $d.external.failsOver) -}}
{{- $missing = append $missing "the chart cannot see whether your Postgres fails over. Set database.external.failsOver to true if it has a standby that takes over, and backups" -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{/* Backups of an external Postgres are part of database.external.failsOver. */}}
{{- define "zonestead.production.backups" -}}
{{- $d := .Values.database -}}
{{- $missing := list -}}
{{- if and .Values.api.enabled (eq $d.mode "cnpg") (not (or $d.cnpg.scheduledBackup.enabled $d.cnpg.extraSpec.backup)) -}}
{{- $page := include "zonestead.docs" (dict "root" . "page" "how-to/cloudnativepg") -}}
{{- $missing = append $missing (printf "nothing backs up the Cluster. Set database.cnpg.scheduledBackup.enabled to true with a plugin in database.cnpg.plugins, see %s" $page) -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{/* Without a number, a HorizontalPodAutoscaler manages the replicas. */}}
{{- define "zonestead.production.replicas" -}}
{{- $missing := list -}}
{{- if .Values.onePod -}}
{{- $missing = append $missing "onePod is true. Set it to false, so that a part can fail alone" -}}
{{- end -}}
{{- range $component := list "api" "operator" "solver" "nameserver" "edge" -}}
{{- $count := (get $.Values $component).replicaCount -}}
{{- if and (include "zonestead.isPresent" (dict "root" $ "component" $component)) (not (kindIs "invalid" $count)) (lt (int $count) 2) -}}
{{- $missing = append $missing (printf "%s.replicaCount is %d. Set it to 2 or more" $component (int $count)) -}}
{{- end -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{- define "zonestead.production.budgets" -}}
{{- $missing := list -}}
{{- range $component := list "api" "operator" "solver" "nameserver" "edge" -}}
{{- if and (include "zonestead.isPresent" (dict "root" $ "component" $component)) (not (get $.Values $component).podDisruptionBudget.enabled) -}}
{{- $missing = append $missing (printf "%s.podDisruptionBudget.enabled is false. Set it to true, so that a drain of nodes does not take all replicas at once" $component) -}}
{{- end -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{- define "zonestead.production.volumes" -}}
{{- $missing := list -}}
{{- range $component := list "nameserver" "edge" -}}
{{- $values := get $.Values $component -}}
{{- if and $values.enabled (not $values.persistence.enabled) -}}
{{- $missing = append $missing (printf "%s.persistence.enabled is false. Set it to true, so that a pod that was replaced answers while its source is down" $component) -}}
{{- end -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{- define "zonestead.production.tls" -}}
{{- $missing := list -}}
{{- if and .Values.api.enabled (not .Values.api.tls.enabled) -}}
{{- $missing = append $missing "api.tls.enabled is false. Set it to true" -}}
{{- end -}}
{{- if and .Values.api.enabled (eq .Values.database.mode "external") (eq .Values.database.external.tls.unverified "allow") -}}
{{- $missing = append $missing "database.external.tls.unverified is allow. Set it to refuse, and database.external.tls.caSecret to the authority of your Postgres" -}}
{{- end -}}
{{- range $name, $url := dict "nameserver.feed.url" .Values.nameserver.feed.url "operator.url" .Values.operator.url "canary.url" .Values.canary.url -}}
{{- if hasPrefix "http://" $url }}{{ $missing = append $missing (printf "%s begins with http://. Set it to an address that begins with https://" $name) }}{{ end -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{- define "zonestead.production.networkPolicies" -}}
{{- $missing := list -}}
{{- if not .Values.networkPolicy.enabled -}}
{{- $missing = append $missing "networkPolicy.enabled is false. Set it to true, or remove it from your values" -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{- define "zonestead.production.monitoring" -}}
{{- $missing := list -}}
{{- range $object := list "serviceMonitor" "prometheusRule" -}}
{{- if not (get $.Values.monitoring $object).enabled -}}
{{- $missing = append $missing (printf "monitoring.%s.enabled is false. Set it to true, or remove it from your values" $object) -}}
{{- end -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}

{{- define "zonestead.production.nameservers" -}}
{{- $missing := list -}}
{{- if and .Values.api.enabled (lt (len .Values.nameservers) 2) -}}
{{- $missing = append $missing (printf "nameservers has %d names. Set it to the names for the NS records of your zones, two or more, for instance [ns1.example.net, ns2.example.net]" (len .Values.nameservers)) -}}
{{- end -}}
{{- toJson $missing -}}
{{- end -}}
