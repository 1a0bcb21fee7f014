"""What the pages need of a run file or a report, taken out when it is ingested: values as matrices of kernels and
metrics, and of judgements those that are worth more than their number. To read this takes a thirtieth of the time that
the file takes."""

from __future__ import annotations

import hashlib
import math
import zlib
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct, field

from cugate_reports.files import BadFile, Failure, Judgement, Report, Run, Session, Suite

FORM = "2"  # of what is taken out and how it is kept; another one is another name, so that all is taken out again

# Of a matrix, 64 MiB; ten thousand kernels of forty metrics take a twentieth of that. And of a kernel, over all nights.
VALUES_LIMIT, METRICS_LIMIT = 1 << 23, 10000

# Worst first. What is no verdict of the gate's is "not judged".
VERDICTS = (
    "regressed",
    "missing",
    "unexpected-pass",
    "unsure",
    "expected",
    "trade-off",
    "new",
    "improved",
    "same",
    "info",
    "not judged",
)
NOT_JUDGED = VERDICTS.index("not judged")
_PLACES = {name: place for place, name in enumerate(VERDICTS)}
_PLAIN = ("same", "info", "improved")  # of which nobody asks on which runner it was, and why

# In a report, all kernels together: what `cugate check` judges when the whole suite moved. No kernel is called so.
SUITE = "(suite)"


def place_of(verdict: str) -> int:
    """Its place in VERDICTS."""
    return _PLACES.get(verdict, NOT_JUDGED)


class RunExtract(Struct, kw_only=True):
    """values: of each kernel and metric, NaN where there is none. failed: why a kernel has none."""

    session: Session  # the last one
    gpus: list[str]  # of all sessions
    kernels: list[str]
    metrics: list[str]
    units: dict[str, str]
    failed: dict[str, str]
    matrices: list[Any] = field(default_factory=list)  # of np.ndarray

    @property
    def values(self) -> np.ndarray:
        return self.matrices[0]


class ReportExtract(Struct, kw_only=True):
    """matrices: places in VERDICTS, bases, limits and drifts, NaN where there is none. told: the judgements whose
    verdict is not plain, and those of whole kernels."""

    exit_code: int
    verdict: str
    replay: str | None
    measured: int | None  # kernels, by its own count
    counts: list[int]  # judgements by verdict
    kernels: list[str]
    metrics: list[str]
    told: list[Judgement]
    failures: list[Failure]
    suites: list[Suite]
    notes: list[str]
    matrices: list[Any] = field(default_factory=list)  # of np.ndarray


AnyExtract = TypeVar("AnyExtract", RunExtract, ReportExtract)


def name_of(sha256: str) -> str:
    """Under which the extract of a file is kept."""
    return hashlib.sha256(f"{FORM} {sha256}".encode()).hexdigest()


def runner_of(run: RunExtract) -> str:
    """Who measured, as a column of any database can hold it: of a host each GPU may have a runner of its own."""
    return msgspec.json.encode((run.session.host, run.gpus)).decode()


def last_session(run: Run) -> Session:
    return max(run.sessions, key=lambda session: session.date or "")


def _places(names: list[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def expect_table(kernels: list[str], metrics: list[str]) -> None:
    """BadFile when a matrix of them would be too large, however few of its values there are."""
    if len(metrics) > METRICS_LIMIT or len(kernels) * len(metrics) > VALUES_LIMIT:
        plural = "s" if len(kernels) != 1 else ""
        raise BadFile(
            f"has {len(kernels):,} kernel{plural} and {len(metrics):,} metrics, and the pages show tables of "
            f"{VALUES_LIMIT:,} values and {METRICS_LIMIT:,} metrics at most: keep runs of fewer kernels (-k), or of "
            "fewer metrics"
        )


def of_run(run: Run) -> RunExtract:
    kernels = sorted(run.kernels)
    metrics = sorted({metric for result in run.kernels.values() for metric in result.metrics})
    expect_table(kernels, metrics)
    column, values = _places(metrics), np.full((len(kernels), len(metrics)), math.nan)
    for row, kernel in enumerate(kernels):
        for metric, one in run.kernels[kernel].metrics.items():
            values[row, column[metric]] = one.value()
    failed = {
        kernel: f"{result.status}: {result.reason}" if result.reason else result.status
        for kernel, result in run.kernels.items()
        if result.status != "ok"
    }
    return RunExtract(
        session=last_session(run),
        gpus=sorted({session.gpu_uuid for session in run.sessions if session.gpu_uuid}),
        kernels=kernels,
        metrics=metrics,
        units={name: note.unit for name, note in run.metrics.items()},
        failed=failed,
        matrices=[values],
    )


def of_report(report: Report) -> ReportExtract:
    rows = [j for j in report.judgements if j.metric is not None and j.kernel != SUITE]
    kernels, metrics = sorted({j.kernel for j in rows}), sorted({j.metric for j in rows if j.metric is not None})
    expect_table(kernels, metrics)
    row, column = _places(kernels), _places(metrics)
    verdicts = np.full((len(kernels), len(metrics)), float(NOT_JUDGED))
    bases, limits, drifts = (np.full(verdicts.shape, math.nan) for _ in range(3))
    for j in rows:
        where = row[j.kernel], column[j.metric]  # type: ignore[index]
        verdicts[where] = place_of(j.verdict)
        bases[where] = math.nan if j.base is None else j.base
        limits[where] = math.nan if j.limit is None else j.limit
        drifts[where] = 0.0 if j.drift is None else j.drift
    counts = np.bincount([place_of(j.verdict) for j in report.judgements] or [0], minlength=len(VERDICTS))
    return ReportExtract(
        exit_code=report.exit_code,
        verdict=report.verdict,
        replay=report.replay,
        measured=(report.counts or {}).get("kernels"),
        counts=counts.tolist() if report.judgements else [0] * len(VERDICTS),
        kernels=kernels,
        metrics=metrics,
        told=[j for j in report.judgements if j.verdict not in _PLAIN or j.metric is None],
        failures=report.failures,
        suites=report.suites,
        notes=report.notes,
        matrices=[verdicts, bases, limits, drifts],
    )


# ---- As bytes: the head as JSON, then the matrices; only two numbers of many are not repeated, so level 1 is enough


def encode(extract: RunExtract | ReportExtract) -> bytes:
    matrices = b"".join(np.ascontiguousarray(matrix, dtype="<f8").tobytes() for matrix in extract.matrices)
    head = msgspec.json.encode(msgspec.structs.replace(extract, matrices=[]))
    return zlib.compress(len(head).to_bytes(8, "little") + head + matrices, 1)


def decode(body: bytes, kind: type[AnyExtract]) -> AnyExtract:
    data = zlib.decompress(body)
    end = 8 + int.from_bytes(data[:8], "little")
    extract = msgspec.json.decode(memoryview(data)[8:end], type=kind)
    shape = len(extract.kernels), len(extract.metrics)
    if 0 in shape:  # what is empty has no place in bytes
        extract.matrices = [np.empty(shape) for _ in range(1 if kind is RunExtract else 4)]
    else:
        extract.matrices = list(np.frombuffer(data, dtype="<f8", offset=end).reshape(-1, *shape))
    return extract
