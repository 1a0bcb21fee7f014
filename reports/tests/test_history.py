"""Tests what a history stores, refuses, removes and exports, in SQLite and in PostgreSQL."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import make
import pytest
import sqlalchemy as sa
from conftest import RECORDED, Begun, die, end_of, forked, reports

from cugate_reports import files, tables, whole
from cugate_reports import history as history_module
from cugate_reports.export import write_alike, write_runs, write_values
from cugate_reports.files import BadFile, Run
from cugate_reports.history import Future, History, HistoryError, Stored


@pytest.fixture
def history(url: str) -> Iterator[History]:
    """An empty history in each kind of database."""
    with History(url) as made:
        yield made


KINDS = ("run", "report", "explanations", "baseline", "analysis")


def contents(history: History) -> dict[str, list[Stored]]:
    return {kind: list(history.read(kind)) for kind in KINDS}


def bodies(history: History, kind: str = "run", device: str | None = None, last: int | None = None) -> list[bytes]:
    return [stored.body for stored in history.read(kind, device, last)]


# ---- Keeping


def test_a_file_comes_back_byte_by_byte(history: History) -> None:
    run = RECORDED.read_bytes()
    said = {"report": make.report(run, []), "explanations": make.explanations(run, ["reduce/cub"])}
    said |= {"baseline": make.baseline(), "analysis": make.analysis()}
    assert history.ingest(run) == "run: kept"
    for kind, data in said.items():
        assert history.ingest(data) == f"{kind}: kept"
    assert {kind: bodies(history, kind) for kind in KINDS} == {"run": [run]} | {kind: [said[kind]] for kind in said}


def test_an_empty_history_gives_nothing(history: History) -> None:
    assert history.devices() == [] and history.prune(1) == 0
    assert contents(history) == {kind: [] for kind in KINDS}


def test_the_same_file_again_changes_nothing(history: History) -> None:
    run = make.run()
    said = [make.report(run), make.explanations(run), make.baseline(), make.analysis()]
    for data in [run, *said]:
        history.ingest(data)
    before = contents(history)
    for data in [*said, run]:
        assert history.ingest(data).endswith(": was there already")
    assert contents(history) == before


def test_the_same_sessions_with_other_content_are_refused(history: History) -> None:
    run = make.run()
    history.ingest(run)
    with pytest.raises(BadFile, match="is another file about sessions that are in the history already"):
        history.ingest(make.run(kernels={"copy/plain": {"time": 1}}))
    with pytest.raises(BadFile, match="is another file about sessions"):
        history.ingest(run + b"\n")
    assert bodies(history) == [run]


def test_runs_are_read_in_the_order_of_their_dates(history: History) -> None:
    runs = {night: make.run(night) for night in range(40)}  # more runs than are fetched at once
    for night in sorted(runs, key=lambda night: night * 7 % 40):
        history.ingest(runs[night])
    assert bodies(history) == list(runs.values())
    assert bodies(history, last=3) == [runs[37], runs[38], runs[39]]
    assert bodies(history, last=1000) == list(runs.values())
    assert [stored.date for stored in history.read("run", last=1)] == [make.date_of(39)]


def test_a_run_of_several_sessions_has_the_date_of_the_last(history: History) -> None:
    history.ingest(make.run(dates=[make.date_of(5), make.date_of(7), make.date_of(6)]))
    assert [stored.date for stored in history.read("run")] == [make.date_of(7)]


def test_models_of_gpu_are_kept_apart(history: History) -> None:
    ours = [make.run(night) for night in (1, 3)]
    theirs = [make.run(night, device=make.OTHER_DEVICE) for night in (0, 2)]
    for run in ours + theirs:
        history.ingest(run)
    first, second = history.devices()  # the model of the newest run comes first
    assert ("H200" in first, "H100" in second) == (True, True)
    assert bodies(history, device=first) == ours and bodies(history, device=second) == theirs
    assert bodies(history, device=first, last=1) == ours[1:]


def test_collectors_are_kept_apart(history: History) -> None:
    """Each collector has its own nights, reports, explanations, baselines and analysis, even if kernels and dates are
    equal.
    """
    for night, collector in ((1, "cupti"), (1, "exec"), (2, "host")):
        run = make.run(night, collector=collector)
        for data in (run, make.report(run, []), make.explanations(run)):
            assert history.ingest(data).endswith(": kept")
        history.ingest(make.baseline(collector=collector))
        history.ingest(make.analysis(collector=collector))
    ours, theirs = history.devices()
    assert '"exec"' in theirs and "collector" not in ours
    for kind, count in (("run", 2), ("report", 2), ("explanations", 2), ("baseline", 1)):
        assert len(bodies(history, kind, device=ours)) == count
        assert [b'"exec"' in body for body in bodies(history, kind, device=theirs)] == [True]
    assert len(bodies(history, "analysis")) == 2


@pytest.mark.parametrize(
    "name",
    [
        "'; drop table cugate_documents; --",
        "%(name)s %s {} :x",
        "\U0001f600" * 256,
        "\x01" * 256,
        'a"\\b',
        "\u202e",
        " ",
    ],
    ids=ascii,
)
def test_hostile_device_names_are_kept(history: History, name: str) -> None:
    run = make.run(device={**make.OTHER_DEVICE, "name": name})
    history.ingest(run)
    history.ingest(make.report(run))
    history.ingest(make.explanations(run))
    history.ingest(make.analysis(device=name))
    assert bodies(history, device=history.devices()[0]) == [run]
    assert len(bodies(history, "report", history.devices()[0])) == 1
    assert len(bodies(history, "analysis", name)) == 1


def test_hostile_facts_are_kept(history: History) -> None:
    run = make.run(host="'\0\"\n%s", gpu_uuid="\0", kernels={"../\0'; --": {"\0": 1}})
    assert history.ingest(run) == "run: kept"
    assert history.ingest(make.report(run)) == "report: kept"
    assert bodies(history) == [run]


def test_what_is_dated_after_today_is_refused(history: History) -> None:
    """A date up to a day ahead of this machine's clock is accepted."""
    now = time.time()
    near, far = (time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now + hours * 3600)) for hours in (12, 48))
    assert history.ingest(make.run(date=near)) == "run: kept"
    for made in (make.run(date=far), make.run(dates=[far, make.date_of(0)]), make.baseline(date=far)):
        with pytest.raises(BadFile, match=f"dated after today: {far}, and by the clock of this machine it is "):
            history.ingest(made)
    with pytest.raises(BadFile, match="dated after today"):
        history.ingest(make.analysis(last_date=far))
    assert (len(bodies(history)), history.future().dates) == (1, [])


