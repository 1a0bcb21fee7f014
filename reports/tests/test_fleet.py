"""Tests histories of several runners, and extracts of run files for the pages: extracts equal the files, they can be
made again, and what is unknown never looks good.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import make
import numpy as np
import pytest
import sqlalchemy as sa
from conftest import RECORDED, Begun, die, end_of, forked
from test_site import Page, check, contents, kernel_page, write

from cugate_reports import extracts, files, fleet, nights, overview, series, site, tables
from cugate_reports.files import Run
from cugate_reports.history import History, HistoryError
from cugate_reports.links import Links
from cugate_reports.nights import VERDICTS, Loader, Nights

HOSTS = ["alpha", "beta", "gamma", "delta"]
NAMES = ["copy/plain", "copy/wide", "transpose/padded"]


def made(night: int, host: str, factor: float = 1.0, kernels: Sequence[str] = NAMES, **facts: Any) -> bytes:
    """Returns a run in which a kernel's time identifies kernel, night and host."""
    rows = {
        name: {"time": factor * 1000 * (place + 1) * (1 + 0.001 * HOSTS.index(host)), "dram_throughput": 50.0 + place}
        for place, name in enumerate(kernels)
    }
    return make.run(night, rows, host=host, **{"gpu_uuid": f"GPU-{host}", **facts})


def judged(run: bytes, verdict: str = "same", **more: Any) -> bytes:
    document = files.parse(run, Run)
    rows = [
        make.judgement(
            kernel,
            metric,
            verdict if (place, metric) == (0, "time") else "same",
            base=900.0,
            now=row.value(),
            limit=200.0,
        )
        for place, (kernel, result) in enumerate(document.kernels.items())
        for metric, row in result.metrics.items()
    ]
    return make.report(run, rows, **{"exit_code": int(verdict == "regressed"), **more})


def keep(history: History, *documents: bytes) -> None:
    for document in documents:
        history.ingest(document)


