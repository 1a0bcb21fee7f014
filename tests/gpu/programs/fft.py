"""Transforms of Fourier and products with a sparse matrix by PyTorch (cuFFT and cuSPARSE), for
tests/gpu/bench_programs.sh."""

import argparse

import torch


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=20)
    steps = options.parse_args().steps
    torch.manual_seed(1)
    side = 2048
    field = torch.randn(side, side, device="cuda")
    columns = torch.randint(0, side, (side * 16,), device="cuda")
    rows = torch.arange(0, side * 16 + 1, 16, device="cuda")
    sparse = torch.sparse_csr_tensor(rows, columns, torch.ones(side * 16, device="cuda") / 16, size=(side, side))
    for _ in range(steps):
        waves = torch.fft.rfft2(field)
        field = torch.fft.irfft2(waves / (1 + waves.abs()), s=(side, side))
        field = sparse @ field
    print(f"{steps} steps, sum {float(field.abs().sum()):.1f}")


if __name__ == "__main__":
    main()
