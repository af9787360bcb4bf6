"""Every answer prints and is a frame and a file; commands print what functions return."""

import csv
import json
import pickle
from dataclasses import FrozenInstanceError, fields
from io import StringIO

import pandas
import pytest

import gelu_cli
from gelu_cli.api.results import Results
from gelu_cli.errors import UsageError
from tests.runner import gelu

CALLS = {
    "table -1 1/3": "table([-1, '1/3'])",
    "error --form tanh,relu": "error(['tanh', 'relu'])",
    "error 1 2 --form tanh": "error('tanh', [1, 2])",
    "locate --form silu": "locate('silu')",
    "variance --form exact,relu --momentum 1/2": "variance(['exact', 'relu'], momentum=0.5)",
    "forms gelu_new": "forms('gelu_new')",
    "forms": "forms()",
    "fit tanh --free a,c": "fit('tanh', ['a', 'c'])",
    "block --form elu --target relu --dtype bf16": "block(['elu'], 'relu', dtype='bf16')",
    "identify 1=0.8413 2=1.9545": "identify({1: '0.8413', 2: 1.9545})",
    "check 1=0.8412": "check({1: '0.8412'})",
}
"""Lines, and calls that have the same answer."""

COLUMNS = {
    "error": "form,quantity,metric,value,x",
    "error 1": "form,quantity,x,target,approx,abs_error,rel_error",
    "fit tanh": "form,quantity,criterion,range,parameter,fitted,published,error_fitted,"
    "error_published,gain,lower_bound,proof",
    "block": "form,relative_rms,db,gradient_relative_rms,gradient_db,times_bfloat16,"
    "times_float16,times_float32,verdict",
    "identify 1=0.84134": "form,parameter,routine,agree,of,max_off,verdict",
    "check 1=0.8412": "line,x,column,published,correct,off_by,verdict",
}
REFUSED = [
    "error('tanh', digits='x')",
    "error('tanh', quantity=['value'])",
    "identify([2], [1.9])",
    "fit('tanh', digits=2.5)",
    "locate([])",
    "forms('gelu_newer')",
    "table([1], digits=0)",
    "block('tanh', sigma=0)",
    "variance('tanh', digits=[])",
    "plot('tahn')",
]


def call(text):
    """Call a public function."""
    return eval(text, {name: getattr(gelu_cli, name) for name in gelu_cli.__all__})


def texts(row):
    """Return the cells of a row as CSV has them."""
    return {name: "" if cell is None else str(cell) for name, cell in row.items()}


def test_a_command_prints_what_its_function_returns():
    for line, text in CALLS.items():
        run, found = gelu(*line.split()), call(text)
        default = next(iter(found.answer.views))
        rows = [texts(row) for row in found.view(default)]
        assert [{**row} for row in csv.DictReader(StringIO(run.out))] == rows, line


def test_columns_have_their_names():
    for line, names in COLUMNS.items():
        assert gelu(*line.split()).out.splitlines()[0] == names


def test_every_answer_prints_and_is_a_frame_and_a_file(tmp_path):
    for text in CALLS.values():
        found = call(text)
        table = found.answer.table()
        assert [*found.to_pandas()] == [*table.columns], text
        assert table.heading([*table.columns][-1]) in str(found)
        found.save(tmp_path / "a.json")
        assert len(json.loads((tmp_path / "a.json").read_text())) == len(table)
        one = found[0] if isinstance(found, Results) else found
        assert [*one.to_dict()] == [each.name for each in fields(one)]
        with pytest.raises(FrozenInstanceError):
            one.form = "exact"
        frame = pandas.DataFrame([one, one])
        assert [*frame] == [*one.to_dict()]


def test_functions_and_answers_go_to_other_processes_and_back():
    for name in gelu_cli.__all__:
        function = getattr(gelu_cli, name)
        assert pickle.loads(pickle.dumps(function)) is function
    for found in (gelu_cli.sweep("erfc", dtype="bfloat16"), *map(call, CALLS.values())):
        again = pickle.loads(pickle.dumps(found))
        assert (again, str(again), again.notes) == (found, str(found), found.notes)
        for view in found.answer.views:
            assert str(again.view(view)) == str(found.view(view))


def test_arguments_that_cannot_be_meant_are_usage_errors():
    for text in REFUSED:
        with pytest.raises(UsageError):
            call(text)
