"""Decodes token by token with a small Llama of transformers, for tests/gpu/bench_programs.sh.

The cache of keys grows with each token, so that the grids of attention and of copies do.
"""

import argparse

import torch
from transformers import LlamaConfig, LlamaForCausalLM


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tokens", type=int, default=48)
    options.add_argument("--no-cache", action="store_true", help="each token computes the keys of all anew")
    given = options.parse_args()
    tokens = given.tokens
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=8192,
        hidden_size=1024,
        intermediate_size=2816,
        num_hidden_layers=8,
        num_attention_heads=16,
        num_key_value_heads=4,
    )
    network = LlamaForCausalLM(config).eval().to("cuda", torch.bfloat16)
    prompt = torch.randint(0, config.vocab_size, (4, 256), device="cuda")
    with torch.no_grad():
        words = network.generate(
            prompt,
            max_new_tokens=tokens,
            min_new_tokens=tokens,
            do_sample=False,
            pad_token_id=0,
            use_cache=not given.no_cache,
        )
    print(f"{tokens} tokens, sum {int(words.sum())}")


if __name__ == "__main__":
    main()
