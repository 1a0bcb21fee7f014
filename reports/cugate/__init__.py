"""cugate from Python: runs `cugate check`, and gives what it found as objects.

    import cugate

    result = cugate.check(["python3", "bench.py"], baselines="perf")
    assert result.passed, result.report

    @cugate.kernel
    def softmax():
        torch.softmax(x, -1)

    cugate.check(softmax)

`cugate.Machine` executes kernels of a cubin on arrays: `machine.py`.

The program judges, and nothing here does. pytest gets a fixture, `cugate_check`, and runs functions under
`@cugate.kernel` as tests: `pytest_plugin.py`.
"""

from .checking import Check, Error, Option, Row, cmake_dir, find_program
from .kernels import Checked, Kernel, check, kernel, plan
from .machine import Counts, Event, Fault, Instruction, Machine, MachineError, Tally

__all__ = [
    "Check",
    "Checked",
    "Counts",
    "Error",
    "Event",
    "Fault",
    "Instruction",
    "Kernel",
    "Machine",
    "MachineError",
    "Option",
    "Row",
    "Tally",
    "check",
    "cmake_dir",
    "find_program",
    "kernel",
    "plan",
]
