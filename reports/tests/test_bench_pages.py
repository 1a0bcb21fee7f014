"""Tests that the pages of a long history stay within what a nightly job has: 20 s on 2 cores, and 400 MB for 60
kernels. It has a fifth of them.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import make

from cugate_reports.history import History

NIGHTS, KERNELS = 365, 60
SHARES = ("achieved_occupancy", "branch_efficiency", "dram_throughput", "l1_hit_rate", "l2_hit_rate")  # in %
METRICS = ("time", *SHARES, "shared_bank_conflicts", "dram_bytes_read", "dram_bytes_write", "instructions")
METRICS += ("branch_targets", "shared_wavefronts")
NOISY = {"time": 0.01, "achieved_occupancy": 0.003, "dram_throughput": 0.01, "shared_bank_conflicts": 0.02}


def night(number: int, kernels: int, chance: random.Random) -> tuple[bytes, bytes]:
    """Returns a run file and its report, with five samples a row as real ones have."""
    facts = {"gpu_uuid": f"GPU-{chance.randrange(8)}", "driver": f"580.{number // 60}", "host": "bench"}
    measured, judged = {}, []
    for kernel in range(kernels):
        name = f"family{kernel // 6}/variant{kernel}"
        measured[name] = rows = {}
        for place, metric in enumerate(METRICS):
            base = 50.0 + place if metric in SHARES else 1000.0 * (kernel + 1) * (place + 1)
            now = base * (1 + chance.gauss(0, NOISY.get(metric, 0)))
            if metric == "time" and kernel % 10 == 0 and number > 200:
                now *= 1.05
            rows[metric] = [now * (1 + chance.gauss(0, 1e-3)) if metric in NOISY else now for _ in range(5)]
            limit = 0.05 * base if metric in NOISY else 0
            judged.append(make.judgement(name, metric, base=base, now=now, limit=limit))
    run = make.run(number, measured, **facts)
    return run, make.report(run, judged)


def held(process: int) -> int:
    """Returns the bytes that a process and its children hold; shared pages count once."""
    total, waiting = 0, [process]
    while waiting:
        one = waiting.pop()
        try:
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text()
            total += next(int(line.split()[1]) << 10 for line in rollup.splitlines() if line.startswith("Pss:"))
            for task in os.listdir(f"/proc/{one}/task"):
                waiting += map(int, Path(f"/proc/{one}/task/{task}/children").read_text().split())
        except (OSError, StopIteration):
            continue  # the process has just ended
    return total


def test_a_year_of_nights_is_no_burden(tmp_path: Path) -> None:
    chance, most = random.Random(1), 0
    with History(str(tmp_path / "history.db")) as history:
        for number in range(NIGHTS):
            for document in night(number, KERNELS // 5, chance):
                history.ingest(document)
    command = [sys.executable, "-m", "cugate_reports", "page", "--history", tmp_path / "history.db", "-o"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen([*command, tmp_path / "page"], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, held(process.pid))
            time.sleep(0.05)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode == 0 and 0 < most < 400e6
    for ending, bytes_of_all in ((".html", 10e6), (".png", 12e6)):
        assert 0 < sum(file.stat().st_size for file in tmp_path.rglob(f"*{ending}")) < bytes_of_all / 5
    # A processor that other jobs share does half as much in a second. Four times the 2 x 20 s / 5 is beyond any such
    # effect, and far below what a step that is quadratic in nights or kernels would take.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 4 * 2 * 20 / 5