def loaded(history: History, last: int = 365) -> Nights:
    with Loader(history) as loader:
        return loader.load(history.devices()[0], last)


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets today to the morning after the fourth night, so that no night is missing since."""
    morning = datetime.fromisoformat(make.date_of(3).replace("Z", "+00:00"))

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return morning.astimezone(tz or timezone.utc)

    monkeypatch.setattr(nights, "datetime", Clock)


def fleet_of(count: int, hosts: Sequence[str] = HOSTS) -> list[bytes]:
    runs = [made(night, host) for night in range(count) for host in hosts]
    return [document for run in runs for document in (run, judged(run))]


# ---- What is taken out of files


def test_extracts_are_what_the_files_say() -> None:
    """Every value of a recorded run is the same after encoding and decoding."""
    run = files.parse(RECORDED.read_bytes(), Run)
    extract = extracts.decode(extracts.encode(extracts.of_run(run)), extracts.RunExtract)
    count = 0
    for (row, kernel), (column, metric) in itertools.product(enumerate(extract.kernels), enumerate(extract.metrics)):
        there = run.kernels[kernel].metrics.get(metric)
        wanted = there.value() if there else math.nan
        assert extract.values[row, column] == wanted or math.isnan(extract.values[row, column]) and math.isnan(wanted)
        count += math.isfinite(wanted)
    assert count > 1000 and sorted(run.kernels) == extract.kernels


@pytest.mark.parametrize("kernels", [{}, {"a/b": {}}, {"a/b": {"time": "not counted"}}])
def test_extracts_of_nothing(kernels: dict[str, Any]) -> None:
    extract = extracts.of_run(files.parse(make.run(0, kernels), Run))
    again = extracts.decode(extracts.encode(extract), extracts.RunExtract)
    assert (again.kernels, again.metrics) == (extract.kernels, extract.metrics)
    assert not np.isfinite(again.values).any() and again.values.shape == extract.values.shape


def test_a_night_is_the_median_of_its_runners_and_the_worst_of_their_verdicts(history: History) -> None:
    runs = [made(0, host) for host in HOSTS]
    keep(history, *runs, judged(runs[0]), judged(runs[1], "regressed"), judged(runs[2], "improved"), judged(runs[3]))
    found = loaded(history)
    assert (len(found.dates), [runner.host for runner in found.runners]) == (1, HOSTS)
    times = [files.parse(run, Run).kernels["copy/wide"].metrics["time"].value() for run in runs]
    assert found.tonight("copy/wide", "time") == pytest.approx(float(np.median(times)), rel=1e-15)
    over = found.over("copy/wide")
    column = found.columns["time"]
    assert (over.least[0, column], over.most[0, column]) == (min(times), max(times))
    assert over.values[0, column] == found.tonight("copy/wide", "time")
    assert found.worst_verdict("copy/plain") == "regressed" and found.worst_verdict("copy/wide") == "same"
    (row,) = [j for j in found.report.judgements if j.verdict == "regressed"]  # type: ignore[union-attr]
    assert row.reason == "regressed on 1 of 4 runners: beta"
    assert found.report.exit_code == 1  # type: ignore[union-attr]
    assert found.counts[0].tolist() == [{"regressed": 1, "same": 2}.get(name, 0) for name in VERDICTS], (
        "kernels, not rows"
    )


def test_better_on_one_runner_is_not_better(history: History) -> None:
    runs = [made(0, host) for host in HOSTS[:2]]
    keep(history, *runs, judged(runs[0]), judged(runs[1], "improved"))
    assert loaded(history).worst_verdict("copy/plain") == "same"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_medians_leave_out_what_is_not_known(count: int) -> None:
    stack = np.random.default_rng(count).normal(size=(count, 7, 3))
    stack[np.random.default_rng(9).random(stack.shape) < 0.4] = np.nan
    with (
        np.errstate(all="ignore"),
        pytest.warns(RuntimeWarning) if np.isnan(stack).all(axis=0).any() else nullcontext(),
    ):
        wanted = np.nanmedian(stack, axis=0)
    assert np.allclose(fleet._median(stack), wanted, rtol=1e-15, equal_nan=True)


def test_runs_of_one_host_are_nights_of_their_own_and_those_of_an_evening_are_one() -> None:
    def member(place: int, date: str, host: str) -> fleet.Member:
        return fleet.Member(f"{place}", date, json.dumps([host[0], [host[1:]]]), f"{place}", None)

    def keys(*members: tuple[str, str]) -> list[list[str]]:
        found = fleet.grouped(
            [member(place, f"2026-11-{date}:00.000Z", host) for place, (date, host) in enumerate(members)]
        )
        return [[one.key for one in night] for night in found]

    assert keys(("20T01:00", "a"), ("20T02:00", "a"), ("21T01:00", "a")) == [["0"], ["1"], ["2"]]
    # a pool: one host a night
    assert keys(("20T01:00", "a"), ("21T01:00", "b"), ("22T01:00", "a")) == [["0"], ["1"], ["2"]]
    assert keys(("20T23:50", "a"), ("21T00:10", "b"), ("21T11:59", "c"), ("21T12:00", "a")) == [["0", "1", "2"], ["3"]]
    assert keys(("20T23:50", "a"), ("21T00:10", "b"), ("21T03:00", "a")) == [["1", "2"]]  # the runner's last run counts
    # each GPU of a host is a runner
    assert keys(("20T23:50", "a0"), ("21T00:10", "b0"), ("21T03:00", "a1")) == [["0", "1", "2"]]
    assert keys(("20T23:50", "a0"), ("21T03:00", "a1")) == [["0"], ["1"]]


# ---- Kept and made again


def tables_of(history: History) -> dict[str, int]:
    with history.reading() as connection:
        return {
            table.name: connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in (tables.documents, tables.extracts, tables.nights, tables.series)
        }


def bodies(history: History) -> list[bytes]:
    return [stored.body for kind in ("run", "report") for stored in history.read(kind)]


@pytest.mark.parametrize("how", ["as it was", "tables gone", "rows gone", "broken off"])
def test_a_history_of_an_earlier_version_shows_the_same(url: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The history has files alone, or this version was interrupted while filling it: nights are complete or absent."""
    with History(url) as history:
        keep(history, *fleet_of(3, HOSTS[:2]))
        before, files_before = loaded(history), bodies(history)
        series_before = {kernel: before.over(kernel).values for kernel in before.kernels}
        whole = tables_of(history)
        with history.writing() as connection:
            if how == "tables gone":
                for table in (tables.series, tables.nights, tables.extracts):
                    table.drop(connection)
            elif how != "as it was":
                for table in (tables.series, tables.nights, tables.extracts):
                    connection.execute(table.delete())
    if how == "broken off":
        pack = fleet.Table.pack

        def first_night() -> None:
            with History(url) as history:
                history.prepare()
                series.make(history, history, fleet.grouped(history.members(history.devices()[0]))[0])

        with monkeypatch.context() as killed:
            killed.setattr(fleet.Table, "pack", lambda table, row: die() if row == 1 else pack(table, row))
            assert end_of(forked(first_night)) == -9
    with History(url, create=False) as history:
        if how == "broken off":
            assert (tables_of(history)["cugate_nights"], tables_of(history)["cugate_series"]) == (0, 0)
        after = loaded(history)
        assert tables_of(history) == whole and bodies(history) == files_before
        for name in ("dates", "kernels", "metrics", "units", "stamps", "runners"):
            assert getattr(after, name) == getattr(before, name), name
        for name in ("values", "bases", "limits", "drifts", "verdicts", "counts", "times"):
            assert np.array_equal(getattr(after, name), getattr(before, name), equal_nan=name != "verdicts"), name
        for kernel in after.kernels:
            assert np.array_equal(after.over(kernel).values, series_before[kernel], equal_nan=True)


