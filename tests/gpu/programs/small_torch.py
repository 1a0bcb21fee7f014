"""PyTorch's own kernels in small shapes, for recordings that the simulator is judged by. Data have few bits, so that
files stay small. `compiled` as an argument: those that torch.compile makes instead."""

import sys

import torch
from torch import nn
from torch.nn import functional


def numbers(*shape, dtype=torch.float32, least=-16, most=16, scale=0.125):
    generator = torch.Generator().manual_seed(1 + sum(shape))
    return (torch.randint(least, most, shape, generator=generator) * scale).to(dtype).cuda()


def eager():
    x, wide = numbers(24, 200), numbers(4, 1500)
    half = numbers(64, 64, dtype=torch.float16)
    brain = numbers(64, 64, dtype=torch.bfloat16)
    index = torch.arange(0, 24, 3, device="cuda")
    yield "softmax", lambda: functional.softmax(x, 1)
    yield "softmax of long rows", lambda: functional.softmax(wide, 1)
    yield "log_softmax", lambda: functional.log_softmax(x, 1)
    yield "layer_norm", lambda: functional.layer_norm(x, (200,))
    yield "rms_norm", lambda: functional.rms_norm(x, (200,))
    for name in ("gelu", "silu", "sigmoid", "tanh", "softplus", "mish", "elu", "logsigmoid"):
        yield name, lambda name=name: getattr(functional, name)(x)
    yield "gelu by tanh", lambda: functional.gelu(x, approximate="tanh")
    for name in (
        "exp",
        "log",
        "sin",
        "cos",
        "rsqrt",
        "sqrt",
        "reciprocal",
        "erf",
        "log1p",
        "expm1",
        "exp2",
        "lgamma",
        "atan",
    ):
        yield name, lambda name=name: getattr(torch, name)(x.abs() + 0.25)
    yield "exp of halves", lambda: torch.exp(half)
    yield "tanh of bf16", lambda: torch.tanh(brain)
    yield "pow", lambda: torch.pow(x.abs() + 0.25, 2.5)
    yield "matmul fp16", lambda: half @ half
    yield "matmul bf16", lambda: brain @ brain
    yield "matmul fp32", lambda: x @ x.T
    q = numbers(1, 2, 128, 64, dtype=torch.float16)
    for backend in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION"):

        def attend(backend=backend):
            with nn.attention.sdpa_kernel(getattr(nn.attention.SDPBackend, backend)):
                return functional.scaled_dot_product_attention(q, q, q, is_causal=True)

        yield backend, attend
    yield "cross_entropy", lambda: functional.cross_entropy(x, torch.arange(24, device="cuda"))
    yield "conv", lambda: functional.conv2d(numbers(1, 4, 12, 12), numbers(8, 4, 3, 3))
    yield "max_pool", lambda: functional.max_pool2d(numbers(1, 4, 12, 12), 2)
    yield "batch_norm", lambda: functional.batch_norm(numbers(8, 4, 6, 6), None, None, training=True)
    yield "sort", lambda: torch.sort(x, 1)
    yield "sort of a row", lambda: torch.sort(wide[0])
    yield "cumsum", lambda: torch.cumsum(x, 1)
    yield "cumsum of a row", lambda: torch.cumsum(wide[0], 0)
    yield "topk", lambda: torch.topk(x, 5, 1)
    yield "index_select", lambda: torch.index_select(x, 0, index)
    yield "embedding", lambda: functional.embedding(index, x)
    yield "gather", lambda: torch.gather(x, 1, index[None, :].expand(24, -1))
    yield (
        "scatter_add",
        lambda: torch.zeros(24, device="cuda", dtype=torch.int32).scatter_add_(
            0, index, torch.ones(8, device="cuda", dtype=torch.int32)
        ),
    )
    yield "nonzero", lambda: torch.nonzero(x > 1)
    yield "dropout", lambda: functional.dropout(x, 0.25)
    yield "randn", lambda: torch.randn(1000, device="cuda")
    yield "sum, mean, var, norm", lambda: (x.sum(), x.mean(0), x.var(1), x.norm(), x.argmax(1), x.prod(1))
    yield "where, clamp, transpose", lambda: (torch.where(x > 0, x, -x), x.clamp(-1, 1), x.T.contiguous())
    parameter = nn.Parameter(numbers(300))
    for kind in (torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD):
        for fused in (False, True):

            def step(kind=kind, fused=fused):
                parameter.grad = numbers(300, scale=0.0625)
                kind([parameter], lr=0.01, fused=fused).step()

            yield f"{kind.__name__} {fused}", step

    def backward():
        v = numbers(24, 200).requires_grad_()
        functional.cross_entropy(
            functional.gelu(functional.layer_norm(v, (200,))), torch.arange(24, device="cuda")
        ).backward()

    yield "backward", backward


def compiled():
    x, w = numbers(24, 200), numbers(200, 200)
    yield "softmax", torch.compile(lambda: functional.softmax(x * 1.5, 1))
    yield "norm and gelu", torch.compile(lambda: functional.gelu(functional.layer_norm(x, (200,))))
    yield "swiglu", torch.compile(lambda: functional.silu(x) * torch.tanh(x))
    yield "loss", torch.compile(lambda: functional.cross_entropy(x, torch.arange(24, device="cuda")))
    yield "sum of exponentials", torch.compile(lambda: torch.logsumexp(x, 1))
    yield (
        "angles",
        torch.compile(lambda: torch.sin(x) + torch.cos(2 * x) + torch.log1p(x.abs()) + torch.rsqrt(x.abs() + 1)),
    )
    yield "product", torch.compile(lambda: functional.relu(x @ w) + 1)
    yield "dropout", torch.compile(lambda: functional.dropout(x, 0.5))
    yield "scan", torch.compile(lambda: torch.cumsum(x, 1).exp())

    def backward():
        v = numbers(24, 200).requires_grad_()
        torch.compile(
            lambda v: functional.cross_entropy(
                functional.gelu(functional.layer_norm(v, (200,))), torch.arange(24, device="cuda")
            )
        )(v).backward()

    yield "backward", backward


def main() -> None:
    torch.manual_seed(1)
    for name, run in compiled() if "compiled" in sys.argv else eager():
        try:
            run()
            torch.cuda.synchronize()
        except Exception as problem:  # no reason to lose the others
            print(name, type(problem).__name__, str(problem)[:300], file=sys.stderr)


if __name__ == "__main__":
    main()
