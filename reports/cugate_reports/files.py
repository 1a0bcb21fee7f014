"""The files that cugate writes, as typed values; reports/ knows nothing else about them.

Each class has the part of a file that the pages read. Other members are ignored, since a later cugate may add some.
Run files are described in harness/model/run_file.h, the others by harness/report/schema. Units are those of the metric,
SI throughout.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import statistics
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, field

FILE_LIMIT = 128 << 20  # bytes; a larger file is refused unread, as in the harness: RUN_FILE_LIMIT in run_file.h

Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
# Names that every database can store: model_key() and history.analysis_key() of any of them fit into tables.documents.
ProductName = Annotated[str, Meta(min_length=1, max_length=256, pattern="^[^\\0]*$")]
CollectorName = Annotated[str, Meta(max_length=64, pattern="^[^\\x00-\\x1f\\x7f]*$")]


class BadFile(Exception):
    """A file that cannot be used; its text says what is wrong, where, and what to do."""


# ---- Run files and baselines ----------------------------------------------------------------------------------------


class Device(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What identifies a GPU model; only runs of one model are compared. Imported files know little of it: None, or 0
    for numbers, means unknown.
    """

    name: ProductName
    compute_capability: Annotated[str, Meta(max_length=20)] | None = None
    sm_count: Count
    memory_bytes: Count
    ecc: bool | None = None
    mig: bool | None = None

    def key(self) -> str:
        """Returns one text for each model, to store in a database."""
        return msgspec.json.encode(self, order="sorted").decode()


class Session(Struct, kw_only=True, omit_defaults=True):
    """Where and when one process measured; None is unknown. `reason` is in baselines only."""

    date: str | None = None  # when the session was measured: UTC, 2026-11-21T08:00:00.000Z
    collector: CollectorName | None = None
    driver: str | None = None
    cuda: str | None = None
    cupti: str | None = None
    compiler: str | None = None
    flags: str | None = None
    gpu_uuid: str | None = None
    host: str | None = None
    commit: str | None = None
    cugate: str | None = None
    reason: str | None = None
    # peaks. dram: bytes/s, shared: wavefronts/s, fp16..64: FLOP/s
    roofs: dict[str, float] = field(default_factory=dict)


class Row(Struct, kw_only=True):
    """One metric of one kernel: for each session its samples, or a state such as "not counted"."""

    state: str | None = None
    sessions: list[list[float]] = field(default_factory=list)

    def value(self) -> float:
        """Returns the mean of the sessions' median samples (harness/model/result.h); NaN where nothing was measured."""
        readings = [samples for samples in self.sessions if samples]
        if not readings or any(sample < 0 for samples in readings for sample in samples):
            return math.nan
        mean = 0.0
        for count, samples in enumerate(readings, start=1):
            # value by value, so that the mean of equal values is exact
            mean += (statistics.median(samples) - mean) / count
        return mean if math.isfinite(mean) else math.nan


class RunLaunch(Struct, kw_only=True):
    """One launch of a kernel in a run: the hash of its machine code; None where unknown."""

    code: str | None = None


class Kernel(Struct, kw_only=True):
    """One kernel's result."""

    status: str = "ok"
    reason: str | None = None
    launches: list[RunLaunch] = field(default_factory=list)
    metrics: dict[str, Row] = field(default_factory=dict)


class Note(Struct, kw_only=True):
    """How a metric was defined when the run was made."""

    unit: str = ""
    better: str | None = None  # lower or higher


class Shard(Struct, kw_only=True):
    """Which part of a run a file is, of `cugate run --shard`."""

    number: Count
    of: Count


class Run(Struct, kw_only=True):
    """A run file, or a baseline, which is a run that was kept."""

    schema: Literal[1]
    device: Device
    sessions: Annotated[list[Session], Meta(min_length=1)]
    kernels: dict[str, Kernel]
    metrics: dict[str, Note] = field(default_factory=dict)
    shard: Shard | None = None

    def __post_init__(self) -> None:
        if self.shard:  # a part would be a night in which most kernels are missing
            raise ValueError(f"it is shard {self.shard.number} of {self.shard.of}: `cugate merge` makes one run of all")

    def is_baseline(self) -> bool:
        return any(session.reason is not None for session in self.sessions)


# ---- Reports, explanations, analyses --------------------------------------------------------------------------------


class Cause(Struct, kw_only=True):
    """A source line that made a row worse; base is None where there was nothing to compare with."""

    file: str | None = None
    line: int | None = None
    function: str | None = None
    offset: int | None = None
    text: str | None = None
    base: float | None = None
    now: float | None = None
    share: float | None = None


