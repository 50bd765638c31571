{{/* Probes of the containers. The values of a component add fields to them, and replace their handlers and times. */}}

{{/* Probes with the values merged over the defaults: (dict "defaults" "zonestead.healthProbes" "values" .Values.api). A container has one
handler for each probe, so a handler in the values replaces the default one. */}}
{{- define "zonestead.probes" -}}
{{- $values := .values }}
{{- $handlers := list "exec" "grpc" "httpGet" "tcpSocket" }}
{{- range $kind, $probe := fromYaml (include .defaults .) }}
{{- $given := get $values $kind | default dict }}
{{- range $handlers }}
{{- if hasKey $given . }}
{{- $probe = omit $probe "exec" "grpc" "httpGet" "tcpSocket" }}
{{- end }}
{{- end }}
{{ $kind }}:
  {{- toYaml (mergeOverwrite $probe (deepCopy $given)) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A process of Zonestead that has a health port. */}}
{{- define "zonestead.healthProbes" -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ .port | default "health" }} }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: {{ .port | default "health" }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: {{ .port | default "health" }} }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 2
{{- end -}}

{{/* knotd of a name server. Its readiness means the TCP port only; the other container knows whether knotd has all zones. It is restarted
if it answers no queries, over UDP or TCP: connections of clients can fill its port without a fault of knotd. Before knotd starts, its databases
are checked, which takes minutes for large ones. */}}
{{- define "zonestead.knotProbes" -}}
{{- $address := first .listenAddresses -}}
{{- $address = get (dict "*" "127.0.0.1" "0.0.0.0" "127.0.0.1" "::" "::1") $address | default $address -}}
startupProbe:
  tcpSocket: { port: dns-tcp }
  periodSeconds: 1
  failureThreshold: 600
livenessProbe:
  exec: { command: [/usr/local/bin/node, /app/main.js, check, --dns-only, --dns, {{ printf (ternary "[%s]:%v" "%s:%v" (contains ":" $address)) $address .port | quote }}] }
  periodSeconds: 30
  timeoutSeconds: 20
  failureThreshold: 3
readinessProbe:
  tcpSocket: { port: dns-tcp }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end -}}

{{/* knotd of an edge. At its start, a pod without the zones of its catalog would refuse queries; a restart would not help, so that limit is
long. The liveness probe also gives knotd new addresses of name servers, and a new key. */}}
{{- define "zonestead.edgeProbes" -}}
startupProbe:
  exec: { command: [/usr/local/bin/node, /app/main.js, edge-conf, --zones] }
  periodSeconds: 2
  timeoutSeconds: 10
  failureThreshold: 1800
livenessProbe:
  exec: { command: [/usr/local/bin/node, /app/main.js, edge-conf, --check] }
  periodSeconds: 30
  timeoutSeconds: 20
  failureThreshold: 3
readinessProbe:
  tcpSocket: { port: dns-tcp }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end -}}

{{/* Postgres opens its port before it has recovered. The state in its pid file says when it takes connections (pg_ctl reads it too). The
readiness probe also makes Postgres read its certificate again after the kubelet has replaced the files. */}}
{{- define "zonestead.postgresProbes" -}}
startupProbe:
  tcpSocket: { port: postgres }
  periodSeconds: 1
  failureThreshold: 120
livenessProbe:
  tcpSocket: { port: postgres }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  exec:
    command:
      - sh
      - -c
      - |
        { read -r pid; state=; while read -r line || [ -n "$line" ]; do state=$line; done; } <"$PGDATA/postmaster.pid" || exit 1
        [ "$state" = ready ] || exit 1
        if [ ! -e /tmp/certificate-read ] || [ /etc/postgres-tls/tls.crt -nt /tmp/certificate-read ]; then
          : >/tmp/certificate-read
          kill -HUP "$pid"
        fi
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}
