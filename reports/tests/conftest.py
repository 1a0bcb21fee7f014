"""Shared by all tests: made-up files of every kind, a history in SQLite, and a PostgreSQL server of the tests' own."""

from __future__ import annotations

import json
import multiprocessing
import os
import pwd
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import psycopg
import pytest
import sqlalchemy as sa

from cugate_reports import drawn, processes, site
from cugate_reports.__main__ import main
from cugate_reports.history import History

TOP = Path(__file__).parents[2]
os.environ["PYTHONPATH"] = str(TOP / "reports")  # for processes that tests start
RECORDED = TOP / "tests/data/recorded-nvidia-h200.json"

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

# Seconds after which a test says that something hangs. How fast it was says nothing: the machine may be busy.
PATIENCE = 900

KERNELS: dict[str, dict[str, Values]] = {
    "copy/plain": {"time": [20010, 20000, 20020], "achieved_occupancy": 70.5, "branch_efficiency": "not applicable"},
    "transpose/padded": {"time": 33800, "shared_bank_conflicts": 39740, "dram_throughput": 68.25},
}


# ---- Files: each builder returns bytes; `facts` differ from FACTS, and None removes one.


def date_of(night: int) -> str:
    """Returns the date of a night's session as files have it; long ago, so that no clock is behind it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1700000000 + 86400 * night))


def make_session(night: int = 0, **facts: Any) -> dict[str, Any]:
    session = {"date": date_of(night), **FACTS, **facts}
    return {name: value for name, value in session.items() if value is not None}


def make_row(values: Values) -> dict[str, Any]:
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
    sessions = [make_session(**{"date": date, **facts}) for date in dates] or [make_session(night, **facts)]
    metrics = sorted({metric for rows in kernels.values() for metric in rows})
    results = {
        kernel: {
            "status": "ok",
            "bytes": 2147483648,
            "flops": 0,
            "launches": [],
            "metrics": {metric: make_row(values) for metric, values in rows.items()},
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


def make_run(night: int = 0, kernels: Mapping[str, Mapping[str, Values]] = KERNELS, **more: Any) -> bytes:
    """Returns a run file of `cugate check --save`; see run_document."""
    return encoded(run_document(night, kernels, **more))


def make_baseline(
    night: int = 0, kernels: Mapping[str, Mapping[str, Values]] = KERNELS, reason: str = "accepted", **more: Any
) -> bytes:
    """Returns a baseline: a run with a reason."""
    return make_run(night, kernels, reason=reason, **more)


def make_judgement(kernel: str, metric: str | None, verdict: str = "same", **more: Any) -> dict[str, Any]:
    """Returns a row of a report; `more` has base, now, limit, causes and so on."""
    judgement = {"kernel": kernel, "metric": metric, "unit": UNITS.get(metric or "", "count"), "class": "time"}
    judgement |= {"verdict": verdict, "base": 1.0, "now": 1.0, "limit": 0.1, "reason": None, "causes": []}
    judgement |= more
    return judgement | {"change": judgement["now"] - judgement["base"]}


def make_report(run: bytes, judgements: Sequence[Mapping[str, Any]] | None = None, **more: Any) -> bytes:
    """Returns what `cugate check --format json` prints about a run file; without judgements every row is the same."""
    of = json.loads(run)
    if judgements is None:
        judgements = [
            make_judgement(kernel, metric)
            for kernel, result in of["kernels"].items()
            for metric, row in result["metrics"].items()
            if "sessions" in row
        ]
    document = {"schema": 1, "exit_code": 0, "verdict": "same", "replay": None, "static": False}
    document |= {"counts": {"kernels": len(of["kernels"]), "same": len(judgements)}, "device": of["device"]}
    document |= {"sessions": of["sessions"], "notes": [], "suites": [], "failures": []}
    return encoded(document | {"judgements": list(judgements)} | more)


def make_explanations(run: bytes, kernels: Sequence[str] = (), **more: Any) -> bytes:
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


def make_analysis(night: int = 0, device: str = DEVICE["name"], **more: Any) -> bytes:  # type: ignore[assignment]
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


# ---- Commands


def forked(do: Callable[[], object]) -> BaseProcess:
    """Calls do() in a forked process, which need not import anything. It leads a group, as in a terminal."""

    def lead() -> None:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored in the background
        do()

    process = multiprocessing.get_context("fork").Process(target=lead)
    process.start()
    return process


def end_of(process: BaseProcess) -> int | None:
    """Returns the exit code of a forked process; None if it hangs."""
    process.join(PATIENCE)
    code = process.exitcode
    process.kill()
    return code


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Begun:
    """A command of cugate-report that has begun in a forked process. limit: bytes of the largest file that it can
    write, which stands in for a full disk.
    """

    def __init__(self, *words: object, cwd: Path = TOP, limit: int = resource.RLIM_INFINITY, **environment: str):
        self._streams = [os.memfd_create(name) for name in ("output", "errors")]

        def run() -> None:
            for number, stream in enumerate(self._streams, 1):
                os.dup2(stream, number)
            sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
            os.environ.update(environment)
            os.chdir(cwd)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            sys.argv = ["cugate-report", *map(str, words)]
            sys.exit(main())

        self.process = forked(run)

    def end(self) -> subprocess.CompletedProcess[str]:
        """Waits for its end; whatever happens, no Python traceback is shown."""
        code, said = end_of(self.process), []
        for stream in self._streams:
            os.lseek(stream, 0, os.SEEK_SET)
            with open(stream, encoding="utf-8", newline="") as text:
                said.append(text.read())
        assert code is not None and "Traceback" not in "".join(said), said
        return subprocess.CompletedProcess("cugate-report", code, *said)


def reports(*words: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return Begun(*words, **more).end()


# ---- Figures


@pytest.fixture
def figures() -> None:
    """For tests that look at figures, or end processes that draw: all is done as for users."""


@pytest.fixture(autouse=True)
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each figure is a hash of what it would be drawn from, since drawing takes most of the time of pages. This process
    writes them.
    """

    def spread(jobs: Sequence[Any], do: Callable[[Any], object], done: Callable[[int], object]) -> list[object]:
        return [(do(job), done(count))[0] for count, job in enumerate(jobs, 1)]

    def figure(writer: site._Writer, name: str, label: str, draw: object, *data: object, up: str = "") -> Any:
        made_of = drawn.stamp(label, data)
        (writer.folder / f"figures/{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + made_of.encode())
        svg = f'<svg viewBox="0 0 1 1" role="img" aria-label={quoteattr(label)}><desc>{made_of}</desc></svg>'
        return {"svg": svg, "png": f"{up}figures/{name}.png", "points": None}

    if "figures" not in request.fixturenames:
        monkeypatch.setattr(site._Writer, "figure", figure)
        monkeypatch.setattr(processes, "spread", spread)


# ---- Histories


@sa.event.listens_for(sa.Engine, "connect")
def _without_waiting_for_the_disk(connection: Any, _: object) -> None:
    """As PostgreSQL below: no test takes the power away."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous = OFF")


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    """An empty history in SQLite."""
    with History(str(tmp_path / "history.db")) as made:
        yield made


class Postgres:
    """A server from the distribution's package in a folder of its own, which is reached by a Unix socket only."""

    USER = "cugate"

    def __init__(self, programs: Path, folder: Path, owner: pwd.struct_passwd | None):
        self.folder, self._programs, self._data = folder, programs, folder / "data"
        self._as = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if owner else {}
        self._server: subprocess.Popen[bytes] | None = None
        self._histories = 0

    def make(self) -> None:
        command = [self._programs / "initdb", "--pgdata", self._data, "--username", self.USER, "--auth", "trust"]
        options = ["--no-sync", "--no-instructions", "--encoding", "UTF8", "--locale", "C.UTF-8"]
        subprocess.run([*command, *options], check=True, capture_output=True, cwd=self.folder, **self._as)

    def start(self) -> None:
        if self._server:
            return
        settings = {"listen_addresses": "", "unix_socket_directories": self.folder, "fsync": "off"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            self._server = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, *options], stderr=log, cwd=self.folder, **self._as
            )
        for _ in range(20 * PATIENCE):
            try:
                self.ask("select 1")
                return
            except psycopg.OperationalError:
                if self._server.poll() is not None:
                    break
                time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def stop(self, how: int = signal.SIGINT) -> None:
        """Stops without waiting for its clients: SIGQUIT writes nothing that is not needed."""
        if self._server:
            self._server.send_signal(how)
            self._server.wait(PATIENCE)
            self._server = None

    def ask(self, *statements: str, schema: str = "public") -> None:
        facts = {"user": self.USER, "host": str(self.folder), "dbname": "postgres"}
        options = f"-csearch_path={schema}"
        with psycopg.connect(**facts, options=options, autocommit=True) as connection:  # type: ignore[arg-type]
            for statement in statements:
                connection.execute(statement)  # type: ignore[call-overload]

    def new(self) -> tuple[str, str]:
        """Returns a URL under which nothing exists yet, and the schema behind it. A database of its own would take much
        longer.
        """
        self._histories += 1
        schema = f"history_{self._histories}"
        self.ask(f"create schema {schema}")
        options = f"host={self.folder}&options=-csearch_path%3D{schema}"
        return f"postgresql+psycopg://{self.USER}:hunter2@/postgres?{options}", schema


def _owner() -> pwd.struct_passwd | None:
    """Returns the user that the server runs as, since it refuses to be root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    pytest.skip("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    where = shutil.which("initdb")
    if not programs and not where:
        pytest.skip("there is no PostgreSQL server here: ci/install_deps.sh test installs it")
    owner = _owner()
    # pytest's folders are closed to other users, and a socket's path is limited to 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="cugate-postgres-"))
    server = Postgres(programs[-1].parent if programs else Path(where).parent, folder, owner)  # type: ignore[arg-type]
    try:
        if owner:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        server.make()
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "history.db")
    return request.getfixturevalue("postgres").new()[0]
