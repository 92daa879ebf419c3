/** Completion scripts for `kubectl-win`. `kubectl win` needs none: kubectl's completion script covers it. */
export const scripts = {
  bash: `# Completion of kubectl-win for bash.
_kubectl_win() {
    local current="\${COMP_WORDS[COMP_CWORD]}" line answer directive=4
    local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
    # bash treats = as a separate word.
    local joined="\${COMP_LINE:0:COMP_POINT}"
    joined="\${joined##*[[:space:]]}"
    if [[ "$joined" == --*=* ]]; then
        while [[ \${#words[@]} -gt 0 && "\${words[0]}" != "\${joined%%=*}" ]]; do words=("\${words[@]:1}"); done
        words=("\${COMP_WORDS[@]:1:COMP_CWORD-\${#words[@]}}" "$joined")
    fi
    COMPREPLY=()
    answer=$(kubectl-win __complete "\${words[@]}" 2>/dev/null)
    while IFS= read -r line; do
        if [[ "$line" == :* ]]; then directive="\${line#:}"; continue; fi
        line="\${line%%$'\\t'*}"
        if [[ "$joined" == --*=* ]]; then line="\${line#*=}"; fi
        COMPREPLY+=("$line")
    done <<< "$answer"
    if [[ "$directive" == 0 ]]; then
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    fi
}
complete -F _kubectl_win kubectl-win
`,
  zsh: `#compdef kubectl-win
# Completion of kubectl-win for zsh.
_kubectl_win() {
    local line directive=4
    local -a values
    for line in "\${(@f)$(kubectl-win __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        if [[ "$line" == :<-> ]]; then directive="\${line#:}"; continue; fi
        line="\${line//:/\\\\:}"
        values+=("\${line/$'\\t'/:}")
    done
    (( \${#values} )) && _describe -V 'kubectl-win' values
    [[ "$directive" == 0 ]] && _files
}
compdef _kubectl_win kubectl-win
`,
  fish: `# Completion of kubectl-win for fish.
function __kubectl_win_complete
    set -l words (commandline -opc) (commandline -ct)
    kubectl-win __complete $words[2..-1] 2>/dev/null | string match --invert --regex '^:\\d+$'
end
complete -c kubectl-win -f -a '(__kubectl_win_complete)'
complete -c kubectl-win -n 'string match -q -- "*/*" (commandline -ct)' -F
`,
} as const;
