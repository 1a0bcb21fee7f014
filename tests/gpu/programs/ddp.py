"""Trains a small network on several GPUs by DistributedDataParallel: torchrun starts it for bench_programs.sh."""

import argparse
import os

import torch
import torch.distributed as distributed
from torch.nn.parallel import DistributedDataParallel


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=20)
    options.add_argument("--bucket-kb", type=int, default=25 << 10, help="size of what is reduced at once")
    options.add_argument("--slow-rank", action="store_true", help="rank 1 has twice the work")
    options.add_argument("--dtype", choices=["bfloat16", "float32"], default="bfloat16")
    options.add_argument("--item", action="store_true", help="the host reads the loss of each step")
    chosen = options.parse_args()
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    distributed.init_process_group("nccl")
    torch.manual_seed(1)
    layers = [layer for _ in range(8) for layer in (torch.nn.Linear(2048, 2048), torch.nn.GELU())]
    model = torch.nn.Sequential(*layers).cuda().to(getattr(torch, chosen.dtype))
    model = DistributedDataParallel(model, bucket_cap_mb=chosen.bucket_kb / 1024)
    optimizer = torch.optim.AdamW(model.parameters())
    rows = 8192 * (2 if chosen.slow_rank and rank == 1 else 1)
    inputs = torch.randn(rows, 2048, device="cuda", dtype=getattr(torch, chosen.dtype))
    loss = None
    for _ in range(chosen.steps):
        loss = model(inputs).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if chosen.item:
            loss.item()
    torch.cuda.synchronize()
    if rank == 0:
        print(f"loss {float(loss):.4f}")
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
