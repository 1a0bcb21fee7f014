"""Shared by all tests: made-up files of every kind, a history in SQLite, and a PostgreSQL server of the tests' own."""

from __future__ import annotations

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
from collections.abc import Callable, Iterator, Sequence
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

# Seconds after which a test says that something hangs. How fast it was says nothing: the machine may be busy.
PATIENCE = 900

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
        self._is_up, self._histories = False, 0

    def _control(self, *words: str) -> None:
        """Calls pg_ctl, which waits until it is done."""
        command = [self._programs / "pg_ctl", "-D", self._data, "-l", "log", "-s", "-t", str(PATIENCE), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self._as)

    def make(self) -> None:
        self._control("initdb", "-o", f"--username {self.USER} --auth trust --no-sync --encoding UTF8 --locale C.UTF-8")

    def start(self) -> None:
        if not self._is_up:
            self._control("start", "-o", f"-h '' -k {self.folder} -F")  # without waiting for the disk
            self._is_up = True

    def stop(self, how: str = "fast") -> None:
        """Stops without waiting for the launchs clients; "immediate" writes nothing that is not needed."""
        if self._is_up:
            self._control("stop", "-m", how)
            self._is_up = False

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
        server.stop("immediate")
        shutil.rmtree(folder)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "history.db")
    return request.getfixturevalue("postgres").new()[0]
