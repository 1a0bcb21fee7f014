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
from dataclasses import dataclass, field
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
USAGE = "usage: cugate-report"


def alone(*words: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Runs a command in a Python of its own, which has a last word on its output when it ends."""
    settings = {"cwd": TOP, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    settings |= {"timeout": PATIENCE} | options
    done = subprocess.run([*COMMAND, *map(str, words)], **settings)  # type: ignore[call-overload]
    assert b"Traceback" not in (done.stderr or b"") + (done.stdout or b""), done.stderr
    assert b"Exception ignored" not in (done.stderr or b""), done.stderr
    return done


# ---- The table


@dataclass(frozen=True)
class Line:
    """One command line. {} stands for the folder that `folder` makes. words are expected on either stream; those after
    ! must not be there.
    """

    command: str
    code: int
    words: tuple[str, ...]
    files: tuple[str, ...] = field(default=())  # files that are below the folder afterwards; with ! files that are not
    history: str = "{}/history.db"


FAR = "x" * 5000
NO_RUN = b"nights to remember\n" * 100

LINES = (
    Line("", 2, (USAGE, "the following arguments are required: COMMAND")),
    Line("ingset {}/run.json", 2, (USAGE, "invalid choice: 'ingset'")),
    Line("--help", 0, ("ingest", "page", "state", "export", "prune", "exit codes: 0 done; 2 unknown option")),
    Line("ingest", 2, ("arguments are required: FILE",)),
    Line("ingest --verbos {}/run.json --nope", 2, ("unrecognized arguments: --nope",)),
    Line("ingest {}/run.json", 0, ("run: kept", "!refused"), ("history.db",)),
    Line("ingest {}/run.json {}/bad.json {}/other.json", 2,
         ("bad.json is not JSON", "2 x run: kept", "1 refused; the history sqlite:///{}/history.db lost nothing")),
    Line("ingest {}/command.json", 2, (r"unknown field `\n::error::\x1b[31m`", "!\n::error", "!\x1b")),
    Line("ingest {}/report.json {}/run.json", 0, ("report: kept\nrun: kept",)),
    Line("ingest {}/report.json", 2, ("report.json is a report about a run that is not in the history", "1 refused")),
    Line("ingest -v {}/all", 2, ("all/a-run.json: run: kept", "deep/x-run.json: run: kept", "c.json: baseline: kept",
                                 "b-report.json: report: kept", "z.json is no file of", "!readme.txt", "!.hidden")),
    Line("ingest {}/empty", 2, ("error: no file ends in .json below {}/empty", "!kept"), ("!history.db",)),
    Line("ingest {}/none.json", 2, ("none.json cannot be read: No such file or directory", "1 refused")),
    Line(f"ingest {FAR}", 2, ("cannot be read: File name too long",)),
    Line("ingest {}/run.json", 2, ("cannot be used: file is not a database",), ("!history.db",), "{}/readme.txt"),
    Line("ingest {}/run.json", 2, ("/dev/null is no folder",), (), "/dev/null/x"),
    Line("ingest {}/run.json", 2, ("port 1 failed", "u:***@127", "!hunter2"), (), "postgresql+psycopg://u:hunter2@127.0.0.1:1/d"),
    Line("ingest --history {}/new/h.db {}/run.json", 0, ("run: kept",), ("new/h.db", "!history.db")),
    Line("ingest --history= {}/run.json", 0, ("run: kept",), ("history.db",)),
    Line("page", 2, ("arguments are required: -o/--output",)),
    Line("page -o {}/page", 2, ("there is no history", "ingest makes one"), ("!page", "!history.db")),
    Line("page -o {}/page --nights 0", 2, ("argument --nights: invalid number of 1 or more value: '0'",), ("!page",)),
    Line("page -o {}/page --nights many", 2, ("invalid number of 1 or more value: 'many'",)),
    Line("page -o {}/page --figures 0", 2, ("argument --figures: invalid number of 1 or more value",), ("!page",)),
    Line("page -o {}/page --figures 1", 0, ("2 nights to", "page: {}/page/index.html"),
         ("page/kernels/copy-plain.html", "page/figures/kernel-copy-plain.png",
          "!page/figures/kernel-transpose-padded.png"),
         "{}/full.db"),
    Line("page -o {}/all", 2, ("{}/all is there and is no report of cugate's: name another folder, or remove it",),
         ("all/a-run.json", "all/readme.txt", "!all/index.html"), "{}/full.db"),
    Line("page -o {}/readme.txt", 2, ("is there and is no report of cugate's",), ("readme.txt",), "{}/full.db"),
    Line("page -o /proc/page", 2, ("cannot write beside /proc/page",), (), "{}/full.db"),
    Line("export", 2, ("one of the arguments FOLDER --csv --alike is required",)),
    Line("export {}/out --csv {}/v.csv", 2, ("not allowed with argument",), ("!out", "!v.csv")),
    Line("export --alike {}/out --csv {}/v.csv", 2, ("not allowed with argument",), ("!out", "!v.csv")),
    Line("export {}/out --last 0", 2, ("argument --last: invalid number of 1 or more value: '0'",), ("!out",)),
    Line(f"export --last 1{'0' * 30} {{}}/out", 0, ("2 runs: {}/out",), ("out",), "{}/full.db"),
    Line("export --last 1 --csv {}/v.csv", 0, ("1 run: {}/v.csv",), ("v.csv",), "{}/full.db"),
    Line("export {}/readme.txt", 2, ("cannot write {}/readme.txt: File exists",), ("readme.txt",), "{}/full.db"),
    Line("export --csv {}/all", 2, ("cannot write {}/all: Is a directory",), ("all/readme.txt",), "{}/full.db"),
    Line("export --csv {}/none/v.csv", 2, ("No such file or directory",), ("!none",), "{}/full.db"),
    Line("export --csv=", 2, ("Is a directory",), (), "{}/full.db"),
    Line("export --csv /dev/full", 2, ("cannot write /dev/full: No space left on device",), (), "{}/full.db"),
    Line("export --csv /dev/null", 0, ("2 runs: /dev/null",), (), "{}/full.db"),
    Line("state", 0, ("!2023",), (), "{}/full.db"),
    Line("state --seen", 2, ("error: there is none; red nights: none",), (), "{}/full.db"),
    Line("state --seen --gpu A100", 2, ("has no run of A100",), (), "{}/full.db"),
    Line("state --seen --mended-by 01234567", 2, ("not allowed with argument",), (), "{}/full.db"),
    Line("state --mended-by HEAD", 2, ("invalid commit, 7 to 64 hexadecimal digits value: 'HEAD'",), (), "{}/full.db"),
    Line("state --expected-until soon", 2, ("argument --expected-until: invalid day value: 'soon'",), (), "{}/full.db"),
    Line("prune", 2, ("one of the arguments --keep --future is required",)),
    Line("prune --keep 1 --future", 2, ("not allowed with argument",), (), "{}/full.db"),
    Line("prune --future", 0, ("0 runs removed",), (), "{}/full.db"),
    Line("prune --keep -1", 2, ("argument --keep: invalid number of 1 or more value: '-1'",)),
    Line("prune --keep 1", 0, ("1 run removed",), (), "{}/full.db"),
    Line(f"prune --keep {'9' * 30}", 0, ("0 runs removed",), (), "{}/full.db"),
)  # fmt: skip


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


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.command[:60] or "nothing")
def test_command_lines(line: Line, filled: Path, tmp_path: Path) -> None:
    folder = tmp_path
    shutil.copytree(filled, folder, dirs_exist_ok=True)
    words, history = (text.replace("{}", str(folder)) for text in (line.command, line.history))
    done = reports(*words.split(), HISTORY=history, COLUMNS="1000")
    said = (done.stdout + done.stderr).replace(str(folder), "{}")
    assert done.returncode == line.code, said
    for words in line.words:
        assert (words[1:] not in said) if words.startswith("!") else (words in said), said
    for name in line.files:
        assert (folder / name.removeprefix("!")).exists() != name.startswith("!"), sorted(folder.rglob("*"))
    assert (folder / "all/readme.txt").read_bytes() == (folder / "readme.txt").read_bytes() == NO_RUN
    assert not list(folder.glob(".*"))


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


def test_a_reader_that_never_came_is_no_error(tmp_path: Path) -> None:
    """The error appears when all of a short table is still to be written."""
    with History(str(tmp_path / "history.db")) as history:
        history.ingest(make.run())
    ours, theirs = os.pipe()
    os.close(ours)
    done = alone("export", "--history", tmp_path / "history.db", "--csv", "-", stdout=theirs)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_listener_that_left_is_told_and_what_was_kept_is_kept(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(make.run())
    ours, theirs = os.pipe()
    os.close(ours)
    done = alone("ingest", "-v", "--history", tmp_path / "history.db", tmp_path / "run.json", stdout=theirs)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (2, b"reports: error: cannot write standard output: Broken pipe\n")
    with History(str(tmp_path / "history.db")) as history:
        assert len(list(history.read("run"))) == 1


@pytest.mark.parametrize("history", ["host=h user=u password=hunter2", "u:hunter2@h/d"])
def test_a_connection_string_is_no_file_and_its_password_is_not_told(history: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(make.run())
    done = reports("ingest", "--history", history, "run.json", cwd=tmp_path)
    assert done.returncode == 2 and "looks like the connection string of a database" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr and os.listdir(tmp_path) == ["run.json"]


def test_a_file_that_is_too_much_loses_no_other(tmp_path: Path) -> None:
    wide = {f"a/k{number}": {f"m{number}": 1} for number in range(3000)}
    for name, data in (("a.json", make.run(0, wide)), ("b.json", make.run(1)), ("c.json", make.run(2))):
        (tmp_path / name).write_bytes(data)
    done = reports("ingest", "--history", tmp_path / "history.db", tmp_path)
    assert done.returncode == 2 and "a.json has 3,000 kernels and 3,000 metrics" in done.stderr
    assert "2 x run: kept" in done.stdout and "1 refused" in done.stdout


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
