"""A training script as people write them, for tests/gpu/exec.sh: PyTorch, eager, a small network with an embedding,
layer norm, dropout and AdamW. The same arguments give the same launches and, to the digit, the same losses.

Each option after --steps is a change that a gate should see, or see through; exec.sh says which is expected to show.
"""

import argparse
import contextlib
import sys

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

VOCABULARY, LENGTH, WIDTH, HIDDEN, CLASSES = 8192, 16, 256, 2048, 1000
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


class Network(nn.Module):
    def __init__(self, fused_gelu: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.norm = nn.LayerNorm(LENGTH * WIDTH)
        self.up = nn.Linear(LENGTH * WIDTH, HIDDEN)
        self.middle = nn.Linear(HIDDEN, HIDDEN)
        self.down = nn.Linear(HIDDEN, CLASSES)
        self.fused_gelu = fused_gelu

    def gelu(self, x: torch.Tensor) -> torch.Tensor:
        if self.fused_gelu:
            return functional.gelu(x)
        return 0.5 * x * (1 + torch.erf(x * 0.7071067811865476))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.embedding(tokens).flatten(1))
        x = functional.dropout(self.gelu(self.up(x)), 0.1, self.training)
        x = functional.dropout(self.gelu(self.middle(x)), 0.1, self.training)
        return self.down(x)


def parser(about: str) -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=about)
    options.add_argument("--batch", type=int, default=1024)
    options.add_argument("--steps", type=int, default=10)
    options.add_argument("--dtype", choices=DTYPES, default="bf16")
    options.add_argument("--no-fused", choices=["gelu", "adamw"], action="append", default=[], help="in parts instead")
    options.add_argument("--sync", action="store_true", help="wait for the GPU after every step: no other work on it")
    options.add_argument("--check-finite", action="store_true", help="stop at a loss that is no number")
    options.add_argument("--workers", type=int, default=0, help="processes that load the data")
    options.add_argument("--profile", action="store_true", help="under torch.profiler")
    options.add_argument("--device", default="cuda")
    return options


def train(options: argparse.Namespace, network: Network, step_forward: nn.Module) -> list[float]:
    """The losses of all steps. step_forward is the network, or what a compiler made of it."""
    device = torch.device(options.device)
    on_gpu = device.type == "cuda"
    cpu = torch.Generator().manual_seed(2)
    count = options.batch * options.steps
    tokens = torch.randint(VOCABULARY, (count, LENGTH), generator=cpu)
    labels = torch.randint(CLASSES, (count,), generator=cpu)
    loader = DataLoader(TensorDataset(tokens, labels), batch_size=options.batch, num_workers=options.workers)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, fused="adamw" not in options.no_fused)
    losses = []
    for batch_tokens, batch_labels in loader:
        with named("forward", on_gpu):
            output = step_forward(batch_tokens.to(device))
            loss = functional.cross_entropy(output.float(), batch_labels.to(device))
        with named("backward", on_gpu):
            loss.backward()
        with named("optimizer", on_gpu):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if options.check_finite and not torch.isfinite(loss):
            sys.exit("train: the loss is not a number")
        if options.sync and on_gpu:
            torch.cuda.synchronize()
        losses.append(loss.detach())
    return [loss.item() for loss in losses]


def named(name: str, on_gpu: bool) -> contextlib.AbstractContextManager:
    """An NVTX range. It belongs to its thread: autograd launches the backward kernels from another one."""
    return torch.cuda.nvtx.range(name) if on_gpu else contextlib.nullcontext()


def make_network(options: argparse.Namespace) -> Network:
    torch.manual_seed(1)
    network = Network("gelu" not in options.no_fused)
    return network.to(device=options.device, dtype=DTYPES[options.dtype])


def report(losses: list[float], network: Network) -> None:
    """To the last digit: what measuring must not change."""
    for loss in losses:
        print(f"loss {loss!r}")
    for name, parameter in network.named_parameters():
        print(f"{name} {parameter.detach().cpu().double().sum().item()!r}")


def main() -> None:
    options = parser("Train a small network.").parse_args()
    network = make_network(options)
    if options.profile:
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            losses = train(options, network, network)
        events = sum(event.device_type.name == "CUDA" for event in profiler.events())
        print(f"train: torch.profiler saw {events} events of the GPU", file=sys.stderr)
    else:
        losses = train(options, network, network)
    report(losses, network)


if __name__ == "__main__":
    main()