# ---- What is said of runs


def test_a_report_before_its_run_is_refused(history: History) -> None:
    run = make.run()
    history.ingest(make.run(1))
    before = contents(history)
    with pytest.raises(BadFile, match="is a report about a run that is not in the history: ingest that run file first"):
        history.ingest(make.report(run))
    with pytest.raises(BadFile, match="explains a run that is not in the history: ingest that run file first"):
        history.ingest(make.explanations(run))
    assert contents(history) == before


def test_a_later_report_replaces_the_earlier(history: History) -> None:
    run = make.run()
    first, second = make.report(run), make.report(run, [], exit_code=3)
    assert [history.ingest(data) for data in (run, first, second)][2] == "report: replaced the earlier one"
    assert bodies(history, "report") == [second] and bodies(history) == [run]
    first, second = make.explanations(run), make.explanations(run, ["copy/plain"])
    assert [history.ingest(data) for data in (first, second)][1] == "explanations: replaced the earlier one"
    assert bodies(history, "explanations") == [second]
    first, second = make.analysis(0), make.analysis(1)
    assert [history.ingest(data) for data in (first, second)][1] == "analysis: replaced the earlier one"
    assert bodies(history, "analysis") == [second]


def test_reports_and_explanations_belong_to_their_own_run(history: History) -> None:
    runs = [make.run(0), make.run(1), make.run(1, device=make.OTHER_DEVICE), make.run(2)]
    for run in runs:
        history.ingest(run)
    for run in reversed(runs):
        history.ingest(make.report(run, []))
        history.ingest(make.explanations(run))
    for kind, said in (("report", lambda run: make.report(run, [])), ("explanations", make.explanations)):
        of = {stored.key: stored for stored in history.read(kind)}
        for stored in history.read("run"):
            assert of[stored.key].body == said(stored.body)
            assert (of[stored.key].device, of[stored.key].date) == (stored.device, stored.date)


