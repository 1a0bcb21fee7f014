"""The training of train.py through torch.compile, for tests/gpu/exec.sh: Triton kernels that inductor wrote, and
cuBLAS. --eager leaves torch.compile off, as a wrong merge would."""

import torch

from train import make_network, parser, report, train


def main() -> None:
    options = parser("Train a small network, compiled.")
    options.add_argument("--eager", action="store_true", help="without torch.compile")
    options = options.parse_args()
    network = make_network(options)
    losses = train(options, network, network if options.eager else torch.compile(network))
    report(losses, network)


if __name__ == "__main__":
    main()