class Judgement(Struct, kw_only=True):
    """The verdict on one metric of one kernel; metric is None for a whole kernel."""

    kernel: str
    metric: str | None = None
    unit: str | None = None
    verdict: str
    base: float | None = None
    now: float | None = None
    change: float | None = None
    limit: float | None = None
    drift: float | None = None  # the part of the change that all kernels have in common
    base_sessions: int | None = None
    pairs: int = 0  # how often it was measured in turn with a base build, and was worse then
    pairs_worse: int = 0
    same_code: bool = False  # unchanged machine code, by which the gate explains the move
    blind: bool = False  # the row's limit is so wide that it can hardly fail
    reason: str | None = None
    launch_change: str | None = None
    appeared: str | None = None  # what the kernel had nothing of before
    story: str | None = None
    advice: str | None = None
    causes: list[Cause] | None = None


class Failure(Struct, kw_only=True):
    """A kernel that was not measured, and why."""

    kernel: str
    status: str
    reason: str | None = None


class Suite(Struct, kw_only=True):
    """The shift in time that all kernels have in common, as a share; None when it is from too few kernels."""

    metric: str
    shift: float | None = None
    kernels: Count = 0
    moved: bool = False


class Upgraded(Struct, kw_only=True):
    """A kernel of which another toolchain made other code."""

    kernel: str
    kind: str = field(name="class")  # such as "registers or spills"
    lost: float | None = None  # how much longer it takes, in ns; None without a time


class Upgrade(Struct, kw_only=True):
    """What another toolchain than the baseline's did: `same` kernels have the same code, `kernels` have other code."""

    was: str
    now: str = field(name="is")
    same: Count
    kernels: list[Upgraded]


class Report(Struct, kw_only=True):
    """What `cugate check --format json` said about a run."""

    schema: Literal[1]
    exit_code: int
    verdict: str
    replay: str | None = None
    device: Device
    sessions: Annotated[list[Session], Meta(min_length=1)]
    counts: dict[str, int] | None = None
    notes: list[str] = field(default_factory=list)
    suites: list[Suite] = field(default_factory=list)
    upgrade: Upgrade | None = None  # None where one toolchain made both sides
    failures: list[Failure] = field(default_factory=list)
    judgements: list[Judgement]


class Launch(Struct, kw_only=True):
    """One launch of a kernel: the resources that it needs, and what limits how many of its warps fit."""

    function: str = ""
    registers: int | None = None
    block: list[int] = field(default_factory=list)
    theoretical_occupancy: float | None = None  # theoretical occupancy in %
    limits: list[str] | None = None  # resources that limit the occupancy; None: not known


class Occupancy(Struct, kw_only=True):
    """achieved in %; gap names why it is below the theoretical one."""

    achieved: float | None = None
    largest_launch: int | None = None
    gap: str | None = None
    why: str | None = None


class RoofShare(Struct, kw_only=True):
    """How near a kernel came to one roof: rate and roof per second, and the share of 1."""

    rate: float | None = None
    roof: float | None = None
    share: float | None = None


class Roofline(Struct, kw_only=True):
    """See harness/explain/roofline.h, where each number has its formula."""

    seconds: float | None = None
    bytes: float | None = None
    flops: float | None = None
    stated_flops: float | None = None  # operations that the kernel states that its problem needs
    intensity: float | None = None  # arithmetic intensity in FLOP per byte of device memory
    roofs: dict[str, RoofShare] = field(default_factory=dict)
    bound: str | None = None
    share: float | None = None


class ExplainedDevice(Struct, kw_only=True):
    name: str
    compute_capability: str | None = None
    sm_count: Count


class Explanation(Struct, kw_only=True):
    """What `cugate explain --format json` said about one kernel."""

    schema: Literal[1]
    kernel: str
    device: ExplainedDevice
    session: Session
    launches: list[Launch]
    occupancy: Occupancy
    roofline: Roofline


class Tally(Struct, kw_only=True):
    """Rows judged in A/A comparisons: worse and better count the directions that moved beyond the limit."""

    rows: Count = 0
    regressed: Count = 0
    unsure: Count = 0
    worse: Count = 0
    better: Count = 0


class View(Struct, kw_only=True):
    comparisons: Count
    exit_codes: dict[str, int]
    classes: dict[str, Tally]


class Detectable(Struct, kw_only=True):
    """The smallest change that is caught in 99 of 100 cases, in the metric's unit and as a share of base."""

    kernel: str
    metric: str
    unit: str
    base: float
    change: float
    share: float | None = None


class Analysis(Struct, kw_only=True):
    """What `cugate aa --format json` said about many sessions of the same code."""

    schema: Literal[1]
    sessions: Count
    kernels: Count
    gpus: Count
    device: ProductName
    collector: CollectorName | None = None
    first_date: str | None = None
    last_date: str | None = None
    views: dict[str, View | None]
    detectable: list[Detectable] = field(default_factory=list)


