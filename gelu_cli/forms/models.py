"""Which models compute which form: a list of models, each with where its code or paper says so.

A name in a configuration may mean different forms in different programs, which have rows of their
own: a model with a program in brackets is one for which that program computes the form.
"""

from __future__ import annotations

from typing import NamedTuple

from gelu_cli.forms import find_form
from gelu_cli.forms.form import Form
from gelu_cli.forms.published.claims import constants


class Model(NamedTuple):
    """A model, its form as one types it, the year of its paper or release, and what says so.

    A source names a file of a repository on GitHub, and there the setting or the function, or it
    names a paper and its section.
    """

    name: str
    form: str
    since: int
    source: str


def form_of(model: Model) -> Form:
    """Return the form that a model computes.

    >>> form_of(Model("MobileNetV3", "hard:slope=1", 2019, "")).settings["slope"]
    Fraction(1, 1)
    """
    name, *settings = model.form.split(":")
    pairs = dict(setting.split("=") for setting in settings)
    return constants(find_form(name), **pairs) if pairs else find_form(name)


def users_of(form: Form) -> list[Model]:
    """Return the models that compute a form, with its parameters as they are set.

    >>> [model.name for model in users_of(find_form("mish"))]
    ['YOLOv4']
    """
    return [model for model in MODELS if form_of(model).function == form.function]


def models_named(word: str) -> list[Model]:
    """Return the models whose names begin with a word, in upper or lower case, the shortest first.

    >>> [model.name for model in models_named("gemma")]
    ['Gemma', 'Gemma 2', 'Gemma 3']
    """
    found = [model for model in MODELS if model.name.lower().startswith(word.lower())]
    return sorted(found, key=lambda model: len(model.name))


def _transformers(model: str, setting: str) -> str:
    """Return the source for a default of a configuration in Hugging Face's library."""
    return f"huggingface/transformers: models/{model}/configuration_{model}.py, {setting}"


VIT = "google-research/vision_transformer: vit_jax"
NEOX = "EleutherAI/gpt-neox: configs"
GEGLU = "huggingface/diffusers: models/attention.py, activation_fn geglu; models/activations.py"

