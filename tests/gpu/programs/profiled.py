"""Runs another Python program under PyTorch's profiler, which reads CUPTI's activity records. Prints how many kernels
the program ran, and how long they took together: "443 kernels, 12345678 ns".

    python3 profiled.py PROGRAM [ARGUMENT]...
"""

import json
import runpy
import sys
import tempfile
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile


def main() -> None:
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        runpy.run_path(sys.argv[0], run_name="__main__")
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(trace))
        events = json.loads(trace.read_text())["traceEvents"]
    kernels = [event["dur"] for event in events if event.get("cat") == "kernel"]
    print(f"{len(kernels)} kernels, {round(1000 * sum(kernels))} ns", file=sys.stderr)


if __name__ == "__main__":
    main()
