"""The program that measures a function under `@cugate.kernel`: launch.py FOLDER MODULE NAME CALLS."""

import ctypes
import importlib
import sys


def main() -> None:
    folder, module, name, calls = sys.argv[1:]
    sys.path[0] = folder  # in place of this file's own, which is no folder of modules
    function = getattr(importlib.import_module(module), name)
    driver = ctypes.CDLL("libcuda.so.1")

    def tell(call: str) -> None:
        code = getattr(driver, call)()
        if code:
            sys.exit(f"{name}(): {call} ended with the driver's error {code}")

    function()
    tell("cuCtxSynchronize")
    tell("cuProfilerStart")
    for _ in range(int(calls)):
        function()
    tell("cuCtxSynchronize")
    tell("cuProfilerStop")


if __name__ == "__main__":
    main()