def test_explanations_of_a_moment_in_which_two_ran_belong_to_the_later(history: History) -> None:
    """Explanations do not tell on which GPU their session was."""
    first, second = make.run(gpu_uuid="GPU-1"), make.run(gpu_uuid="GPU-2")
    for data in (first, second, make.explanations(first)):
        history.ingest(data)
    keys = {stored.body: stored.key for stored in history.read("run")}
    assert [stored.key for stored in history.read("explanations")] == [keys[second]]


def test_explanations_of_two_runs_in_one_file_are_refused(history: History) -> None:
    runs = make.run(0), make.run(1)
    for run in runs:
        history.ingest(run)
    with pytest.raises(BadFile, match="has explanations of several runs"):
        history.ingest(make.explanations(runs[0]) + make.explanations(runs[1]))
    assert bodies(history, "explanations") == []


def test_baselines_are_kept_by_kernel(history: History) -> None:
    one, two = ({name: {"time": 1}} for name in ("copy/plain", "transpose/padded"))
    first, second = make.baseline(0, one), make.baseline(1, two)
    assert [history.ingest(data) for data in (first, second)] == ["baseline: kept"] * 2
    accepted = make.baseline(2, one, reason="a faster copy")
    assert history.ingest(accepted) == "baseline: replaced the earlier one"
    assert bodies(history, "baseline") == [second, accepted]
    assert history.devices() == []  # nothing ran: a baseline alone makes no page


