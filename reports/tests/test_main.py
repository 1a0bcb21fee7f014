"""Tests the command line: a table of commands with exit codes and words, and what happens when a command is stopped."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import make
import pytest
from conftest import PATIENCE, TOP, Begun, reports

from cugate_reports import history as history_module
from cugate_reports import site
from cugate_reports.__main__ import ingest
from cugate_reports.history import History, HistoryError

COMMAND = [sys.executable, "-m", "cugate_reports"]


def alone(*words: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Runs a command in a Python of its own, which has a last word on its output when it ends."""
    settings = {"cwd": TOP, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    settings |= {"timeout": PATIENCE} | options
    done = subprocess.run([*COMMAND, *map(str, words)], **settings)  # type: ignore[call-overload]
    assert b"Traceback" not in (done.stderr or b"") + (done.stdout or b""), done.stderr
    assert b"Exception ignored" not in (done.stderr or b""), done.stderr
    return done


# ---- The table


FAR = "x" * 5000
NO_RUN = b"nights to remember\n" * 100
TABLE = (Path(__file__).parent / "command_lines.txt").read_text()
LINES = [(line + " |" * 4).split(" |")[:5] for line in TABLE.splitlines() if line and line[0] != "#"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run, its report, another run, a file that is none, and a history of two runs; some are in a
    subfolder.
    """
    folder = tmp_path_factory.mktemp("filled")
    made = {
        "run.json": make.run(),
        "report.json": make.report(make.run()),
        "other.json": make.run(1),
        "bad.json": b'{"schema": 1',
        "command.json": make.run().replace(b'"device": {', rb'"device": {"\n::error::\u001b[31m":1,'),
        "readme.txt": NO_RUN,
        "all/a-run.json": make.run(2),
        "all/b-report.json": make.report(make.run(3)),
        "all/c.json": make.baseline(),
        "all/deep/x-run.json": make.run(3),
        "all/z.json": b"",
        "all/readme.txt": NO_RUN,
        "all/.hidden": NO_RUN,
    }
    (folder / "empty").mkdir()
    (folder / "all/deep").mkdir(parents=True)
    for name, data in made.items():
        (folder / name).write_bytes(data)
    with History(str(folder / "full.db")) as history:
        history.ingest(make.run())
        history.ingest(make.run(1))
    return folder


@pytest.mark.parametrize("cells", LINES, ids=lambda cells: cells[0][:60] or "nothing")
def test_command_lines(cells: list[str], filled: Path, tmp_path: Path) -> None:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    command, code, words, files, history = (cell.strip() for cell in cells)
    command, history = (text.replace("{}", str(tmp_path)) for text in (command, history or "{}/history.db"))
    done = reports(*command.replace("FAR", FAR).split(), HISTORY=history, COLUMNS="1000")
    said = (done.stdout + done.stderr).replace(str(tmp_path), "{}")
    assert done.returncode == int(code), said
    for one in words.encode().decode("unicode_escape").split(" ; ") if words else []:
        assert (one[1:] not in said) if one.startswith("!") else (one in said), said
    for name in files.split():
        assert (tmp_path / name.removeprefix("!")).exists() != name.startswith("!"), sorted(tmp_path.rglob("*"))
    assert (tmp_path / "all/readme.txt").read_bytes() == (tmp_path / "readme.txt").read_bytes() == NO_RUN
    assert not list(tmp_path.glob(".*"))


def test_every_command_has_help_with_an_example() -> None:
    for name in ("ingest", "page", "state", "export", "prune"):
        done = reports(name, "--help", COLUMNS="1000")
        assert done.returncode == 0 and done.stderr == ""
        assert f"example: cugate-report {name} " in done.stdout
        assert "default: $HISTORY, else build/history/history.db" in done.stdout


def test_devices_stay_devices() -> None:
    """A device is written to, and not replaced by a file."""
    assert Path("/dev/full").is_char_device() and Path("/dev/null").is_char_device()


# ---- Names from outside


def test_hostile_file_names_are_shown_harmless(tmp_path: Path) -> None:
    for name in (b"\x1b[2Jred.json", b"\xff.json", b"two\nlines.json"):
        (tmp_path / os.fsdecode(name)).write_bytes(make.run())
    (tmp_path / os.fsdecode(b"\xfe\x1b[31m")).mkdir()
    (tmp_path / os.fsdecode(b"\xfe\x1b[31m/bad.json")).write_bytes(b"")
    done = reports("ingest", "-v", "--history", tmp_path / "history.db", tmp_path)
    assert done.returncode == 2
    assert "\x1b" not in done.stdout + done.stderr
    assert "/\\x1b[2Jred.json: run: " in done.stdout and "/\\udcff.json: run: " in done.stdout
    assert "/two\\nlines.json: run: " in done.stdout and "/\\udcfe\\x1b[31m/bad.json is no " in done.stderr


# ---- Output that goes nowhere


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A history with more values than a pipe can hold."""
    path = tmp_path / "history.db"
    with History(str(path)) as history:
        history.ingest(make.run(0, {f"family/{kernel}": {"time": 1} for kernel in range(2000)}))
    return path


def test_a_table_on_standard_output_has_nothing_else(full: Path, tmp_path: Path) -> None:
    done = reports("export", "--history", full, "--csv", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("date,device,gpu_uuid,driver,commit,kernel,metric,unit,value\r\n")
    assert done.stdout.count("\r\n") == done.stdout.count("\n") == 2001
    assert reports("export", "--history", full, "--csv", tmp_path / "v.csv").returncode == 0
    assert (tmp_path / "v.csv").read_bytes() == done.stdout.encode()


def test_a_reader_that_has_seen_enough_is_no_error(full: Path) -> None:
    shell = (
        f'"{sys.executable}" -m cugate_reports export --history "{full}" --csv - | head -1; echo "${{PIPESTATUS[*]}}"'
    )
    done = subprocess.run(["bash", "-c", shell], cwd=TOP, capture_output=True, timeout=PATIENCE)
    assert done.stdout.splitlines()[0].startswith(b"date,device") and done.stdout.splitlines()[1:] == [b"0 0"]
    assert done.stderr == b""


@pytest.mark.parametrize("to", ["/dev/full", "closed"])
@pytest.mark.parametrize("command", ["export --csv -", "ingest -v"])
def test_output_that_cannot_be_written_is_told(command: str, to: str, full: Path) -> None:
    words = [*command.split(), "--history", str(full)]
    if command.startswith("ingest"):
        (full.parent / "run.json").write_bytes(make.run(1))
        words.append(str(full.parent / "run.json"))
    if to == "closed":
        done = alone(*words, stdout=None, preexec_fn=lambda: os.close(1))
        told = b"cannot write standard output: Bad file descriptor"
        assert (done.returncode, told in done.stderr) == ((0, False) if command.startswith("ingest") else (2, True))
        return
    with open(to, "wb") as stream:
        done = alone(*words, stdout=stream)
    assert (done.returncode, done.stderr) == (
        2,
        b"reports: error: cannot write standard output: No space left on device\n",
    )


def test_a_listener_that_left_is_told_and_what_was_kept_is_kept(tmp_path: Path) -> None:
    """Not of a table: the error appears when all of a short one is still to be written."""
    (tmp_path / "run.json").write_bytes(make.run())
    ours, theirs = os.pipe()
    os.close(ours)
    of = "--history", tmp_path / "history.db"
    done = alone("ingest", "-v", *of, tmp_path / "run.json", stdout=theirs)
    assert (done.returncode, done.stderr) == (2, b"reports: error: cannot write standard output: Broken pipe\n")
    with History(str(tmp_path / "history.db")) as history:
        assert len(list(history.read("run"))) == 1
    done = alone("export", *of, "--csv", "-", stdout=theirs)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_disk_that_gets_full_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def small(connection: sqlite3.Connection, record: object) -> None:
        manual(connection, record)
        connection.execute("PRAGMA max_page_count = 40")

    manual = history_module._sqlite_manual_transactions
    monkeypatch.setattr(history_module, "_sqlite_manual_transactions", small)
    noise = random.Random(1)
    for night in range(40):
        kernels = {f"a/k{number}": {"time": noise.random()} for number in range(100)}
        (tmp_path / f"{night:02}.json").write_bytes(make.run(night, kernels))
    with pytest.raises(HistoryError, match="there is no space left for the history .*: free some"):
        ingest(Namespace(history=str(tmp_path / "history.db"), files=[str(tmp_path)], verbose=False))
    with History(str(tmp_path / "history.db")) as history:
        kept = len(list(history.read("run")))
    assert 0 < kept < 40 and f"{kept} x run: kept" in capsys.readouterr().out


def test_the_disk_is_full_for_run_files(full: Path, tmp_path: Path) -> None:
    """A half-written file is removed."""
    for to in (["out"], ["--csv", "out/v.csv"]):
        (tmp_path / "out").mkdir(exist_ok=True)
        done = reports("export", "--history", full, *(str(tmp_path / w) if "out" in w else w for w in to), limit=4096)
        assert done.returncode == 2 and "error: cannot write " in done.stderr
        assert "File too large" in done.stderr and "None" not in done.stderr
        assert os.listdir(tmp_path / "out") == []


# ---- Pages


def test_a_page_replaces_an_earlier_one_and_only_such_a_one(tmp_path: Path) -> None:
    database, page = tmp_path / "history.db", tmp_path / "new/page"
    with History(str(database)) as history:
        run = make.run(0, {"copy/plain": {"time": 1000}})
        for data in (run, make.report(run), make.explanations(run)):
            history.ingest(data)
    done = reports("page", "--history", database, "-o", page)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "NVIDIA H200, 1 night to 2023-11-14T22:13:20.000Z: 1 same",
        f"page: {page}/index.html",
    ]
    (page / "index.html").write_text("earlier")
    (page / "stale.html").write_text("earlier")
    assert reports("page", "--history", database, "-o", page).returncode == 0
    assert "copy/plain" in (page / "index.html").read_text() and not (page / "stale.html").exists()
    assert os.listdir(page.parent) == ["page"]


@pytest.mark.parametrize(
    ("number", "everyone"),
    [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGTERM, True)],
    ids=["Ctrl-C", "kill -INT", "kill", "a cancelled job"],
)
def test_a_page_that_is_stopped_leaves_the_earlier_one_whole(
    number: int, everyone: bool, tmp_path: Path, figures: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal signals every process of the group, `kill` only one. The page takes an hour, so that it is stopped
    before its end however busy the machine is.
    """
    draw = site._Writer.kernel

    def kernel(writer: site._Writer, name: str, *more: Any) -> None:
        draw(writer, name, *more)
        if name == "family/9":
            time.sleep(3600)

    monkeypatch.setattr(site._Writer, "kernel", kernel)
    database, page = tmp_path / "history.db", tmp_path / "page"
    with History(str(database)) as history:
        history.ingest(make.run(0, {f"family/{kernel}": {"time": 1000} for kernel in range(10)}))
    page.mkdir()
    for name in (".cugate-report", "index.html"):
        (page / name).write_text("earlier")
    begun = Begun("page", "--history", database, "-o", page)
    while not any(tmp_path.glob(".cugate-*/kernels/*.html")) and begun.process.is_alive():
        time.sleep(0.01)
    (os.killpg if everyone else os.kill)(begun.process.pid, number)
    stopped = begun.end()
    assert (stopped.returncode, stopped.stdout) == (130, "")
    assert stopped.stderr.startswith("reports: error: stopped; what was kept until then is kept")
    assert stopped.stderr.count("\n") == 1
    assert sorted(os.listdir(tmp_path)) == ["history.db", "page"]
    assert sorted(os.listdir(page)) == [".cugate-report", "index.html"]
    assert (page / "index.html").read_text() == "earlier"
