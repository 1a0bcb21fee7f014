"""Executes kernels of a cubin on the CPU, on arrays of this process, by libcugate_machine.so (cugate/machine.h).

    machine = cugate.Machine("h200")
    saxpy = machine.load("a.cubin")["saxpy"]
    counts = saxpy[grid, block](x, y, 2.0, n)       # numpy arrays, or any other buffer
    counts.lines["a.cu", 5].sectors

A fault is an exception, `cugate.Fault`, with its line.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .checking import Error, find_program, installed

LIBRARY = "libcugate_machine.so.0"
STATUSES = ("done", "not allowed", "bad file", "not found", "no memory", "not simulated", "fault", "limit", "stopped")
FAULTS = ("other", "address", "misaligned", "cluster", "assert")
HOOKS = ("instruction", "access", "barrier", "fault")
SPACES = {1: "global", 2: "shared", 8: "cluster"}


class Tally(NamedTuple):
    """What one instruction did, or one line, or all."""

    executed: int = 0  # by warps
    threads: int = 0
    predicated_on: int = 0
    uniform: int = 0  # branches
    divergent: int = 0
    accesses: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    atomics: int = 0

    def __add__(self, other: tuple) -> Tally:
        return Tally(*map(sum, zip(self, other, strict=True)))


class Instruction(NamedTuple):
    opcode: str  # "LDG.E.128"
    file: str | None  # None: compile with -lineinfo
    line: int


class Counts(NamedTuple):
    """What a launch did."""

    instructions: tuple[tuple[Instruction, Tally], ...]

    @property
    def lines(self) -> Mapping[tuple[str | None, int], Tally]:
        sums: defaultdict[tuple[str | None, int], Tally] = defaultdict(Tally)
        for instruction, tally in self.instructions:
            sums[instruction.file, instruction.line] += tally
        return dict(sums)

    @property
    def total(self) -> Tally:
        return sum((tally for _, tally in self.instructions), Tally())


class MachineError(Error):
    """What the library refuses. `status` is one of STATUSES."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(2, message)
        self.status = STATUSES[status]


class Fault(MachineError):
    """A kernel did what is not allowed."""

    kind: str  # one of FAULTS
    instruction: Instruction
    block: tuple[int, int, int]


class Event(NamedTuple):
    """What a hook hears of."""

    kind: str
    instruction: Instruction | None  # None: of a barrier
    block: tuple[int, int, int]
    warp: int
    lanes: tuple[int, ...]  # of a barrier, the warps that have met
    reads: bool
    writes: bool
    space: str | None
    addresses: Mapping[int, int]  # by lane
    values: Mapping[int, bytes]  # what is there now
    fault: str | None
    register: Callable[[int, int], int]  # register(number, lane), during the call


def record(title: str, /, **fields: Any) -> Any:
    return type(title, (ctypes.Structure,), {"_fields_": list(fields.items())})


THREE = c_uint * 3
_Limits = record("Limits", steps=c_uint64, seconds=c_double, bytes=c_uint64)
_Parameter = record("Parameter", offset=c_size_t, size=c_size_t)
_Info = record("Info", name=c_char_p, signature=c_char_p, parameters=POINTER(_Parameter), parameter_count=c_size_t,
               registers=c_uint, shared=c_uint, local=c_uint,
               max_threads=c_uint, instruction_count=c_size_t)  # fmt: skip
_Launch = record("Launch", grid=THREE, block=THREE, cluster=THREE, shared=c_uint, cooperative=c_int,
                 arguments=POINTER(c_void_p), argument_count=c_size_t)  # fmt: skip
_Instruction = record("Instruction", opcode=c_char_p, file=c_char_p, line=c_uint, access=c_uint, spaces=c_uint)
_Fault = record("Fault", kind=c_int, kernel=c_void_p, instruction=c_size_t, block=THREE, text=c_char_p)
_Event = record("Event", kind=c_int, kernel=c_void_p, instruction=c_size_t, block=THREE, warp=c_uint, lanes=c_uint32,
                warps=c_uint32, access=c_uint, space=c_int, bytes=c_uint64, addresses=POINTER(c_uint64),
                values=c_void_p, fault=POINTER(_Fault), state=c_void_p)  # fmt: skip
_Function = ctypes.CFUNCTYPE(None, POINTER(_Event), c_void_p)


@cache
def library() -> ctypes.CDLL:
    """Returns the library: of this package, beside the program cugate, or where the loader finds it."""
    places = [installed(f"lib/{LIBRARY}")]
    try:
        program = Path(find_program()).resolve().parent
        places += [program.parent / "lib" / LIBRARY, program / LIBRARY]
    except Error:
        pass
    here = next((place for place in places if place and place.exists()), LIBRARY)
    try:
        loaded = ctypes.CDLL(os.fspath(here))
    except OSError as error:
        raise Error(2, f"{LIBRARY} is not here: pip install cugate, or `make install` ({error})") from None
    loaded.cugate_error.restype = c_char_p
    loaded.cugate_kernel_at.restype = c_void_p
    return loaded