def test_what_an_earlier_version_took_in_of_the_future_is_left_out_until_it_is_removed(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left out whatever kind of file it is, and does not count when others are kept."""
    runs, far = [make.run(night) for night in range(2)], "2099-01-01T00:00:00.000Z"
    for run in runs:
        history.ingest(run)
    theirs = {"date": far, "device": make.OTHER_DEVICE}
    with monkeypatch.context() as before:
        before.setattr("cugate_reports.history._today", lambda: "2999")
        later = make.run(**theirs)  # type: ignore[arg-type]
        made = (make.run(date=far), later, make.report(later), make.explanations(later), make.baseline(date=far))
        for data in (*made, make.analysis(last_date=far)):
            history.ingest(data)
    assert history.future() == Future([far, far], is_most=False) and len(history.devices()) == 1
    assert history.prune(2) == 0
    assert {kind: bodies(history, kind) for kind in KINDS} == {"run": runs} | {kind: [] for kind in KINDS[1:]}
    assert (history.prune_future(), history.future().dates, history.prune_future()) == (2, [], 0)
    assert bodies(history) == runs
    with monkeypatch.context() as before:
        before.setattr("cugate_reports.history._today", lambda: "2999")
        assert sum(len(bodies(history, kind)) for kind in KINDS) == 2


def test_what_one_database_would_refuse_is_refused_by_all(history: History) -> None:
    """It is the file's fault, so the next file is added."""
    for collector in ("c" * 5000, "c\0"):
        for data in (make.run(collector=collector), make.analysis(collector=collector)):
            with pytest.raises(BadFile, match="collector"):
                history.ingest(data)
    worst = {"name": "\1" * 256, "compute_capability": "\1" * 20, "sm_count": 2**63 - 1, "memory_bytes": 2**63 - 1}
    worst |= {"ecc": False, "mig": False}
    run = make.run(device=worst, collector='"' * 64)
    for data in (run, make.report(run), make.explanations(run), make.analysis(device="\1" * 256, collector='"' * 64)):
        assert history.ingest(data).endswith(": kept")
    width = tables.documents.c.device.type.length  # type: ignore[attr-defined]
    assert max(map(len, history.devices())) <= width


def test_what_was_taken_out_of_files_and_is_damaged_is_told(history: History) -> None:
    run = make.run()
    history.ingest(run)
    history.ingest(make.report(run))
    (member,) = history.members(history.devices()[0])
    assert member.report is not None
    with History(history.url.render_as_string(hide_password=False)) as other, other.writing() as connection:
        connection.execute(tables.extracts.update().values(body=b"no extract"))
    for read, sha256 in ((history.run_extract, member.sha256), (history.report_extract, member.report)):
        with pytest.raises(HistoryError, match="is damaged: .* Empty its tables cugate_extracts"):
            read(member.key, sha256, history)
    with history.writing() as connection:
        connection.execute(tables.extracts.delete())
    assert history.run_extract(member.key, member.sha256, history).kernels


@pytest.mark.parametrize(("today", "most"), [("1990", True), (make.date_of(1), True), (make.date_of(2), False)])
def test_a_clock_that_was_set_back_removes_nothing(
    history: History, monkeypatch: pytest.MonkeyPatch, today: str, most: bool
) -> None:
    """If most runs are in the future, they are believed rather than this machine's clock."""
    runs = [make.run(night) for night in range(5)]
    for run in runs:
        history.ingest(run)
    with monkeypatch.context() as back:
        back.setattr("cugate_reports.history._today", lambda: today)
        assert history.future().is_most == most
        if most:
            with pytest.raises(HistoryError, match="nothing is removed.* the clock of this machine is wrong"):
                history.prune_future()
        else:
            assert history.prune_future() == 2
    assert len(bodies(history)) == (5 if most else 3)


def test_one_command_takes_files_in_any_order(url: str, tmp_path: Path) -> None:
    run = make.run()
    made = {"a.json": make.explanations(run), "b.json": make.report(run), "c.json": make.baseline(), "d.json": run}
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    done = reports("ingest", "--history", url, *(tmp_path / name for name in made))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n")[:4] == ["baseline: kept", "explanations: kept", "report: kept", "run: kept"]
    with History(url) as history:
        assert [len(bodies(history, kind)) for kind in KINDS] == [1, 1, 1, 1, 0]


# ---- Forgetting


def test_prune_keeps_the_newest_of_each_model(history: History) -> None:
    runs = [make.run(night) for night in range(5)] + [make.run(night, device=make.OTHER_DEVICE) for night in range(3)]
    for run in runs:
        history.ingest(run)
        history.ingest(make.report(run))
        history.ingest(make.explanations(run))
    history.ingest(make.baseline(-100))
    history.ingest(make.analysis(-100))
    assert history.prune(5) == 0
    assert history.prune(2) == 4
    left = [runs[3], runs[4], runs[6], runs[7]]
    assert sorted(bodies(history)) == sorted(left)
    for kind in ("report", "explanations"):
        assert {stored.key for stored in history.read(kind)} == {stored.key for stored in history.read("run")}
    assert len(bodies(history, "baseline")) == len(bodies(history, "analysis")) == 1
    assert history.prune(2) == 0
    assert history.ingest(runs[0]) == "run: kept"  # a removed run may come back
    assert history.prune(1 << 31) == 0


# ---- Giving back


def test_export_gives_files_back_and_they_make_the_same_history(history: History, tmp_path: Path) -> None:
    runs = [RECORDED.read_bytes(), *(make.run(night) for night in range(3)), make.run(3, device=make.OTHER_DEVICE)]
    for run in runs:
        history.ingest(run)
    out = tmp_path / "out"
    assert write_runs(history, out, None) == len(runs)
    written = [path.read_bytes() for path in sorted(out.iterdir())]
    assert sorted(written) == sorted(runs)
    assert all(re.fullmatch(r"[0-9]{4}-[0-9-]{5}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f]{8}\.json", p.name) for p in out.iterdir())
    with History(str(tmp_path / "again.db")) as again:
        for data in written:
            again.ingest(data)
        assert contents(again) == contents(history)
    assert write_runs(history, tmp_path / "newest", 1) == 2  # one run of each model
    assert sorted(path.read_bytes() for path in (tmp_path / "newest").iterdir()) == sorted([runs[0], runs[4]])


def test_exported_values_are_those_of_the_pages(history: History) -> None:
    sessions = {"a/b": {"time": [[3, 1, 2], [4]], "flop_rate": [[1], [-1]], "branch_efficiency": "not counted"}}
    runs = [RECORDED.read_bytes(), make.run(0, sessions), make.run(1, commit=None)]  # type: ignore[arg-type]
    for data in runs:
        history.ingest(data)
    stream = io.StringIO(newline="")
    assert write_values(history, stream, None) == 3
    rows = list(csv.DictReader(io.StringIO(stream.getvalue(), newline="")))
    given = {(row["date"], row["kernel"], row["metric"]): float(row["value"]) for row in rows}
    wanted = {}
    for data in runs:
        run = files.parse(data, Run)
        for kernel, result in run.kernels.items():
            for metric, row in result.metrics.items():
                if not math.isnan(row.value()):
                    wanted[run.sessions[-1].date, kernel, metric] = row.value()
    assert given == wanted and len(rows) == len(wanted) > 1000
    assert given[make.date_of(0), "a/b", "time"] == 3
    units = {row["metric"]: row["unit"] for row in rows if row["kernel"] == "access/coalesced"}
    assert (units["time"], units["achieved_occupancy"]) == ("ns", "%")
    assert {row["commit"] for row in rows if row["date"] == make.date_of(1)} == {""}
    assert {row["device"] for row in rows} == {"NVIDIA H200"}


NO_FORMULAS = ["", " =1", "a=1", 'a,"b"\r\n=c;\t\u202e', "0", "\uff1d1", "(1)"]
FORMULAS = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "'", "'=1", "''"]


