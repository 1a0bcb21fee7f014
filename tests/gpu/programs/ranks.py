"""Adds up tensors over all GPUs (two at least) by NCCL, a process on each, for tests/gpu/exec.sh."""

import torch
import torch.distributed as distributed
import torch.multiprocessing as processes

RANKS = max(2, torch.cuda.device_count())


def work(rank: int, port: int) -> None:
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=RANKS)
    total = torch.ones(1 << 22, device="cuda")
    for _ in range(40):
        product = total * 0.5
        distributed.all_reduce(product)
    torch.cuda.synchronize()
    if rank == 0:
        print(f"sum {float(product.sum()):.0f}")
    distributed.destroy_process_group()


if __name__ == "__main__":
    processes.spawn(work, args=(29517,), nprocs=RANKS)