# ---- Reading --------------------------------------------------------------------------------------------------------

AnyFile = TypeVar("AnyFile")


class _File(Struct):
    """The members by which kinds of files are distinguished."""

    kernels: msgspec.Raw = msgspec.Raw()
    judgements: msgspec.Raw = msgspec.Raw()
    launches: msgspec.Raw = msgspec.Raw()
    views: msgspec.Raw = msgspec.Raw()


def read_bytes(path: Path) -> bytes:
    """The file's bytes; BadFile when it cannot be read or is too large."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(FILE_LIMIT + 1)
    except OSError as reason:
        raise BadFile(f"cannot be read: {reason.strerror}") from None
    if len(data) > FILE_LIMIT:
        raise BadFile(f"is larger than {FILE_LIMIT >> 20} MiB: no run file is")
    return data


def parse(data: bytes, kind: type[AnyFile]) -> AnyFile:
    """One file of the given kind; BadFile says where it is malformed."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as reason:
        raise BadFile(f"is no {kind.__name__.strip('_').lower()} of schema 1: {reason}") from None


_SPACE = re.compile(r"[ \t\r\n]*")


def split_texts(data: bytes) -> list[bytes]:
    """The JSON texts that follow each other in one file, as `cugate explain` prints them. BadFile when one is
    broken."""
    decoder, texts, at = json.JSONDecoder(), [], 0
    try:
        text = data.decode().strip()
        while at < len(text):
            end = decoder.raw_decode(text, at)[1]
            texts.append(text[at:end].encode())
            at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
    except (ValueError, RecursionError) as reason:
        raise BadFile(f"is not JSON: {reason}") from None
    return texts


def kind_of(data: bytes) -> type[Run] | type[Report] | type[Explanation] | type[Analysis]:
    """Which kind of file it is, by its members; BadFile when it is nothing that cugate writes."""
    try:
        peek = msgspec.json.decode(data, type=_File)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        peek = parse((split_texts(data) or [b""])[0], _File)
    for member, kind in (("judgements", Report), ("launches", Explanation), ("views", Analysis), ("kernels", Run)):
        if bytes(getattr(peek, member)):
            return kind  # type: ignore[return-value]
    raise BadFile("is none of the files that cugate writes: no run, report, explanation or analysis")


def recognise(data: bytes) -> list[Run | Report | Explanation | Analysis]:
    """What is in a file: one thing, or several explanations. BadFile when it is nothing that cugate writes."""
    kind = kind_of(data)
    return [parse(text, kind) for text in (split_texts(data) if kind is Explanation else [data])]


PROGRAM = "exec"  # the collector's name in runs of `cugate run -- PROGRAM`
# Collectors for which nothing ran on a GPU, and what their numbers are instead.
UNMEASURED = {
    "sim": "COMPUTED: no kernel ran on a GPU. Counts of the machine code, executed on a CPU; no times, no caches.",
    "exec-sim": "COMPUTED: no kernel ran on a GPU. Counts of launches, executed on a CPU; no times, no caches.",
    "code": "STATIC: no kernel was run. Only machine code was read, for the baseline's blocks; no times, no counters.",
    "static": "STATIC: no kernel was run. Only the machine code of functions was read; no times, no counters.",
}
HARNESS = (None, "cupti", "host")  # the collectors of `cugate run`; other ones measure differently


def is_program(kernel: str) -> bool:
    """Whether a kernel of `cugate run -- PROGRAM` has the name of a program as a whole: FAMILY/program."""
    return kernel.partition("/")[2] == "program"


def is_range(kernel: str) -> bool:
    """Whether it has the name of those launches of a program that were within an NVTX range: FAMILY/program:RANGE."""
    return kernel.partition("/")[2].startswith("program:")


def model_key(device: Device, collector: str | None) -> str:
    """Returns a text for what a series of nights may be of, to store in a database: a GPU model and, unless it was
    cugate's own harness, the collector. Values of two collectors cannot be compared.
    """
    if collector in HARNESS:
        return device.key()
    return msgspec.json.encode({**msgspec.structs.asdict(device), "collector": collector}, order="sorted").decode()


def collector_of(sessions: list[Session]) -> str | None:
    """Returns the collector of a run, that of its last session, which all sessions share."""
    return sessions[-1].collector


def sessions_key(device: Device, sessions: list[Session]) -> str:
    """Returns what connects the files about one run: its GPU model and when, where and on which GPU each session
    ran.
    """
    parts = [model_key(device, collector_of(sessions))] + [f"{s.date} {s.host} {s.gpu_uuid}" for s in sessions]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
