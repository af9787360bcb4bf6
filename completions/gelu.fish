# Completion of gelu for fish, made from the program by tools/make_manual.py.
# It starts no program of its own.

function __gelu_no_command
    test (count (commandline -opc)) -eq 1
end

function __gelu_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end

# What stands before the last comma of a list.
function __gelu_list_head
    commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '.*,'
end

# Elements of a list with commas: what a function offers, each after those that are there.
function __gelu_listed
    set -l head (__gelu_list_head)
    $argv | string replace -r '^' "$head"
end

# Forms, or after a colon the parameters of one.
function __gelu_with_settings
    set -l word (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '.*,' '')
    if not string match -q '*:*' -- $word
        $argv
        return
    end
    set -l form (string replace -r ':.*' '' -- $word)
    set -l head (string match -r '.*:' -- $word)
    for setting in tanh:c= tanh:a= tanh:d= gelu_new:c= gelu_new:a= gelu_new:d= gelu_fast:c= gelu_fast:a= gelu_fast:d= gelu_pytorch_tanh:c= gelu_pytorch_tanh:a= gelu_pytorch_tanh:d= gelu_tanh:c= gelu_tanh:a= gelu_tanh:d= gelu_accurate:c= gelu_accurate:a= gelu_accurate:d= sigmoid:beta= quick:beta= quick_gelu:beta= gelu_quick:beta= elu:alpha= erf_as:p= erf_as:a1= erf_as:a2= erf_as:a3= erf_as:a4= erf_as:a5= hard:slope= hard_gelu:slope= h_gelu:slope= igelu:a= igelu:b= i_gelu:a= i_gelu:b= noisy_relu:sigma= polynomial:A= polynomial:c1= polynomial:c3= polynomial:c5= polynomial:c7= polynomial:c9= polynomial:c11= polynomial:c13= polynomial:c15=
        if string match -q "$form:*" -- $setting
            string replace "$form:" $head -- $setting
        end
    end
end

function __gelu_table_form
    printf '%s\t%s\n' 'exact' 'x·Φ(x)' 'tanh' '½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715, d = 0' 'sigmoid' 'x·σ(β·x), β = 1.702' 'elu' 'x for x > 0, else α·(eˣ − 1), α = 1' 'erf_as' 'exact with erf z ≈ 1 − (a1·t + … + a5·t⁵)·e^(−z²), t = 1/(1 + p·z), p = 0.3275911' 'hard' 'x·relu6(slope·x + 3)/6, slope = 1.702' 'igelu' '½x·(1 + L(x/√2)), L(z) = sgn z·(a·(min(|z|, −b) + b)² + 1), a = −0.2888, b = −1.769' 'mish' 'x·tanh(log(1 + eˣ))' 'noisy_relu' 'E max(0, x + ε) = x·Φ(x/σ) + σ·φ(x/σ), ε ~ N(0, σ²), σ = 1' 'polynomial' 'x·(½ + c1·x + c3·x³ + … + c15·x¹⁵) for |x| ≤ A, else max(0, x)' 'relu' 'max(0, x)' 'sigmoid_taylor' 'x·σ(β·x), β = √(8/π), GELU\'s curvature at 0' 'silu' 'x·σ(x)' 'softplus' 'log(1 + eˣ)' 'tanh_taylor' 'tanh with c = (4 − π)/(6π), GELU\'s third-order term at 0' 'su_2020' '½x·(1 + tanh(√(2/π)·x + 0.035677337314877385·x³))' 'novigrad' '½x·(1 + tanh(√(2/5)·(x + 0.044715·x³)))' 'swapped_constants' '½x·(1 + tanh(0.044715·(x + √(2/π)·x³)))' 'same_variance' 'x·σ(πx/√3): the logistic distribution with the variance 1' 'as_7_1_27' 'exact with erf z ≈ 1 − (1 + a₁z + … + a₄z⁴)⁻⁴' 'as_7_1_28' 'exact with erf z ≈ 1 − (1 + a₁z + … + a₆z⁶)⁻¹⁶' 'as_26_2_16' 'x·(1 − φ(x)·(b₁t + b₂t² + b₃t³)), t = 1/(1 + 0.33267x), for x ≥ 0' 'as_26_2_17' 'x·(1 − φ(x)·(b₁t + … + b₅t⁵)), t = 1/(1 + 0.2316419x), for x ≥ 0' 'puma' '0 for x < −4, a cubic to −1.95, a sextic to 3, x above' 'bolt' '½x + p(|x|) for |x| ≤ 2.7, p a quartic; 0 below, x above' 'bumblebee' '½x + p(|x|) for |x| ≤ 3, p a quartic; 0 below, x above' 'tt_metal_table' '½x + A|x| + B, with A and B from a table for |x| < ½, 1, 1½, 2, 3, ∞' 'tt_metal_table_refitted' '½x + A|x| + B, with A and B from a table for |x| < ½, 1, 1½, 2, 3, ∞' 'onednn_erf' '½x·(1 + x·p(x²)) of degree 29 in the gate, erf = ±1 from |x| = 5' 'tt_metal_13' 'x·(½ + x·p(x²)) of degree 13 in the gate for -3 ≤ x < 3; 0 below, x above' 'tt_metal_15' 'x·(½ + x·p(x²)) of degree 15 in the gate for -3 ≤ x < 3; 0 below, x above' 'tt_metal_2026' 'x·(½ + x·p(x²)) of degree 13 in the gate for −3.125 ≤ x < 2.78125; x above, x·e^(−x²/2)·cubic below, 0 from x = −5.54259443 down' 'tt_metal_15_weighted' 'x·(½ + x·p(x²)) of degree 15 in the gate for -3.125 ≤ x < 2.78125; 0 below, x above' 'tt_metal_quartic' 'x·p(x) for 0 ≤ x < 2.5, p a quartic, x from 2.5 on; below 0 by Φ(x) = 1 − Φ(−x)' 'tt_metal_quartics' 'x·p(x) for 0 ≤ x < 2.5 and x·q(x) for 2.5 ≤ x < 5, p and q quartics, x from 5 on; below 0 by Φ(x) = 1 − Φ(−x)' 'xnnpack_12_10' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 12 and 10, erf = ±1 from |x| = 5.1638283730' 'xnnpack_12_10_no_fma' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 12 and 10, erf = ±1 from |x| = 5.1158981323' 'xnnpack_6_4' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 6 and 4, erf = ±1 from |x| = 3.5' 'xnnpack_6_4_no_fma' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 6 and 4, erf = ±1 from |x| = 3.2890625' 'eigen_erf' '½x·(1 + z·P(z²)/Q(z²)), z = x/√2, of the degrees 13 and 8, erf = ±1 from |z| = 4' 'none' 'another name of exact' 'gelu' 'another name of exact' 'erf' 'another name of exact' 'gelu_python' 'another name of exact' 'gelu_new' 'another name of tanh' 'gelu_fast' 'another name of tanh' 'gelu_pytorch_tanh' 'another name of tanh' 'gelu_tanh' 'another name of tanh' 'gelu_accurate' 'another name of tanh' 'quick' 'another name of sigmoid' 'quick_gelu' 'another name of sigmoid' 'gelu_quick' 'another name of sigmoid' 'hard_gelu' 'another name of hard' 'h_gelu' 'another name of hard' 'i_gelu' 'another name of igelu' 'swish' 'another name of silu'
