_gelu_completion() {
    local IFS=$'
'
    COMPREPLY=( $( env COMP_WORDS="${COMP_WORDS[*]}" \
                   COMP_CWORD=$COMP_CWORD \
                   _GELU_COMPLETE=complete_bash $1 ) )
    return 0
}

complete -o default -F _gelu_completion gelu