def test_hostile_names_survive_a_table(history: History) -> None:
    """They are unchanged if a spreadsheet would calculate nothing, and otherwise follow a '."""
    names = [*NO_FORMULAS, *FORMULAS]
    device = {**make.OTHER_DEVICE, "name": "=1"}
    history.ingest(make.run(0, {name: {name: 1} for name in names}, gpu_uuid="+1", commit="-1", device=device))
    stream = io.StringIO(newline="")
    write_values(history, stream, 1)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue(), newline="")))
    written = [*NO_FORMULAS, *("'" + name for name in FORMULAS)]
    assert sorted(row["kernel"] for row in rows) == sorted(row["metric"] for row in rows) == sorted(written)
    assert sorted(name.removeprefix("'") for name in written) == sorted(names)
    assert {(row["device"], row["gpu_uuid"], row["commit"], row["value"]) for row in rows} == {
        ("'=1", "'+1", "'-1", "1.0")
    }


def test_export_for_an_analysis_has_the_runs_of_one_code(history: History, tmp_path: Path) -> None:
    """Of a run that was measured again, only its first session is exported."""

    def run(night: int, code: str, **more: object) -> bytes:
        data = make.run(night, {"copy/plain": {"time": [[1], [2]] if "dates" in more else 1}}, **more)  # type: ignore
        return data.replace(b'"launches": []', b'"launches": [{"code": "%s"}]' % code.encode())

    wanted = [run(1, "new"), run(3, "new", dates=[make.date_of(3), make.date_of(4)]), run(5, "new")]
    for data in [run(0, "old"), *wanted, run(2, "old"), run(6, "old", device=make.OTHER_DEVICE | {"name": "A"})][:5]:
        history.ingest(data)
    assert write_alike(history, tmp_path / "out", None) == 3
    found = [files.parse(path.read_bytes(), Run) for path in sorted((tmp_path / "out").iterdir())]
    assert [run.sessions[0].date for run in found] == [make.date_of(1), make.date_of(3), make.date_of(5)]
    assert [run.kernels["copy/plain"].metrics["time"].sessions for run in found] == [[[1]], [[1]], [[1]]]
    assert {len(run.sessions) for run in found} == {1}


