# Completion of gelu for fish, which asks gelu itself.

function __gelu_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l offered (command $words[1] __complete $words[2..-1] 2>/dev/null)
    if test "$offered[1]" = '<files>'
        set -l head (string match -r '^--[^=]*=' -- $words[-1])
        for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1]))
            printf '%s\n' "$head$path"
        end
    else
        printf '%s\n' $offered
    end
end

complete -c gelu -f -a '(__gelu_complete)'
