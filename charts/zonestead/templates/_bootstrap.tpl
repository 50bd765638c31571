{{/* The pod of the bootstrap Job. */}}
{{- define "zonestead.bootstrapPod" -}}
{{- $root := .root }}
{{- $d := $root.Values.database }}
{{- $fullname := include "zonestead.fullname" $root }}
metadata:
  {{- include "zonestead.podMetadata" . | nindent 2 }}
spec:
  restartPolicy: OnFailure
  {{- include "zonestead.podCommon" . | nindent 2 }}
  containers:
    - name: bootstrap
      {{- include "zonestead.ownContainer" . | nindent 6 }}
      args:
        - bootstrap
        - --database={{ $d.mode }}
        {{- if ne $d.mode "builtin" }}
        - --url-secret={{ include "zonestead.databaseSecret" $root }}
        - --url-key={{ include "zonestead.databaseKey" $root }}
        {{- else }}
        - --database-secret={{ include "zonestead.databaseSecret" $root }}
        - --database-name={{ $d.name }}
        - --database-host={{ include "zonestead.postgresHost" $root }}:5432
        {{- if include "zonestead.makesDatabaseCa" $root }}
        - --database-certificate={{ include "zonestead.postgresCertificateSecret" $root }}
        {{- end }}
        {{- with $d.builtin.existingSecret }}
        - --given-secret={{ . }}
        {{- end }}
        {{- end }}
        - {{ printf "--team=%s" .values.team | quote }}
        - {{ printf "--trusts=%s" (include "zonestead.trusts" $root) | quote }}
        {{- with $root.Values.canary.zone }}
        - {{ printf "--zone=%s=%s" . $root.Values.canary.team | quote }}
        - --nameservers={{ include "zonestead.nameservers" $root }}
        {{- end }}
        - --trusts-of={{ include "zonestead.namespace" $root }}/{{ $fullname }}
        {{- if and $root.Values.nameserver.enabled (not $root.Values.nameserver.nodeKey.existingSecret) }}
        - --node-key-secret={{ include "zonestead.nodeKeySecret" $root }}
        {{- end }}
        - {{ printf "--secondaries=%s" (include "zonestead.secondaries" $root) | quote }}
        - --secondaries-secret={{ include "zonestead.secondariesSecret" $root }}
        - {{ printf "--rotation=%s" .values.rotation | quote }}
        {{- if $root.Values.api.encryption.existingSecret }}
        - --given-encryption-secret={{ include "zonestead.encryptionSecret" $root }}
        {{- else }}
        - --encryption-secret={{ include "zonestead.encryptionSecret" $root }}
        {{- end }}
        {{- if and $root.Values.api.console.enabled (not $root.Values.api.console.existingSecret) }}
        - --session-secret={{ include "zonestead.sessionSecret" $root }}
        {{- end }}
        {{- include "zonestead.certificateOptions" $root | nindent 8 }}
        - {{ include "zonestead.labelsOption" $root | quote }}
        - --timeout={{ .values.timeoutSeconds }}
        {{- range .values.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      env:
        {{- if not (include "zonestead.makesDatabaseCa" $root) }}
        {{- include "zonestead.databaseEnv" $root | nindent 8 }}
        {{- end }}
        {{- include "zonestead.extraEnv" . | nindent 8 }}
      {{- include "zonestead.extraEnvFrom" . | nindent 6 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        {{- if not (include "zonestead.makesDatabaseCa" $root) }}
        {{- include "zonestead.databaseCaMount" $root | nindent 8 }}
        {{- end }}
        {{- with .values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- include "zonestead.extraContainers" . | nindent 4 }}
  volumes:
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    {{- if not (include "zonestead.makesDatabaseCa" $root) }}
    {{- include "zonestead.databaseCaVolume" $root | nindent 4 }}
    {{- end }}
    {{- with .values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
