"""`model`, the command and the function, against plain torch."""

import math
from collections import UserDict
from dataclasses import make_dataclass

import numpy as np
import pytest

from gelu_cli import model
from gelu_cli.errors import GeluError
from tests.network.test_activations import Layer, X, functional, nn, torch
from tests.pages import ROOT
from tests.runner import gelu

LABELS = torch.arange(40) % 16
torch.library.custom_op("own::gelu", functional.gelu, mutates_args=(), schema="(Tensor h)->Tensor")


class Net(nn.Sequential):
    """Two activations, which are one module if one is given, and what is returned of logits."""

    def __init__(self, first=None, second=None, returns=lambda logits: logits):
        print("loading")
        first = first or nn.GELU()
        super().__init__(Layer(first), Layer(second or first))
        self.returns = returns

    def forward(self, x):
        return self.returns(super().forward(x))


@pytest.fixture(scope="module")
def found():
    kernels = [np.arctan, "torch.nn.functional:gelu:approximate=tanh", "erfc"]
    return model(Net(), X, labels=LABELS, form="tanh,exact", kernel=kernels, each=True)


@torch.no_grad()
def by_plain_torch(changed):
    """Compare the outputs of two networks."""
    e, o = Net()(X).double(), changed(X.to(changed[0].up.weight.dtype)).double()
    p, q = e.log_softmax(-1), o.log_softmax(-1)
    r = ((o - e).square().sum() / e.square().sum()).sqrt().item()
    cosine = (o * e).sum() / o.norm() / e.norm()
    kl = functional.kl_div(q, p, log_target=True, reduction="batchmean")
    top1 = (o.argmax(-1) == e.argmax(-1)).double().mean()
    change = functional.cross_entropy(o, LABELS) - functional.cross_entropy(e, LABELS)
    return [*map(float, (r, -20 * math.log10(r), (o - e).abs().max(), cosine, kl, top1, change))]


def test_numbers_are_those_of_plain_torch(found):
    rows = {row.swap: [*row.to_dict().values()][1:] for row in found}
    others = {  # and tolerances: float32 rounds tanh
        "model in bfloat16": (Net().bfloat16(), 1e-9),
        "tanh": (Net(nn.GELU("tanh")), 0.01),
        "torch.nn.functional:gelu:approximate=tanh": (Net(nn.GELU("tanh")), 1e-5),
        "arctan in 0.activation": (Net(torch.atan, nn.GELU()), 1e-5),
    }
    for name, (changed, tolerance) in others.items():
        expected = pytest.approx(by_plain_torch(changed), rel=tolerance, abs=1e-8)
        assert rows[name][:7] == expected, name
    for row in found:
        low, high = {"below": (0, 0.5), "at": (0.5, 2), "above": (2, math.inf)}[row.verdict]
        assert low <= row.relative_rms / found[0].relative_rms == row.times_noise <= high
    assert rows["exact"] == [0, math.inf, 0, pytest.approx(1, abs=1e-15), 0, 1, 0, 0, "below"]
    assert rows["erfc"][0] < 1e-6


def test_layers_have_their_own_pre_activations(found):
    first, second = ([*row.values()] for row in found.view("layers"))
    h = Net()[0].up(X).detach().double()
    f, tanh = functional.gelu(h), functional.gelu(h, approximate="tanh")
    changes = [(g - f).norm() / f.norm() for g in (f.bfloat16(), tanh, f, h.atan())]
    numbers = [h.mean(), h.std(correction=0), h.min(), h.max(), 1, *changes]
    assert first[:2] + first[3:6] == ["0.activation", "exact", "aten::gelu", "40×32", "float32"]
    assert first[6:15] == pytest.approx([*map(float, numbers)], rel=1e-3)
    assert (second[0], second[2] < 1e-14) == ("0.activation:2", True)


def test_the_module_and_the_batch_of_the_caller_stay_as_they_are():
    net, x, draws = Net().bfloat16().train(), X.clone(), torch.get_rng_state()
    assert model(net, [x.bfloat16()]).view("layers")[0]["dtype"] == "float32"
    assert (net.training, net[0].up.weight.dtype) == (True, torch.bfloat16)
    assert not any(each._forward_hooks for each in net.modules())
    writing = nn.Sequential(nn.ELU(inplace=True), Net(returns=functional.dropout))
    assert model(writing, x, form="exact")[2].relative_rms == 0  # two runs are alike
    assert torch.equal(x, X)
    assert torch.equal(torch.get_rng_state(), draws)


