{{/*
Where a page of the documentation is: page is its path below docs/ without an ending, anchor that of a heading. Without docsUrl it is the
path of the file in the repository.
*/}}
{{- define "zonestead.docs" -}}
{{- $anchor := ternary (printf "#%s" .anchor) "" (hasKey . "anchor") -}}
{{- with .root.Values.docsUrl -}}
{{ printf "%s/%s.html%s" (trimSuffix "/" .) $.page $anchor }}
{{- else -}}
{{ printf "docs/%s.md%s" .page $anchor }}
{{- end -}}
{{- end -}}