@pytest.mark.parametrize("of", [extracts, fleet])
def test_another_form_is_taken_out_anew(history: History, monkeypatch: pytest.MonkeyPatch, of: Any) -> None:
    """A later version extracts all files again, and uses no night that an earlier one made."""
    keep(history, *fleet_of(1, HOSTS[:2]))
    loaded(history)
    monkeypatch.setattr(of, "FORM", of.FORM + "later")
    assert tables_of(history)["cugate_nights"] == 1
    loaded(history)
    assert tables_of(history)["cugate_nights"] == 2


def test_a_late_run_and_another_report_make_their_night_anew(history: History) -> None:
    runs = [made(night, host) for night in range(2) for host in HOSTS[:2]]
    keep(history, *runs, *map(judged, runs))
    assert loaded(history).counts[0, VERDICTS.index("regressed")] == 0
    keep(history, judged(runs[1], "regressed"))
    assert loaded(history).counts[0, VERDICTS.index("regressed")] == 1
    late = made(0, "gamma", 3.0)
    keep(history, late)
    found = loaded(history)
    times = [files.parse(run, Run).kernels["copy/plain"].metrics["time"].value() for run in (*runs[:2], late)]
    assert found.series("copy/plain", "time")[0] == sorted(times)[1]


def test_prune_keeps_nights_and_leaves_nothing_of_the_others(history: History) -> None:
    """A fleet's night is all of its runs, so keeping 2 nights is not keeping 2 of 8 runs."""
    keep(history, *fleet_of(4, HOSTS[:2]), made(2, "alpha", device=make.OTHER_DEVICE))
    with Loader(history) as loader:
        for device in history.devices():
            loader.load(device, 365)
    stale = tables_of(history)
    keep(history, judged(made(3, "beta"), "unsure"))  # so that the night exists twice
    assert len(loaded(history).dates) == 4 and tables_of(history)["cugate_nights"] == stale["cugate_nights"] + 1
    assert history.prune(2) == 4
    left = tables_of(history)
    assert (left["cugate_documents"], left["cugate_extracts"]) == (9, 9)
    assert left["cugate_nights"] == 6, "somebody may be drawing them"
    with history.writing() as connection:
        connection.execute(tables.nights.update().values(made="2026-01-01"))
    assert history.prune(2) == 0
    assert (tables_of(history)["cugate_nights"], tables_of(history)["cugate_series"]) == (3, 3 * len(NAMES))
    assert [date[:10] for date in loaded(history).dates] == [make.date_of(2)[:10], make.date_of(3)[:10]]


