"""Measures a history of many runners in a PostgreSQL server of its own: to ingest a run, and to make the pages.

    PYTHONPATH=reports build/python/bin/python reports/tests/bench_fleet.py [--runners 4] [--nights 30] [--kernels 2000]
                                                           [--metrics 20] [--sqlite] [--old FOLDER]

Prints the seconds of a run and of its report, those of the first pages, of the pages after one more night of all
runners, and of the pages when nothing came; each with the most memory that the command and its processes held together,
the most of one process (getrusage), and how many files were written. --old names the `reports` folder of an earlier
version, for example of `git archive COMMIT reports metrics | tar x -C FOLDER`: it does the same beside, and the ratios
are printed."""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np
from bench_pages import DEVICE, held

HERE = Path(__file__).resolve()
NAMES = ("time", "achieved_occupancy", "branch_efficiency", "dram_throughput", "shared_bank_conflicts")
UNITS = {"time": "ns", "achieved_occupancy": "%", "branch_efficiency": "%", "dram_throughput": "%"}
NOISY = 4  # how many metrics, the first ones, have noise; the others are counts that repeat
SLOWER = 100  # one kernel in so many is slower from the middle of the history on


def documents(runner: int, night: int, nights: int, kernels: int, metrics: int) -> tuple[bytes, bytes]:
    """Returns a run file and its report, with five samples a row; each runner has a speed of its own."""
    chance = np.random.default_rng((runner, night))
    names = [*NAMES, *(f"counter_{place}" for place in range(len(NAMES), metrics))][:metrics]
    base = np.multiply.outer(1000.0 + np.arange(kernels), 1.0 + np.arange(metrics))
    base[:, 1:4] = 50 + np.arange(kernels)[:, None] % 40
    now = base.copy()
    now[:, :NOISY] *= 1 + chance.normal(0, 0.004, (kernels, NOISY)) + 0.001 * (runner % 7)
    now[::SLOWER, 0] *= 1.05 if night >= nights // 2 else 1
    samples = np.repeat(now[:, :, None], 5, axis=2)
    samples[:, :NOISY] *= 1 + chance.normal(0, 1e-3, (kernels, NOISY, 5))
    samples = np.round(samples, 3)
    date = datetime(2024, 1, 1, 1, 0) + timedelta(days=night, minutes=runner)
    session = {"date": date.isoformat(timespec="milliseconds") + "Z", "collector": "cupti", "driver": "580.1"}
    session |= {"gpu_uuid": f"GPU-{runner}", "host": f"runner-{runner:02}", "cuda": "13.0", "commit": f"{night:012x}"}
    of = [f"family{place // 10}/variant{place}" for place in range(kernels)]
    measured = {
        kernel: {
            "status": "ok",
            "bytes": 1,
            "flops": 0,
            "metrics": {name: {"sessions": [row]} for name, row in zip(names, rows, strict=True)},
        }
        for kernel, rows in zip(of, samples.tolist(), strict=True)
    }
    values = np.median(samples, axis=2)
    limits = np.where(np.arange(metrics) < NOISY, 0.05 * base, 0)
    judged = [
        {
            "kernel": kernel,
            "metric": name,
            "unit": UNITS.get(name, "count"),
            "class": "time",
            "verdict": "same",
            "base": one[0],
            "now": one[1],
            "change": one[1] - one[0],
            "limit": one[2],
            "causes": [],
        }
        for kernel, rows in zip(of, np.stack([base, values, limits], axis=2).tolist(), strict=True)
        for name, one in zip(names, rows, strict=True)
    ]
    if night == nights - 1 and runner == 0:
        for row in judged[: SLOWER * metrics : SLOWER * metrics]:
            row["verdict"] = "regressed"
    notes = {name: {"counter": name, "unit": UNITS.get(name, "count")} for name in names}
    run = {"schema": 1, "device": DEVICE, "sessions": [session], "metrics": notes, "kernels": measured}
    bad = any(row["verdict"] == "regressed" for row in judged)
    report = {"schema": 1, "exit_code": int(bad), "verdict": "regressed" if bad else "same", "replay": None}
    report |= {"device": DEVICE, "sessions": [session], "counts": {"kernels": kernels, "same": len(judged)}}
    return msgspec.json.encode(run), msgspec.json.encode(report | {"judgements": judged})


def fill(url: str, first: int, last: int, runners: int, nights: int, kernels: int, metrics: int) -> None:
    """Ingests these nights of all runners by the cugate_reports that is on the path, and prints the seconds."""
    from cugate_reports.history import History

    spent: dict[str, list[float]] = {"run": [], "report": []}
    with History(url) as history:
        for night in range(first, last):
            for runner in range(runners):
                made = documents(runner, night, nights, kernels, metrics)
                for kind, document in zip(spent, made, strict=True):
                    begun = time.perf_counter()
                    history.ingest(document)
                    spent[kind].append(time.perf_counter() - begun)
    sizes = {kind: len(document) for kind, document in zip(spent, made, strict=True)}
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    print(
        json.dumps({"seconds": {kind: statistics.median(s) for kind, s in spent.items()}, "sizes": sizes, "most": most})
    )


