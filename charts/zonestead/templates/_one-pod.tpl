{{/* onePod: the pod of the name server has the containers of the other components too. Its StatefulSet, its volume and its labels are those
of separate pods, so a change of onePod is a rolling update: the pod answers until another name server does. */}}

{{/* The component whose pods have the container of this one: (dict "root" $ "component" "api"). */}}
{{- define "zonestead.podComponent" -}}
{{- if and .root.Values.onePod (has .component (list "api" "operator" "solver" "postgres")) -}}
nameserver
{{- else -}}
{{- .component -}}
{{- end -}}
{{- end -}}

{{/* The components whose containers the pod of the name server has in addition, as a JSON list. */}}
{{- define "zonestead.besideNameserver" -}}
{{- $beside := list -}}
{{- if .Values.onePod -}}
{{- range list "postgres" "api" "operator" "solver" -}}
{{- if include "zonestead.isPresent" (dict "root" $ "component" .) }}{{ $beside = append $beside . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $beside -}}
{{- end -}}

{{- define "zonestead.onePodContainers" }}
{{- range fromJsonArray (include "zonestead.besideNameserver" .) }}
{{- include (printf "zonestead.%sContainers" .) $ }}
{{- end }}
{{- end -}}

{{/* The volumes of all containers. Those with the same name are the same. */}}
{{- define "zonestead.onePodVolumes" -}}
{{- $names := list -}}
{{- $all := list -}}
{{- range prepend (fromJsonArray (include "zonestead.besideNameserver" .)) "nameserver" -}}
{{- range fromYamlArray (include (printf "zonestead.%sVolumes" .) $) -}}
{{- if not (has .name $names) }}{{ $all = append $all . }}{{ $names = append $names .name }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $authority := dict "configMap" (dict "name" "kube-root-ca.crt" "items" (list (dict "key" "ca.crt" "path" "ca.crt"))) -}}
{{- $namespace := dict "downwardAPI" (dict "items" (list (dict "path" "namespace" "fieldRef" (dict "fieldPath" "metadata.namespace")))) -}}
{{- $token := dict "serviceAccountToken" (dict "path" "token" "expirationSeconds" 3607) -}}
{{- $all = append $all (dict "name" "kube-token" "projected" (dict "defaultMode" 288 "sources" (list $token $authority $namespace))) -}}
{{- toYaml $all -}}
{{- end -}}

{{/* The token of the pod for kube-apiserver. In separate pods, every container has it; in the one pod, only the containers that call
kube-apiserver have it. */}}
{{- define "zonestead.tokenMount" -}}
{{- if .Values.onePod -}}
- { name: kube-token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true }
{{- end -}}
{{- end -}}

{{/* Names of Services that lead back into the pod: as long as a container is not ready, no Service leads to the pod. */}}
{{- define "zonestead.onePodAliases" -}}
{{- $names := list (include "zonestead.apiHost" .) -}}
{{- if eq .Values.database.mode "builtin" }}{{ $names = append $names (include "zonestead.postgresHost" .) }}{{ end -}}
{{- toJson (ternary (list (dict "ip" "127.0.0.1" "hostnames" $names)) list (.Values.onePod | not | not)) -}}
{{- end -}}

{{/* Services lead to the one pod also while it is not ready: a container that is not ready says nothing about the others. */}}
{{- define "zonestead.publish" -}}
{{- if .Values.onePod -}}
publishNotReadyAddresses: true
{{- end -}}
{{- end -}}

{{/* The port of health and metrics of a component. All processes of the one pod share its address. */}}
{{- define "zonestead.healthNumber" -}}
{{- if eq (include "zonestead.podComponent" .) .component -}}
9090
{{- else -}}
{{- get (dict "api" 9091 "operator" 9092 "solver" 9093) .component -}}
{{- end -}}
{{- end -}}
{{- define "zonestead.healthName" -}}
{{- ternary "health" (printf "health-%s" .component) (eq (include "zonestead.podComponent" .) .component) -}}
{{- end -}}
{{- define "zonestead.healthPort" -}}
- { name: {{ include "zonestead.healthName" . }}, containerPort: {{ include "zonestead.healthNumber" . }} }
{{- end -}}
{{- define "zonestead.healthEnv" -}}
{{- if ne (include "zonestead.podComponent" .) .component -}}
- { name: ZONESTEAD_HEALTH_LISTEN, value: {{ printf "*:%s" (include "zonestead.healthNumber" .) | quote }} }
{{- end -}}
{{- end -}}

{{/* The api has a port https too. */}}
{{- define "zonestead.solverPortName" -}}
{{- ternary "solver-https" "https" (.Values.onePod | not | not) -}}
{{- end -}}

{{/* The volume of the built-in Postgres. In the one pod, the name server has a volume data too. */}}
{{- define "zonestead.postgresData" -}}
{{- ternary "postgres-data" "data" (.Values.onePod | not | not) -}}
{{- end -}}
{{- define "zonestead.onePodClaim" -}}
{{- printf "%s-database" (include "zonestead.fullname" .) -}}
{{- end -}}

{{/* The address of the api for operator and name servers. Inside of the one pod, no Service is in between. */}}
{{- define "zonestead.nearApiUrl" -}}
{{- if not .Values.onePod -}}
{{- include "zonestead.apiUrl" . -}}
{{- else if not .Values.api.tls.enabled -}}
{{- printf "http://%s:8080" (include "zonestead.apiHost" .) -}}
{{- else -}}
{{- printf "https://%s:%v" (include "zonestead.apiHost" .) .Values.api.tls.port -}}
{{- end -}}
{{- end -}}

{{/* The ranges of all TCP ports but these, as the ports of a policy: a JSON list of numbers in order. */}}
{{- define "zonestead.otherPorts" -}}
{{- $from := 1 -}}
{{- range append . 65536 -}}
{{- if lt $from (int .) }}
- { port: {{ $from }}, endPort: {{ sub (int .) 1 }}, protocol: TCP }
{{- end -}}
{{- $from = add1 (int .) | int -}}
{{- end -}}
{{- end -}}