def test_a_row_that_is_gone_is_told_and_no_gap(history: History) -> None:
    keep(history, *fleet_of(2, HOSTS[:2]))
    found = loaded(history)
    with history.writing() as connection:
        connection.execute(tables.series.delete().where(tables.series.c.night == 1))
    with pytest.raises(HistoryError, match="was pruned while it was read: run this again"):
        found.over("copy/plain")


def test_a_night_that_goes_while_others_are_made_is_told(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """A late run replaced the night a day ago, and another process prunes it meanwhile."""
    keep(history, made(0, "alpha"))
    loaded(history)
    keep(history, made(1, "alpha"))
    whole = series.make

    def prunes(*words: Any) -> None:
        whole(*words)
        with history.writing() as connection:
            connection.execute(tables.nights.delete().where(tables.nights.c.id == 1))

    monkeypatch.setattr(series, "make", prunes)
    with pytest.raises(HistoryError, match="was pruned while it was read: run this again"):
        loaded(history)


def test_many_runners_ingest_at_once(url: str, tmp_path: Path) -> None:
    """Four runners ingest the runs of their nights, while pages are made and old nights pruned."""
    count, evenings = 4, 2
    for host in range(count):
        (tmp_path / str(host)).mkdir()
        for night in range(evenings):
            run = make.run(night, {name: {"time": 1000.0 + host} for name in NAMES}, host=f"runner-{host}")
            (tmp_path / str(host) / f"{night}.json").write_bytes(run)
            (tmp_path / str(host) / f"said-{night}.json").write_bytes(make.report(run))
    with History(url) as history:
        keep(history, made(0, "alpha"))
    words = [["ingest", "--history", url, str(tmp_path / str(host))] for host in range(count)]
    words += [["prune", "--history", url, "--keep", "100"]]
    words += [["page", "--figures", "1", "--history", url, "-o", str(tmp_path / place)] for place in ("one", "two")]
    for command in [Begun(*one) for one in words]:
        done = command.end()
        assert done.returncode == 0, done.stderr
    with History(url) as history:
        found = loaded(history)
        assert len(found.dates) == evenings and len(found.runners) == count
        assert tables_of(history)["cugate_extracts"] == 2 * evenings * count + 1
        assert found.tonight("copy/plain", "time") == 1000 + (count - 1) / 2


def test_pages_of_a_history_that_may_only_be_read(tmp_path: Path, figures: None) -> None:
    with History(str(tmp_path / "history.db")) as history:
        keep(history, *fleet_of(2, HOSTS[:2]))
    with History(str(tmp_path / "history.db"), create=False) as history:
        before = tables_of(history)

        def refuses() -> None:
            raise HistoryError("permission denied")

        history.prepare = refuses  # type: ignore[method-assign]
        site.write(history, tmp_path / "page", 365)
        assert tables_of(history) == before
    assert check(tmp_path / "page")["index.html"].says("2 nights from")


# ---- What is drawn


def inodes(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): path.stat().st_ino for path in folder.rglob("*.*") if path.is_file()}


class Report:
    """A folder of pages, and which of its files each call wrote."""

    def __init__(self, folder: Path):
        self.history, self.page, self.pages = History(str(folder / "history.db")), folder / "page", {}

    def write(self, *documents: bytes, **options: Any) -> set[str]:
        keep(self.history, *documents)
        before = inodes(self.page) if self.page.exists() else {}
        site.write(self.history, self.page, 365, **options)
        self.pages = check(self.page)
        return {name for name, inode in inodes(self.page).items() if before.get(name) != inode} - {".cugate-report"}


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return Report(tmp_path)


MODEL = {"index.html", "changes.html", "gpu.html", "gate.html"}


def files_of(*kernels: str) -> set[str]:
    return {f"{place}{site.slug(name)}{ending}" for name in kernels for place, ending in
            (("kernels/", ".html"), ("figures/kernel-", ".png"))}  # fmt: skip


