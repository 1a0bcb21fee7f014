"""A CUDA graph as people use it, for tests/gpu/exec.sh: a network's inference captured once by PyTorch and replayed,
then the same without a graph, so that the kernels of one graph launch can be compared with their own launches."""

import argparse

import torch
from torch import nn


def main() -> None:
    options = argparse.ArgumentParser(description="Replay a CUDA graph.")
    options.add_argument("--replays", type=int, default=20)
    options.add_argument("--eager", type=int, default=6, help="rounds without a graph, after it")
    options = options.parse_args()
    torch.manual_seed(1)
    width = 1024
    layers = [layer for _ in range(4) for layer in (nn.Linear(width, width), nn.LayerNorm(width), nn.GELU())]
    network = nn.Sequential(*layers).to(device="cuda", dtype=torch.bfloat16).eval()
    inputs = torch.rand(4096, width).to(device="cuda", dtype=torch.bfloat16)
    with torch.no_grad():
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                network(inputs)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = network(inputs)
        for _ in range(options.replays):
            graph.replay()
        torch.cuda.synchronize()
        print(f"graph {outputs.cpu().double().sum().item()!r}")
        for _ in range(options.eager):
            outputs = network(inputs)
        print(f"eager {outputs.cpu().double().sum().item()!r}")


if __name__ == "__main__":
    main()
