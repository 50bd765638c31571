// The scripts that connect a shell with `zonestead complete`, which prints one candidate on each line: the word, a tab
// and its description. The line ":files" stands for the names of files.

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# Completion of zonestead for bash. Load it with: source <(zonestead completion bash)
_zonestead() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files)
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
        ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _zonestead zonestead`;

const ZSH = `#compdef zonestead
# Completion of zonestead for zsh. Load it with: source <(zonestead completion zsh)
_zonestead() {
  local line
  local -a candidates
  for line in "\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files; return ;;
      *) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  _describe zonestead candidates
}
if [[ "\${funcstack[1]}" == _zonestead ]]; then
  _zonestead "$@"
else
  compdef _zonestead zonestead
fi`;

const FISH = `# Completion of zonestead for fish. Load it with: zonestead completion fish | source
function __zonestead_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    for line in ($program complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path "$current"
        else
            printf '%s\\n' $line
        end
    end
end
complete -c zonestead -f -a '(__zonestead_complete)'`;

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
