"""Trains the GPT-2 of transformers on made-up tokens, for tests/gpu/exec.sh: a program of which nobody here wrote a
kernel. The same arguments give the same launches.

Each option after --steps makes the program slower in a way in which people do that.
"""

import argparse

import torch
from transformers import GPT2Config, GPT2LMHeadModel

LENGTH = 512


def parse() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=40)
    options.add_argument("--batch", type=int, default=8)
    options.add_argument("--attention", choices=["sdpa", "eager"], default="sdpa")
    options.add_argument("--dtype", choices=["bfloat16", "float32"], default="bfloat16")
    options.add_argument("--unfused", action="store_true", help="an optimizer of a kernel for each operation")
    options.add_argument("--twice", action="store_true", help="the forward pass is made twice")
    options.add_argument("--item", action="store_true", help="the host reads the loss in every step")
    return options.parse_args()


def main() -> None:
    options = parse()
    torch.manual_seed(1)
    dtype = getattr(torch, options.dtype)
    config = GPT2Config(n_layer=6, attn_implementation=options.attention, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    network = GPT2LMHeadModel(config).to("cuda", dtype)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-4, fused=not options.unfused, foreach=False)
    tokens = torch.randint(0, config.vocab_size, (options.batch, LENGTH), device="cuda")
    losses = []
    for _ in range(options.steps):
        if options.twice:
            network(tokens)
        loss = network(tokens, labels=tokens).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item() if options.item else loss.detach())
    print(f"{len(losses)} steps, the last loss is {float(losses[-1]):.3f}")


if __name__ == "__main__":
    main()
