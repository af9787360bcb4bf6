"""`model`, the command and the function, against plain torch."""

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="networks are the user's")

from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from gelu_cli import model  # noqa: E402
from gelu_cli.errors import UsageError  # noqa: E402
from tests.runner import gelu  # noqa: E402

torch.set_num_threads(1)
NETWORKS = Path(__file__).parents[2] / "benchmarks" / "networks.py"

FILES = {
    "net.py": """
import torch
from torch import nn
torch.set_num_threads(1)
schema = {"mutates_args": (), "schema": "(Tensor h) -> Tensor"}
fused = torch.library.custom_op("of_user::fused", lambda h: nn.functional.gelu(h), **schema)

class Hidden(nn.Module):
    def forward(self, x): return torch.ops.of_user.fused(x)

def net(activation=nn.GELU):
    torch.manual_seed(0)
    print("loading")
    return nn.Sequential(nn.Linear(8, 64), activation(), nn.Linear(64, 8))

def relu(x): return torch.relu(x)
def function(): return torch.relu, 0
def both(): return net(), 2 * torch.randn(50, 8)
def hidden(): return net(Hidden), torch.randn(50, 8)
def partly(): return nn.Sequential(*net(Hidden), nn.SiLU()), torch.randn(50, 8)
def infinite(): return net(), torch.tensor([[3e38] * 8, [0.0] * 8])
"""
}


class Net(nn.Module):
    """A classifier with two activations."""

    def __init__(self, activation=None, dtype=torch.float32):
        super().__init__()
        torch.manual_seed(1)
        self.a, self.b, self.c = nn.Linear(8, 64), nn.Linear(64, 64), nn.Linear(64, 5)
        self.gelu = activation or nn.GELU()
        self.to(dtype)

    def forward(self, x, labels=None):
        logits = self.c(self.gelu(self.b(self.gelu(self.a(x)))))
        if labels is None:
            return logits
        return SimpleNamespace(loss=functional.cross_entropy(logits, labels), logits=logits)


X, LABELS = torch.linspace(-3, 3, 320).reshape(40, 8).roll(3, 0), torch.arange(40) % 5


@pytest.fixture(scope="module")
def found():
    relu = lambda h: np.maximum(h, 0)  # noqa: E731
    rows = model(Net(), X, labels=LABELS, form="tanh,exact", kernel=relu, each=True)
    return rows, {row.swap: row.to_dict() for row in rows}


@torch.no_grad()
def by_plain_torch(changed):
    """Compare the outputs of two networks."""
    reference, outputs = Net()(X).double(), changed(X.to(changed.a.weight.dtype)).double()
    error = outputs - reference
    p, q = reference.log_softmax(-1), outputs.log_softmax(-1)
    r = (error.square().sum() / reference.square().sum()).sqrt().item()
    losses = [functional.cross_entropy(each, LABELS) for each in (outputs, reference)]
    return {
        "relative_rms": r,
        "sqnr_db": -20 * math.log10(r),
        "max_change": error.abs().max().item(),
        "cosine": ((outputs * reference).sum() / outputs.norm() / reference.norm()).item(),
        "kl": functional.kl_div(q, p, log_target=True, reduction="batchmean").item(),
        "top1": (outputs.argmax(-1) == reference.argmax(-1)).double().mean().item(),
        "loss_change": (losses[0] - losses[1]).item(),
    }


class Second(nn.Module):
    """ReLU for the first of two calls, GELU for the second."""

    calls = 0

    def forward(self, h):
        self.calls += 1
        return torch.relu(h) if self.calls % 2 else functional.gelu(h)


def test_numbers_are_those_of_plain_torch(found):
    _, rows = found
    others = {  # and tolerances: float32 rounds tanh
        "model in bfloat16": (Net(dtype=torch.bfloat16), 1e-9),
        "tanh": (Net(nn.GELU("tanh")), 0.01),
        "<lambda>": (Net(nn.ReLU()), 1e-5),
        "<lambda> in gelu": (Net(Second()), 1e-5),
    }
    for name, (changed, tolerance) in others.items():
        expected = by_plain_torch(changed)
        numbers = {key: rows[name][key] for key in expected}
        assert numbers == pytest.approx(expected, rel=tolerance, abs=1e-8), name
    for row in rows.values():
        times = row["relative_rms"] / rows["model in bfloat16"]["relative_rms"]
        low, high = {"below": (0, 0.5), "at": (0.5, 2), "above": (2, math.inf)}[row["verdict"]]
        assert low <= times == row["times_noise"] <= high
    same = [0, math.inf, 0, pytest.approx(1, abs=1e-15), 0, 1, 0, 0, "below"]
    assert [*rows["exact"].values()][1:] == same