def test_batches_and_outputs_of_all_types_have_the_same_numbers(folder):
    torch.save(X, "x.pt")
    np.save("x.npy", X.numpy())
    np.savez("x.npz", x=X.numpy())
    expected = model(Net(), X)
    batches = (X,), [X], {"x": X}, UserDict(x=X), X.numpy(), X.double(), "x.pt", "x.npy", "x.npz"
    for batch in batches:
        assert model(Net(), batch) == expected
    for returns in (lambda y: (y.mean(), y), make_dataclass("Out", "y"), lambda y: {"a": [y]}):
        assert model(Net(returns=returns), X) == expected
    for returns in (lambda y: {"logits": y[0]}, lambda y: {"logits": y[0, 0]}):
        assert model(Net(returns=returns), X)[0].kl >= 0
    own = Net(returns=lambda y: {"loss": functional.cross_entropy(y, LABELS), "logits": y})
    given = model(Net(), X, labels=LABELS)[2].to_dict()
    assert model(own, X)[2].to_dict() == pytest.approx(given, abs=1e-6)


def test_padded_batches_do_without_the_nested_tensors_of_fused_encoders():
    layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True)
    padded = {"src": X[None], "src_key_padding_mask": torch.arange(40)[None] > 30}
    assert len(model(nn.TransformerEncoder(layer, 2), padded).view("layers")) == 2


def test_command_and_function_have_the_same_rows(folder):
    np.save("labels.npy", LABELS.numpy())
    np.save("x.npy", X.numpy())
    words = "model", f"{__name__}:Net", "--batch", "x.npy", "--labels", "labels.npy"
    rows, line = model(Net(), X, labels=LABELS), gelu(*words, "-f", "csv")
    assert [[row["swap"], float(row["kl"])] for row in line.rows] == [[r.swap, r.kl] for r in rows]
    layers = gelu(*words, "--form", "tanh", "--view", "layers", "-d", "4", "-f", "json").json
    assert [",".join(each) for each in (line.rows[0], layers[0])] == [
        "swap,relative_rms,sqnr_db,max_change,cosine,kl,top1,loss_change,times_noise,verdict",
        "layer,form,off,op,shape,dtype,mean,sd,low,high,finite,activations in bfloat16,tanh",
    ]


FAULTS = {
    "found; own.gelu.default may hide one": (4, {"module": Net("torch.ops.own.gelu(h)")}),
    "tuple is not a torch module": (2, {"module": "builtins:tuple"}),
    "cannot read x.csv .FileNotFoundError": (2, {"batch": "x.csv"}),
    "returned no floating-point numbers for this batch": (4, {"batch": X[:0]}),
    "finite; pre-activations are not finite, first in layer 0": (4, {"batch": X * math.nan}),
    "all 0, or not all finite": (4, {"module": Net(returns=torch.zeros_like)}),
    "shapes of outputs differ": (4, {"module": Net(returns=lambda y: y[y > 0.01]), "form": "relu"}),
    "Target 16 is out of bounds": (4, {"labels": LABELS + 1}),
    "to be Long": (4, {"labels": LABELS.float()}),
    "two swaps have one name": (2, {"kernel": "sigmoid"}),
    "model or loss failed in float8_e5m2": (4, {"dtype": "float8_e5m2"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_have_a_message_and_a_code(fault):
    code, arguments = FAULTS[fault]
    with pytest.raises(GeluError, match=fault) as caught:
        model(**{"module": Net(), "batch": X, **arguments})
    assert caught.value.exit_code == code


def test_notes_name_what_is_not_seen():
    (large,) = model(Net(returns=torch.nan_to_num), X * 3e38).notes
    assert large == "pre-activations are not finite, first in layer 0.activation"
    (partly,) = model(Net("torch.ops.own.gelu(h)", nn.SiLU()), X).notes
    assert partly == "operations outside ATen were not looked into: own.gelu.default"


@pytest.mark.parametrize("network", ["gpt", "vit"])
def test_trained_networks_hide_tanh_in_their_noise_and_not_sigmoid(network):
    rows = {row.swap: row.times_noise for row in model(f"{ROOT}/benchmarks/networks.py:{network}")}
    assert 0.02 < rows["tanh"] < 0.15
    assert 1 < rows["sigmoid"] < 8
