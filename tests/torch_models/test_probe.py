"""Activations are found however they are written, and named by what they compute."""

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="networks are the user's")

from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

from gelu_cli import swapped  # noqa: E402
from gelu_cli.errors import ComputationError, UsageError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

torch.set_num_threads(1)
X = torch.linspace(-3, 3, 64).reshape(4, 16)


class Layer(nn.Module):
    """Linear, an activation, linear."""

    def __init__(self, activation):
        super().__init__()
        torch.manual_seed(0)
        self.up, self.down, self.activation = nn.Linear(16, 32), nn.Linear(32, 16), activation

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


class WithBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))

    @staticmethod
    def backward(ctx, upstream):
        return upstream


def by_tanh(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x)))


def by_series(x):
    t = 1 / (1 + 0.3275911 * x.abs() / math.sqrt(2))
    p = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return 0.5 * x * (1 + torch.sign(x) * (1 - p * t * torch.exp(-x * x / 2)))


def in_place(h):
    g = h * 1.0
    g.mul_(1.702).sigmoid_()
    return h * g


def into_out(h):
    return torch.mul(h, torch.sigmoid(1.702 * h), out=torch.empty_like(h))


def in_pieces(h):
    inner = h * 0.5 * (1 + torch.erf(h / math.sqrt(2)))
    return torch.where(h.abs() < 3, inner, h.clamp(min=0))


def clamped(h):
    g = h.clamp(max=1.0)
    return g * torch.sigmoid(1.702 * g)


def beside(h):
    h.add_(1)
    return h


def changed_meanwhile(h):
    g = torch.sigmoid(h)
    return beside(h) * g


def changed_by_a_view(h):
    g = torch.sigmoid(h)
    beside(h[:, :8])
    return h * g


BETA = nn.Parameter(torch.tensor([1.702]))

WAYS = {
    "functional": (functional.gelu, "exact"),
    "tanh": (partial(functional.gelu, approximate="tanh"), "tanh"),
    "module": (nn.GELU(), "exact"),
    "mish": (lambda h: h * torch.tanh(functional.softplus(h)), "mish"),
    "relu by a mask": (lambda h: h * (h > 0), "relu"),
    "leaky relu": (functional.leaky_relu, "leaky_relu"),
    "erf": (WithBackward.apply, "exact"),
    "erfc": (lambda h: 0.5 * h * torch.erfc(-h / math.sqrt(2)), "exact"),
    "ndtr": (lambda h: h * torch.special.ndtr(h), "exact"),
    "tanh written out": (by_tanh, "tanh"),
    "a series": (by_series, "erf_as"),
    "in place": (in_place, "sigmoid"),
    "into out": (into_out, "sigmoid"),
    "a parameter": (lambda h: h * torch.sigmoid(BETA * h), "sigmoid"),
    "float16 inside": (lambda h: functional.gelu(h.half()).float(), "exact"),
    "a clamped input": (clamped, "sigmoid"),
    "silu in place": (partial(functional.silu, inplace=True), "silu"),
    "masked": (lambda h: functional.gelu(h).masked_fill(h < -5, 0.0), "exact"),
    "in pieces": (in_pieces, "exact relu"),
    "gated": (lambda h: (functional.gelu(h[:, :16]) * h[:, 16:]).repeat(1, 2), "exact"),
    "vmap": (torch.vmap(functional.gelu), "exact"),
    "autocast": (torch.autocast("cpu", torch.bfloat16)(functional.gelu), "exact"),
    "inference mode": (torch.inference_mode()(lambda h: in_place(h.clone())), "sigmoid"),
}
"""Ways of writing an activation, and the forms that are found."""

NOT_FOUND = {
    "numpy": lambda h: torch.from_numpy(np.maximum(h.numpy(), 0)),
    "Python": lambda h: torch.tensor([[v / (1 + math.exp(-v)) for v in row] for row in h.tolist()]),
    "another function": functional.softplus,
    "a norm": functional.normalize,
    "a gate of what was": changed_meanwhile,
    "a gate of what was, by a view": changed_by_a_view,
}
"""What cannot be seen, and what is not an activation."""


def find(module, x=X, form="relu"):
    """Run a module with its activations swapped; return their forms and the outputs."""
    with torch.no_grad(), swapped(module, form) as sites:
        outputs = module(x)
    return [site.form.name for site in sites.values()], outputs


def plain(module, x=X):
    with torch.no_grad():
        return module(x)


def test_an_activation_is_found_however_it_is_written():
    found = {name: find(Layer(function))[0] for name, (function, _) in WAYS.items()}
    assert found == {name: forms.split() for name, (_, forms) in WAYS.items()}


