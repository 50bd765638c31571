{{/* Profiles: files/profiles/<name>.yaml has values that replace those of values.yaml. Helm does not tell which values are the user's, so
a value that is as in values.yaml counts as not set. files/profiles/defaults.json (generated) has these, for the values of the profiles. */}}

{{- define "zonestead.useProfile" -}}
{{- $values := .Values -}}
{{- with .Files.Get (printf "files/profiles/%s.yaml" $values.profile) -}}
{{- $defaults := $.Files.Get "files/profiles/defaults.json" | fromJson -}}
{{- include "zonestead.mergeProfile" (dict "values" $values "defaults" $defaults "profile" (fromYaml .)) -}}
{{- end -}}
{{- $_ := set $values "usedProfile" $values.profile -}}
{{- end -}}

{{/* A value whose default is null is set by everything but null. A map that the user removed stays away. */}}
{{- define "zonestead.mergeProfile" -}}
{{- range $key, $wanted := .profile -}}
{{- $given := get $.values $key -}}
{{- $default := get $.defaults $key -}}
{{- if kindIs "invalid" $default -}}
{{- if or (kindIs "invalid" $given) (not (hasKey $.values $key)) }}{{ $_ := set $.values $key $wanted }}{{ end -}}
{{- else if kindIs "map" $wanted -}}
{{- if kindIs "map" $given -}}
{{- include "zonestead.mergeProfile" (dict "values" $given "defaults" $default "profile" $wanted) -}}
{{- end -}}
{{- else if and (hasKey $.values $key) (eq (toJson $given) (toJson $default)) -}}
{{- $_ := set $.values $key $wanted -}}
{{- end -}}
{{- end -}}
{{- end -}}
