{{/* The Cluster of CloudNativePG: its name, and the parts of its spec that follow from several values. */}}

{{/* Secrets, Services and labels of CloudNativePG follow from this name. */}}
{{- define "zonestead.cnpgName" -}}
{{- .Values.database.cnpg.clusterName | default (printf "%s-db" (include "zonestead.fullname" .)) -}}
{{- end -}}

{{/* The Secret with the login of the api. The operator makes <name>-app, also for a Cluster that starts from a backup, and gives its
password to the owner. The values can name a Secret of their own. */}}
{{- define "zonestead.cnpgSecret" -}}
{{- $secret := "" -}}
{{- range .Values.database.cnpg.bootstrap }}{{ $secret = (. | default dict).secret | default dict | dig "name" "" }}{{ end -}}
{{- $secret | default (printf "%s-app" (include "zonestead.cnpgName" .)) -}}
{{- end -}}

{{/* How the Cluster starts: with the one method of the values, in place of initdb. CloudNativePG calls database and owner "app" in each
method unless told otherwise. A recovery creates a database that the backup lacks, so the api would get an empty one. */}}
{{- define "zonestead.cnpgBootstrap" -}}
{{- $values := .Values.database -}}
{{- $method := "initdb" -}}
{{- $given := dict -}}
{{- range $key, $value := $values.cnpg.bootstrap }}{{ $method = $key }}{{ $given = $value | default dict }}{{ end -}}
{{- $own := dict "database" $values.name "owner" "zonestead" -}}
{{- if eq $method "initdb" }}{{ $_ := set $own "dataChecksums" $values.cnpg.dataChecksums }}{{ end -}}
{{- toYaml (dict $method (mergeOverwrite $own (deepCopy $given))) -}}
{{- end -}}

{{/* Commits wait for standbys, as a dict; empty if they do not. With "required" and fewer than three instances, the loss of one standby
would stop all writes. A majority of the instances has each commit, so the operator can tell whether a standby has them all. */}}
{{- define "zonestead.cnpgSynchronous" -}}
{{- $d := .Values.database.cnpg -}}
{{- $required := eq $d.synchronous "required" -}}
{{- $synchronous := dict -}}
{{- if and (ne $d.synchronous "never") (ge (int $d.instances) (ternary 3 2 $required)) -}}
{{- $synchronous = dict "method" "any" "number" (div (int $d.instances) 2) "dataDurability" $d.synchronous "failoverQuorum" $required -}}
{{- end -}}
{{- toYaml $synchronous -}}
{{- end -}}
