"""Activations are found however they are written, and named by what they compute."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gelu_cli import swapped
from gelu_cli.errors import ComputationError, UsageError

torch = pytest.importorskip("torch", reason="networks are the user's")
torch.set_num_threads(1)
nn, functional = torch.nn, torch.nn.functional
gelu, sigmoid, where, erf, root = functional.gelu, torch.sigmoid, torch.where, torch.erf, 0.5**0.5
X, BETA = torch.linspace(-3, 3, 640).reshape(40, 16), nn.Parameter(torch.tensor([1.702]))


class Layer(nn.Module):
    """Linear, an activation, linear; the activation may be an expression of h."""

    def __init__(self, activation):
        super().__init__()
        torch.manual_seed(0)
        self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
        self.activation = activation if callable(activation) else eval(f"lambda h: {activation}")

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


def by_series(x):
    t = 1 / (1 + 0.3275911 * root * x.abs())
    p = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return 0.5 * x * (1 + torch.sign(x) * (1 - p * t * torch.exp(-x * x / 2)))


WAYS = {
    "nn.GELU('tanh')(h)": "tanh",
    "h * torch.tanh(functional.softplus(h))": "mish",
    "h * (h > 0) + functional.leaky_relu(h)": "relu leaky_relu",
    "0.5 * h * torch.erfc(-root * h) + h * torch.special.ndtr(h)": "exact exact",
    "0.5 * h * (1 + torch.tanh(0.79788456 * (h + 0.044715 * h**3)))": "tanh",
    "by_series(h)": "erf_as",
    "h * (h * 1.0).mul_(1.702).sigmoid_()": "sigmoid",
    "h.mul_(sigmoid(h.clone())) + functional.silu(h, inplace=True)": "silu silu",
    "torch.mul(h, sigmoid(1.702 * h), out=h.clone()) + h * sigmoid(BETA * h)": "sigmoid sigmoid",
    "gelu(h.half()).float() + gelu(h.double()).float() + gelu(h / h.max())": "exact exact exact",
    "(lambda g: g * sigmoid(1.702 * g))(h.clamp(max=1.0))": "sigmoid",
    "gelu(h).masked_fill(~(h > -9).float().bool(), 0.0)": "exact",
    "where(h.abs() < 3, 0.5 * h * (1 + erf(root * h)), h.clamp(min=0))": "exact relu",
    "(gelu(h[:, :16]) * h[:, 16:]).repeat(1, 2)": "exact",
    "torch.stack([gelu(row) for row in h[:4]])": "exact exact exact exact",
    "torch.vmap(gelu)(h) + torch.autocast('cpu', torch.bfloat16)(gelu)(h)": "exact exact",
    "torch.inference_mode()(lambda: h * (h * 1.0).mul_(1.702).sigmoid_())()": "sigmoid",
    "torch.tensor([[v / (1 + math.exp(-v)) for v in row] for row in h.tolist()])": "",
    "torch.zeros_like(h).masked_scatter(h > 0, h[h > 0]) + functional.normalize(h)": "",
    "(sigmoid(h), h.add_(1))[0] * h + (sigmoid(h), h.data.add_(1))[0] * h": "",
    "torch.from_numpy(np.maximum(h.numpy(), 0)) + (sigmoid(h), h[:, :8].add_(1))[0] * h": "",
    "torch.inference_mode()(lambda: (sigmoid(h), h.add_(1))[0] * h)()": "",
}


@torch.no_grad()
def find(module, x=X, form="relu"):
    """Run a module with its activations swapped; return their forms and the outputs."""
    with swapped(module, form) as sites:
        outputs = module(x)
    return [site.form.name for site in sites.values()], outputs


@torch.no_grad()
@pytest.mark.parametrize("way", WAYS)
def test_an_activation_is_found_however_it_is_written(way):
    """Not found are those that cannot be seen, and what is not an activation."""
    if not WAYS[way]:
        with pytest.raises(ComputationError, match="no activation was found"):
            find(Layer(way))
        return
    (found, changed), own = find(Layer(way), form="elu"), Layer(way)(X)
    assert " ".join(found) == WAYS[way]
    assert not torch.equal(changed, own)
    if len({*found}) == 1:
        assert torch.equal(find(Layer(way), form=found[0])[1], own)  # bit by bit


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_modules_that_are_compiled_are_found():
    layer, sequence = Layer("by_series(h)"), nn.Sequential(nn.Linear(16, 16), nn.GELU()).eval()
    compiled, scripted = torch.compile(layer, backend="eager"), torch.jit.script(sequence)
    compiled(X)  # now there is compiled code
    exported, graph = torch.export.export(layer, (X,)).module(), torch.fx.symbolic_trace(layer)
    traced, frozen = torch.jit.trace(layer, X), torch.jit.freeze(scripted)
    for module in (compiled, scripted, exported, graph, traced, frozen):
        found, changed = find(module)
        assert found == ["exact" if module in (scripted, frozen) else "erf_as"], module
        assert not torch.equal(changed, module(X)), module


def test_a_swap_is_what_the_other_form_computes():
    exact, other = Layer(nn.GELU()), Layer("h * sigmoid(1.702 * h)")
    for x in (X, X.T.contiguous().T, X[None].expand(3, 40, 16)):
        assert torch.allclose(find(exact, x, "sigmoid")[1], other(x), rtol=0, atol=1e-6)
    h = torch.tensor([math.inf, -math.inf, math.nan, 1.0])
    expected = torch.cat([gelu(h[:3]), functional.silu(h[3:])])
    assert torch.equal(find(nn.GELU(), h, "silu")[1].nan_to_num(7), expected.nan_to_num(7))


@torch.no_grad()
def test_a_block_swaps_in_its_module_alone_and_ends_with_it():
    layer, other, own = Layer(nn.GELU()), Layer(nn.GELU()), Layer(nn.GELU())(X)
    with swapped(layer, lambda h: np.maximum(h, 0)) as sites:
        layer.down(layer.activation(layer.up(X)))  # as methods other than forward do
        assert [*sites] == ["activation"]
        assert torch.equal(other(X), own)
        with ThreadPoolExecutor() as pool, pytest.raises(ComputationError, match="other threads"):
            pool.submit(layer, X).result()
        assert torch.equal(layer(X), Layer(nn.ReLU())(X))
        with pytest.raises(RuntimeError, match="shapes"):
            layer(X[:, :3])
        assert [*sites] == ["activation"]
    with swapped(layer, "sigmoid") as outer, swapped(layer.activation, functional.relu) as inner:
        assert torch.equal(layer(X), Layer(nn.ReLU())(X))
    assert [site.form.name for site in (*outer.values(), *inner.values())] == ["exact", "exact"]
    for fault, module in {"no_grad": layer, "int is not a torch module; ": 3}.items():
        with pytest.raises(UsageError, match=fault), torch.enable_grad(), swapped(module, "tanh"):
            module(X)
    assert torch.equal(layer(X), own)


SIZES = """vocab_size=99 hidden_size=32 num_hidden_layers=2 num_attention_heads=4 head_dim=8
intermediate_size=64 pad_token_id=0 num_local_experts=4 num_key_value_heads=4 n_positions=64"""
FAMILIES = """BertModel=exact DebertaV2Model=exact GPT2LMHeadModel=tanh LlamaForCausalLM=silu
GptOssForCausalLM=sigmoid NemotronForCausalLM=relu BloomModel=tanh CLIPTextModel=sigmoid
GPTNeoXModel=exact Gemma2Model=tanh"""


@pytest.mark.parametrize("family", FAMILIES.split())
def test_families_of_transformers_are_found(family):
    """Of tiny configurations; GPT-OSS says silu and computes x·σ(1.702x)."""
    transformers = pytest.importorskip("transformers", reason="its models are looked into")
    sizes = {name: int(size) for name, size in (each.split("=") for each in SIZES.split())}
    name, form = family.split("=")
    kind = getattr(transformers, name)
    model = kind(kind.config_class(**sizes)).eval()
    assert find(model, torch.randint(3, 90, (2, 16)), "elu")[0] == [form] * 2