def test_only_what_is_new_is_drawn(report: Report) -> None:
    first = report.write(made(0, "alpha"), made(1, "alpha"))
    assert first == MODEL | files_of(*NAMES)
    assert report.write() == set()
    later = report.write(made(2, "alpha", kernels=NAMES[:2]))
    assert later >= files_of(*NAMES[:2]) | {"index.html"}
    page = kernel_page(report.pages, NAMES[2])
    assert page.says("Tonight's run does not have this kernel.")
    later = report.write(made(3, "alpha", kernels=NAMES[:2]))
    assert later & files_of(NAMES[2]) == set(), "nothing new is known of it"
    assert report.write() == set()
    write(report.page.parent, links=Links("https://host.example/{commit}", None))
    assert "https://host.example/" in (report.page / "kernels/copy-plain.html").read_text()
    assert report.write() >= files_of(*NAMES) | {"index.html"}, "without links all are others"


def test_what_is_said_tonight_of_a_kernel_that_is_gone(report: Report) -> None:
    """None of the kernel's own nights tells what the gate says about it tonight, or who did not measure it."""
    report.write(made(0, "alpha"), made(1, "alpha"))
    for night, gone in ((2, False), (3, True), (4, False)):
        run = made(night, "alpha", kernels=NAMES[:2])
        rows = [make.judgement(NAMES[2], None, "missing")] if gone else []
        report.write(run, make.report(run, rows, exit_code=5 * gone))
        page = kernel_page(report.pages, NAMES[2])
        assert ("missing" in page.h1) == gone, night
    report.write(made(4, "beta", kernels=NAMES[:2]))
    page = kernel_page(report.pages, NAMES[2])
    assert page.says("beta n/a n/a not measured")
    report.write(made(5, "alpha", kernels=NAMES[:2], driver="999"))
    assert kernel_page(report.pages, NAMES[2]).says("driver: 580.159.04 -> 999")


def test_what_is_drawn_anew_is_what_would_be_drawn_at_first(report: Report, tmp_path: Path, figures: None) -> None:
    runs = [made(night, "alpha", factor, NAMES[:2]) for night, factor in enumerate((1.0, 1.0, 1.2))]
    documents = [*runs, judged(runs[2], "regressed")]
    for document in documents[:-1]:
        report.write(document)
    report.write(documents[-1])
    assert contents(report.page) == contents(write(tmp_path, to="at once"))