@contextmanager
def database(folder: Path, sqlite: bool) -> Iterator[list[str]]:
    """Returns the URLs of two empty databases."""
    if sqlite:
        yield [str(folder / "one.db"), str(folder / "two.db")]
        return
    from conftest import Postgres, _owner

    owner, own = _owner(), Path(tempfile.mkdtemp(prefix="cugate-postgres-"))
    initdb = shutil.which("initdb") or str(max(Path("/usr/lib/postgresql").glob("*/bin/initdb")))
    server = Postgres(Path(initdb).parent, own, owner)
    try:
        if owner:
            os.chown(own, owner.pw_uid, owner.pw_gid)
        server.make()
        server.start()
        yield [server.new()[0], server.new()[0]]
    finally:
        server.stop()
        shutil.rmtree(own)


def python(reports: Path, *words: object) -> tuple[list[str], dict[str, str]]:
    path = os.pathsep.join([str(reports), str(HERE.parent)])
    return [sys.executable, *map(str, words)], {**os.environ, "PYTHONPATH": path}


def filled(reports: Path, url: str, *numbers: int) -> dict[str, dict[str, float]]:
    command, environment = python(reports, HERE, "--fill", url, *numbers)
    return json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)


def paged(reports: Path, url: str, folder: Path, nights: int) -> dict[str, float]:
    """Measures one `cugate-report page`: seconds, bytes, and the files that are new or changed."""
    before = {path.stat().st_ino for path in folder.rglob("*.*")} if folder.exists() else set()
    words = ("-m", "cugate_reports", "page", "--history", url, "-o", folder, "--nights", nights)
    command, environment = python(reports, *words)
    begun, most = time.perf_counter(), 0
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    while True:
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        most = max(most, held(process.pid))
        time.sleep(0.1)
    process.returncode = status
    if status:
        raise subprocess.CalledProcessError(status, command)
    pages = [path for path in folder.rglob("*.*") if path.is_file()]
    new = sum(path.stat().st_ino not in before for path in pages)
    wall, cpu = time.perf_counter() - begun, used.ru_utime + used.ru_stime
    return {"wall": wall, "cpu": cpu, "held": most, "one": used.ru_maxrss << 10, "new": new, "files": len(pages)}


def measure(reports: Path, url: str, folder: Path, given: argparse.Namespace) -> dict[str, dict[str, float]]:
    size = (given.runners, given.nights + 1, given.kernels, given.metrics)
    runs = given.runners * (given.nights + 1)  # an earlier version makes a night from each of these runs
    ingest = filled(reports, url, 0, given.nights, *size)
    found = {f"ingest {kind}": {"wall": seconds} for kind, seconds in ingest["seconds"].items()}
    found["ingest run"] |= {"one": ingest["most"], "bytes": ingest["sizes"]["run"]}
    found["ingest report"] |= {"bytes": ingest["sizes"]["report"]}
    found["first page"] = paged(reports, url, folder, runs)
    filled(reports, url, given.nights, given.nights + 1, *size)
    found["after one more night"] = paged(reports, url, folder, runs)
    found["nothing new"] = paged(reports, url, folder, runs)
    return found


def shown(one: dict[str, float]) -> str:
    words = [f"{one['wall']:8.2f} s"]
    words += [f"{one['cpu']:7.1f} s of all cores"] if "cpu" in one else []
    words += [f"{one['held'] / 1e6:6.0f} MB together"] if "held" in one else []
    words += [f"{one['one'] / 1e6:6.0f} MB in one process"] if "one" in one else []
    words += [f"{one['bytes'] / 1e6:.1f} MB of JSON"] if "bytes" in one else []
    words += [f"{one['new']:,.0f} of {one['files']:,.0f} files written"] if "new" in one else []
    return ", ".join(words)


def main() -> None:
    if sys.argv[1:2] == ["--fill"]:
        fill(sys.argv[2], *map(int, sys.argv[3:]))
        return
    parser = argparse.ArgumentParser(description="Times a history of many runners; see the head of this file.")
    for name, number in (("runners", 4), ("nights", 30), ("kernels", 2000), ("metrics", 20)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--sqlite", action="store_true", help="not in PostgreSQL")
    parser.add_argument("--old", type=Path, metavar="FOLDER", help="`reports` of an earlier version, to compare with")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, database(Path(name), given.sqlite) as urls:
        values = given.runners * given.nights * given.kernels * given.metrics
        where = "SQLite" if given.sqlite else "PostgreSQL"
        print(
            f"{given.runners} runners, {given.nights} nights, {given.kernels} kernels, {given.metrics} metrics: ",
            end="",
        )
        print(f"{values / 1e6:.1f} million values in {where}, {len(os.sched_getaffinity(0))} cores", flush=True)
        ours = measure(HERE.parents[1], urls[0], Path(name, "ours"), given)
        for what, one in ours.items():
            print(f"{what:22}{shown(one)}", flush=True)
        if given.old:
            theirs = measure(given.old.resolve(), urls[1], Path(name, "theirs"), given)
            for what, one in theirs.items():
                print(f"earlier, {what:22}{shown(one)}")
            for what, one in ours.items():
                parts = [f"{key} {one[key] / theirs[what][key]:.3f}" for key in ("wall", "cpu", "held") if key in one]
                print(f"ours / earlier, {what:22}{', '.join(parts)}")


if __name__ == "__main__":
    main()