def words(text: bytes) -> str:
    return text.decode(errors="replace")  # names of a cubin may be anything


def check(status: int) -> None:
    if status:
        raise MachineError(status, words(library().cugate_error()))


def three(sizes: int | tuple[int, ...]) -> Any:
    sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    return THREE(*sizes, *(1,) * (3 - len(sizes)))


class Machine:
    """A GPU: "a100", "rtx3090", "rtx4090", "h100", "h200", "b200", "rtx5090"; None: any code.

    A launch that executes more than `steps` instructions of warps, or takes longer than `seconds`, is an error, and so
    is memory beyond `bytes`. One thread at a time uses a machine, and no hook does.
    """

    def __init__(self, gpu: str | None = None, *, steps: int = 0, seconds: float = 0, bytes: int = 0) -> None:
        self._machine = c_void_p()
        self._functions: dict[str, Any] = {}
        self._raised: BaseException | None = None
        self._busy = threading.Lock()
        check(library().cugate_open(gpu.encode() if gpu else None, byref(self._machine)))
        check(library().cugate_set_limits(self._machine, byref(_Limits(steps, seconds, bytes))))

    @contextmanager
    def _used(self) -> Iterator[None]:
        if not self._machine:
            raise ValueError("the machine is closed")
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("the machine is in use: by another thread, or by the launch that called a hook")
        try:
            yield
        finally:
            self._busy.release()

    def close(self) -> None:
        if self._machine:
            with self._used():
                machine, self._machine = self._machine, c_void_p()
                library().cugate_close(machine)

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load(self, cubin: str | os.PathLike[str] | bytes) -> Module:
        """Loads a file as `nvcc -cubin` writes it, or its bytes."""
        module = c_void_p()
        with self._used():
            if isinstance(cubin, bytes):
                check(library().cugate_load(self._machine, cubin, c_size_t(len(cubin)), byref(module)))
            else:
                check(library().cugate_load_file(self._machine, os.fsencode(cubin), byref(module)))
        return Module(self, module)

    def stop(self) -> None:
        """Ends the launch that is executed, from any thread."""
        library().cugate_stop(self._machine)

    def hook(self, kind: str, function: Callable[[Event], None] | None) -> None:
        """Calls a function for each "instruction", "access", "barrier" or "fault"; None: no more."""

        def call(event: Any, _: object) -> None:
            try:
                if self._raised is None:
                    function(self._event(event.contents))
            except BaseException as error:  # noqa: BLE001 - it is raised where the launch returns
                self._raised = error
                self.stop()

        self._functions[kind] = _Function(call) if function else _Function()
        check(library().cugate_hook(self._machine, HOOKS.index(kind), self._functions[kind], None))

    def _event(self, event: Any) -> Event:
        kind = HOOKS[event.kind]
        lanes = tuple(lane for lane in range(32) if (event.warps or event.lanes) >> lane & 1)
        is_access = kind == "access"

        def register(number: int, lane: int) -> int:
            value = c_uint32()
            check(library().cugate_register(byref(event), number, lane, byref(value)))
            return value.value

        return Event(
            kind, None if kind == "barrier" else instruction(c_void_p(event.kernel), event.instruction),
            tuple(event.block), event.warp, lanes, bool(event.access & 1), bool(event.access & 2),
            SPACES.get(event.space), {lane: event.addresses[lane] for lane in lanes} if is_access else {},
            {lane: ctypes.string_at(event.values + lane * event.bytes, event.bytes) for lane in lanes} if is_access
            else {}, words(event.fault.contents.text) if event.fault else None, register,
        )  # fmt: skip


def instruction(kernel: c_void_p, index: int) -> Instruction:
    one = _Instruction()
    check(library().cugate_describe_instruction(kernel, c_size_t(index), byref(one)))
    return Instruction(words(one.opcode), words(one.file) if one.file else None, one.line)


class Module:
    """A cubin that is loaded: module["saxpy"] is a kernel."""

    def __init__(self, machine: Machine, module: c_void_p) -> None:
        self.machine, self._module = machine, module

    def __getitem__(self, name: str) -> Kernel:
        kernel = c_void_p()
        with self.machine._used():
            check(library().cugate_find_kernel(self._module, name.encode(), byref(kernel)))
            return Kernel(self.machine, kernel)

    def __iter__(self) -> Any:
        with self.machine._used():
            kernels = []
            while kernel := library().cugate_kernel_at(self._module, c_size_t(len(kernels))):
                kernels.append(Kernel(self.machine, c_void_p(kernel)))
        return iter(kernels)