end

function __gelu_table_show
    printf '%s\t%s\n' 'value' 'f(x)' 'gradient' 'f′(x)' 'curvature' 'f″(x)' 'gate' 'G(x), where f(x) = x·G(x)' 'complement' 'x − f(x)' 'gate_gradient' 'G′(x)' 'mask_variance' 'x²·G(x)·(1 − G(x))' 'all' 'every quantity that all the forms have'
end

function __gelu_table_dtype
    printf '%s\t%s\n' 'float64' '64 bits, 53 significant' 'float32' '32 bits, 24 significant' 'float16' '16 bits, 11 significant' 'bfloat16' '16 bits, 8 significant' 'float8_e4m3fn' '8 bits, 4 significant' 'float8_e5m2' '8 bits, 3 significant'
end

function __gelu_table_format
    printf '%s\t%s\n' 'auto' 'table on a terminal, csv otherwise' 'csv' 'comma-separated values, lossless' 'json' 'an array of objects, one for each row' 'jsonl' 'an object on a line, for each row' 'latex' 'a tabular with the rules of booktabs' 'markdown' 'a table as GitHub has it' 'npy' 'numPy\'s file of an array, with a field for each column' 'parquet' 'apache Parquet, by pyarrow' 'table' 'a table for people' 'tsv' 'tab-separated values, lossless'
end

function __gelu_error_quantity
    printf '%s\t%s\n' 'value' 'f(x)' 'gradient' 'f′(x)' 'curvature' 'f″(x)' 'gate' 'G(x), where f(x) = x·G(x)'
end

function __gelu_error_view
    printf '%s\t%s\n' 'summary' 'suprema and averages, or maxima, averages and percentiles over points' 'points' 'errors at the points given' 'regions' 'suprema or maxima by region of x' 'histogram' 'how many points have which error'
end

function __gelu_fit_free
    printf '%s\t%s\n' 'c' 'of tanh' 'a' 'of tanh, igelu' 'd' 'of tanh' 'beta' 'of sigmoid' 'alpha' 'of elu' 'p' 'of erf_as' 'a1' 'of erf_as' 'a2' 'of erf_as' 'a3' 'of erf_as' 'a4' 'of erf_as' 'a5' 'of erf_as' 'slope' 'of hard' 'b' 'of igelu' 'sigma' 'of noisy_relu' 'A' 'of polynomial' 'c1' 'of polynomial' 'c3' 'of polynomial' 'c5' 'of polynomial' 'c7' 'of polynomial' 'c9' 'of polynomial' 'c11' 'of polynomial' 'c13' 'of polynomial' 'c15' 'of polynomial'
end

function __gelu_fit_criterion
    printf '%s\t%s\n' 'sup' 'the largest |error| on the range' 'relative' 'the largest |error|/|target| there' 'rms' '√E error² for X ~ N(M, S²)' 'mean' 'E |error| for X ~ N(M, S²)'
end

function __gelu_fit_quantity
    printf '%s\t%s\n' 'value' 'f(x)' 'gradient' 'f′(x)' 'gate' 'G(x), where f(x) = x·G(x)'
end

function __gelu_fit_view
    printf '%s\t%s\n' 'summary' 'constants, errors, proof' 'points' 'where the error is largest' 'others' 'errors by other criteria' 'code' 'functions in C and Python'
end

function __gelu_fit_language
    printf '%s\t%s\n' 'c' 'C' 'python' 'Python with numpy'
end

function __gelu_fit_form
    printf '%s\t%s\n' 'tanh' '½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715, d = 0' 'sigmoid' 'x·σ(β·x), β = 1.702' 'elu' 'x for x > 0, else α·(eˣ − 1), α = 1' 'erf_as' 'exact with erf z ≈ 1 − (a1·t + … + a5·t⁵)·e^(−z²), t = 1/(1 + p·z), p = 0.3275911' 'hard' 'x·relu6(slope·x + 3)/6, slope = 1.702' 'igelu' '½x·(1 + L(x/√2)), L(z) = sgn z·(a·(min(|z|, −b) + b)² + 1), a = −0.2888, b = −1.769' 'noisy_relu' 'E max(0, x + ε) = x·Φ(x/σ) + σ·φ(x/σ), ε ~ N(0, σ²), σ = 1' 'polynomial' 'x·(½ + c1·x + c3·x³ + … + c15·x¹⁵) for |x| ≤ A, else max(0, x)'
end

function __gelu_block_view
    printf '%s\t%s\n' 'summary' 'what each form changes' 'formats' 'rounding noise of formats' 'moments' 'the pre-activations of --input' 'units' 'hidden units of --input where r is largest'
end

function __gelu_sweep_routine
    printf '%s\t%s\n' 'erf_sum' '½x·(1 + erf(x/√2))' 'erfc' '½x·erfc(−x/√2)' 'tanh_sum' '½x·(1 + tanh u)' 'logistic' 'x·σ(2u)' 'exp_ratio' '½x·(1 + (e^2u − 1)/(e^2u + 1))' 'sigmoid' 'x·σ(1.702x)'
end

function __gelu_sweep_signature
    printf '%s\t%s\n' 'array' 'void f(const T *x, T *y, size_t n)' 'scalar' 'T f(T x)'
end

function __gelu_sweep_backend
    printf '%s\t%s\n' 'numpy' 'arrays of numpy' 'torch' 'arrays of torch' 'jax' 'arrays of jax' 'cupy' 'arrays of cupy' 'tensorflow' 'arrays of tensorflow'
end

function __gelu_sweep_backward
    printf '%s\t%s\n' 'autograd' 'the library differentiates the function' 'own' 'the function is a backward pass: (upstream, x) → dx'
end

function __gelu_sweep_quantity
    printf '%s\t%s\n' 'value' 'f(x)' 'gradient' 'f′(x)'
