{{/* Parts that all pods share. Call them with (dict "root" $ "component" "api" "values" .Values.api). */}}

{{/* The metadata of a pod template. Its labels contain no version, so that an upgrade restarts only the pods whose image or settings
change. */}}
{{- define "zonestead.podMetadata" -}}
labels:
  {{- $own := merge (fromYaml (include "zonestead.selectorLabels" .)) (dict "app.kubernetes.io/part-of" "zonestead") }}
  {{- toYaml (mergeOverwrite (dict) (.root.Values.global.commonLabels | default dict) (.root.Values.commonLabels | default dict) $own) | nindent 2 }}
  {{- if .onePod }}
  zonestead.dev/one-pod: "true"
  {{- end }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $global := .root.Values }}
{{- with mergeOverwrite (dict) ($global.global.commonAnnotations | default dict) ($global.commonAnnotations | default dict) (.values.podAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Account, scheduling and security of a pod. "token" (the pod calls kube-apiserver) and "grace" (in seconds) are optional. */}}
{{- define "zonestead.podCommon" -}}
{{- $global := .root.Values.global -}}
serviceAccountName: {{ include "zonestead.serviceAccountName" . }}
automountServiceAccountToken: {{ .token | default false }}
enableServiceLinks: false
{{- with concat ($global.imagePullSecrets | default list) (.root.Values.imagePullSecrets | default list) | uniq }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- $defaults := dict "runAsNonRoot" true "runAsUser" 65532 "runAsGroup" 65532 "fsGroup" 65532 "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") }}
  {{- toYaml (mergeOverwrite $defaults (.values.podSecurityContext | default dict)) | nindent 2 }}
{{- with .values.nodeSelector | default $global.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations | default $global.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity | default $global.affinity | default (fromYaml (include "zonestead.spreadAffinity" .)) }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.topologySpreadConstraints | default $global.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName | default $global.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- if hasKey .values "hostUsers" }}
hostUsers: {{ .values.hostUsers }}
{{- end }}
{{- with .values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with concat (.aliases | default list) (.values.hostAliases | default list) }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.terminationGracePeriodSeconds | default .grace }}
terminationGracePeriodSeconds: {{ . }}
{{- end }}
{{- if and .values.initContainers (not .ownInit) }}
initContainers:
  {{- toYaml .values.initContainers | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Prefer different nodes for the pods of one component, and among them different zones. It is only a preference, so that a cluster of one node works. */}}
{{- define "zonestead.spreadAffinity" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "zonestead.selectorLabels" . | nindent 12 }}
    - weight: 50
      podAffinityTerm:
        topologyKey: topology.kubernetes.io/zone
        labelSelector:
          matchLabels:
            {{- include "zonestead.selectorLabels" . | nindent 12 }}
{{- end -}}

{{/* The security context of a container: the Pod Security level "restricted", and a read-only root file system. */}}
{{- define "zonestead.containerSecurity" -}}
{{- $defaults := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "runAsNonRoot" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- toYaml (mergeOverwrite $defaults (.securityContext | default dict)) -}}
{{- end -}}

{{/* Image, security context and resources of a container with the image of Zonestead. "values" are the values of the component. */}}
{{- define "zonestead.ownContainer" -}}
image: {{ include "zonestead.ownImage" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "zonestead.containerSecurity" .values | nindent 2 }}
{{- with .values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The history and the updates of a workload: (dict "values" .Values.api "field" "strategy" "default" (dict "type" "RollingUpdate")) */}}
{{- define "zonestead.updates" -}}
{{- if not (kindIs "invalid" .values.revisionHistoryLimit) }}
revisionHistoryLimit: {{ .values.revisionHistoryLimit }}
{{- end }}
{{ .field }}:
  {{- toYaml (get .values .field | default .default) | nindent 2 }}
{{- end -}}

{{/* Additions from the values. */}}
{{- define "zonestead.extraEnv" -}}
- name: ZONESTEAD_LOG_LEVEL
  value: {{ .root.Values.logLevel }}
{{- with .root.Values.tracing.endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- define "zonestead.extraEnvFrom" -}}
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- define "zonestead.extraContainers" -}}
{{- with .values.extraContainers }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The networks and ports that health checks may probe, for the processes that do. */}}
{{- define "zonestead.checksEnv" -}}
{{- with .Values.api.checks.networks }}
- { name: ZONESTEAD_CHECK_NETWORKS, value: {{ join "," . | quote }} }
{{- end }}
{{- with .Values.api.checks.ports }}
- { name: ZONESTEAD_CHECK_PORTS, value: {{ join "," . | quote }} }
{{- end }}
{{- end -}}