class Kernel:
    """kernel[grid, block](...), or kernel[grid, block, bytes of shared memory](...)."""

    def __init__(self, machine: Machine, kernel: c_void_p) -> None:
        self.machine, self._kernel, self._info = machine, kernel, _Info()
        check(library().cugate_describe_kernel(kernel, byref(self._info)))
        self.signature: str = words(self._info.signature)

    def __getitem__(self, shape: tuple[Any, ...]) -> Callable[..., Counts]:
        grid, block, shared = (*shape, 0)[:3]
        return lambda *arguments: self._launch(three(grid), three(block), shared, arguments)

    def _types(self) -> list[str]:
        inner, types, depth = self.signature.rpartition("(")[2].rstrip(")"), [""], 0
        for letter in inner:
            depth += (letter in "<(") - (letter in ">)")
            if letter == "," and depth == 0:
                types.append("")
            else:
                types[-1] += letter
        return [name.strip() for name in types] if "(" in self.signature else []

    def _launch(self, grid: Any, block: Any, shared: int, arguments: tuple[Any, ...]) -> Counts:
        with self.machine._used():
            return self._launch_alone(grid, block, shared, arguments)

    def _launch_alone(self, grid: Any, block: Any, shared: int, arguments: tuple[Any, ...]) -> Counts:
        count, buffers = self._info.parameter_count, Buffers(self.machine._machine)
        if len(arguments) != count:
            raise TypeError(f"{self.signature} takes {count} arguments, not {len(arguments)}")
        types = self._types() if len(self._types()) == count else [""] * count
        try:
            values = [
                ctypes.create_string_buffer(buffers.value(argument, self._info.parameters[i].size, types[i]))
                for i, argument in enumerate(arguments)
            ]
            pointers = (c_void_p * count)(*map(ctypes.addressof, values))
            tallies = (c_uint64 * len(Tally._fields) * self._info.instruction_count)()
            launch = _Launch(grid, block, THREE(), shared, 0, pointers, count)
            self._run(launch, tallies)
            buffers.read()
        finally:
            buffers.free()
        return Counts(tuple((instruction(self._kernel, i), Tally(*row)) for i, row in enumerate(tallies)))

    def _run(self, launch: Any, tallies: Any) -> None:
        ended: list[tuple[int, bytes]] = []

        def run() -> None:  # in a thread, so that Ctrl-C reaches Python
            ended.append((library().cugate_run(self._kernel, byref(launch), tallies), library().cugate_error()))

        thread = threading.Thread(target=run)
        thread.start()
        try:
            thread.join()
        except BaseException:
            self.machine.stop()
            thread.join()
            raise
        raised, self.machine._raised = self.machine._raised, None
        if raised is not None:
            raise raised
        status, text = ended[0]
        if STATUSES[status] == "fault":
            self._raise_fault(status, words(text))
        if status:
            raise MachineError(status, words(text))

    def _raise_fault(self, status: int, text: str) -> None:
        found, fault = _Fault(), Fault(status, text)
        check(library().cugate_last_fault(self.machine._machine, byref(found)))
        fault.kind, fault.block = FAULTS[found.kind], tuple(found.block)
        fault.instruction = instruction(self._kernel, found.instruction)
        raise fault


class Buffers:
    """The arrays of one launch, in the machine's memory. An array that is passed twice is there once."""

    def __init__(self, machine: c_void_p) -> None:
        self.machine = machine
        self.there: dict[int, tuple[c_uint64, memoryview]] = {}

    def value(self, argument: Any, size: int, kind: str) -> bytes:
        """Returns the bytes of an argument: `kind` is the parameter's type where the signature has it."""
        if isinstance(argument, (int, float)) and not hasattr(argument, "dtype"):
            is_float = kind in ("float", "double", "__half") or (not kind and isinstance(argument, float))
            if not is_float:
                if isinstance(argument, float):
                    raise TypeError(f"{argument} is a float, and the parameter is {kind}")
                return (argument % (1 << 8 * size)).to_bytes(size, "little")
            return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], argument)
        view = memoryview(argument)
        if view.ndim == 0:
            if view.nbytes != size:
                raise TypeError(f"{argument!r} has {view.nbytes} bytes, and the parameter has {size}")
            return view.tobytes()
        if not view.c_contiguous or size != 8:
            raise TypeError(
                "an array has to be contiguous, for a pointer" if size == 8 else "the parameter is no pointer"
            )
        return bytes(self.place(argument, view))

    def place(self, argument: Any, view: memoryview) -> c_uint64:
        if id(argument) not in self.there:
            address = c_uint64()
            check(library().cugate_alloc(self.machine, c_size_t(max(view.nbytes, 1)), byref(address)))
            self.there[id(argument)] = address, view
            check(library().cugate_write(self.machine, address, view.tobytes(), c_size_t(view.nbytes)))
        return self.there[id(argument)][0]

    def read(self) -> None:
        for address, view in self.there.values():
            if not view.readonly and view.nbytes:
                to = (ctypes.c_char * view.nbytes).from_buffer(view)
                check(library().cugate_read(self.machine, address, to, c_size_t(view.nbytes)))

    def free(self) -> None:
        for address, _ in self.there.values():
            library().cugate_free(self.machine, address)
