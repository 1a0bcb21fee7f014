"""Trains a small network by JAX, for tests/gpu/exec.sh: XLA's autotuner tries many kernels once, and the steps are one
CUDA graph.
"""

import argparse

import jax
import jax.numpy as jnp

WIDTH = 1024


def loss(weights: list[jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    for weight in weights[:-1]:
        x = jax.nn.gelu(x @ weight)
    return jnp.mean((x @ weights[-1] - y) ** 2)


@jax.jit
def step(weights: list[jax.Array], x: jax.Array, y: jax.Array) -> tuple[list[jax.Array], jax.Array]:
    value, slopes = jax.value_and_grad(loss)(weights, x, y)
    return [weight - 1e-3 * slope for weight, slope in zip(weights, slopes, strict=True)], value


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps", type=int, default=3000)
    steps = options.parse_args().steps
    keys = jax.random.split(jax.random.PRNGKey(1), 6)
    weights = [jax.random.normal(key, (WIDTH, WIDTH), jnp.float32) / 32 for key in keys[:4]]
    x, y = (jax.random.normal(key, (512, WIDTH), jnp.float32) for key in keys[4:])
    for _ in range(steps):
        weights, value = step(weights, x, y)
    print(f"{steps} steps, the last loss is {float(value):.3f}")


if __name__ == "__main__":
    main()
