# Completion of gelu for bash, which asks gelu itself.

_gelu() {
    local line=${COMP_LINE:0:COMP_POINT} kept=${COMP_WORDS[COMP_CWORD]}
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    mapfile -t COMPREPLY < <(command "$1" __complete "${words[@]:1}" 2>/dev/null | cut -f 1)
    if [[ ${COMPREPLY[0]} == '<files>' ]]; then
        compopt -o default
        COMPREPLY=()
    fi
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    [[ $kept == [:=]* ]] && kept=''
    kept=${words[-1]%"$kept"} # what stands before the part that readline replaces
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

complete -F _gelu gelu