def test_a_file_gets_its_name_when_it_is_whole(tmp_path: Path) -> None:
    to = tmp_path / "values.csv"
    to.write_text("earlier")
    with pytest.raises(KeyboardInterrupt), whole.file(to) as stream:
        stream.write("half")
        raise KeyboardInterrupt
    assert to.read_text() == "earlier" and os.listdir(tmp_path) == ["values.csv"]
    with whole.file(to) as stream:
        stream.write("later")
    assert to.read_text() == "later" and os.listdir(tmp_path) == ["values.csv"]
    with whole.file(to, "wb") as stream:
        stream.write(b"bytes\n")
    assert to.read_bytes() == b"bytes\n" and os.listdir(tmp_path) == ["values.csv"]


def test_no_link_leads_a_file_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link leads nowhere else in place of the file, nor in place of its temporary file, if somebody could guess its
    name.
    """
    (tmp_path / "mine").write_text("years of work")
    to = tmp_path / "values.csv"
    to.symlink_to("mine")
    with whole.file(to) as stream:
        stream.write("values")
    assert (to.is_symlink(), to.read_text()) == (False, "values")
    guessed = tmp_path / "guessed"
    guessed.symlink_to("mine")
    monkeypatch.setattr(whole, "_beside", lambda _: guessed)
    with pytest.raises(FileExistsError), whole.file(to) as stream:
        stream.write("values")
    assert (tmp_path / "mine").read_text() == "years of work"


def test_what_is_a_day_old_was_left_and_goes(tmp_path: Path) -> None:
    """What is newer is in the making; other files with similar names stay, too."""
    names = [f".cugate-{digit * 16}" for digit in "0123"] + [".cugate-mine"]
    left, folder, link, newer, other = (tmp_path / name for name in names)
    folder.mkdir()
    link.symlink_to(tmp_path)
    for path in (left, folder / "x", newer, other):
        path.touch()
    for path in (left, folder, link, other):
        os.utime(path, (0, 0), follow_symlinks=False)
    with whole.file(tmp_path / "values.csv") as stream:
        stream.write("values")
    assert set(os.listdir(tmp_path)) == {newer.name, other.name, "values.csv"}


# ---- Several at once


def test_writers_wait_for_each_other(url: str, tmp_path: Path) -> None:
    """Four processes ingest 25 runs each, of which ten are the same, into a database that does not exist yet."""
    shares = []
    for writer in range(4):
        folder = tmp_path / str(writer)
        folder.mkdir()
        for night in [*range(10), *range(100 * (writer + 1), 100 * (writer + 1) + 15)]:
            (folder / f"{night}.json").write_bytes(make.run(night))
            if night % 5 == 0:
                (folder / f"said-{night}.json").write_bytes(make.report(make.run(night)))
        shares.append(folder)
    said: Counter[str] = Counter()
    for writer in [Begun("ingest", "--history", url, share) for share in shares]:
        done = writer.end()
        assert done.returncode == 0, done.stderr
        for count, words in re.findall(r"(?m)^(?:([0-9]+) x )?(.*)$", done.stdout):
            said[words] += int(count or 1)
    assert (said["run: kept"], said["run: was there already"]) == (10 + 4 * 15, 3 * 10)
    assert (said["report: kept"], said["report: was there already"]) == (2 + 4 * 3, 3 * 2)
    nights = sorted([*range(10), *(100 * (writer + 1) + night for writer in range(4) for night in range(15))])
    with History(url) as history:
        assert bodies(history) == [make.run(night) for night in nights]
        assert len(bodies(history, "report")) == 14


def test_a_reader_sees_what_was_there_when_it_began(history: History, url: str) -> None:
    for night in range(40):
        history.ingest(make.run(night))
    reader = history.read("run")
    seen = [next(reader).body]
    seen += [stored.body for stored in reader]
    with History(url) as other:
        assert other.prune(1) == 39
    assert len(seen) == 40 and len(bodies(history)) == 1


# ---- What is no history


def _text(path: Path) -> str:
    path.write_text("nights to remember\n" * 100)
    return str(path)


def _folder(path: Path) -> str:
    path.mkdir()
    return str(path)


def _below_a_file(path: Path) -> str:
    path.touch()
    return str(path / "history.db")


def _far_below_a_file(path: Path) -> str:
    path.touch()
    return str(path / "a/b/history.db")


def _broken(path: Path) -> str:
    with History(str(path)) as history:
        history.ingest(make.run())
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 8192)
    return str(path)


def _later(path: Path) -> str:
    with History(str(path)), sa.create_engine(f"sqlite:///{path}").begin() as connection:
        connection.execute(sa.text("update cugate_schema set version = 7"))
    return str(path)


def _link_to_nothing(path: Path) -> str:
    path.symlink_to(path.parent / "no/such/folder/history.db")
    return str(path)


NO_FILE: dict[Callable[[Path], str], str] = {
    _text: "file is not a database",
    _folder: "unable to open database file",
    _below_a_file: "is not a folder",
    _far_below_a_file: "Not a directory",
    _broken: "malformed",
    _later: "was made by a later version of cugate (schema 7): update this one",
    _link_to_nothing: "unable to open database file",
}
NO_HISTORY = [
    line.split(" | ")
    for line in (Path(__file__).parent / "no_history.txt").read_text().splitlines()
    if not line.startswith("#")
]


def refused(url: str, words: str) -> None:
    with pytest.raises(HistoryError) as refusal, History(url) as history:
        bodies(history)
    assert words in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("make", NO_FILE)
def test_a_file_that_is_no_history_is_told(make: Callable[[Path], str], tmp_path: Path) -> None:
    refused(make(tmp_path / "it"), NO_FILE[make])


@pytest.mark.parametrize(("url", "what", "words"), NO_HISTORY)
def test_what_is_no_history_is_told(url: str, what: str, words: str) -> None:
    refused(url, words)


@pytest.mark.parametrize(
    "name", ["a b.db", "a?b#c.db", "100%20.db", "u:p@h.db", "\u00fc.db", "new/folder/history.db", "x.db?mode=ro"]
)
def test_a_path_is_taken_as_it_is(name: str, tmp_path: Path) -> None:
    with History(str(tmp_path / name)) as history:
        history.ingest(make.run())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / name]


def test_a_file_that_is_broken_within_is_told(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    with History(str(path)) as history:
        history.ingest(make.run())
        with sa.create_engine(f"sqlite:///{path}").begin() as connection:
            connection.execute(sa.text("update cugate_documents set body = x'00'"))
        with pytest.raises(HistoryError, match="cannot be used: Error -5 while decompressing data"):
            bodies(history)


def test_a_writer_that_dies_leaves_the_history_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer is killed between writing and committing; the next one finds what was there before."""
    database = tmp_path / "history.db"
    with History(str(database)) as history:
        history.ingest(make.run())
    put = history_module._put
    with monkeypatch.context() as killed:
        killed.setattr(history_module, "_put", lambda *words, **more: die(put(*words, **more)))
        assert end_of(forked(lambda: History(str(database)).ingest(RECORDED.read_bytes()))) == -9
    with History(str(database)) as history:
        assert bodies(history) == [make.run()]
        assert history.ingest(RECORDED.read_bytes()) == "run: kept"
