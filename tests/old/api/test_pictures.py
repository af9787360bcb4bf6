"""Pictures in Python: of forms, of errors, in a notebook and in files."""

import xml.etree.ElementTree as ET

import pytest

import gelu_cli


def test_a_notebook_and_a_file_have_the_same_picture(tmp_path):
    picture = gelu_cli.plot(["exact", "tanh:c=0.044"], quantities="value", low=-2, high=1)
    assert picture.title == "GELU and tanh:c=0.044"
    assert repr(picture) == "<Picture GELU and tanh:c=0.044>"
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == picture._repr_svg_()
    assert ET.fromstring(picture._repr_svg_()).tag.endswith("svg")
    assert len(str(picture).splitlines()) > 20


def test_marks_are_labelled():
    assert "minimum −0.169971 at x = −0.751792" in str(gelu_cli.plot(marks="minimum"))
    errors = gelu_cli.plot("tanh", error="absolute", marks=["supremum"])
    assert "0.000473236 at x = 2.69894" in str(errors)
    assert errors.title == "Error of tanh against GELU"
    assert (
        gelu_cli.plot(error="relative").title == "Relative error of tanh and sigmoid against GELU"
    )
    best = gelu_cli.fit("tanh", quantity="gate")
    assert gelu_cli.plot(best, error="relative", target="tanh").title.endswith("against tanh")


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"marks": "supremum"}, ValueError, "add error='absolute' or relative"),
        ({"forms": 3}, TypeError, "^form must be a name, not 3"),
        ({"quantities": "values"}, ValueError, "did you mean 'value'"),
        ({"error": "abs"}, ValueError, "unknown error 'abs'"),
        ({"forms": "tanh", "error": "absolute", "quantities": ["value", "gradient"]}, ValueError,
         "^errors are drawn of one quantity"),
        ({"marks": "supremum"}, ValueError, "^marks supremum is for pictures of errors"),
        ({"low": 4, "high": 4}, ValueError, "empty"),
        ({"low": float("-inf")}, ValueError, "needs a finite range, for example low=-4, high=4"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(settings, kind, message):
    with pytest.raises(kind, match=message):
        gelu_cli.plot(**settings)


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"is no picture; end it with \.png, \.svg, \.pdf"):
        gelu_cli.plot().save(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="unknown theme"):
        gelu_cli.plot().save(tmp_path / "a.svg", theme="blue")
