# Completion of gelu for bash, made from the program by tools/make_manual.py.
# It starts no program of its own.

_gelu() {
    # readline parts --form=sigmoid:be into five words: put them together again
    local -a line=()
    local rest=$COMP_LINE part last=-1 glued
    for part in "${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
        glued=''
        ((last >= 0)) && [[ $rest != [[:space:]]* ]] && glued=${line[last]: -1}${part:0:1}
        if [[ $glued == *[:=]* ]]; then
            line[last]+=$part
        else
            line[++last]=$part
        fi
        rest=${rest#"${rest%%[![:space:]]*}"} # without spaces, then without the word
        rest=${rest#"$part"}
    done
    local word=${line[last]} kept=${COMP_WORDS[COMP_CWORD]}
    [[ $kept == [:=]* ]] && kept=''
    local cut=${word%"$kept"} # what stands before the part that readline replaces
    local command=${line[1]} option='' words='' head='' before given
    local arguments='' once='' again='' listed='' settings='' settable='' form=''
    ((last >= 2)) && option=${line[last - 1]}
    local assigned=''
    if [[ $word == --*=* ]]; then
        option=${word%%=*} head=${word%%=*}= word=${word#*=} assigned=yes
    fi
    [[ $option == --*:* ]] && option=${option%%:*}
    COMPREPLY=()
    if ((last == 1)); then
        words='table error locate variance fit block sweep compare check identify plot forms completion help -V --version -h --help'
    else
        case "$command" in
        table)
            once='--dtype --bits --all --input --column -f --format -o --output --no-header -d --digits -q --quiet --jobs -h --help' again='--form --show'
            ;;
        error)
            once='--target --quantity --range --mean --sigma --samples --seed --view --input --column -f --format -o --output --no-header -d --digits -q --quiet --jobs -h --help' again=--form
            ;;
        locate)
            once='-f --format -o --output --no-header -d --digits -q --quiet -h --help' again=--form
            ;;
        variance)
            once='--mean --sigma --momentum --samples --seed -f --format -o --output --no-header -d --digits -q --quiet -h --help' again=--form
            ;;
        fit)
            arguments='tanh sigmoid elu erf_as hard igelu noisy_relu polynomial' once='--degree --criterion --quantity --target --range --mean --sigma --constants-in --published --view --language --dtype -f --format -o --output --no-header -d --digits -q --quiet -h --help' again=--free settable=yes
            ;;
        block)
            once='--target --mean --sigma --shape --samples --seed --input --column --view -f --format -o --output --no-header -d --digits -q --quiet -h --help' again='--form --dtype'
            ;;
        sweep)
            once='--impl --exec --signature --backend --device --batch --timeout --backward --upstream --quantity --dtype --result --compute --range --all --samples --seed --shapes --jobs --target --ftz --worst --max-ulp --budget --tighten --criteria --view -f --format -o --output --no-header -d --digits -q --quiet --title --size --dpi --theme --y-range -h --help' again='--routine --kwarg --at'
            ;;
        compare)
            once='--upstream --quantity --dtype --result --range --all --samples --seed --jobs --target --ftz --worst --max-ulp --view -f --format -o --output --no-header -d --digits -q --quiet --title --size --dpi --theme --y-range -h --help' again='--exec --kwarg --backend --device --batch --signature --timeout --backward --compute'
            ;;
        check)
            arguments=FILE once='--skip-unreadable --wrong --dtype --all --inputs --result --target --quantity --ftz --worst --max-ulp --budget --tighten --criteria --view -f --format -o --output --no-header -d --digits -q --quiet --title --size --dpi --theme --y-range -h --help' again=--column
            ;;
        identify)
            once='--all --inputs --column --impl --exec --signature --backend --device --batch --timeout --backward --quantity --dtype --result --rows -f --format -o --output --no-header -d --digits -q --quiet --jobs -h --help' again=--kwarg
            ;;
        plot)
            arguments=FILE once='--error --target --range --points -f --format -o --output --title --size --dpi --theme --y-range -q --quiet -h --help' again='--form --show --mark'
            ;;
        forms)
            arguments='exact tanh sigmoid elu erf_as hard igelu mish noisy_relu polynomial relu sigmoid_taylor silu softplus tanh_taylor su_2020 novigrad swapped_constants same_variance as_7_1_27 as_7_1_28 as_26_2_16 as_26_2_17 puma bolt bumblebee tt_metal_table tt_metal_table_refitted onednn_erf tt_metal_13 tt_metal_15 tt_metal_2026 tt_metal_15_weighted tt_metal_quartic tt_metal_quartics xnnpack_12_10 xnnpack_12_10_no_fma xnnpack_6_4 xnnpack_6_4_no_fma eigen_erf none gelu erf gelu_python gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate quick quick_gelu gelu_quick hard_gelu h_gelu i_gelu swish' once='--view -f --format -o --output --no-header -d --digits -q --quiet -h --help' settable=yes
            ;;
        completion)
            arguments='bash fish zsh' once='-h --help'
            ;;
        help)
            arguments='table error locate variance fit block sweep compare check identify plot forms completion help' once='-h --help'
            ;;
        esac
        case "$command $option" in
        *[\<\>]*) # the shell's own redirections
            compopt -o default
            ;;
        'table --form' | 'error --form' | 'locate --form' | 'variance --form' | 'block --form' | 'plot --form')
            words='exact tanh sigmoid elu erf_as hard igelu mish noisy_relu polynomial relu sigmoid_taylor silu softplus tanh_taylor su_2020 novigrad swapped_constants same_variance as_7_1_27 as_7_1_28 as_26_2_16 as_26_2_17 puma bolt bumblebee tt_metal_table tt_metal_table_refitted onednn_erf tt_metal_13 tt_metal_15 tt_metal_2026 tt_metal_15_weighted tt_metal_quartic tt_metal_quartics xnnpack_12_10 xnnpack_12_10_no_fma xnnpack_6_4 xnnpack_6_4_no_fma eigen_erf none gelu erf gelu_python gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate quick quick_gelu gelu_quick hard_gelu h_gelu i_gelu swish' listed=yes settings=yes
            ;;
        'table --show' | 'plot --show')
            words='value gradient curvature gate complement gate_gradient mask_variance all' listed=yes
            ;;
        'table --dtype' | 'fit --constants-in' | 'fit --dtype' | 'sweep --dtype' | 'sweep --result' | 'sweep --compute' | 'compare --compute' | 'compare --dtype' | 'compare --result' | 'check --dtype' | 'check --result' | 'identify --dtype' | 'identify --result')
            words='float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2'
            ;;
        'table --input' | 'table -o' | 'table --output' | 'error --input' | 'error -o' | 'error --output' | 'locate -o' | 'locate --output' | 'variance -o' | 'variance --output' | 'fit -o' | 'fit --output' | 'block --input' | 'block -o' | 'block --output' | 'sweep --impl' | 'sweep --budget' | 'sweep -o' | 'sweep --output' | 'compare -o' | 'compare --output' | 'check --inputs' | 'check --budget' | 'check -o' | 'check --output' | 'identify --inputs' | 'identify --impl' | 'identify -o' | 'identify --output' | 'plot --points' | 'plot -o' | 'plot --output' | 'forms -o' | 'forms --output')
            compopt -o default
            ;;
        'table --column' | 'table -d' | 'table --digits' | 'table --jobs' | 'error --range' | 'error --mean' | 'error --sigma' | 'error --samples' | 'error --seed' | 'error --column' | 'error -d' | 'error --digits' | 'error --jobs' | 'locate -d' | 'locate --digits' | 'variance --mean' | 'variance --sigma' | 'variance --momentum' | 'variance --samples' | 'variance --seed' | 'variance -d' | 'variance --digits' | 'fit --degree' | 'fit --range' | 'fit --mean' | 'fit --sigma' | 'fit -d' | 'fit --digits' | 'block --mean' | 'block --sigma' | 'block --shape' | 'block --samples' | 'block --seed' | 'block --column' | 'block -d' | 'block --digits' | 'sweep --exec' | 'sweep --kwarg' | 'sweep --device' | 'sweep --batch' | 'sweep --timeout' | 'sweep --upstream' | 'sweep --range' | 'sweep --samples' | 'sweep --seed' | 'sweep --at' | 'sweep --jobs' | 'sweep --worst' | 'sweep --max-ulp' | 'sweep -d' | 'sweep --digits' | 'sweep --title' | 'sweep --size' | 'sweep --dpi' | 'sweep --y-range' | 'compare --exec' | 'compare --kwarg' | 'compare --device' | 'compare --batch' | 'compare --timeout' | 'compare --upstream' | 'compare --range' | 'compare --samples' | 'compare --seed' | 'compare --jobs' | 'compare --worst' | 'compare --max-ulp' | 'compare -d' | 'compare --digits' | 'compare --title' | 'compare --size' | 'compare --dpi' | 'compare --y-range' | 'check --column' | 'check --worst' | 'check --max-ulp' | 'check -d' | 'check --digits' | 'check --title' | 'check --size' | 'check --dpi' | 'check --y-range' | 'identify --column' | 'identify --exec' | 'identify --kwarg' | 'identify --device' | 'identify --batch' | 'identify --timeout' | 'identify --rows' | 'identify -d' | 'identify --digits' | 'identify --jobs' | 'plot --range' | 'plot --title' | 'plot --size' | 'plot --dpi' | 'plot --y-range' | 'forms -d' | 'forms --digits')
            :
            ;;
        'table -f' | 'table --format' | 'error -f' | 'error --format' | 'locate -f' | 'locate --format' | 'variance -f' | 'variance --format' | 'fit -f' | 'fit --format' | 'block -f' | 'block --format' | 'identify -f' | 'identify --format' | 'forms -f' | 'forms --format')
            words='auto csv json jsonl latex markdown npy parquet table tsv'
            ;;
        'error --target' | 'fit --target' | 'block --target' | 'plot --target')
            words='exact tanh sigmoid elu erf_as hard igelu mish noisy_relu polynomial relu sigmoid_taylor silu softplus tanh_taylor su_2020 novigrad swapped_constants same_variance as_7_1_27 as_7_1_28 as_26_2_16 as_26_2_17 puma bolt bumblebee tt_metal_table tt_metal_table_refitted onednn_erf tt_metal_13 tt_metal_15 tt_metal_2026 tt_metal_15_weighted tt_metal_quartic tt_metal_quartics xnnpack_12_10 xnnpack_12_10_no_fma xnnpack_6_4 xnnpack_6_4_no_fma eigen_erf none gelu erf gelu_python gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate quick quick_gelu gelu_quick hard_gelu h_gelu i_gelu swish' settings=yes
            ;;
        'error --quantity')
            words='value gradient curvature gate'
            ;;
        'error --view')
            words='summary points regions histogram'
            ;;
        'fit --free')
            words='c a d beta alpha p a1 a2 a3 a4 a5 slope b sigma A c1 c3 c5 c7 c9 c11 c13 c15' listed=yes
            ;;
        'fit --criterion')
            words='sup relative rms mean'
            ;;
        'fit --quantity')
            words='value gradient gate'
            ;;
        'fit --view')
            words='summary points others code'
            ;;
        'fit --language')
            words='c python'
            ;;
        'block --dtype')
            words='float64 float32 float16 bfloat16 float8_e4m3fn float8_e5m2' listed=yes
            ;;
        'block --view')
            words='summary formats moments units'
            ;;
        'sweep --routine')
            words='erf_sum erfc tanh_sum logistic exp_ratio sigmoid' listed=yes
            ;;
        'sweep --signature' | 'compare --signature' | 'identify --signature')
            words='array scalar'
            ;;
        'sweep --backend' | 'compare --backend' | 'identify --backend')
            words='numpy torch jax cupy tensorflow'
            ;;
        'sweep --backward' | 'compare --backward' | 'identify --backward')
            words='autograd own'
            ;;
        'sweep --quantity' | 'compare --quantity' | 'check --quantity' | 'identify --quantity')
            words='value gradient'
            ;;
        'sweep --target' | 'compare --target')
            words='exact tanh sigmoid elu erf_as hard igelu mish noisy_relu polynomial relu sigmoid_taylor silu softplus tanh_taylor su_2020 novigrad swapped_constants same_variance as_7_1_27 as_7_1_28 as_26_2_16 as_26_2_17 puma bolt bumblebee tt_metal_table tt_metal_table_refitted onednn_erf tt_metal_13 tt_metal_15 tt_metal_2026 tt_metal_15_weighted tt_metal_quartic tt_metal_quartics xnnpack_12_10 xnnpack_12_10_no_fma xnnpack_6_4 xnnpack_6_4_no_fma eigen_erf none gelu erf gelu_python gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate quick quick_gelu gelu_quick hard_gelu h_gelu i_gelu swish auto self' settings=yes
            ;;
        'sweep --view' | 'check --view')
            words='summary regions histogram worst shapes criteria plot'
            ;;
        'sweep -f' | 'sweep --format' | 'compare -f' | 'compare --format' | 'check -f' | 'check --format')
            words='auto csv json jsonl latex markdown npy parquet table tsv github html junit record text png svg pdf'
            ;;
        'sweep --theme' | 'compare --theme' | 'check --theme' | 'plot --theme')
            words='light dark'
            ;;
        'compare --view')
            words='summary regions worst first plot'
            ;;
        'check --target')
            words='exact tanh sigmoid elu erf_as hard igelu mish noisy_relu polynomial relu sigmoid_taylor silu softplus tanh_taylor su_2020 novigrad swapped_constants same_variance as_7_1_27 as_7_1_28 as_26_2_16 as_26_2_17 puma bolt bumblebee tt_metal_table tt_metal_table_refitted onednn_erf tt_metal_13 tt_metal_15 tt_metal_2026 tt_metal_15_weighted tt_metal_quartic tt_metal_quartics xnnpack_12_10 xnnpack_12_10_no_fma xnnpack_6_4 xnnpack_6_4_no_fma eigen_erf none gelu erf gelu_python gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate quick quick_gelu gelu_quick hard_gelu h_gelu i_gelu swish auto' settings=yes
            ;;
        'plot --error')
            words='absolute relative'
            ;;
        'plot --mark')
            words='minimum inflection supremum all' listed=yes
            ;;
        'plot -f' | 'plot --format')
            words='auto text png svg pdf'
            ;;
        'forms --view')
            words='forms about figures models'
            ;;
        *)
            [[ -z $assigned ]] || return # of a=1 nothing is known
            before=("${line[@]:2:last - 2}")
            if [[ " ${before[*]} " != *' -- '* && ($word == -* || -z $arguments) ]]; then
                words=" $once "
                for given in "${before[@]}"; do
                    words=${words/" $given "/ }
                done
                words+=$again
            elif [[ $arguments == FILE ]]; then
                compopt -o default
            else
                words=$arguments settings=$settable
            fi
            ;;
        esac
    fi
    if [[ -n $listed && $word == *,* ]]; then
        head+=${word%,*}, word=${word##*,}
    fi
    if [[ -n $settings && $word == *:* ]]; then
        form=${word%%:*} head+=${word%:*}: word=${word##*:} words=''
        for given in tanh:c= tanh:a= tanh:d= gelu_new:c= gelu_new:a= gelu_new:d= gelu_fast:c= gelu_fast:a= gelu_fast:d= gelu_pytorch_tanh:c= gelu_pytorch_tanh:a= gelu_pytorch_tanh:d= gelu_tanh:c= gelu_tanh:a= gelu_tanh:d= gelu_accurate:c= gelu_accurate:a= gelu_accurate:d= sigmoid:beta= quick:beta= quick_gelu:beta= gelu_quick:beta= elu:alpha= erf_as:p= erf_as:a1= erf_as:a2= erf_as:a3= erf_as:a4= erf_as:a5= hard:slope= hard_gelu:slope= h_gelu:slope= igelu:a= igelu:b= i_gelu:a= i_gelu:b= noisy_relu:sigma= polynomial:A= polynomial:c1= polynomial:c3= polynomial:c5= polynomial:c7= polynomial:c9= polynomial:c11= polynomial:c13= polynomial:c15=; do
            [[ $given == "$form:"* ]] && words+=" ${given#*:}"
        done
        compopt -o nospace
    fi
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$words" -- "$word")
    COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}

complete -F _gelu gelu
