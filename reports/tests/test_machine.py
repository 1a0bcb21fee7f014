"""cugate.Machine: arguments, counts, faults and hooks, on the library that was built."""

import os
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import cugate
from cugate.machine import LIBRARY

SOURCE = """
template <class T> __global__ void scale(T *x, T by, int n) { int i = threadIdx.x; if (i < n) x[i] *= by; }
template __global__ void scale<float>(float *, float, int);
template __global__ void scale<double>(double *, double, int);
extern "C" __global__ void sum(const int *x, const int *y, long long *out) {
    __shared__ int s[32]; s[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x]; __syncthreads();
    if (threadIdx.x == 0) { long long all = 0; for (int v : s) all += v; *out = all; }
}
extern "C" __global__ void endless(volatile int *x) { while (!*x) {} }
"""


@pytest.fixture(scope="module")
def cubin(tmp_path_factory):
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.access(nvcc, os.X_OK):
        pytest.skip("there is no nvcc")
    folder = tmp_path_factory.mktemp("machine")
    (folder / "a.cu").write_text(SOURCE)
    subprocess.run([nvcc, "-cubin", "-arch=sm_90", "-lineinfo", "a.cu"], cwd=folder, check=True)
    return folder / "a.cubin"


@pytest.fixture
def module(cubin):
    with cugate.Machine("h200", seconds=20) as machine:
        yield machine.load(cubin)


def test_arguments_are_of_the_parameters_types(module):
    x = np.arange(40, dtype=np.float32)
    module["scale<float>"][1, 64](x, 3, 32)  # an int for a float
    assert x[:32].tolist() == [3 * i for i in range(32)] and x[32:].tolist() == list(range(32, 40))
    y = np.ones(4)
    module["scale<double>"][1, (2, 2)](y, np.float64(0.5), np.int32(2))
    assert y.tolist() == [0.5, 0.5, 1, 1]
    with pytest.raises(TypeError, match="is a float"):
        module["scale<float>"][1, 64](x, 1.0, 2.5)
    with pytest.raises(TypeError, match="takes 3 arguments"):
        module["scale<float>"][1, 64](x, 1.0)
    with pytest.raises(TypeError, match="contiguous"):
        module["scale<float>"][1, 64](x[::2], 1.0, 8)
    with pytest.raises(TypeError, match="no pointer"):
        module["scale<float>"][1, 64](x, x, 8)
    with pytest.raises(TypeError, match="8 bytes"):
        module["scale<float>"][1, 64](x, np.float64(1), 8)


def test_an_array_is_passed_twice_and_stays_where_it_is_read_only(module):
    x, out = np.arange(32, dtype=np.int32), np.zeros(1, dtype=np.int64)
    x.flags.writeable = False
    counts = module["sum"][1, 32](x, x, out)
    assert out[0] == 2 * sum(range(32))
    assert counts.total.executed == sum(tally.executed for tally in counts.lines.values())
    assert counts.lines[next(place for place in counts.lines if place[1] == 6)].sectors == 8


def test_faults_and_refusals_are_exceptions(module):
    with pytest.raises(cugate.Fault, match="128 bytes of shared memory") as caught:
        module["sum"][1, 33](*np.zeros((2, 33), dtype=np.int32), np.zeros(1, dtype=np.int64))
    assert (caught.value.kind, caught.value.instruction.line, caught.value.block) == ("address", 6, (0, 0, 0))
    with pytest.raises(cugate.Fault) as caught:
        module["sum"][1, 32](np.zeros(8, dtype=np.int32), np.zeros(32, dtype=np.int32), np.zeros(1, dtype=np.int64))
    assert caught.value.kind == "address"
    for refused, status in (
        (lambda: module["nothing"], "not found"),
        (lambda: module["endless"][1, 1025](np.zeros(1, dtype=np.int32)), "not allowed"),
        (lambda: module.machine.load("absent.cubin"), "bad file"),
        (lambda: cugate.Machine("gtx"), "not allowed"),
    ):
        with pytest.raises(cugate.MachineError) as caught:
            refused()
        assert caught.value.status == status
    assert sorted(kernel.signature for kernel in module)[0] == "endless"


def test_an_endless_kernel_stops(module, cubin):
    threading.Timer(0.1, module.machine.stop).start()
    with pytest.raises(cugate.MachineError) as caught:
        module["endless"][1, 1](np.zeros(1, dtype=np.int32))
    assert caught.value.status == "stopped"
    with cugate.Machine(steps=1000) as machine, pytest.raises(cugate.MachineError, match="limit of instructions"):
        machine.load(cubin.read_bytes())["endless"][1, 1](np.zeros(1, dtype=np.int32))


def test_a_machine_that_is_closed_or_in_use_is_an_exception(module):
    x, out = np.arange(32, dtype=np.int32), np.zeros(1, dtype=np.int64)
    kernel = module["sum"]
    module.machine.hook("barrier", lambda event: module.machine.close())
    with pytest.raises(RuntimeError, match="is in use"):
        kernel[1, 32](x, x, out)
    module.machine.hook("barrier", None)
    kernel[1, 32](x, x, out)
    module.machine.close()
    for use in (lambda: module["sum"], lambda: list(module), lambda: kernel[1, 32](x, x, out)):
        with pytest.raises(ValueError, match="is closed"):
            use()


def test_hooks(module):
    x, out, heard = np.arange(32, dtype=np.int32), np.zeros(1, dtype=np.int64), []
    for kind in ("instruction", "access", "barrier", "fault"):
        module.machine.hook(kind, lambda event: heard.append((event, event.kind != "barrier" and event.register(1, 0))))
    module["sum"][1, 32](x, x, out)
    loads = [e for e, _ in heard if e.kind == "access" and e.space == "global" and e.reads]
    assert [int.from_bytes(loads[0].values[lane], "little") for lane in (0, 31)] == [0, 31]
    assert [e.lanes for e, _ in heard if e.kind == "barrier"] == [(0,)]
    for kind in ("instruction", "barrier", "fault"):
        module.machine.hook(kind, None)
    module.machine.hook("access", lambda event: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        module["sum"][1, 32](x, x, out)
    module.machine.hook("access", None)
    module["sum"][1, 32](x, x, out)


def test_records_are_of_this_interface():
    header = Path("harness/cugate/machine.h").read_text()
    assert f"define CUGATE_MACHINE_INTERFACE {LIBRARY.rpartition('.')[2]} " in header
