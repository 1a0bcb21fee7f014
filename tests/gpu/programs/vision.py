"""Runs the ResNet-18 of torchvision, compiled by inductor, on made-up pictures, for tests/gpu/exec.sh."""

import argparse

import torch
from torchvision.models import resnet18


def parse() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=30)
    options.add_argument("--rows-first", action="store_true", help="pictures in NCHW, not channels_last")
    options.add_argument("--eager", action="store_true", help="not compiled")
    return options.parse_args()


def main() -> None:
    options = parse()
    torch.manual_seed(1)
    layout = torch.contiguous_format if options.rows_first else torch.channels_last
    network = resnet18().eval().to("cuda", torch.bfloat16, memory_format=layout)
    pictures = torch.randn(64, 3, 224, 224, device="cuda", dtype=torch.bfloat16).to(memory_format=layout)
    forward = network if options.eager else torch.compile(network)
    with torch.no_grad():
        for _ in range(options.steps):
            output = forward(pictures)
    print(f"{options.steps} steps, sum {float(output.float().abs().sum()):.1f}")


if __name__ == "__main__":
    main()
