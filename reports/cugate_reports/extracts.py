"""Extracts what the pages need from a run file or a report when it is ingested.

These are values as matrices of kernels and metrics, and judgements that need more than a number. Reading an extract
takes a thirtieth of the time that the file takes.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Struct, field

from cugate_reports.files import BadFile, Failure, Judgement, Report, Run, Session, Suite

FORM = "4"  # version of what is extracted and how it is stored; another one has other names, so all is extracted again

# Limits of a matrix (64 MiB), and of a kernel over all nights. Ten thousand kernels with forty metrics take a
# twentieth.
VALUES_LIMIT, METRICS_LIMIT = 1 << 23, 10000

# Verdicts, the worst first. "not judged" stands for any other.
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
RED = frozenset({"regressed", "missing", "unexpected-pass"})
NOT_JUDGED = VERDICTS.index("not judged")
_PLACES = {name: place for place, name in enumerate(VERDICTS)}
_PLAIN = ("same", "info", "improved")  # nobody needs to know their runner or reason

# The name that stands for all kernels together in a report; `cugate check` judges their common shift. No kernel has it.
SUITE = "(suite)"


def place_of(verdict: str) -> int:
    """Returns the index of a verdict in VERDICTS."""
    return _PLACES.get(verdict, NOT_JUDGED)


class RunExtract(Struct, kw_only=True):
    """values: for each kernel and metric, NaN where there is none. failed: why a kernel has no values."""

    session: Session  # the last session of the run
    gpus: list[str]  # UUIDs of the GPUs of all sessions
    kernels: list[str]
    metrics: list[str]
    units: dict[str, str]
    failed: dict[str, str]
    matrices: list[Any] = field(default_factory=list)  # matrices as np.ndarray

    @property
    def values(self) -> np.ndarray:
        return self.matrices[0]


class ReportExtract(Struct, kw_only=True):
    """matrices: indices in VERDICTS, bases, limits and drifts, NaN where there is none. told: judgements that need
    attention, and those of whole kernels.
    """

    exit_code: int
    verdict: str
    replay: str | None
    kernels: list[str]
    metrics: list[str]
    told: list[Judgement]
    failures: list[Failure]
    suites: list[Suite]
    notes: list[str]
    matrices: list[Any] = field(default_factory=list)  # matrices as np.ndarray


AnyExtract = TypeVar("AnyExtract", RunExtract, ReportExtract)


def name_of(sha256: str) -> str:
    """Returns the name under which the extract of a file is stored."""
    return hashlib.sha256(f"{FORM} {sha256}".encode()).hexdigest()


def runner_of(run: RunExtract) -> str:
    """Returns who measured, in a form that any database column can hold. Each GPU of a host may have a runner of its
    own.
    """
    return msgspec.json.encode((run.session.host, run.gpus)).decode()


def last_session(run: Run) -> Session:
    return max(run.sessions, key=lambda session: session.date or "")


def _places(names: list[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def expect_table(kernels: list[str], metrics: list[str]) -> None:
    """Raises BadFile if a matrix of kernels and metrics would be too large, even if it has few values."""
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
        bases[where] = math.nan if j.base is None or _is_unheld(j) else j.base
        limits[where] = math.nan if j.limit is None else j.limit
        drifts[where] = 0.0 if j.drift is None else j.drift
    return ReportExtract(
        exit_code=report.exit_code,
        verdict=report.verdict,
        replay=report.replay,
        kernels=kernels,
        metrics=metrics,
        told=[j for j in report.judgements if j.verdict not in _PLAIN or j.metric is None],
        failures=report.failures,
        suites=report.suites,
        notes=report.notes,
        matrices=[verdicts, bases, limits, drifts],
    )


def _is_unheld(j: Judgement) -> bool:
    """Whether the base was held against nothing: the row has no value. One that was not computed again, since nothing
    changed, has the baseline's.
    """
    return j.verdict == "info" and j.now is None and not (j.reason or "").startswith("same code, launches and inputs")


# ---- As bytes: JSON, then the matrices. Level 1 is enough, because few numbers repeat. ----


def encode(extract: RunExtract | ReportExtract) -> bytes:
    matrices = b"".join(np.ascontiguousarray(matrix, dtype="<f8").tobytes() for matrix in extract.matrices)
    head = msgspec.json.encode(msgspec.structs.replace(extract, matrices=[]))
    return zlib.compress(len(head).to_bytes(8, "little") + head + matrices, 1)


def decode(body: bytes, kind: type[AnyExtract]) -> AnyExtract:
    data = zlib.decompress(body)
    end = 8 + int.from_bytes(data[:8], "little")
    extract = msgspec.json.decode(memoryview(data)[8:end], type=kind)
    shape = len(extract.kernels), len(extract.metrics)
    if 0 in shape:  # a matrix with an empty axis has no bytes
        extract.matrices = [np.empty(shape) for _ in range(1 if kind is RunExtract else 4)]
    else:
        extract.matrices = list(np.frombuffer(data, dtype="<f8", offset=end).reshape(-1, *shape))
    return extract