end

function __gelu_sweep_target
    printf '%s\t%s\n' 'exact' 'x·Φ(x)' 'tanh' '½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715, d = 0' 'sigmoid' 'x·σ(β·x), β = 1.702' 'elu' 'x for x > 0, else α·(eˣ − 1), α = 1' 'erf_as' 'exact with erf z ≈ 1 − (a1·t + … + a5·t⁵)·e^(−z²), t = 1/(1 + p·z), p = 0.3275911' 'hard' 'x·relu6(slope·x + 3)/6, slope = 1.702' 'igelu' '½x·(1 + L(x/√2)), L(z) = sgn z·(a·(min(|z|, −b) + b)² + 1), a = −0.2888, b = −1.769' 'mish' 'x·tanh(log(1 + eˣ))' 'noisy_relu' 'E max(0, x + ε) = x·Φ(x/σ) + σ·φ(x/σ), ε ~ N(0, σ²), σ = 1' 'polynomial' 'x·(½ + c1·x + c3·x³ + … + c15·x¹⁵) for |x| ≤ A, else max(0, x)' 'relu' 'max(0, x)' 'sigmoid_taylor' 'x·σ(β·x), β = √(8/π), GELU\'s curvature at 0' 'silu' 'x·σ(x)' 'softplus' 'log(1 + eˣ)' 'tanh_taylor' 'tanh with c = (4 − π)/(6π), GELU\'s third-order term at 0' 'su_2020' '½x·(1 + tanh(√(2/π)·x + 0.035677337314877385·x³))' 'novigrad' '½x·(1 + tanh(√(2/5)·(x + 0.044715·x³)))' 'swapped_constants' '½x·(1 + tanh(0.044715·(x + √(2/π)·x³)))' 'same_variance' 'x·σ(πx/√3): the logistic distribution with the variance 1' 'as_7_1_27' 'exact with erf z ≈ 1 − (1 + a₁z + … + a₄z⁴)⁻⁴' 'as_7_1_28' 'exact with erf z ≈ 1 − (1 + a₁z + … + a₆z⁶)⁻¹⁶' 'as_26_2_16' 'x·(1 − φ(x)·(b₁t + b₂t² + b₃t³)), t = 1/(1 + 0.33267x), for x ≥ 0' 'as_26_2_17' 'x·(1 − φ(x)·(b₁t + … + b₅t⁵)), t = 1/(1 + 0.2316419x), for x ≥ 0' 'puma' '0 for x < −4, a cubic to −1.95, a sextic to 3, x above' 'bolt' '½x + p(|x|) for |x| ≤ 2.7, p a quartic; 0 below, x above' 'bumblebee' '½x + p(|x|) for |x| ≤ 3, p a quartic; 0 below, x above' 'tt_metal_table' '½x + A|x| + B, with A and B from a table for |x| < ½, 1, 1½, 2, 3, ∞' 'tt_metal_table_refitted' '½x + A|x| + B, with A and B from a table for |x| < ½, 1, 1½, 2, 3, ∞' 'onednn_erf' '½x·(1 + x·p(x²)) of degree 29 in the gate, erf = ±1 from |x| = 5' 'tt_metal_13' 'x·(½ + x·p(x²)) of degree 13 in the gate for -3 ≤ x < 3; 0 below, x above' 'tt_metal_15' 'x·(½ + x·p(x²)) of degree 15 in the gate for -3 ≤ x < 3; 0 below, x above' 'tt_metal_2026' 'x·(½ + x·p(x²)) of degree 13 in the gate for −3.125 ≤ x < 2.78125; x above, x·e^(−x²/2)·cubic below, 0 from x = −5.54259443 down' 'tt_metal_15_weighted' 'x·(½ + x·p(x²)) of degree 15 in the gate for -3.125 ≤ x < 2.78125; 0 below, x above' 'tt_metal_quartic' 'x·p(x) for 0 ≤ x < 2.5, p a quartic, x from 2.5 on; below 0 by Φ(x) = 1 − Φ(−x)' 'tt_metal_quartics' 'x·p(x) for 0 ≤ x < 2.5 and x·q(x) for 2.5 ≤ x < 5, p and q quartics, x from 5 on; below 0 by Φ(x) = 1 − Φ(−x)' 'xnnpack_12_10' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 12 and 10, erf = ±1 from |x| = 5.1638283730' 'xnnpack_12_10_no_fma' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 12 and 10, erf = ±1 from |x| = 5.1158981323' 'xnnpack_6_4' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 6 and 4, erf = ±1 from |x| = 3.5' 'xnnpack_6_4_no_fma' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 6 and 4, erf = ±1 from |x| = 3.2890625' 'eigen_erf' '½x·(1 + z·P(z²)/Q(z²)), z = x/√2, of the degrees 13 and 8, erf = ±1 from |z| = 4' 'none' 'another name of exact' 'gelu' 'another name of exact' 'erf' 'another name of exact' 'gelu_python' 'another name of exact' 'gelu_new' 'another name of tanh' 'gelu_fast' 'another name of tanh' 'gelu_pytorch_tanh' 'another name of tanh' 'gelu_tanh' 'another name of tanh' 'gelu_accurate' 'another name of tanh' 'quick' 'another name of sigmoid' 'quick_gelu' 'another name of sigmoid' 'gelu_quick' 'another name of sigmoid' 'hard_gelu' 'another name of hard' 'h_gelu' 'another name of hard' 'i_gelu' 'another name of igelu' 'swish' 'another name of silu' 'auto' 'the form that the results are nearest to' 'self' 'the routine\'s own form'
end

function __gelu_sweep_view
    printf '%s\t%s\n' 'summary' 'the largest errors, and counts of failures' 'regions' 'errors by region of x' 'histogram' 'how many results have which error' 'worst' 'the inputs with the largest errors' 'shapes' 'the inputs whose results depend on the surroundings' 'criteria' 'what other people\'s checks say of the results' 'plot' 'a picture of the errors over x'
end

function __gelu_sweep_format
    printf '%s\t%s\n' 'auto' 'table on a terminal, csv otherwise' 'csv' 'comma-separated values, lossless' 'json' 'an array of objects, one for each row' 'jsonl' 'an object on a line, for each row' 'latex' 'a tabular with the rules of booktabs' 'markdown' 'a table as GitHub has it' 'npy' 'numPy\'s file of an array, with a field for each column' 'parquet' 'apache Parquet, by pyarrow' 'table' 'a table for people' 'tsv' 'tab-separated values, lossless' 'github' 'annotations for GitHub Actions; the job\'s summary gets the tables' 'html' 'a page for a browser, with tables and pictures' 'junit' 'a test case for each limit, as JUnit XML, which GitLab and Jenkins read' 'record' 'the whole answer as one JSON object' 'text' 'characters, 80 wide in a file' 'png' 'a file, by matplotlib: PNG' 'svg' 'a file, by matplotlib: SVG' 'pdf' 'a file, by matplotlib: PDF'
