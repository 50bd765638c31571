{{/* Parts of the pods of the name servers. */}}

{{/* Image, security context and resources of a container with the image of the name servers. */}}
{{- define "zonestead.nameserverContainer" -}}
{{- $n := .root.Values.nameserver -}}
image: {{ include "zonestead.image" (dict "root" .root "image" $n.image "tag" .root.Chart.AppVersion) | quote }}
imagePullPolicy: {{ $n.image.pullPolicy }}
securityContext:
  {{- include "zonestead.containerSecurity" $n | nindent 2 }}
{{- with .resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The settings of knotd, for the command that prepares its configuration and for the process next to it. */}}
{{- define "zonestead.knotEnv" -}}
{{- $n := .root.Values.nameserver -}}
- name: ZONESTEAD_NODE_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- { name: ZONESTEAD_KNOT_FOLDER, value: /var/lib/zonestead/knot }
- { name: ZONESTEAD_KNOT_DISK, value: {{ include "zonestead.bytes" $n.persistence.size | quote }} }
- { name: ZONESTEAD_KNOT_LISTEN, value: {{ join "," $n.listenAddresses | quote }} }
- { name: ZONESTEAD_KNOT_PORT, value: {{ $n.port | quote }} }
{{- with include "zonestead.dnsTlsEnv" $n }}{{ . | nindent 0 }}{{ end }}
- { name: ZONESTEAD_KNOT_WORKERS, value: {{ $n.knot.workers | quote }} }
- { name: ZONESTEAD_KNOT_RATE_LIMIT, value: {{ $n.knot.rateLimit | int64 | quote }} }
{{- with $n.knot.rateLimitExempt }}
- { name: ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT, value: {{ join "," . | quote }} }
{{- end }}
{{- if $n.knot.cookieSecret.existingSecret }}
- { name: ZONESTEAD_KNOT_COOKIE_SECRET_FILE, value: /etc/zonestead/cookies/cookieSecret }
{{- end }}
{{- end -}}

{{/* DNS over TLS. Call these with the values of the name servers or of the edges. */}}
{{- define "zonestead.dnsTlsPort" -}}
{{- if .knot.tls.existingSecret -}}
- { name: dns-tls, containerPort: {{ .knot.tls.port }}, protocol: TCP }
{{- end -}}
{{- end -}}

{{- define "zonestead.dnsTlsEnv" -}}
{{- if .knot.tls.existingSecret -}}
- { name: ZONESTEAD_KNOT_TLS_CERT_FILE, value: /etc/zonestead/dns-tls/tls.crt }
- { name: ZONESTEAD_KNOT_TLS_KEY_FILE, value: /etc/zonestead/dns-tls/tls.key }
- { name: ZONESTEAD_KNOT_TLS_PORT, value: {{ .knot.tls.port | quote }} }
{{- end -}}
{{- end -}}

{{/* Without a subPath, so that the kubelet renews the files. */}}
{{- define "zonestead.dnsTlsMount" -}}
{{- if .knot.tls.existingSecret -}}
- { name: dns-tls, mountPath: /etc/zonestead/dns-tls, readOnly: true }
{{- end -}}
{{- end -}}

{{- define "zonestead.dnsTlsVolume" -}}
{{- if .knot.tls.existingSecret -}}
- name: dns-tls
  secret:
    secretName: {{ .knot.tls.existingSecret }}
    defaultMode: 0440
    items: [{ key: tls.crt, path: tls.crt }, { key: tls.key, path: tls.key }]
{{- end -}}
{{- end -}}

{{/* Call it with the values of the name servers. */}}
{{- define "zonestead.cookieMount" -}}
{{- if .knot.cookieSecret.existingSecret -}}
- { name: cookies, mountPath: /etc/zonestead/cookies, readOnly: true }
{{- end -}}
{{- end -}}

{{- define "zonestead.nodeKeySecret" -}}
{{- .Values.nameserver.nodeKey.existingSecret | default (printf "%s-node-key" (include "zonestead.fullname" .)) -}}
{{- end -}}

{{- define "zonestead.feedCa" -}}
{{- $feed := .Values.nameserver.feed -}}
{{- include "zonestead.apiCa" (dict "root" . "url" $feed.url "caSecret" $feed.caSecret "caKey" $feed.caKey) -}}
{{- end -}}

{{- define "zonestead.nameservers" -}}
{{- if .Values.nameservers -}}
{{- join "," .Values.nameservers -}}
{{- else -}}
{{- printf "%s-dns.%s.svc.%s" (include "zonestead.fullname" .) (include "zonestead.namespace" .) .Values.clusterDomain -}}
{{- end -}}
{{- end -}}
