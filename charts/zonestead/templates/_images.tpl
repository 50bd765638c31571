{{/* The full name of an image: (dict "root" $ "image" .Values.image "tag" "…") */}}
{{- define "zonestead.image" -}}
{{- $registry := .image.registry | default (.root.Values.global.imageRegistry) -}}
{{- $name := .image.repository -}}
{{- if $registry -}}
{{- $name = printf "%s/%s" (trimSuffix "/" $registry) $name -}}
{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default .tag) -}}
{{- end -}}
{{- end -}}

{{- define "zonestead.ownImage" -}}
{{- include "zonestead.image" (dict "root" . "image" .Values.image "tag" .Chart.AppVersion) -}}
{{- end -}}