end

function __gelu_sweep_theme
    printf '%s\t%s\n' 'light' 'dark curves on white' 'dark' 'light curves on black'
end

function __gelu_compare_view
    printf '%s\t%s\n' 'summary' 'the figures of each, how many results differ, how often each is nearer the truth' 'regions' 'the same by region of x' 'worst' 'the worst inputs of both, of each, and the largest differences' 'first' 'the first input, in the order of bit patterns, where they differ' 'plot' 'a picture of the errors of both over x, and of their difference'
end

function __gelu_check_target
    printf '%s\t%s\n' 'exact' 'x·Φ(x)' 'tanh' '½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715, d = 0' 'sigmoid' 'x·σ(β·x), β = 1.702' 'elu' 'x for x > 0, else α·(eˣ − 1), α = 1' 'erf_as' 'exact with erf z ≈ 1 − (a1·t + … + a5·t⁵)·e^(−z²), t = 1/(1 + p·z), p = 0.3275911' 'hard' 'x·relu6(slope·x + 3)/6, slope = 1.702' 'igelu' '½x·(1 + L(x/√2)), L(z) = sgn z·(a·(min(|z|, −b) + b)² + 1), a = −0.2888, b = −1.769' 'mish' 'x·tanh(log(1 + eˣ))' 'noisy_relu' 'E max(0, x + ε) = x·Φ(x/σ) + σ·φ(x/σ), ε ~ N(0, σ²), σ = 1' 'polynomial' 'x·(½ + c1·x + c3·x³ + … + c15·x¹⁵) for |x| ≤ A, else max(0, x)' 'relu' 'max(0, x)' 'sigmoid_taylor' 'x·σ(β·x), β = √(8/π), GELU\'s curvature at 0' 'silu' 'x·σ(x)' 'softplus' 'log(1 + eˣ)' 'tanh_taylor' 'tanh with c = (4 − π)/(6π), GELU\'s third-order term at 0' 'su_2020' '½x·(1 + tanh(√(2/π)·x + 0.035677337314877385·x³))' 'novigrad' '½x·(1 + tanh(√(2/5)·(x + 0.044715·x³)))' 'swapped_constants' '½x·(1 + tanh(0.044715·(x + √(2/π)·x³)))' 'same_variance' 'x·σ(πx/√3): the logistic distribution with the variance 1' 'as_7_1_27' 'exact with erf z ≈ 1 − (1 + a₁z + … + a₄z⁴)⁻⁴' 'as_7_1_28' 'exact with erf z ≈ 1 − (1 + a₁z + … + a₆z⁶)⁻¹⁶' 'as_26_2_16' 'x·(1 − φ(x)·(b₁t + b₂t² + b₃t³)), t = 1/(1 + 0.33267x), for x ≥ 0' 'as_26_2_17' 'x·(1 − φ(x)·(b₁t + … + b₅t⁵)), t = 1/(1 + 0.2316419x), for x ≥ 0' 'puma' '0 for x < −4, a cubic to −1.95, a sextic to 3, x above' 'bolt' '½x + p(|x|) for |x| ≤ 2.7, p a quartic; 0 below, x above' 'bumblebee' '½x + p(|x|) for |x| ≤ 3, p a quartic; 0 below, x above' 'tt_metal_table' '½x + A|x| + B, with A and B from a table for |x| < ½, 1, 1½, 2, 3, ∞' 'tt_metal_table_refitted' '½x + A|x| + B, with A and B from a table for |x| < ½, 1, 1½, 2, 3, ∞' 'onednn_erf' '½x·(1 + x·p(x²)) of degree 29 in the gate, erf = ±1 from |x| = 5' 'tt_metal_13' 'x·(½ + x·p(x²)) of degree 13 in the gate for -3 ≤ x < 3; 0 below, x above' 'tt_metal_15' 'x·(½ + x·p(x²)) of degree 15 in the gate for -3 ≤ x < 3; 0 below, x above' 'tt_metal_2026' 'x·(½ + x·p(x²)) of degree 13 in the gate for −3.125 ≤ x < 2.78125; x above, x·e^(−x²/2)·cubic below, 0 from x = −5.54259443 down' 'tt_metal_15_weighted' 'x·(½ + x·p(x²)) of degree 15 in the gate for -3.125 ≤ x < 2.78125; 0 below, x above' 'tt_metal_quartic' 'x·p(x) for 0 ≤ x < 2.5, p a quartic, x from 2.5 on; below 0 by Φ(x) = 1 − Φ(−x)' 'tt_metal_quartics' 'x·p(x) for 0 ≤ x < 2.5 and x·q(x) for 2.5 ≤ x < 5, p and q quartics, x from 5 on; below 0 by Φ(x) = 1 − Φ(−x)' 'xnnpack_12_10' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 12 and 10, erf = ±1 from |x| = 5.1638283730' 'xnnpack_12_10_no_fma' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 12 and 10, erf = ±1 from |x| = 5.1158981323' 'xnnpack_6_4' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 6 and 4, erf = ±1 from |x| = 3.5' 'xnnpack_6_4_no_fma' '½x·(1 + x·P(x²)/Q(x²)) of the degrees 6 and 4, erf = ±1 from |x| = 3.2890625' 'eigen_erf' '½x·(1 + z·P(z²)/Q(z²)), z = x/√2, of the degrees 13 and 8, erf = ±1 from |z| = 4' 'none' 'another name of exact' 'gelu' 'another name of exact' 'erf' 'another name of exact' 'gelu_python' 'another name of exact' 'gelu_new' 'another name of tanh' 'gelu_fast' 'another name of tanh' 'gelu_pytorch_tanh' 'another name of tanh' 'gelu_tanh' 'another name of tanh' 'gelu_accurate' 'another name of tanh' 'quick' 'another name of sigmoid' 'quick_gelu' 'another name of sigmoid' 'gelu_quick' 'another name of sigmoid' 'hard_gelu' 'another name of hard' 'h_gelu' 'another name of hard' 'i_gelu' 'another name of igelu' 'swish' 'another name of silu' 'auto' 'the form that the results are nearest to'
end

function __gelu_plot_error
    printf '%s\t%s\n' 'absolute' 'form − target' 'relative' '(form − target)/target'
