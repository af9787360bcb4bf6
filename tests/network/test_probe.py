"""Activations are found however they are written, and named by what they compute."""

import math

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
    """Linear, an activation, linear; the activation may be an expression of h."""

    def __init__(self, activation):
        super().__init__()
        torch.manual_seed(0)
        self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
        is_text = isinstance(activation, str)
        self.activation = eval(f"lambda h: {activation}", globals()) if is_text else activation

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


def by_series(x):
    t = 1 / (1 + 0.3275911 * ROOT * x.abs())
    p = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return 0.5 * x * (1 + torch.sign(x) * (1 - p * t * torch.exp(-x * x / 2)))


def in_place(h):
    g = h * 1.0
    g.mul_(1.702).sigmoid_()
    return h * g


def after(change, h):
    """Multiply by a gate of what was there before a change."""
    g = sigmoid(h)
    change(h)
    return h * g


gelu, relu, sigmoid, where, erf = functional.gelu, torch.relu, torch.sigmoid, torch.where, torch.erf
ROOT, BETA = math.sqrt(0.5), nn.Parameter(torch.tensor([1.702]))

WAYS = {
    "gelu(h)": "exact",
    "nn.GELU('tanh')(h)": "tanh",
    "h * torch.tanh(functional.softplus(h))": "mish",
    "h * (h > 0)": "relu",
    "functional.leaky_relu(h)": "leaky_relu",
    "0.5 * h * torch.erfc(-ROOT * h)": "exact",
    "h * torch.special.ndtr(h)": "exact",
    "0.5 * h * (1 + torch.tanh(0.79788456 * (h + 0.044715 * h**3)))": "tanh",
    "by_series(h)": "erf_as",
    "in_place(h)": "sigmoid",
    "h.mul_(sigmoid(h.clone()))": "silu",
    "functional.silu(h, inplace=True)": "silu",
    "torch.mul(h, sigmoid(1.702 * h), out=torch.empty_like(h))": "sigmoid",
    "h * sigmoid(BETA * h)": "sigmoid",
    "gelu(h.half()).float() + gelu(h.double()).float()": "exact exact",
    "(lambda g: g * sigmoid(1.702 * g))(h.clamp(max=1.0))": "sigmoid",
    "gelu(h).masked_fill(~(h > -9).float().bool(), 0.0)": "exact",
    "gelu(h / h.max())": "exact",
    "where(h.abs() < 3, 0.5 * h * (1 + erf(ROOT * h)), h.clamp(min=0))": "exact relu",
    "(gelu(h[:, :16]) * h[:, 16:]).repeat(1, 2)": "exact",
    "torch.stack([gelu(row) for row in h])": "exact exact exact exact",
    "torch.vmap(gelu)(h)": "exact",
    "torch.autocast('cpu', torch.bfloat16)(gelu)(h)": "exact",
    "torch.inference_mode()(in_place)(h)": "sigmoid",
}
"""Ways of writing an activation, and the forms that are found."""

NOT_FOUND = [
    "torch.from_numpy(np.maximum(h.numpy(), 0))",
    "torch.tensor([[v / (1 + math.exp(-v)) for v in row] for row in h.tolist()])",
    "torch.zeros_like(h).masked_scatter(h > 0, h[h > 0])",
    "functional.normalize(h)",
    "after(lambda h: h.add_(1), h)",
    "after(lambda h: h[:, :8].add_(1), h)",
    "after(lambda h: h.data.add_(1), h)",
    "torch.inference_mode()(after)(lambda h: h.add_(1), h.clone())",
]
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
    found = {way: " ".join(find(Layer(way))[0]) for way in WAYS}
    assert found == WAYS
    for way, forms in WAYS.items():
        form, *others = {*forms.split()}
        if not others and form != "leaky_relu":  # which words do not name yet
            same = find(Layer(way), form=form)[1]
            assert torch.equal(same, plain(Layer(way))), way  # bit by bit


def test_what_is_not_an_activation_is_not_found():
    for way in NOT_FOUND:
        with pytest.raises(ComputationError, match="no activation was found"):
            pytest.fail(f"{way}: {find(Layer(way))}")


def test_modules_that_are_compiled_are_found():
    composite = nn.Sequential(Layer(by_series), Layer(gelu)).eval()
    layer, scriptable = Layer(gelu), nn.Sequential(nn.Linear(16, 16), nn.GELU())
    fused = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True).eval()
    compiled = torch.compile(composite, backend="eager")
    plain(compiled)  # now there is compiled code
    modules = [
        (torch.jit.script(scriptable), ["exact"]),
        (torch.jit.freeze(torch.jit.script(scriptable.eval())), ["exact"]),
        (torch.jit.trace(Layer(by_series), X), ["erf_as"]),
        (torch.fx.symbolic_trace(layer), ["exact"]),
        (torch.export.export(layer, (X,)).module(), ["exact"]),
        (compiled, ["erf_as", "exact"]),
        (nn.Sequential(nn.Unflatten(0, (1, 4)), fused), ["exact"]),
    ]
    for module, forms in modules:
        found, changed = find(module)
        assert found == forms, module
        assert not torch.equal(changed, plain(module)), module


def test_a_swap_is_what_the_other_form_computes():
    exact, sigmoid = Layer(nn.GELU()), Layer(lambda h: h * torch.sigmoid(1.702 * h))
    for x in (X, X.T.contiguous().T, X[None].expand(3, 4, 16)):
        found = find(exact, x, "sigmoid")[1]
        assert torch.allclose(found, plain(sigmoid, x), rtol=0, atol=1e-6)
    h = torch.tensor([math.inf, -math.inf, math.nan, 1.0])
    values = find(nn.GELU(), h, "silu")[1]
    assert torch.equal(values[:3].isnan(), plain(nn.GELU(), h)[:3].isnan())
    assert values[3] == functional.silu(torch.tensor(1.0))
    by_function = find(exact, form=lambda h: np.maximum(h, 0))[1]
    assert torch.equal(by_function, plain(Layer(nn.ReLU())))


def test_calls_of_other_modules_stay_and_gradients_are_refused():
    layer, other = Layer(nn.GELU()), Layer(nn.GELU())
    with torch.no_grad(), swapped(layer, "relu") as sites:
        layer(X)
        inside = other(X)
        layer(X)
    assert [*sites] == ["activation"]
    assert torch.equal(inside, plain(other))
    assert torch.equal(plain(layer), plain(other))
    with pytest.raises(UsageError, match="no_grad"), swapped(layer, "tanh"):
        layer(X)


SIZES = """vocab_size=99 hidden_size=32 num_hidden_layers=2 num_attention_heads=4 head_dim=8
intermediate_size=64 pad_token_id=0 num_local_experts=4 num_key_value_heads=4 n_positions=64"""
FAMILIES = """BertModel=exact DebertaV2Model=exact GPT2LMHeadModel=tanh LlamaForCausalLM=silu
GptOssForCausalLM=sigmoid NemotronForCausalLM=relu"""
"""Models of transformers by tiny configurations; GPT-OSS says silu and computes x·σ(1.702x)."""


def test_families_of_transformers_are_found():
    transformers = pytest.importorskip("transformers", reason="its models are looked into")
    sizes = {name: int(size) for name, size in (each.split("=") for each in SIZES.split())}
    for name, form in (each.split("=") for each in FAMILIES.split()):
        kind = getattr(transformers, name)
        model = kind(kind.config_class(**sizes)).eval()
        with torch.no_grad(), swapped(model, "elu") as sites:
            model(torch.randint(3, 90, (2, 16)))
        assert [site.form.name for site in sites.values()] == [form] * 2, name
