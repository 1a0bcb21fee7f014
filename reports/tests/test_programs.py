"""Tests what the pages say of a program: where its GPU time goes, night by night, and what is not known of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import make
import numpy as np
import pytest
from test_site import check, kernel_page, write
from test_views import loaded

from cugate_reports import overview, programs, views
from cugate_reports.nights import Nights
from cugate_reports.programs import Program

TRAIN = "train/program"


def timed(took: float, launches: float = 10) -> dict[str, make.Values]:
    return {"gpu_time": took, "launches": launches}


def night(number: int, total: float | None, kernels: Mapping[str, Mapping[str, make.Values]], **more: object) -> bytes:
    """Makes a run of train; total is its GPU time in ns, None where it was not measured as a whole."""
    rows = {f"train/{name}": values for name, values in kernels.items()}
    whole = {TRAIN: timed(total, 100)} if total is not None else {}
    return make.run(number, {**rows, **whole}, collector="exec", **more)


def program(nights: Nights) -> Program:
    found = programs.program(nights, TRAIN)
    assert found is not None
    return found


def stacked(of: Program) -> dict[str, list[float]]:
    return {name: times.tolist() for name, times in of.stack}


def test_the_stack_adds_up_to_the_program(tmp_path: Path) -> None:
    """It names the largest functions, with all shapes and all machine code of each; a graph has no shape."""
    names = [
        "a<int>@1,128",
        "a<int>@2,128",
        "a<int>@2,128#2",
        "graph:x+y~1f",
        "c@1,1",
        "d@1,1",
        "e@1,1",
        "f@1,1",
        "g@1,1",
    ]
    times = [100.0, 50.0, 25.0, 90.0, 80.0, 70.0, 60.0, 50.0, 40.0]
    kernels = {name: timed(time) for name, time in zip(names, times, strict=True)}
    less = {**kernels, "c@1,1": timed(8.0)}
    of = program(loaded(tmp_path, night(0, sum(times), kernels), night(1, sum(times) - 72, less)))
    assert stacked(of) == {
        "a<int>": [175.0, 175.0],
        "graph:x+y~1f": [90.0, 90.0],
        "c": [80.0, 8.0],
        "d": [70.0, 70.0],
        "e": [60.0, 60.0],
        "f": [50.0, 50.0],
        "others": [40.0, 40.0],
    }
    assert sum(times for _, times in of.stack).tolist() == [565.0, 493.0]
    assert of.largest(2) == [
        ("a<int>", 175.0, pytest.approx(175 / 493)),
        ("graph:x+y~1f", 90.0, pytest.approx(90 / 493)),
    ]


def test_medians_that_add_up_to_more_are_drawn_smaller(tmp_path: Path) -> None:
    of = program(loaded(tmp_path, night(0, 90.0, {"a@1,1": timed(60.0), "b@1,1": timed(40.0)})))
    assert stacked(of) == {"a": [54.0], "b": [36.0], "others": [0.0]}
    assert [part.now for part in of.parts] == [60.0, 40.0]


def test_a_range_is_no_part(tmp_path: Path) -> None:
    """Its launches are those of kernels, which are parts already."""
    kernels = {"a@1,1": timed(60.0), "b@1,1": timed(40.0), "program:forward": timed(60.0)}
    of = program(loaded(tmp_path, night(0, 100.0, kernels)))
    assert stacked(of) == {"a": [60.0], "b": [40.0], "others": [0.0]}
    assert [part.kernel for part in of.parts] == ["train/a@1,1", "train/b@1,1"]


def test_a_night_without_the_program_is_a_gap(tmp_path: Path) -> None:
    """A kernel that a night lacks is 0 there. The night before is the last one that has the program."""
    both = {"a@1,1": timed(60.0), "b@1,1": timed(40.0)}
    some = {"a@1,1": timed(60.0)}
    of = program(loaded(tmp_path, night(0, 100.0, both), night(1, None, both), night(2, 60.0, some)))
    stack = dict(of.stack)
    assert np.isnan([times[1] for times in stack.values()]).all()
    assert (stack["b"][0], stack["b"][2]) == (40.0, 0.0)
    assert (of.night, of.before, of.gaps, of.estimated) == (2, 0, 1, [])


def test_parts_that_moved_most_come_first(tmp_path: Path) -> None:
    first = {"same@1,1": timed(500.0), "gone@1,1": timed(40.0), "slow@1,1": timed(100.0), "past@1,1": timed(7.0)}
    then = {name: values for name, values in first.items() if name != "past@1,1"}
    last = {"same@1,1": timed(500.0), "slow@1,1": timed(120.0, 20), "new@1,1": timed(90.0, 3)}
    of = program(loaded(tmp_path, night(0, 647.0, first), night(1, 640.0, then), night(2, 710.0, last)))
    assert [(part.kernel, part.news, part.now, part.before) for part in of.parts] == [
        ("train/new@1,1", "new", 90.0, 0.0),
        ("train/gone@1,1", "gone", 0.0, 40.0),
        ("train/slow@1,1", "", 120.0, 100.0),
        ("train/same@1,1", "", 500.0, 500.0),
    ]
    new, gone, slow, _ = of.parts
    assert (new.launches, new.each, slow.each, slow.lost) == (3, 30.0, 6.0, 20.0)
    assert math.isnan(gone.each)
    assert (of.count("new"), of.count("gone"), of.whole.lost) == (1, 1, 70.0)


def test_one_night_has_nothing_before_it(tmp_path: Path) -> None:
    of = program(loaded(tmp_path, night(0, 100.0, {"a@1,1": timed(60.0), "b@1,1": timed(40.0)})))
    assert of.before is None and [part.news for part in of.parts] == ["", ""]
    assert [part.kernel for part in of.parts] == ["train/a@1,1", "train/b@1,1"]
    assert all(math.isnan(part.before) for part in [of.whole, *of.parts])


def test_a_run_without_gpu_time_has_time_x_launches(tmp_path: Path) -> None:
    kernels: dict[str, dict[str, make.Values]] = {
        "train/a@1,1": {"time": 30.0, "launches": 2.0},
        "train/b@1,1": {"time": 5.0, "launches": 8.0},
        TRAIN: {"time": 100.0, "launches": 10.0},
    }
    old = make.run(0, kernels, collector="exec")
    documents = old, night(1, 90.0, {"a@1,1": timed(50.0, 2), "b@1,1": timed(40.0, 8)})
    nights = loaded(tmp_path, *documents)
    of = program(nights)
    assert stacked(of) == {"a": [60.0, 50.0], "b": [40.0, 40.0], "others": [0.0, 0.0]}
    assert of.estimated == [0]
    assert views.time_panel(nights, TRAIN) is views.GPU_TIME
    pages = check(write(tmp_path / "pages", *documents))
    assert kernel_page(pages, TRAIN).says(
        "On 1, the last of them that of 2023-11-14 22:13 UTC, GPU time was not measured"
    )
    assert pages["index.html"].says("GPU time was not measured on the earlier of the two nights")


def test_kernels_alone_say_nothing_of_a_program(tmp_path: Path) -> None:
    """Such are recordings of an earlier cugate, and runs with -k."""
    old = night(0, None, {"a@1,1": {"time": 30.0}})
    tonight = overview.tonight(loaded(tmp_path, old))
    assert (tonight.programs, tonight.kernels_only) == ([], ["train"])
    pages = check(write(tmp_path / "pages", old))
    assert pages["index.html"].says("Of train no night has the program as a whole")


def test_a_kernel_of_the_harness_is_no_program(tmp_path: Path) -> None:
    nights = loaded(tmp_path, make.run(0, {TRAIN: {"time": 1.0}, "train/a": {"time": 2.0}}))
    tonight = overview.tonight(nights)
    assert (nights.programs, tonight.programs, tonight.kernels_only) == (frozenset(), [], [])
    assert [row.kernel for row in overview.kernel_rows(nights)] == ["train/a", TRAIN]


def test_a_program_comes_first(tmp_path: Path) -> None:
    """In the table always; of what got worse before kernels that are as bad. Its time is its GPU time."""
    kernels: dict[str, dict[str, make.Values]] = {
        "train/a@1,1": {"time": 900.0, "gpu_time": 60.0, "launches": 2.0},
        TRAIN: {"time": 120.0, "gpu_time": 110.0, "launches": 2.0},
    }
    run = make.run(0, kernels, collector="exec")
    rows = [
        make.judgement("train/a@1,1", "gpu_time", "info", base=1.0, now=60.0),
        make.judgement("train/a@1,1", "time", "regressed", base=100.0, now=900.0),
        make.judgement(TRAIN, "gpu_time", "regressed", base=100.0, now=110.0),
        make.judgement(TRAIN, "time", "info", base=100.0, now=120.0),
    ]
    nights = loaded(tmp_path, run, make.report(run, rows, exit_code=1))
    assert [(blame.kernel, blame.lost) for blame in overview.tonight(nights).worst] == [
        (TRAIN, 10.0),
        ("train/a@1,1", 800.0),
    ]
    assert [(row.kernel, row.time) for row in overview.kernel_rows(nights)] == [(TRAIN, 110.0), ("train/a@1,1", 900.0)]
    assert nights.times.tolist() == [[900.0, 110.0]]


def test_the_pages_show_a_program(tmp_path: Path, figures: None) -> None:
    """Also with numbers and names that no axis expects, and over a gap."""
    kernels = {"<b>&'\"@1,1": timed(60.0), "b@1,1": timed(40.0)}
    runs = [night(number, 100.0 + number, kernels) for number in range(3)]
    runs += [night(3, None, kernels), night(4, 1e300, {"c@1,1": timed(1e300, 5)})]
    pages = check(write(tmp_path, *runs))
    page = kernel_page(pages, TRAIN)
    assert page.says("On 1 of these nights the program was not measured as a whole.")
    assert page.says("GPU time by function") and page.says("1 of its kernels is new, and 2 are gone.")
    assert "parts" in page.ids and page.links.count(f"../kernels/{kernel_page(pages, 'train/c@1,1').path.name}") == 1
    assert pages["index.html"].says("100 launches took the GPU")
    assert not kernel_page(pages, "train/b@1,1").says("Where its GPU time goes")


def test_the_figure_of_a_program_is_drawn_first(tmp_path: Path) -> None:
    kernels = {name: {**timed(50.0), "time": 5.0} for name in ("a@1,1", "z@1,1")}
    page = write(tmp_path, *(night(number, 100.0, kernels) for number in range(2)), most=1)
    assert [path.name for path in (page / "figures").glob("kernel-*")] == ["kernel-train-program.png"]


def test_a_program_that_later_nights_lack_says_so(tmp_path: Path) -> None:
    kernels = {"a@1,1": timed(60.0)}
    pages = check(write(tmp_path, night(0, 60.0, kernels), night(1, None, kernels)))
    for page in (pages["index.html"], kernel_page(pages, TRAIN)):
        assert page.says("On the night of 2023-11-14 22:13 UTC") and page.says("It was not measured as a whole since.")


def test_a_program_that_took_no_time_is_drawn(tmp_path: Path, figures: None) -> None:
    runs = []
    for number in range(2):
        whole: dict[str, make.Values] = {"gpu_time": 0.0, "launches": 1.0, "achieved_occupancy": 50.0}
        runs.append(make.run(number, {TRAIN: whole, "train/a@1,1": timed(0.0)}, collector="exec"))
    page = kernel_page(check(write(tmp_path, *runs)), TRAIN)
    assert page.says("GPU time by function") and page.says("1 launch took the GPU 0 ns")