end

function __gelu_plot_mark
    printf '%s\t%s\n' 'minimum' 'where a form is least' 'inflection' 'where it begins to bend the other way' 'supremum' 'where an error is largest' 'all' 'all of these that the picture has'
end

function __gelu_plot_format
    printf '%s\t%s\n' 'auto' 'text, or as the file ends' 'text' 'characters, 80 wide in a file' 'png' 'a file, by matplotlib: PNG' 'svg' 'a file, by matplotlib: SVG' 'pdf' 'a file, by matplotlib: PDF'
end

function __gelu_forms_view
    printf '%s\t%s\n' 'forms' 'all forms' 'about' 'one form in words' 'figures' 'one form in numbers' 'models' 'models, and what they compute'
end

function __gelu_completion_shell
    printf '%s\t%s\n' 'bash' 'completion for bash' 'fish' 'completion for fish' 'zsh' 'completion for zsh'
end

function __gelu_help_command
    printf '%s\t%s\n' 'table' 'Values and gradients at chosen points, correctly rounded.' 'error' 'How far a form is from GELU, as real numbers.' 'locate' 'The minimum and the inflection points of a form.' 'variance' 'Moments for Gaussian inputs: E f′(X)², means, variances, gains.' 'fit' 'The best constants of a form, with proof.' 'block' 'What a swap of forms or formats does to a feed-forward block.' 'sweep' 'How accurate a GELU kernel is, in ULP, over every input.' 'compare' 'Two kernels, input by input: where they differ, which is right.' 'check' 'Judge figures in print, or results of a kernel from a file.' 'identify' 'Which form, routine and parameter explain these figures.' 'plot' 'Pictures of forms, their derivatives or errors, and of records.' 'forms' 'The forms: definitions, parameters, names in frameworks.' 'completion' 'Print the completion script of a shell.' 'help' 'Help on a command, as its --help prints it.'
end

complete -c gelu -f

complete -c gelu -n '__gelu_no_command' -s V -l version -d 'Show the version'
complete -c gelu -n '__gelu_no_command' -s h -l help -d 'Show this message and exit'
complete -c gelu -n '__gelu_no_command' -a table -d 'Values and gradients at chosen points, correctly rounded'
complete -c gelu -n '__gelu_no_command' -a error -d 'How far a form is from GELU, as real numbers'
complete -c gelu -n '__gelu_no_command' -a locate -d 'The minimum and the inflection points of a form'
complete -c gelu -n '__gelu_no_command' -a variance -d 'Moments for Gaussian inputs: E f′(X)², means, variances, gains'
complete -c gelu -n '__gelu_no_command' -a fit -d 'The best constants of a form, with proof'
complete -c gelu -n '__gelu_no_command' -a block -d 'What a swap of forms or formats does to a feed-forward block'
complete -c gelu -n '__gelu_no_command' -a sweep -d 'How accurate a GELU kernel is, in ULP, over every input'
complete -c gelu -n '__gelu_no_command' -a compare -d 'Two kernels, input by input: where they differ, which is right'
complete -c gelu -n '__gelu_no_command' -a check -d 'Judge figures in print, or results of a kernel from a file'
complete -c gelu -n '__gelu_no_command' -a identify -d 'Which form, routine and parameter explain these figures'
complete -c gelu -n '__gelu_no_command' -a plot -d 'Pictures of forms, their derivatives or errors, and of records'
complete -c gelu -n '__gelu_no_command' -a forms -d 'The forms: definitions, parameters, names in frameworks'
complete -c gelu -n '__gelu_no_command' -a completion -d 'Print the completion script of a shell'
complete -c gelu -n '__gelu_no_command' -a help -d 'Help on a command, as its --help prints it'

