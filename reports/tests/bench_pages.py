"""Measures what a team with a long history waits for: the pages of 365 nights, 60 kernels and 12 metrics.

    PYTHONPATH=reports build/python/bin/python reports/tests/bench_pages.py [NIGHTS [KERNELS]]

Prints the wall time of `cugate-report page`, the most memory that it and its processes held together (their
proportional set size, from /proc), and the weight of the pages. The history is made up; its ingestion is timed by
itself."""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import make

from cugate_reports.history import History

SHARES = ("achieved_occupancy", "branch_efficiency", "dram_throughput", "l1_hit_rate", "l2_hit_rate")  # in %
METRICS = ("time", *SHARES, "shared_bank_conflicts", "dram_bytes_read", "dram_bytes_write", "instructions")
METRICS += ("branch_targets", "shared_wavefronts")
NIGHTS, KERNELS = 365, 60
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


@dataclass(frozen=True)
class Figures:
    """The cost of making the pages, in seconds and bytes. cpu is that of all its processes."""

    ingest: float
    database: int
    wall: float
    cpu: float
    held: int
    weights: dict[str, int]  # bytes of files by their ending
    index: int


def measure(nights: int, kernels: int) -> Figures:
    """Makes up a history and its pages, in a folder that is removed afterwards."""
    chance, spent = random.Random(1), 0.0
    with tempfile.TemporaryDirectory() as folder:
        database, pages = Path(folder, "history.db"), Path(folder, "page")
        with History(str(database)) as history:
            for number in range(nights):
                documents = night(number, kernels, chance)
                begun = time.perf_counter()
                for document in documents:
                    history.ingest(document)
                spent += time.perf_counter() - begun
        command = [sys.executable, "-m", "cugate_reports", "page", "--history", str(database), "-o", str(pages)]
        begun, before, most = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN), 0
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                most = max(most, held(process.pid))
                time.sleep(0.05)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        files = [file for file in pages.rglob("*") if file.is_file()]
        weights = {ending: sum(f.stat().st_size for f in files if f.suffix == ending) for ending in (".html", ".png")}
        index = (pages / "index.html").stat().st_size
        return Figures(spent, database.stat().st_size, wall, cpu, most, weights, index)


def main() -> None:
    given = [int(word) for word in sys.argv[1:3]]
    nights, kernels = given + [NIGHTS, KERNELS][len(given) :]
    figures = measure(nights, kernels)
    print(f"{nights} nights, {kernels} kernels, {len(METRICS)} metrics, {len(os.sched_getaffinity(0))} cores")
    print(f"ingest    {figures.ingest:6.1f} s   {figures.database / 1e6:.1f} MB of database")
    print(
        f"page      {figures.wall:6.1f} s   {figures.held / 1e6:.0f} MB held at most, {figures.cpu:.1f} s of all cores"
    )
    words = ", ".join(f"{size / 1e6:.1f} MB {ending}" for ending, size in figures.weights.items())
    print(f"weight    {words}; index.html {figures.index / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