def test_layers_have_their_own_pre_activations(found):
    net, (row, second) = Net(), found[0].view("layers")
    with torch.no_grad():
        h = net.a(X).double()
    f, g = functional.gelu(h), functional.gelu(h, approximate="tanh")
    expected = {
        "mean": h.mean().item(),
        "sd": h.std(correction=0).item(),
        "low": h.min().item(),
        "high": h.max().item(),
        "tanh": ((g - f).norm() / f.norm()).item(),
        "activations in bfloat16": ((f.bfloat16() - f).norm() / f.norm()).item(),
    }
    assert {key: row[key] for key in expected} == pytest.approx(expected, rel=1e-3)
    names = ("layer", "form", "op", "shape", "dtype", "finite", "exact")
    texts = ["gelu", "exact", "aten::gelu", "40×64", "float32", 1, 0]
    assert [row[name] for name in names] == texts
    assert (second["layer"], second["off"] < 1e-14) == ("gelu:2", True)


def test_kernels_are_those_of_sweep(folder):
    words = ["torch.nn.functional:gelu:approximate=tanh", "net.py:relu", "erfc"]
    rows = {row.swap: row.relative_rms for row in model(Net(), X, form="tanh,relu", kernel=words)}
    assert rows[words[0]] == pytest.approx(rows["tanh"], rel=0.01)
    assert rows[words[1]] == pytest.approx(rows["relu"], rel=1e-6)
    assert rows["erfc"] < 1e-6


def test_the_model_of_the_caller_stays_as_it_is():
    net = Net(dtype=torch.bfloat16).train()
    found = model(net, [X.bfloat16()], form="tanh")
    assert net.training
    assert {each.dtype for each in net.parameters()} == {torch.bfloat16}
    assert not any(each._forward_hooks for each in net.modules())
    assert found.view("layers")[0]["dtype"] == "float32"
    assert found[0].kl is None


def test_command_and_function_have_the_same_rows(folder):
    torch.save(X, "x.pt")
    np.save("x.npy", X.numpy())
    np.save("labels.npy", LABELS.numpy())
    np.savez("x.npz", input=X.numpy())
    words = ("--labels", "labels.npy", "-f", "csv")
    batches = "x.pt", "x.npy", "x.npz"
    line, *others = [gelu("model", "net.py:both", "--batch", each, *words) for each in batches]
    assert [each.out for each in others] == [line.out] * 2
    rows = [row.to_dict() for row in model("net.py:both", X, labels=LABELS)]
    assert [row["swap"] for row in line.rows] == [row["swap"] for row in rows]
    assert [float(row["kl"]) for row in line.rows] == [row["kl"] for row in rows]
    own = model(Net(), {"x": X, "labels": LABELS})[2].to_dict()
    given = model(Net(), X, labels=LABELS)[2].to_dict()
    assert own == pytest.approx(given, abs=1e-6)
    words = ("--form", "tanh", "--view", "layers", "-d", "4", "-f", "json")
    layers = gelu("model", "net.py:both", *words).json
    assert [",".join(each) for each in (line.rows[0], layers[0])] == [
        "swap,relative_rms,sqnr_db,max_change,cosine,kl,top1,loss_change,times_noise,verdict",
        "layer,form,off,op,shape,dtype,mean,sd,low,high,finite,activations in bfloat16,tanh",
    ]
    assert model("net.py:partly").notes[0].endswith("not looked into: of_user.fused.default")
    assert model("net.py:infinite", form="tanh").notes[0].endswith("first in 1")


FAULTS = {
    "net.py:hidden": (4, "operations that could hide one: of_user.fused.default"),
    "net.py:nothing": (2, "unknown name 'nothing' in 'net.py'"),
    "missing.py:net": (2, "there is no file 'missing.py'"),
    "net.py:both --batch net.py": (2, "cannot read net.py"),
    "net.py:both --labels labels.npy": (4, "Target 8 is out of bounds"),
    "net.py:function": (2, "not a torch module"),
    "net.py:both --kernel net.py:nothing": (2, "nothing"),
    "net.py:both --form nonsense": (2, "unknown form"),
    "net.py:both --dtype float8_e5m2": (4, "the model failed in torch.float8_e5m2"),
}


def test_faults_have_a_message_and_a_code(folder):
    np.save("labels.npy", np.full(50, 8))
    for line, (code, message) in FAULTS.items():
        done = gelu("model", *line.split())
        assert (done.code, message in " ".join(done.err.split())) == (code, True), done
    with pytest.raises(UsageError, match="names no form"):
        model(Net(), X, form=[])


@pytest.mark.parametrize("network", ["gpt", "vit"])
def test_trained_networks_hide_tanh_in_their_noise_and_not_sigmoid(network):
    rows = {row.swap: row for row in model(f"{NETWORKS}:{network}")}
    assert 0.02 < rows["tanh"].times_noise < 0.15
    assert 1 < rows["sigmoid"].times_noise < 8
