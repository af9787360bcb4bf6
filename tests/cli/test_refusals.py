"""Lines that cannot be meant end with 2, print nothing, and say what to do."""

import pytest

from tests.runner import gelu

REFUSED = {
    "table": {
        "": "no points; write numbers (-3 0.5), a range (-3:3:0.5) or --input FILE",
        "1 --bits": "--bits shows bit patterns of a format; add --dtype",
        "1 --all --dtype bfloat16": "--all takes each number of --dtype; remove X, --input",
        "--all --column z --dtype bfloat16": "--all takes each number of --dtype; remove X",
        "--all --dtype float32": "16- or 8-bit format",
        "0.1 --digits 18 --dtype float16": "keeps x as typed, --dtype rounds x; remove one",
        "1 --input x.csv": "are both given; remove one",
        "one": "'one' is not a number",
        "1:2": "ranges look like",
        "2:1:0.5": "write A:B:STEP",
        "1 --form softplus --quantity gate": "'softplus' has no gate",
        "1 --quantity grad": "did you mean 'gradient'",
        "1 --dtype float12": "unknown dtype",
        "1 -f xml": "unknown format 'xml'",
        "1 -o roots.xml": "the suffix is not one of .txt .csv .json .md .tex",
        "1 --digits 2.5": "--digits is 2.5; give a whole number from 1",
    },
    "error": {
        "--view points": "--view points has no points; write X, --input FILE or --samples N",
        "-1:1": "'-1:1' is an interval; write --range -1:1, or points -1:1:/100",
        "--seed 1": "--seed is for --samples; add --samples N",
        "1 --seed 1": "--seed is for --samples",
        "1 --samples 5": "points are given; remove --samples",
        "1 --sigma 2": "points are given; remove --samples, --mean and --sigma",
        "1 --range 0:1": "--range has no effect on errors at points",
        "--samples 0": "--samples is 0; give a whole number from 1",
        "--samples 9 --sigma 1.5e30": "--sigma is too large or small; sizes go from 1e-30 to 1e30",
        "--range 1:1": "the range 1:1 is empty",
        "--form exact": "the error of 'exact' against itself is 0 by definition",
        "--column y": "or --input FILE",
        "0.1 --view summary --digits 18": "choose from points",
        "nan inf": "no point is finite",
    },
    "fit": {
        "exact": "'exact' has no free parameter; take another form",
        "tanh:c=1": "'tanh:c=1' has no free parameter; take another form, or set fewer parameters",
        "tanh --free b": "unknown parameter 'b' to fit in 'tanh'; choose from c, a, d",
        "tanh --degree 3": "--degree is for polynomial without --free",
        "polynomial --degree 4": "--degree 4 is even",
        "tanh --criterion mean": "unknown criterion 'mean'; choose from sup, rms",
        "tanh --criterion rms --range 0:inf": "--range has an infinite end; rms takes finite ends",
        "tanh --criterion rms --range -4:4 --sigma 2": "rms without --range; remove them",
        "tanh --sigma 2": "are for --criterion rms without --range; remove them",
        "tanh --range 2:-2": "--range is '2:-2'; write A:B with A ≤ B",
        "tanh --view c -f csv": "--view c is a program, not a table; remove --format csv",
        "tanh --view c -o s.csv": "--view c is a program, not a table; name a file such as gelu.c",
        "tanh -o gelu.c": "suffix is not one of .txt .csv .json .md .tex; add --view c",
    },
    "block": {
        "--sigma -1": "--sigma is -1; give a number above 0",
        "--mean inf": "--mean is inf; give a finite number",
        "--shape 768": "--shape is '768'; give two widths",
        "--shape 0,3": "--shape is 0; give a whole number",
        "--dtype ,": "--dtype names no format",
    },
    "variance": {
        "--mean 1/0": "--mean is 1/0; give a finite number",
        "--momentum 1": "--momentum is 1; give a number from 0 to below 1",
        "--form sigmoid:bta=1": "did you mean 'beta'",
    },
    "forms": {
        "xyzzy": "unknown form 'xyzzy'; gelu forms lists all",
        "tanh --view functions": "choose from about, models, published",
        "--view about": "unknown view 'about' of this answer; choose from forms",
    },
    "plot": {
        "--range 1:1": "--range is '1:1'; give a finite A:B with A < B, such as -4:4",
        "--range -inf:1": "--range is '-inf:1'; give a finite A:B",
        "--error both": "unknown error 'both'; choose from absolute, relative",
        "--target silu": "--target is for errors; add --error absolute or relative",
        "--error absolute --quantity value,gradient": "'value,gradient' of an error",
        "--error absolute --form exact": "the error of 'exact' against itself is 0 by definition",
        "-o p.gif": "the suffix is not one of .txt .csv .json .md .tex .png .svg .pdf",
    },
    "identify": {
        "": "no values; write X=Y, e.g. 2=1.9546, or --input FILE",
        "2=abc": "pair 1: 'abc' is not a decimal",
        "1=1 x=1": "pair 2: 'x' is not a number",
        "nan=1": "pair 1: 'nan' is not finite",
        "2=inf": "'inf' is not a decimal",
        "1e400=1": "'1e400' is not finite in float64",
        "2=1e400": "'1e400' is not a decimal from 1e-100 to 1e100 in size; remove it",
        "2=1.9546 --column y": "has no column 'y'",
        "2=1.9546 --input a.csv": "words and --input a.csv are both given; remove one",
        "--input none.csv": "cannot read 'none.csv'",
    },
}
"""What is refused, by command."""

TABLES = {
    "x,y\n1,0.84\n2,\n3,abc\n": "stdin:4: 'abc' is not a decimal",
    "x,y\n1,\n": "no values except x in stdin",
    "x,y\n,0.8\n": "stdin:2: '' is not a number",
    "": "stdin is empty; write one number per line, or a table with a column x",
}


@pytest.mark.parametrize("command", REFUSED)
def test_a_line_that_cannot_be_meant_says_what_to_do(command, folder):
    for words, message in REFUSED[command].items():
        run = gelu(command, *words.split())
        assert (run.code, run.out) == (2, ""), words
        assert message in run.err, words
        assert run.err.count("\n") == 1, words


def test_a_faulty_file_is_refused_with_its_line():
    for text, message in TABLES.items():
        run = gelu("identify", stdin=text)
        assert (run.code, run.out, message in run.err) == (2, "", True), text
