"""Functions that launch kernels, each measured in a process of its own; and check(), which takes them too."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, overload

from .checking import Check, Option, Words, run_check, run_plan

LONGEST = 40  # of --name


def program_name(words: str) -> str:
    """Returns words as cugate has the name of a program. A long one is cut, and a hash tells it from others."""
    name = re.sub("[^a-z0-9_]", "_", words.lower())
    digest = hashlib.sha256(words.encode()).hexdigest()[:6]
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 7]}_{digest}"


class Kernel:
    """A function that launches kernels: what `@cugate.kernel` makes of it. It can be called as before.

    To be measured it is called in a fresh process: once to warm up, then `calls` times. Only launches of these count.
    """

    def __init__(self, function: Callable[[], Any], calls: int, options: dict[str, Option]) -> None:
        try:
            inspect.signature(function).bind()
        except TypeError as error:
            raise TypeError(f"@cugate.kernel: {function.__name__}() is called without arguments: {error}") from None
        if "." in function.__qualname__:
            raise TypeError(f"@cugate.kernel: {function.__qualname__} is not at the top of its module")
        functools.update_wrapper(self, function)
        self.function = function
        self.name = function.__name__
        self.calls = calls
        # Two modules may have functions of one name, and each has a baseline of its own.
        self.options: dict[str, Option] = {
            "name": program_name(f"{self.module}_{self.name}"),
            "from_start": "off",
            **options,
        }

    def __call__(self) -> Any:
        return self.function()

    @property
    def module(self) -> str:
        """The name by which another process finds the function's module."""
        name = self.function.__module__
        return Path(inspect.getfile(self.function)).stem if name == "__main__" else name

    @property
    def command(self) -> list[str]:
        """The program that calls the function."""
        file = Path(inspect.getfile(self.function)).resolve()
        module = self.module
        # The folder from which the module has its name: a/b.py is a.b from the folder above a.
        root = file.parents[module.count(".") + (file.name == "__init__.py")]
        launch = Path(__file__).with_name("launch.py")
        return [sys.executable, str(launch), str(root), module, self.name, str(self.calls)]


@overload
def kernel(function: Callable[[], Any], /) -> Kernel: ...
@overload
def kernel(*, calls: int = 6, **options: Option) -> Callable[[Callable[[], Any]], Kernel]: ...
def kernel(
    function: Callable[[], Any] | None = None, /, *, calls: int = 6, **options: Option
) -> Kernel | Callable[[Callable[[], Any]], Kernel]:
    """Makes a Kernel of a function without parameters, which stands at the top of its module.

    Rows are named after the module and the function: `bench_softmax/KERNEL@GRID,BLOCK`. What the module launches when
    it is imported, and the function when it is first called, does not count. `calls` is six, since cugate leaves out
    the first launch of a kernel and measures five (`--first`). Options are those of check().
    """
    if function is None:
        return lambda function: Kernel(function, calls, options)
    return Kernel(function, calls, options)


Checked = Words | Kernel


def check(what: Checked = None, /, **options: Option) -> Check:
    """Measures and judges by the baseline: `cugate check`.

    `what` is a program, as words or as one string; a function under `@cugate.kernel`; with `static="sm_90"` files of
    machine code; None for a kernel library (`kernels="build/libmine.so"`) or a recorded run.

    Options are those of `cugate check --help`, with `_` for `-`: `baselines="perf"`, `against="./base"`, `k="soft*"`.
    Without a GPU `simulate="nvidia-h200"` computes, `static="sm_90"` reads machine code, and `replay="run.json"`
    judges a recorded run. True is an option without a value. A list repeats the option: `nvtx=["forward", "backward"]`.

    Returns what was found, also if something is worse, a kernel failed or there is no baseline; that is true if it
    passed: `assert cugate.check(...)`. Raises Error if nothing could be judged, such as without a GPU: Error.exit_code.
    """
    environment = dict(os.environ)
    if isinstance(what, Kernel):  # its process finds the modules that this one finds, and none of the current folder
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return run_check(*asked(what, options), environment)


def plan(what: Checked = None, /, **options: Option) -> dict[str, Any]:
    """Returns what check() would do with these arguments, and does not do it: `cugate check --dry-run`.

    "way" is "measure", "simulate", "static" or "replay"; "no_gpu" is why no GPU can be used, or None. Raises Error.
    """
    return run_plan(*asked(what, options))


def asked(what: Checked, options: dict[str, Option]) -> tuple[Words, dict[str, Option]]:
    """Returns the words and the options of what is asked for."""
    return (what.command, {**what.options, **options}) if isinstance(what, Kernel) else (what, options)
