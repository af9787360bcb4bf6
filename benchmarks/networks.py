"""Two small trained networks with GELUs, for `gelu model benchmarks/networks.py:gpt`, `:vit`.

Each is trained when it is loaded, in seconds on one core: a GPT on characters of this repository's
pages, a ViT on gratings in noise. The batch is one that training has not seen, with its labels.
"""

from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LAYERS = 64, 4, 2
LENGTH, STEPS = 32, 250
ORIENTATIONS, SIDE, PATCH = 8, 16, 4
PAGES = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))


class Output(NamedTuple):
    """Logits, and their loss."""

    logits: torch.Tensor
    loss: torch.Tensor


class Block(nn.Module):
    """Attention and a feed-forward block, each behind a layer norm."""

    def __init__(self, causal):
        super().__init__()
        self.causal = causal
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        """Mix positions, then each alone."""
        shape = (*x.shape[:2], 3, HEADS, WIDTH // HEADS)
        q, k, v = self.qkv(self.norms[0](x)).view(shape).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.norms[1](x))


class Transformer(nn.Module):
    """Blocks between an embedding and logits: of each position, or of the mean of all."""

    def __init__(self, embedding, length, classes, causal):
        super().__init__()
        self.embedding, self.causal = embedding, causal
        self.positions = nn.Parameter(0.02 * torch.randn(length, WIDTH))
        self.blocks = nn.Sequential(*(Block(causal) for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, classes)

    def forward(self, inputs, labels):
        """Compute logits and their loss."""
        x = self.norm(self.blocks(self.embedding(inputs) + self.positions))
        logits = self.head(x if self.causal else x.mean(1))
        loss = functional.cross_entropy(logits.flatten(0, -2), labels.flatten())
        return Output(logits, loss)


def trained(network, batch):
    """Train a network on batches."""
    optimizer = torch.optim.AdamW(network.parameters(), 2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, STEPS)
    for _ in range(STEPS):
        optimizer.zero_grad()
        network(**batch(16)).loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        schedule.step()
    return network, batch(64)


def gpt(seed=0):
    """Predict the next character of pages."""
    torch.manual_seed(seed)
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES).encode()
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()

    def batch(size):
        starts = torch.randint(len(data) - LENGTH - 1, (size, 1))
        rows = data[starts + torch.arange(LENGTH + 1)]
        return {"inputs": rows[:, :-1], "labels": rows[:, 1:]}

    return trained(Transformer(nn.Embedding(256, WIDTH), LENGTH, 256, True), batch)


def vit(seed=0):
    """Tell the orientation of a grating in noise."""
    torch.manual_seed(seed)
    grid = torch.arange(SIDE) - SIDE / 2

    def batch(size):
        labels = torch.randint(ORIENTATIONS, (size,))
        angle = (labels[:, None, None] + 0.5 * torch.rand(size, 1, 1)) * torch.pi / ORIENTATIONS
        along = grid[:, None] * angle.cos() + grid * angle.sin()
        images = torch.sin(along + 2 * torch.pi * torch.rand(size, 1, 1))
        noisy = images + torch.randn(size, SIDE, SIDE)
        return {"inputs": noisy.unsqueeze(1), "labels": labels}

    patches = nn.Sequential(
        nn.Unfold(PATCH, stride=PATCH), Transposed(), nn.Linear(PATCH**2, WIDTH)
    )
    return trained(Transformer(patches, (SIDE // PATCH) ** 2, ORIENTATIONS, False), batch)


class Transposed(nn.Module):
    """Patches as rows."""

    def forward(self, x):
        """Exchange the last two dimensions."""
        return x.transpose(1, 2)