def test_what_is_not_an_activation_is_not_found():
    for name, function in NOT_FOUND.items():
        with pytest.raises(ComputationError, match="no activation was found"):
            pytest.fail(f"{name}: {find(Layer(function))[0]}")


def test_modules_that_are_compiled_are_found():
    composite = nn.Sequential(Layer(by_series), Layer(functional.gelu)).eval()
    layer, scriptable = Layer(functional.gelu), nn.Sequential(nn.Linear(16, 16), nn.GELU())
    modules = {
        "scripted": (torch.jit.script(scriptable), "exact"),
        "frozen": (torch.jit.freeze(torch.jit.script(scriptable.eval())), "exact"),
        "traced": (torch.jit.trace(Layer(by_series), X), "erf_as"),
        "symbolic": (torch.fx.symbolic_trace(layer), "exact"),
        "exported": (torch.export.export(layer, (X,)).module(), "exact"),
        "compiled": (torch.compile(composite, backend="eager"), "erf_as exact"),
    }
    plain(modules["compiled"][0])  # now there is compiled code
    found = {name: find(module) for name, (module, _) in modules.items()}
    assert {name: forms for name, (forms, _) in found.items()} == {
        name: forms.split() for name, (_, forms) in modules.items()
    }
    assert not any(torch.equal(y, plain(modules[name][0])) for name, (_, y) in found.items())


def test_a_swap_of_a_form_for_itself_is_equal_bit_by_bit():
    for name, (function, forms) in WAYS.items():
        if len({*forms.split()}) == 1 and forms != "leaky_relu":  # which words do not name yet
            same = find(Layer(function), form=forms.split()[0])[1]
            assert torch.equal(same, plain(Layer(function))), name


def test_a_swap_is_what_the_other_form_computes():
    exact, sigmoid = Layer(nn.GELU()), Layer(lambda h: h * torch.sigmoid(1.702 * h))
    for x in (X, X.T.contiguous().T, X[None].expand(3, 4, 16)):
        found = find(exact, x, "sigmoid")[1]
        assert torch.allclose(found, plain(sigmoid, x), rtol=0, atol=1e-6)
    h = torch.tensor([math.inf, -math.inf, math.nan, 1.0])
    values = find(nn.GELU(), h, "silu")[1]
    assert torch.equal(values[:3].isnan(), plain(nn.GELU(), h)[:3].isnan())
    assert values[3] == torch.nn.functional.silu(torch.tensor(1.0))


def test_a_function_replaces_activations():
    _, found = find(Layer(nn.GELU()), form=lambda h: np.maximum(h, 0))
    assert torch.equal(found, plain(Layer(nn.ReLU())))


def test_calls_of_other_modules_stay():
    layer, other = Layer(nn.GELU()), Layer(nn.GELU())
    with torch.no_grad(), swapped(layer, "relu"):
        layer(X)
        inside = other(X)
    assert torch.equal(inside, plain(other))
    assert torch.equal(plain(layer), plain(other))


def test_gradients_are_refused():
    layer = Layer(nn.GELU())
    with pytest.raises(UsageError, match="no_grad"), swapped(layer, "tanh"):
        pass
    with pytest.raises(UsageError, match="no_grad"), torch.no_grad(), swapped(layer, "tanh"):
        torch.enable_grad()(layer)(X)


SIZES = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "pad_token_id": 0,
}
GPT2 = {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
EXPERTS = {"head_dim": 8, "num_local_experts": 4, "num_key_value_heads": 4}
FAMILIES = {
    "BertModel": (SIZES, "exact"),
    "GPT2LMHeadModel": (GPT2, "tanh"),
    "LlamaForCausalLM": (SIZES, "silu"),
    "GptOssForCausalLM": ({**SIZES, **EXPERTS}, "sigmoid"),
    "NemotronForCausalLM": ({**SIZES, "num_key_value_heads": 4}, "relu"),
}
"""Models of transformers by tiny configurations; GPT-OSS says silu and computes x·σ(1.702x)."""


def test_families_of_transformers_are_found():
    transformers = pytest.importorskip("transformers", reason="its models are looked into")
    found = {}
    for name, (sizes, _) in FAMILIES.items():
        kind = getattr(transformers, name)
        model = kind(kind.config_class(**sizes)).eval()
        with torch.no_grad(), swapped(model, "elu") as sites:
            model(torch.randint(3, 90, (2, 16)))
        found[name] = Counter(site.form.name for site in sites.values())
    assert found == {name: Counter({form: 2}) for name, (_, form) in FAMILIES.items()}