complete -c gelu -n '__gelu_command table' -l form -x -a '(__gelu_listed __gelu_with_settings __gelu_table_form)' -d 'Forms, with commas or repeated'
complete -c gelu -n '__gelu_command table' -l show -x -a '(__gelu_listed __gelu_table_show)' -d 'Quantities, with commas or repeated'
complete -c gelu -n '__gelu_command table' -l dtype -x -a '(__gelu_table_dtype)' -d 'Round x and every result to a format'
complete -c gelu -n '__gelu_command table' -l bits -d 'Show the bit patterns too (with --dtype)'
complete -c gelu -n '__gelu_command table' -l all -d 'Every finite number of a 16- or 8-bit --dtype'
complete -c gelu -n '__gelu_command table' -l input -r -F -d 'Read points from a text, CSV or .npy file'
complete -c gelu -n '__gelu_command table' -l column -x -d 'The column of a CSV with a header that has x'
complete -c gelu -n '__gelu_command table' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command table' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command table' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command table' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command table' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command table' -l jobs -x -d 'Threads for many points'
complete -c gelu -n '__gelu_command table' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command error' -l form -x -a '(__gelu_listed __gelu_with_settings __gelu_table_form)' -d 'Forms, with commas or repeated'
complete -c gelu -n '__gelu_command error' -l target -x -a '(__gelu_with_settings __gelu_table_form)' -d 'What the forms are judged against'
complete -c gelu -n '__gelu_command error' -l quantity -x -a '(__gelu_error_quantity)' -d 'What is compared'
complete -c gelu -n '__gelu_command error' -l range -x -d 'Range of the suprema'
complete -c gelu -n '__gelu_command error' -l mean -x -d 'The averages, and random points, are for X ~ N(M, S²)'
complete -c gelu -n '__gelu_command error' -l sigma -x -d 'Standard deviation of these'
complete -c gelu -n '__gelu_command error' -l samples -x -d 'N random points, beside what holds for all X'
complete -c gelu -n '__gelu_command error' -l seed -x -d 'Seed of the random points'
complete -c gelu -n '__gelu_command error' -l view -x -a '(__gelu_error_view)' -d 'Which table'
complete -c gelu -n '__gelu_command error' -l input -r -F -d 'Read points from a text, CSV or .npy file'
complete -c gelu -n '__gelu_command error' -l column -x -d 'The column of a CSV with a header that has x'
complete -c gelu -n '__gelu_command error' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command error' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command error' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command error' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command error' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command error' -l jobs -x -d 'Threads for many points'
complete -c gelu -n '__gelu_command error' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command locate' -l form -x -a '(__gelu_listed __gelu_with_settings __gelu_table_form)' -d 'Forms, with commas or repeated'
complete -c gelu -n '__gelu_command locate' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command locate' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command locate' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command locate' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command locate' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command locate' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command variance' -l form -x -a '(__gelu_listed __gelu_with_settings __gelu_table_form)' -d 'Forms, with commas or repeated'
complete -c gelu -n '__gelu_command variance' -l mean -x -d 'Mean of the inputs'
complete -c gelu -n '__gelu_command variance' -l sigma -x -d 'Standard deviation of them'
complete -c gelu -n '__gelu_command variance' -l momentum -x -d 'Add (1 − B)/(1 + B)·E f′², for a momentum average'
complete -c gelu -n '__gelu_command variance' -l samples -x -d 'Add a Monte-Carlo estimate of E f′² from N draws'
complete -c gelu -n '__gelu_command variance' -l seed -x -d 'Seed of the draws'
complete -c gelu -n '__gelu_command variance' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command variance' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command variance' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command variance' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command variance' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command variance' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command fit' -a '(__gelu_with_settings __gelu_fit_form)'
complete -c gelu -n '__gelu_command fit' -l free -x -a '(__gelu_listed __gelu_fit_free)' -d 'Parameters to fit, with commas or repeated'
complete -c gelu -n '__gelu_command fit' -l degree -x -d 'Of polynomial'
complete -c gelu -n '__gelu_command fit' -l criterion -x -a '(__gelu_fit_criterion)' -d 'What is made least'
complete -c gelu -n '__gelu_command fit' -l quantity -x -a '(__gelu_fit_quantity)' -d 'What is fitted'
complete -c gelu -n '__gelu_command fit' -l target -x -a '(__gelu_with_settings __gelu_table_form)' -d 'What the form is to be near'
complete -c gelu -n '__gelu_command fit' -l range -x -d 'Range of sup and relative'
complete -c gelu -n '__gelu_command fit' -l mean -x -d 'rms and mean are for X ~ N(M, S²)'
complete -c gelu -n '__gelu_command fit' -l sigma -x -d 'Standard deviation of X'
complete -c gelu -n '__gelu_command fit' -l constants-in -x -a '(__gelu_table_dtype)' -d 'The best constants among the numbers of a format, bfloat16 say, beside the best real ones rounded'
complete -c gelu -n '__gelu_command fit' -l published -d 'Judge published constants and what is claimed of them, instead of a FORM'
complete -c gelu -n '__gelu_command fit' -l view -x -a '(__gelu_fit_view)' -d 'Which table'
complete -c gelu -n '__gelu_command fit' -l language -x -a '(__gelu_fit_language)' -d 'Of --view code'
complete -c gelu -n '__gelu_command fit' -l dtype -x -a '(__gelu_table_dtype)' -d 'Number format of the code'
complete -c gelu -n '__gelu_command fit' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command fit' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command fit' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command fit' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command fit' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command fit' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command block' -l form -x -a '(__gelu_listed __gelu_with_settings __gelu_table_form)' -d 'Forms, with commas or repeated'
complete -c gelu -n '__gelu_command block' -l target -x -a '(__gelu_with_settings __gelu_table_form)' -d 'The form f that others replace'
complete -c gelu -n '__gelu_command block' -l mean -x -d 'Mean of the pre-activations'
complete -c gelu -n '__gelu_command block' -l sigma -x -d 'Standard deviation of them'
complete -c gelu -n '__gelu_command block' -l dtype -x -a '(__gelu_listed __gelu_table_dtype)' -d 'Number formats whose rounding noise the verdict is about, with commas or repeated'
complete -c gelu -n '__gelu_command block' -l shape -x -d 'Widths of the block, D → FF → D'
complete -c gelu -n '__gelu_command block' -l samples -x -d 'Add what a real block with random weights shows, by N inputs'
complete -c gelu -n '__gelu_command block' -l seed -x -d 'Seed of weights and inputs'
complete -c gelu -n '__gelu_command block' -l input -r -F -d 'Real pre-activations instead of N(M, S²)'
complete -c gelu -n '__gelu_command block' -l column -x -d 'The column of a CSV with a header that has x'
complete -c gelu -n '__gelu_command block' -l view -x -a '(__gelu_block_view)' -d 'Which table'
complete -c gelu -n '__gelu_command block' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command block' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command block' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command block' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command block' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command block' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command sweep' -l routine -x -a '(__gelu_listed __gelu_sweep_routine)' -d 'Routines, with commas or repeated'
complete -c gelu -n '__gelu_command sweep' -l impl -r -F -d 'Your own kernel instead'
complete -c gelu -n '__gelu_command sweep' -l exec -x -d 'Your own program instead'
complete -c gelu -n '__gelu_command sweep' -l kwarg -x -d 'An argument for --impl'
complete -c gelu -n '__gelu_command sweep' -l signature -x -a '(__gelu_sweep_signature)' -d 'Of a C function'
complete -c gelu -n '__gelu_command sweep' -l backend -x -a '(__gelu_sweep_backend)' -d 'Whose arrays --impl takes'
complete -c gelu -n '__gelu_command sweep' -l device -x -d 'The device of these arrays, in the library\'s words'
complete -c gelu -n '__gelu_command sweep' -l batch -x -d 'How many inputs a call has'
complete -c gelu -n '__gelu_command sweep' -l timeout -x -d 'How long one call may take'
complete -c gelu -n '__gelu_command sweep' -l backward -x -a '(__gelu_sweep_backward)' -d 'How gradients come about'
complete -c gelu -n '__gelu_command sweep' -l upstream -x -d 'The upstream gradient, rounded to the format'
complete -c gelu -n '__gelu_command sweep' -l quantity -x -a '(__gelu_sweep_quantity)' -d 'What is computed'
complete -c gelu -n '__gelu_command sweep' -l dtype -x -a '(__gelu_table_dtype)' -d 'The format of x and, without --result, of results'
complete -c gelu -n '__gelu_command sweep' -l result -x -a '(__gelu_table_dtype)' -d 'Number format of the results, if it is not that of x'
complete -c gelu -n '__gelu_command sweep' -l compute -x -a '(__gelu_table_dtype)' -d 'The number format inside a routine, before its results are rounded'
complete -c gelu -n '__gelu_command sweep' -l range -x -d 'Only inputs from A to B'
complete -c gelu -n '__gelu_command sweep' -l all -d 'All float32s'
complete -c gelu -n '__gelu_command sweep' -l samples -x -d 'Inputs of a float32 or float64 sample, half of them in -16:8'
complete -c gelu -n '__gelu_command sweep' -l seed -x -d 'Seed of the sample'
complete -c gelu -n '__gelu_command sweep' -l at -x -d 'No sweep'
complete -c gelu -n '__gelu_command sweep' -l shapes -d 'Every input again in calls of other lengths, elsewhere in memory, in another order'
complete -c gelu -n '__gelu_command sweep' -l jobs -x -d 'Processes for a large sweep'
complete -c gelu -n '__gelu_command sweep' -l target -x -a '(__gelu_with_settings __gelu_sweep_target)' -d 'The form that results should be'
complete -c gelu -n '__gelu_command sweep' -l ftz -d 'Subnormal inputs and results may be flushed to 0'
complete -c gelu -n '__gelu_command sweep' -l worst -x -d 'How many of the worst inputs to show'
complete -c gelu -n '__gelu_command sweep' -l max-ulp -x -d 'Fail with exit code 1 if an error exceeds U ULP'
complete -c gelu -n '__gelu_command sweep' -l budget -r -F -d 'Fail with exit code 1 if a bound of this .toml file is exceeded'
complete -c gelu -n '__gelu_command sweep' -l tighten -d 'Write what was found to --budget'
complete -c gelu -n '__gelu_command sweep' -l criteria -d 'What other people\'s checks say of the same results'
complete -c gelu -n '__gelu_command sweep' -l view -x -a '(__gelu_sweep_view)' -d 'Which table'
complete -c gelu -n '__gelu_command sweep' -s f -l format -x -a '(__gelu_sweep_format)' -d 'Output format'
complete -c gelu -n '__gelu_command sweep' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command sweep' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command sweep' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command sweep' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command sweep' -l title -x -d 'Title of the picture'
complete -c gelu -n '__gelu_command sweep' -l size -x -d 'Size of the picture'
complete -c gelu -n '__gelu_command sweep' -l dpi -x -d 'Dots per inch of a PNG'
complete -c gelu -n '__gelu_command sweep' -l theme -x -a '(__gelu_sweep_theme)' -d 'Colours of a picture in a file'
complete -c gelu -n '__gelu_command sweep' -l y-range -x -d 'The y from A to B'
complete -c gelu -n '__gelu_command sweep' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command compare' -l exec -x -d 'A program'
complete -c gelu -n '__gelu_command compare' -l kwarg -x -d 'An argument for Python functions'
complete -c gelu -n '__gelu_command compare' -l backend -x -a '(__gelu_sweep_backend)' -d 'Whose arrays Python functions take'
complete -c gelu -n '__gelu_command compare' -l device -x -d 'The device of these arrays, in the library\'s words'
complete -c gelu -n '__gelu_command compare' -l batch -x -d 'How many inputs a call has'
complete -c gelu -n '__gelu_command compare' -l signature -x -a '(__gelu_sweep_signature)' -d 'Of a C function'
complete -c gelu -n '__gelu_command compare' -l timeout -x -d 'How long one call may take'
complete -c gelu -n '__gelu_command compare' -l backward -x -a '(__gelu_sweep_backward)' -d 'How gradients come about'
complete -c gelu -n '__gelu_command compare' -l compute -x -a '(__gelu_table_dtype)' -d 'The number format inside a routine, before its results are rounded'
complete -c gelu -n '__gelu_command compare' -l upstream -x -d 'The upstream gradient, rounded to the format'
complete -c gelu -n '__gelu_command compare' -l quantity -x -a '(__gelu_sweep_quantity)' -d 'What is computed'
complete -c gelu -n '__gelu_command compare' -l dtype -x -a '(__gelu_table_dtype)' -d 'The format of x and, without --result, of results'
complete -c gelu -n '__gelu_command compare' -l result -x -a '(__gelu_table_dtype)' -d 'Number format of the results, if it is not that of x'
complete -c gelu -n '__gelu_command compare' -l range -x -d 'Only inputs from A to B'
complete -c gelu -n '__gelu_command compare' -l all -d 'All float32s'
complete -c gelu -n '__gelu_command compare' -l samples -x -d 'Inputs of a float32 or float64 sample, half of them in -16:8'
complete -c gelu -n '__gelu_command compare' -l seed -x -d 'Seed of the sample'
complete -c gelu -n '__gelu_command compare' -l jobs -x -d 'Processes for a large comparison'
complete -c gelu -n '__gelu_command compare' -l target -x -a '(__gelu_with_settings __gelu_sweep_target)' -d 'The form that results should be'
complete -c gelu -n '__gelu_command compare' -l ftz -d 'Subnormal inputs and results may be flushed to 0'
complete -c gelu -n '__gelu_command compare' -l worst -x -d 'How many of the worst inputs to show'
complete -c gelu -n '__gelu_command compare' -l max-ulp -x -d 'Fail with exit code 1 if an error exceeds U ULP'
complete -c gelu -n '__gelu_command compare' -l view -x -a '(__gelu_compare_view)' -d 'Which table'
complete -c gelu -n '__gelu_command compare' -s f -l format -x -a '(__gelu_sweep_format)' -d 'Output format'
complete -c gelu -n '__gelu_command compare' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command compare' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command compare' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command compare' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command compare' -l title -x -d 'Title of the picture'
complete -c gelu -n '__gelu_command compare' -l size -x -d 'Size of the picture'
complete -c gelu -n '__gelu_command compare' -l dpi -x -d 'Dots per inch of a PNG'
complete -c gelu -n '__gelu_command compare' -l theme -x -a '(__gelu_sweep_theme)' -d 'Colours of a picture in a file'
complete -c gelu -n '__gelu_command compare' -l y-range -x -d 'The y from A to B'
complete -c gelu -n '__gelu_command compare' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command check' -F
complete -c gelu -n '__gelu_command check' -l column -x -d 'Judge this column alone, may be repeated'
complete -c gelu -n '__gelu_command check' -l skip-unreadable -d 'Leave out cells that cannot be read, and count them'
complete -c gelu -n '__gelu_command check' -l wrong -d 'Print only the figures that are wrong'
complete -c gelu -n '__gelu_command check' -l dtype -x -a '(__gelu_table_dtype)' -d 'Judge results in this number format, in ULP'
complete -c gelu -n '__gelu_command check' -l all -d 'FILE has a result for every bit pattern of a 16- or 8-bit --dtype'
complete -c gelu -n '__gelu_command check' -l inputs -r -F -d 'Where x is, .npy or raw, if FILE has results alone'
complete -c gelu -n '__gelu_command check' -l result -x -a '(__gelu_table_dtype)' -d 'Number format of the results, if it is not that of x'
complete -c gelu -n '__gelu_command check' -l target -x -a '(__gelu_with_settings __gelu_check_target)' -d 'What results in a format should be'
complete -c gelu -n '__gelu_command check' -l quantity -x -a '(__gelu_sweep_quantity)' -d 'What results are that no column names'
complete -c gelu -n '__gelu_command check' -l ftz -d 'Subnormal inputs and results may be flushed to 0'
complete -c gelu -n '__gelu_command check' -l worst -x -d 'How many of the worst inputs to show'
complete -c gelu -n '__gelu_command check' -l max-ulp -x -d 'Fail with exit code 1 if an error exceeds U ULP'
complete -c gelu -n '__gelu_command check' -l budget -r -F -d 'Fail with exit code 1 if a bound of this .toml file is exceeded'
complete -c gelu -n '__gelu_command check' -l tighten -d 'Write what was found to --budget'
complete -c gelu -n '__gelu_command check' -l criteria -d 'What other people\'s checks say of the same results'
complete -c gelu -n '__gelu_command check' -l view -x -a '(__gelu_sweep_view)' -d 'Which table'
complete -c gelu -n '__gelu_command check' -s f -l format -x -a '(__gelu_sweep_format)' -d 'Output format'
complete -c gelu -n '__gelu_command check' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command check' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command check' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command check' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command check' -l title -x -d 'Title of the picture'
complete -c gelu -n '__gelu_command check' -l size -x -d 'Size of the picture'
complete -c gelu -n '__gelu_command check' -l dpi -x -d 'Dots per inch of a PNG'
complete -c gelu -n '__gelu_command check' -l theme -x -a '(__gelu_sweep_theme)' -d 'Colours of a picture in a file'
complete -c gelu -n '__gelu_command check' -l y-range -x -d 'The y from A to B'
complete -c gelu -n '__gelu_command check' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command identify' -l all -d 'FILE has a result for every bit pattern of a 16- or 8-bit --dtype'
complete -c gelu -n '__gelu_command identify' -l inputs -r -F -d 'Where x is, .npy or raw, if FILE has results alone'
complete -c gelu -n '__gelu_command identify' -l column -x -d 'One column of the table'
complete -c gelu -n '__gelu_command identify' -l impl -r -F -d 'Your own kernel instead'
complete -c gelu -n '__gelu_command identify' -l exec -x -d 'Your own program instead'
complete -c gelu -n '__gelu_command identify' -l kwarg -x -d 'An argument for --impl'
complete -c gelu -n '__gelu_command identify' -l signature -x -a '(__gelu_sweep_signature)' -d 'Of a C function'
complete -c gelu -n '__gelu_command identify' -l backend -x -a '(__gelu_sweep_backend)' -d 'Whose arrays --impl takes'
complete -c gelu -n '__gelu_command identify' -l device -x -d 'The device of these arrays, in the library\'s words'
complete -c gelu -n '__gelu_command identify' -l batch -x -d 'How many inputs a call has'
complete -c gelu -n '__gelu_command identify' -l timeout -x -d 'How long one call may take'
complete -c gelu -n '__gelu_command identify' -l backward -x -a '(__gelu_sweep_backward)' -d 'How gradients come about'
complete -c gelu -n '__gelu_command identify' -l quantity -x -a '(__gelu_sweep_quantity)' -d 'What the figures are'
complete -c gelu -n '__gelu_command identify' -l dtype -x -a '(__gelu_table_dtype)' -d 'The figures are results in a format'
complete -c gelu -n '__gelu_command identify' -l result -x -a '(__gelu_table_dtype)' -d 'Number format of the results, if it is not that of x'
complete -c gelu -n '__gelu_command identify' -l rows -x -d 'How many explanations to show of each column'
complete -c gelu -n '__gelu_command identify' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command identify' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command identify' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command identify' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command identify' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command identify' -l jobs -x -d 'Threads for many figures'
complete -c gelu -n '__gelu_command identify' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command plot' -F
complete -c gelu -n '__gelu_command plot' -l form -x -a '(__gelu_listed __gelu_with_settings __gelu_table_form)' -d 'Forms, with commas or repeated'
complete -c gelu -n '__gelu_command plot' -l show -x -a '(__gelu_listed __gelu_table_show)' -d 'Quantities, with commas or repeated'
complete -c gelu -n '__gelu_command plot' -l error -x -a '(__gelu_plot_error)' -d 'Draw errors instead'
complete -c gelu -n '__gelu_command plot' -l target -x -a '(__gelu_with_settings __gelu_table_form)' -d 'What errors are against'
complete -c gelu -n '__gelu_command plot' -l range -x -d 'The x from A to B'
complete -c gelu -n '__gelu_command plot' -l mark -x -a '(__gelu_listed __gelu_plot_mark)' -d 'Mark and label'
complete -c gelu -n '__gelu_command plot' -l points -r -F -d 'Draw the figures of a table with a column x over the curves'
complete -c gelu -n '__gelu_command plot' -s f -l format -x -a '(__gelu_plot_format)' -d 'Kind of picture'
complete -c gelu -n '__gelu_command plot' -s o -l output -r -F -d 'Write to FILE, whole or not at all'
complete -c gelu -n '__gelu_command plot' -l title -x -d 'Title of the picture'
complete -c gelu -n '__gelu_command plot' -l size -x -d 'Size of the picture'
complete -c gelu -n '__gelu_command plot' -l dpi -x -d 'Dots per inch of a PNG'
complete -c gelu -n '__gelu_command plot' -l theme -x -a '(__gelu_sweep_theme)' -d 'Colours of a picture in a file'
complete -c gelu -n '__gelu_command plot' -l y-range -x -d 'The y from A to B'
complete -c gelu -n '__gelu_command plot' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command plot' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command forms' -a '(__gelu_with_settings __gelu_table_form)'
complete -c gelu -n '__gelu_command forms' -l view -x -a '(__gelu_forms_view)' -d 'Which table'
complete -c gelu -n '__gelu_command forms' -s f -l format -x -a '(__gelu_table_format)' -d 'Output format'
complete -c gelu -n '__gelu_command forms' -s o -l output -r -F -d 'Write to FILE, in the format that its suffix names'
complete -c gelu -n '__gelu_command forms' -l no-header -d 'csv and tsv without header'
complete -c gelu -n '__gelu_command forms' -s d -l digits -x -d 'Significant digits, each right'
complete -c gelu -n '__gelu_command forms' -s q -l quiet -d 'No progress, no notes'
complete -c gelu -n '__gelu_command forms' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command completion' -a '(__gelu_completion_shell)'
complete -c gelu -n '__gelu_command completion' -s h -l help -d 'Show this message and exit'

complete -c gelu -n '__gelu_command help' -a '(__gelu_help_command)'
complete -c gelu -n '__gelu_command help' -s h -l help -d 'Show this message and exit'