# In transformers `gelu` is the exact form; gelu_new and gelu_pytorch_tanh are the tanh form. Of a
# gated unit (SwiGLU, GEGLU) the form is that of the gate.
EXACT = (
    Model("BERT (Google, 2018)", "exact", 2018, "google-research/bert: modeling.py until "
          "February 2019, gelu by tf.erf"),
    Model("BERT (Transformers)", "exact", 2018, _transformers("bert", "hidden_act gelu")),
    Model("DistilBERT", "exact", 2019, _transformers("distilbert", "activation gelu")),
    Model("RoBERTa", "exact", 2019, _transformers("roberta", "hidden_act gelu")),
    Model("BART", "exact", 2019, _transformers("bart", "activation_function gelu")),
    Model("XLNet (Transformers)", "exact", 2019, _transformers("xlnet", "ff_activation gelu")),
    Model("ELECTRA", "exact", 2020, "google-research/electra: model/modeling.py, gelu by tf.erf"),
    Model("DeBERTa", "exact", 2020, _transformers("deberta", "hidden_act gelu")),
    Model("wav2vec 2.0", "exact", 2020, _transformers("wav2vec2", "hidden_act gelu")),
    Model("ViT (Transformers)", "exact", 2020, _transformers("vit", "hidden_act gelu")),
    Model("DeiT", "exact", 2020, _transformers("deit", "hidden_act gelu")),
    Model("Swin Transformer", "exact", 2021, _transformers("swin", "hidden_act gelu")),
    Model("BEiT", "exact", 2021, _transformers("beit", "hidden_act gelu")),
    Model("MLP-Mixer (timm)", "exact", 2021, "huggingface/pytorch-image-models: "
          "timm/models/mlp_mixer.py, act_layer nn.GELU"),
    Model("HuBERT", "exact", 2021, _transformers("hubert", "hidden_act gelu")),
    Model("OpenCLIP", "exact", 2021, "mlfoundations/open_clip: README.md; its models named "
          "…-quickgelu compute sigmoid"),
    Model("ConvNeXt", "exact", 2022, "facebookresearch/ConvNeXt: models/convnext.py, nn.GELU"),
    Model("GPT-NeoX-20B (Transformers)", "exact", 2022,
          _transformers("gpt_neox", "hidden_act gelu")),
    Model("Stable Diffusion", "exact", 2022, f"{GEGLU}, F.gelu in a gated unit"),
    Model("Whisper", "exact", 2022, "openai/whisper: whisper/model.py, nn.GELU"),
    Model("DINOv2", "exact", 2023, _transformers("dinov2", "hidden_act gelu")),
    Model("Falcon", "exact", 2023, _transformers("falcon", "activation gelu")),
    Model("Pythia (Transformers)", "exact", 2023, _transformers("gpt_neox", "hidden_act gelu")),
    Model("Segment Anything", "exact", 2023, "facebookresearch/segment-anything: "
          "segment_anything/modeling/image_encoder.py, nn.GELU"),
    Model("ModernBERT", "exact", 2024, _transformers("modernbert", "hidden_activation gelu")),
)  # fmt: skip
TANH = (
    Model("GPT", "tanh", 2018, "openai/finetune-transformer-lm: train.py, gelu"),
    Model("BERT (Google, since 2019)", "tanh", 2019, "google-research/bert: modeling.py, gelu"),
    Model("GPT-2", "tanh", 2019, "openai/gpt-2: src/model.py, gelu"),
    Model("XLNet (Google)", "tanh", 2019, "zihangdai/xlnet: modeling.py, gelu"),
    Model("ALBERT", "tanh", 2019, _transformers("albert", "hidden_act gelu_new")),
    Model("BigBird", "tanh", 2020, _transformers("big_bird", "hidden_act gelu_new")),
    Model("T5 v1.1", "tanh", 2020, "huggingface/transformers: models/t5/configuration_t5.py, "
          "gated-gelu is gelu_new in a gated unit"),
    Model("mT5", "tanh", 2020, _transformers("mt5", "feed_forward_proj gated-gelu: gelu_new")),
    Model("ViT (Google)", "tanh", 2020, f"{VIT}/models_vit.py, flax's nn.gelu"),
    Model("GPT-J", "tanh", 2021, _transformers("gptj", "activation_function gelu_new")),
    Model("GPT-Neo", "tanh", 2021, _transformers("gpt_neo", "activation_function gelu_new")),
    Model("MLP-Mixer (Google)", "tanh", 2021, f"{VIT}/models_mixer.py, flax's nn.gelu"),
    Model("BLOOM", "tanh", 2022, "huggingface/transformers: models/bloom/modeling_bloom.py, "
          "bloom_gelu_forward"),
    Model("CodeGen", "tanh", 2022, _transformers("codegen", "activation_function gelu_new")),
    Model("GPT-NeoX-20B (as trained)", "tanh", 2022, f"{NEOX}/20B.yml, bias_gelu_fusion"),
    Model("Phi-2", "tanh", 2023, _transformers("phi", "hidden_act gelu_new")),
    Model("Pythia (as trained)", "tanh", 2023, f"{NEOX}/pythia/12B.yml, bias_gelu_fusion"),
    Model("SigLIP", "tanh", 2023, _transformers("siglip", "hidden_act gelu_pytorch_tanh")),
    Model("StarCoder", "tanh", 2023,
          _transformers("gpt_bigcode", "activation_function gelu_pytorch_tanh")),
    Model("Gemma", "tanh", 2024, _transformers("gemma", "hidden_act gelu_pytorch_tanh")),
    Model("Gemma 2", "tanh", 2024, _transformers("gemma2", "hidden_activation gelu_pytorch_tanh")),
    Model("StarCoder2", "tanh", 2024,
          _transformers("starcoder2", "hidden_act gelu_pytorch_tanh")),
    Model("Gemma 3", "tanh", 2025, _transformers("gemma3", "hidden_activation gelu_pytorch_tanh")),
)  # fmt: skip
SIGMOID = (
    Model("CLIP", "sigmoid", 2021, "openai/CLIP: clip/model.py, QuickGELU"),
)  # fmt: skip
OTHERS = (
    Model("MobileNetV3", "hard:slope=1", 2019, "arXiv:1905.02244, hard swish; "
          "huggingface/pytorch-image-models: timm/models/mobilenetv3.py, hard_swish"),
    Model("YOLOv4", "mish", 2020, "AlexeyAB/darknet: cfg/yolov4.cfg, activation=mish"),
    Model("Transformer", "relu", 2017, "arXiv:1706.03762, section 3.3"),
    Model("T5", "relu", 2019, _transformers("t5", "feed_forward_proj relu")),
    Model("Switch Transformer", "relu", 2021,
          _transformers("switch_transformers", "dense_act_fn relu")),
    Model("OPT", "relu", 2022, _transformers("opt", "activation_function relu")),
    Model("EfficientNet", "silu", 2019, _transformers("efficientnet", "hidden_act swish")),
    Model("PaLM", "silu", 2022, "arXiv:2204.02311, section 2, SwiGLU of arXiv:2002.05202"),
    Model("Llama", "silu", 2023, "facebookresearch/llama: llama/model.py, F.silu"),
    Model("Mamba", "silu", 2023, _transformers("mamba", "hidden_act silu")),
    Model("Mistral", "silu", 2023, _transformers("mistral", "hidden_act silu")),
    Model("DeepSeek-V3", "silu", 2024, _transformers("deepseek_v3", "hidden_act silu")),
    Model("Phi-3", "silu", 2024, _transformers("phi3", "hidden_act silu")),
    Model("Qwen2", "silu", 2024, _transformers("qwen2", "hidden_act silu")),
    Model("Qwen3", "silu", 2025, _transformers("qwen3", "hidden_act silu")),
)  # fmt: skip
MODELS = (*EXACT, *TANH, *SIGMOID, *OTHERS)
"""Every model, by form in the order of the forms, then by year."""