@pytest.mark.parametrize("harm", ["gone", "cut", "another"])
@pytest.mark.parametrize("path", ["kernels/copy-plain.html", "figures/kernel-copy-plain.png"])
def test_what_is_harmed_is_drawn_again(report: Report, path: str, harm: str) -> None:
    report.write(*(made(night, "alpha", kernels=NAMES[:1]) for night in range(2)))
    whole = contents(report.page)
    harmed = report.page / path
    data = harmed.read_bytes()
    harmed.unlink()
    if harm != "gone":
        harmed.write_bytes(data[: len(data) // 2] if harm == "cut" else data[:-1] + b"!")
    assert path in report.write()
    assert contents(report.page) == whole


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"by": "me"}', b"\xff"])
def test_a_marker_that_says_nothing_is_none(report: Report, content: bytes) -> None:
    report.write(made(0, "alpha"), made(1, "alpha"))
    whole = contents(report.page)
    (report.page / ".cugate-report").write_bytes(content)
    assert report.write() == MODEL | files_of(*NAMES)
    assert contents(report.page) == whole


def test_a_run_draws_so_many_figures_and_the_worst_first(report: Report) -> None:
    """Pages whose figures are not drawn have tonight's words nevertheless, and say what they lack."""
    runs = [made(0, "alpha"), made(1, "alpha")]
    report.write(*runs, make.report(runs[1], [make.judgement(NAMES[2], "time", "regressed")], exit_code=1), most=1)
    pages = report.pages
    assert inodes(report.page).keys() & {name for name in files_of(*NAMES) if "figures" in name} == {
        f"figures/kernel-{site.slug(NAMES[2])}.png"
    }
    for name in NAMES[:2]:
        assert kernel_page(pages, name).says("This figure is not drawn yet.")
        assert kernel_page(pages, name).says("Every metric tonight")
    assert pages["index.html"].says("The figures of 2 kernels are not drawn up to tonight, 2 of them not at all yet")
    for _ in range(2):
        assert report.write(most=1)
    assert not any(page.says("not drawn") for page in report.pages.values())
    assert report.write(most=1) == set()


def test_a_figure_that_is_behind_says_so_beside_tonights_verdict(report: Report) -> None:
    report.write(made(0, "alpha"), made(1, "alpha"))
    run = made(2, "alpha", 2.0)
    report.write(run, judged(run, "regressed"), most=0)
    pages = report.pages
    for name in NAMES:
        page = kernel_page(pages, name)
        assert page.says("This figure ends with the night of 2023-11-15"), name
        assert len(page.svgs()) == 1
    assert "regressed" in kernel_page(pages, NAMES[0]).h1
    assert pages["index.html"].says("The figures of 3 kernels are not drawn up to tonight: each page says so")
    report.write()
    assert not any(page.says("ends with the night") for page in report.pages.values())


def test_a_page_without_a_figure_is_not_drawn_over_and_over(report: Report) -> None:
    kernels = {"no/value": {"time": "not counted"}, **make.KERNELS}
    report.write(make.run(0, kernels), make.run(1, kernels))
    assert report.write() == set()
    assert not report.pages["index.html"].says("not drawn")


# ---- What is not known is not good


def index(folder: Path, *documents: bytes) -> Page:
    """Returns the first page. Pages of kernels are made without figures, which take most of the time."""
    return check(write(folder, *documents, most=0))["index.html"]


def is_good(page: Page) -> bool:
    return '<section class="verdict good">' in page.source


def test_a_whole_fleet_is_good(tmp_path: Path, today: None) -> None:
    page = index(tmp_path, *fleet_of(4))
    assert is_good(page) and page.h1 == "Nothing is worse"
    assert page.says("4 of 4 runners measured, 4 of them were judged.") and not page.says("Runners: ")


def test_a_runner_that_is_missing_is_named_and_not_good(tmp_path: Path, today: None) -> None:
    page = index(tmp_path, *fleet_of(3), *fleet_of(4, HOSTS[:3])[-6:])
    assert not is_good(page) and page.h1 == "Nothing is worse where it is known, and not all is known"
    assert page.says("Runners: not measured tonight: delta.") and page.says("3 of 4 runners measured")
    assert kernel_page(check(tmp_path / "page"), "copy/plain").says("the runner did not measure tonight")


@pytest.mark.parametrize(("alone", "is_told"), [(9, True), (29, True), (30, False)])
def test_a_runner_that_is_missing_is_named_for_a_month(alone: int, is_told: bool) -> None:
    """It is named even when it is no longer among those of the last week. A runner that came once is not."""
    hosts = [HOSTS[:3], HOSTS, HOSTS[:3], *[HOSTS[:2]] * (alone + 1)]
    facts: dict[str, Any] = {"kernels": [], "metrics": [], "units": {}, "counts": [], "session": files.Session()}
    made_up = [
        fleet.Night(
            date=make.date_of(night),
            runners=[fleet.Runner(host=host, date=make.date_of(night)) for host in there],
            **facts,
        )
        for night, there in enumerate(hosts)
    ]
    assert [(one.name, one.date) for one in nights._absent(made_up)] == [("gamma", make.date_of(2))] * is_told


def test_of_a_host_each_gpu_may_have_a_runner(tmp_path: Path, today: None) -> None:
    """A GPU's red is not that of another GPU's earlier run, and it is missed while the other GPU measures."""
    runs = [
        made(night, host, gpu_uuid=f"GPU-{host}-{gpu}") for night in range(4) for host in HOSTS[:2] for gpu in range(2)
    ]
    page = index(tmp_path, *runs, *map(judged, runs[:12]), judged(runs[12], "regressed"), *map(judged, runs[13:]))
    assert page.h1 == "1 kernel got worse" and page.says("4 of 4 runners measured, 4 of them were judged.")
    assert page.says("regressed on 1 of 4 runners: alpha, GPU-alpha-0")
    without = [run for run in runs if run is not runs[13]]
    (tmp_path / "without").mkdir()
    page = index(tmp_path / "without", *without, *map(judged, without))
    assert not is_good(page) and page.says("Runners: not measured tonight: 1 of the 2 runners of alpha.")
    assert page.says("3 of 4 runners measured")


def test_the_last_runner_that_is_left_is_no_fleet_of_one(tmp_path: Path, today: None) -> None:
    page = index(tmp_path, *fleet_of(3), *fleet_of(4, HOSTS[:1])[-2:])
    assert not is_good(page) and page.says("not measured tonight: beta, delta, gamma")


def test_a_runner_that_was_not_judged_is_named_and_not_good(tmp_path: Path, today: None) -> None:
    page = index(tmp_path, *fleet_of(4)[:-1])
    assert not is_good(page) and page.says("Runners: measured and not judged: delta.")


def test_a_kernel_that_one_runner_lacks_is_told(tmp_path: Path, today: None) -> None:
    page = index(
        tmp_path, *fleet_of(4)[:-2], made(3, "delta", kernels=NAMES[:2]), judged(made(3, "delta", kernels=NAMES[:2]))
    )
    assert not is_good(page) and page.says("delta has no value of 1 kernel that others measured")
    assert kernel_page(check(tmp_path / "page"), NAMES[2]).says("delta n/a n/a not measured")


def test_a_night_without_any_runner_is_told(tmp_path: Path, today: None) -> None:
    documents = fleet_of(4)
    page = index(tmp_path, *documents[:8], *documents[16:])
    assert is_good(page) and page.says("Runners: no runner measured on 1 day before: 2023-11-15.")


def test_nothing_since_is_not_good(tmp_path: Path, today: None) -> None:
    page = index(tmp_path, *fleet_of(2))
    assert not is_good(page) and page.h1.startswith("Nothing came since 2023-11-15. Then: nothing is worse")
    assert page.says("no runner measured since: nothing is known of 1 night") and not page.says("no runner measured on")


def test_a_runner_that_is_off_is_named(tmp_path: Path, today: None) -> None:
    slow = made(3, "delta", 1.05)
    page = index(tmp_path, *fleet_of(4)[:-2], slow, judged(slow))
    assert page.says("Runners: delta is off: its kernels take +5.2 %") and page.says("(off)")
    rows = overview.runner_rows(loaded(History(str(tmp_path / "history.db"))), "copy/plain")
    assert rows[0].runner == "delta" and rows[0].share == pytest.approx(0.05, abs=0.005)
    found = loaded(History(str(tmp_path / "history.db")))
    assert [runner.off for runner in found.runners] == [False, False, False, True]


def test_the_gravest_runner_is_the_headline(tmp_path: Path, today: None) -> None:
    documents = fleet_of(4)
    failed = [{"kernel": "copy/plain", "status": "crashed", "reason": "illegal address"}]
    run = made(3, "delta", kernels=NAMES[1:])
    page = index(tmp_path, *documents[:-2], run, judged(run, exit_code=5, failures=failed))
    assert page.h1 == "1 kernel could not be measured" and page.says(
        "copy/plain missing crashed: illegal address (on delta)"
    )


def test_one_runner_has_the_pages_that_it_had(tmp_path: Path) -> None:
    """The pages have no word about runners, and name no host."""
    runs = [made(night, "alpha", gpu_uuid="GPU-1") for night in range(3)]
    index(tmp_path, *runs, judged(runs[-1]))
    for page in check(tmp_path / "page").values():
        assert not page.says("runner") and "alpha" not in page.text


def test_series_of_a_kernel_are_read_without_the_others(history: History) -> None:
    """The SQL statement names the kernel, so its cost does not grow with the number of kernels."""
    keep(history, *fleet_of(3, HOSTS[:2]))
    found, seen = loaded(history), []
    sa.event.listen(history._own(), "after_cursor_execute", lambda *words: seen.append((words[2], words[3])))
    found.over("copy/wide")
    ((statement, parameters),) = [one for one in seen if "cugate_series" in one[0]]
    values = parameters.values() if isinstance(parameters, dict) else parameters
    assert "kernel" in statement and series._hash("copy/wide") in list(values)
    assert json.loads(json.dumps(found.dates)) == found.dates
