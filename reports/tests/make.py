"""Makes files of every kind that cugate writes. Each builder returns bytes; `facts` differ from FACTS, and None removes
one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from conftest import RECORDED

DEVICE = {
    "name": "NVIDIA H200",
    "compute_capability": "9.0",
    "sm_count": 132,
    "memory_bytes": 150109880320,
    "ecc": True,
    "mig": False,
}
OTHER_DEVICE = {**DEVICE, "name": "NVIDIA H100", "memory_bytes": 85520809984}
UNITS = {
    "time": "ns",
    "wall_time": "ns",
    "gpu_time": "ns",
    "achieved_occupancy": "%",
    "branch_efficiency": "%",
    "dram_throughput": "%",
    "shared_bank_conflicts": "count",
    "flop_rate": "FLOP/s",
}
FACTS = {
    "collector": "cupti",
    "driver": "580.159.04",
    "cuda": "13.0",
    "cupti": "130001",
    "compiler": "nvcc 13.0.88",
    "flags": "-O3",
    "gpu_uuid": "GPU-00000000-0000-0000-0000-000000000001",
    "neighbours": "0",
    "host": "runner",
    "commit": "0123456789ab",
    "cugate": "0.1.0",
}

# Values of a kernel's metric: one value, the samples of one session, those of several, or a state such as "not
# counted".
Values = float | Sequence[float] | Sequence[Sequence[float]] | str

KERNELS: dict[str, dict[str, Values]] = {
    "copy/plain": {"time": [20010, 20000, 20020], "achieved_occupancy": 70.5, "branch_efficiency": "not applicable"},
    "transpose/padded": {"time": 33800, "shared_bank_conflicts": 39740, "dram_throughput": 68.25},
}


def date_of(night: int) -> str:
    """Returns the date of a night's session as files have it; long ago, so that no clock is behind it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1700000000 + 86400 * night))


def session(night: int = 0, **facts: Any) -> dict[str, Any]:
    session = {"date": date_of(night), **FACTS, **facts}
    return {name: value for name, value in session.items() if value is not None}


def row(values: Values) -> dict[str, Any]:
    if isinstance(values, str):
        return {"state": values}
    if isinstance(values, int | float):
        values = [values]
    if all(isinstance(value, int | float) for value in values):
        values = [values]  # type: ignore[list-item]
    return {"sessions": [list(samples) for samples in values]}  # type: ignore[arg-type]


def run_document(
    night: int = 0,
    kernels: Mapping[str, Mapping[str, Values]] = KERNELS,
    *,
    device: Mapping[str, Any] = DEVICE,
    dates: Sequence[str] = (),
    **facts: Any,
) -> dict[str, Any]:
    """Returns a run as a document, to be changed. dates makes it a run of several sessions instead of the night's
    one.
    """
    sessions = [session(**{"date": date, **facts}) for date in dates] or [session(night, **facts)]
    metrics = sorted({metric for rows in kernels.values() for metric in rows})
    results = {
        kernel: {
            "status": "ok",
            "bytes": 2147483648,
            "flops": 0,
            "launches": [],
            "metrics": {metric: row(values) for metric, values in rows.items()},
        }
        for kernel, rows in kernels.items()
    }
    return {
        "schema": 1,
        "device": dict(device),
        "sessions": sessions,
        "metrics": {metric: {"counter": metric, "unit": UNITS.get(metric, "count")} for metric in metrics},
        "kernels": results,
    }


def encoded(document: Any) -> bytes:
    """Encodes on one line: with an indent Python would use its slow encoder."""
    return json.dumps(document, sort_keys=True).encode() + b"\n"


def run(night: int = 0, kernels: Mapping[str, Mapping[str, Values]] = KERNELS, **more: Any) -> bytes:
    """Returns a run file of `cugate check --save`; see run_document."""
    return encoded(run_document(night, kernels, **more))


def baseline(
    night: int = 0, kernels: Mapping[str, Mapping[str, Values]] = KERNELS, reason: str = "accepted", **more: Any
) -> bytes:
    """Returns a baseline: a run with a reason."""
    return run(night, kernels, reason=reason, **more)


def judgement(kernel: str, metric: str | None, verdict: str = "same", **more: Any) -> dict[str, Any]:
    """Returns a row of a report; `more` has base, now, limit, causes and so on."""
    judgement = {"kernel": kernel, "metric": metric, "unit": UNITS.get(metric or "", "count"), "class": "time"}
    judgement |= {"verdict": verdict, "base": 1.0, "now": 1.0, "limit": 0.1, "reason": None, "causes": []}
    judgement |= more
    return judgement | {"change": judgement["now"] - judgement["base"]}


def report(run: bytes, judgements: Sequence[Mapping[str, Any]] | None = None, **more: Any) -> bytes:
    """Returns what `cugate check --format json` prints about a run file; without judgements every row is the same."""
    of = json.loads(run)
    if judgements is None:
        judgements = [
            judgement(kernel, metric)
            for kernel, result in of["kernels"].items()
            for metric, row in result["metrics"].items()
            if "sessions" in row
        ]
    document = {"schema": 1, "exit_code": 0, "verdict": "same", "replay": None, "static": False}
    document |= {"counts": {"kernels": len(of["kernels"]), "same": len(judgements)}, "device": of["device"]}
    document |= {"sessions": of["sessions"], "notes": [], "suites": [], "failures": []}
    return encoded(document | {"judgements": list(judgements)} | more)


def explanations(run: bytes, kernels: Sequence[str] = (), **more: Any) -> bytes:
    """Returns what `cugate explain '*' --format json` prints about a run file: one text a kernel, one after the
    other.
    """
    of = json.loads(run)
    device = {name: of["device"][name] for name in ("name", "compute_capability", "sm_count")}
    texts = []
    for kernel in kernels or of["kernels"]:
        launch = {"function": kernel, "registers": 32, "block": [256, 1, 1], "theoretical_occupancy": 100}
        document = {"schema": 1, "exit_code": 0, "kernel": kernel, "device": device, "session": of["sessions"][-1]}
        document |= {"launches": [launch | {"limits": ["block size"]}], "occupancy": {"achieved": 70.5}}
        document |= {"roofline": {"seconds": 2e-5, "bytes": 2147483648, "roofs": {}, "bound": "dram", "share": 0.5}}
        texts.append(json.dumps(document | more, indent=1))
    return "".join(texts).encode()


def analysis(night: int = 0, device: str = DEVICE["name"], **more: Any) -> bytes:  # type: ignore[assignment]
    """Returns what `cugate aa --format json` prints."""
    tally = {"rows": 10, "regressed": 0, "unsure": 0, "worse": 1, "better": 1}
    view = {"comparisons": 10, "exit_codes": {"0": 10}, "classes": {"time": tally}}
    document = {"schema": 1, "sessions": 5, "kernels": 2, "gpus": 1, "device": device}
    document |= {"first_date": date_of(night - 5), "last_date": date_of(night)}
    document |= {"views": {"pairs": view, "others": None}, "detectable": []}
    return encoded(document | more)


def recorded_run(*families: str) -> dict[str, Any]:
    """Returns the recorded run of an H200, cut to the kernels of these families."""
    document = json.loads(RECORDED.read_bytes())
    kernels = {name: result for name, result in document["kernels"].items() if name.split("/")[0] in families}
    return document | {"kernels": kernels}
