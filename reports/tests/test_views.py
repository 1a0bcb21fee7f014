"""Tests the numbers behind the figures: computed by hand for a made-up history, and golden for the recorded run of an
H200. `make goldens` rewrites tests/data/golden/report_views.json.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import subprocess
from pathlib import Path

import make
import numpy as np
import pytest
from conftest import RECORDED, TOP
from make import run, session
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from schemas import complaints, documents

from cugate_reports import figures, overview, views
from cugate_reports.history import History
from cugate_reports.nights import VERDICTS, Loader, Nights

GOLDEN = TOP / "tests/data/golden/report_views.json"
CUGATE = Path(os.environ.get("CUGATE") or TOP / "build/cugate")


def report(night: int, rows: list[tuple[str, str, str, float, float, float]], code: int = 0, **more: object) -> bytes:
    """Makes a report about the run of that night. rows: kernel, metric, verdict, base, now, limit."""
    judged = [make.judgement(k, m, v, base=b, now=n, limit=limit) for k, m, v, b, n, limit in rows]
    return make.report(run(night, {}), judged, exit_code=code, **more)


def loaded(folder: Path, *documents: bytes) -> Nights:
    with History(str(folder / "history.db")) as history:
        for document in documents:
            history.ingest(document)
        with Loader(history) as loader:
            return loader.load(history.devices()[0], 365)


# ---- By hand


def test_values_bases_limits_and_verdicts_find_their_places(tmp_path: Path) -> None:
    nights = loaded(
        tmp_path,
        run(0, {"b/x": {"time": 100.0}}),
        run(1, {"b/x": {"time": 110.0}, "a/y": {"time": 7.0, "shared_bank_conflicts": 3.0}}),
        report(1, [("b/x", "time", "regressed", 100.0, 110.0, 5.0), ("a/y", "time", "same", 7.0, 7.0, 1.0)], code=1),
    )
    assert nights.kernels == ["a/y", "b/x"]
    assert nights.metrics == ["shared_bank_conflicts", "time"]
    assert nights.series("b/x", "time").tolist() == [100.0, 110.0]
    assert math.isnan(nights.series("a/y", "time")[0])
    (series,) = views.kernel_series(nights, "b/x")
    assert (series.low[1], series.high[1], series.red) == (95.0, 105.0, [1])
    assert np.isnan(series.high[0])
    assert nights.worst_verdict("b/x") == "regressed"
    assert nights.counts[1, VERDICTS.index("same")] == 1
    assert (nights.trend_metric, nights.trend().tolist()) == ("time", [1.0, pytest.approx(1.1**0.5)])
    assert overview.tonight(nights).came == ["a/y"], "who came moves the trend by nothing"


def test_a_band_never_falls_below_zero(tmp_path: Path) -> None:
    nights = loaded(
        tmp_path,
        run(0, {"a/x": {"shared_bank_conflicts": 3.0, "time": 1.0}}),
        report(0, [("a/x", "shared_bank_conflicts", "same", 3.0, 3.0, 10000.0)]),
    )
    conflicts = views.kernel_series(nights, "a/x")[1]
    assert (conflicts.low[0], conflicts.high[0]) == (0.0, 10003.0)


def test_heat_is_told_in_limits(tmp_path: Path) -> None:
    rows = [
        ("a/x", "time", "same", 100.0, 103.0, 6.0),
        ("b/x", "time", "regressed", 100.0, 90.0, 5.0),
        ("c/x", "shared_bank_conflicts", "regressed", 0.0, 1.0, 0.0),
        ("d/x", "shared_bank_conflicts", "same", 4.0, 4.0, 0.0),
    ]
    measured = {kernel: {metric: now} for kernel, metric, _, _, now, _ in rows}
    heat = views.heat_map(loaded(tmp_path, run(0, measured), report(0, rows)))
    assert heat.metrics == ["shared_bank_conflicts", "time"]
    time, conflicts = heat.moves[:, 1], heat.moves[:, 0]
    assert time[:2].tolist() == [0.5, -2.0]
    assert conflicts[2] == math.inf  # nothing is tolerated, and the row moved
    assert conflicts[3] == 0.0
    assert np.isnan(heat.moves[0, 0])


def test_the_environment_of_two_nights_is_compared(tmp_path: Path) -> None:
    kernels = {"a/x": {"time": 1.0}}
    nights = loaded(
        tmp_path, run(0, kernels, commit=None), run(1, kernels, driver="590.2", gpu_uuid="GPU-b", commit="abc")
    )
    changed = [(fact, make.FACTS[fact], now) for fact, now in (("driver", "590.2"), ("gpu_uuid", "GPU-b"))]
    assert overview.tonight(nights).environment == changed
    assert [(mark.night, mark.fact) for mark in nights.marks] == [(1, "driver"), (1, "gpu_uuid")]


def test_a_baseline_marks_when_it_was_accepted(tmp_path: Path) -> None:
    kernels = {"a/x": {"time": 1.0}}
    baseline = json.loads(run(0, kernels))
    baseline["sessions"] = [session(1, reason="first"), session(2, reason="first"), session(3, reason="wider tile")]
    nights = loaded(tmp_path, *(run(night, kernels) for night in range(5)), json.dumps(baseline).encode())
    # Session 2 was the last one with the first reason, so it was accepted before night 3. The one of night 3 shows from
    # night 4 on.
    assert [(mark.night, mark.text) for mark in nights.accepted["a/x"]] == [(3, "first"), (4, "wider tile")]
    assert overview.tonight(nights).accepted == [("wider tile", ["a/x"]), ("first", ["a/x"])]


def test_a_step_of_the_last_nights_is_news(tmp_path: Path) -> None:
    times = [1000.0 + place % 3 for place in range(20)] + [1100.0 + place % 3 for place in range(4)]
    documents = [run(night, {"a/x": {"time": time}, "b/y": {"time": 5.0}}) for night, time in enumerate(times)]
    (news,) = overview.tonight(loaded(tmp_path, *documents)).news
    assert (news.kernel, news.metric, news.date, news.better) == ("a/x", "time", make.date_of(20), False)
    assert (news.before, news.after) == (1001.0, 1100.5)


def test_worse_rows_are_grouped_and_say_each_cause_once() -> None:
    from cugate_reports.files import Cause, Judgement

    def judged(kernel: str, metric: str, verdict: str, story: str | None) -> Judgement:
        causes = [Cause(file="k.cu", line=1)] if story else []
        return Judgement(kernel=kernel, metric=metric, verdict=verdict, story=story, causes=causes, base=1, now=2)

    rows = [
        judged("a/x", "excess_wavefronts", "regressed", "excess_wavefronts"),
        judged("b/y", "instructions", "unsure", None),
        judged("a/x", "shared_wavefronts", "regressed", "excess_wavefronts"),
        judged("a/x", "time", "regressed", "stalls"),
        judged("a/x", "l1_hit_rate", "same", None),
    ]
    first, second = overview.blames(rows)  # red rows come first
    assert (first.kernel, [told for _, told in first.rows], first.more) == ("a/x", [True, False, True], 0)
    assert first.time is rows[3]
    assert (second.kernel, second.time) == ("b/y", None)
    (short, _) = overview.blames(rows, most_rows=2, most_told=1)
    assert ([told for _, told in short.rows], short.more) == ([True, False], 1)


def test_the_worst_are_those_that_lost_most_time(tmp_path: Path) -> None:
    """They are not those with the largest share; what is in doubt follows what is red."""
    times = {  # for each kernel the verdict of its time, base, now
        "a/short": ("regressed", 10.0, 30.0),
        "b/long": ("regressed", 1000.0, 1100.0),
        "c/gained": ("same", 100.0, 90.0),
        "d/in_doubt": ("unsure", 5000.0, 9000.0),
        "e/within": ("same", 1000.0, 1054.8),
        "f/more_within": ("same", 9000.0, 9090.0),
        "g/as_it_was": ("same", 7.0, 7.0),
    }
    rows = [(kernel, "time", verdict, base, now, 90.0) for kernel, (verdict, base, now) in times.items()]
    rows.append(("c/gained", "shared_bank_conflicts", "regressed", 1.0, 2.0, 0.0))
    rows.append(("h/untimed", "shared_bank_conflicts", "regressed", 1.0, 2.0, 0.0))
    kernels = {kernel: {"time": now} for kernel, (_, _, now) in times.items()}
    kernels["h/untimed"] = {"shared_bank_conflicts": 2.0}
    nights = loaded(tmp_path, run(0, kernels), report(0, rows, code=1))
    tonight = overview.tonight(nights)
    worst = ["b/long", "a/short", "h/untimed", "c/gained", "d/in_doubt"]
    assert [(blame.kernel, blame.lost) for blame in tonight.worst] == list(
        zip(worst, [100.0, 20.0, None, -10.0, 4000.0], strict=True)
    )
    assert [row.lost for row in overview.kernel_rows(nights)[-3:]] == [None] * 3, "it may be noise"
    table = overview.kernel_rows(nights)
    assert [row.kernel for row in table] == [
        *("b/long", "a/short", "c/gained", "h/untimed"),
        *("d/in_doubt", "f/more_within", "e/within", "g/as_it_was"),
    ]
    within = table[6]
    assert (within.time - within.base, within.limit, within.rule) == (pytest.approx(54.8), pytest.approx(0.09), "floor")
    assert (table[3].lost, table[3].limit, table[3].rule) == (None, None, "")


def test_what_did_not_move_is_not_drawn(tmp_path: Path) -> None:
    rows = [
        ("a/still", "time", "same", 100.0, 103.0, 10.0),
        ("b/moved", "time", "same", 100.0, 106.0, 10.0),
        ("b/moved", "shared_bank_conflicts", "same", 5.0, 5.0, 0.0),
        ("c/red", "shared_bank_conflicts", "regressed", 5.0, 5.0, 9.0),
    ]
    kernels: dict[str, dict[str, float]] = {}
    for kernel, metric, _, _, now, _ in rows:
        kernels.setdefault(kernel, {})[metric] = now
    moved = views.heat_map(loaded(tmp_path, run(0, kernels), report(0, rows))).moved()
    assert (moved.kernels, moved.metrics) == (["b/moved", "c/red"], ["shared_bank_conflicts", "time"])
    assert moved.moves[0].tolist() == [0.0, pytest.approx(0.6)] and moved.nows[0].tolist() == [5.0, 106.0]


@pytest.mark.parametrize("lowest", [0.01, 1.0, 30.0])
def test_names_of_roofs_are_beside_what_is_drawn(lowest: float) -> None:
    """Whether the slope of device memory takes much of the plot, little, or none of it."""
    peaks = {"fp64": 33e12, "fp32": 34e12, "fp16": 124e12}
    below = [(lowest * 10**step, min(lowest * 10**step * 4.5e12, 33e12)) for step in range(5)]
    points = [views.RooflinePoint(f"a/{at}", at, rate * part, "dram", 0.5) for at, rate in below for part in (1, 0.1)]
    figure = figures.roofline(views.RooflineView(4.5e12, peaks, points, 0, []))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (axes,) = figure.axes
    markers = [axes.transData.transform((point.intensity, point.rate / 1e12)) for point in points]
    texts = [Text.get_window_extent(text, canvas.get_renderer()) for text in axes.texts]  # without their lines
    assert len(texts) == 4
    for place, box in enumerate(texts):
        assert not any(box.padded(4).contains(*marker) for marker in markers), axes.texts[place].get_text()
        assert not any(box.overlaps(other) for other in texts[:place])
        assert box.x0 > axes.bbox.x0 and box.x1 <= figure.bbox.x1 and box.y1 < axes.bbox.y1 + 5


def test_names_beside_a_figure_are_whole(tmp_path: Path) -> None:
    name = "cached_reads/constant_same_address"
    nights = loaded(tmp_path, run(0, {name: {"time": 9.0}}), report(0, [(name, "time", "same", 5.0, 9.0, 5.0)]))
    figure = figures.heat_map(views.heat_map(nights))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (label,) = figure.axes[0].get_yticklabels()
    assert label.get_text() == name and label.get_window_extent(canvas.get_renderer()).x0 >= 0


def test_a_kernel_of_which_most_was_not_counted_has_no_point(tmp_path: Path) -> None:
    """Operations of tensor cores and on integers are not counted: a point would be too low."""
    measured = run(0, {"g/cublas": {"time": 10.0}, "g/naive": {"time": 20.0}, "g/copy": {"time": 5.0}})
    counted = {"g/cublas": (2.0, 1000.0), "g/naive": (900.0, 1000.0), "g/copy": (0.0, None)}
    lines = [
        make.explanations(measured, [kernel], roofline={"flops": flops, "stated_flops": stated, **LINE})
        for kernel, (flops, stated) in counted.items()
    ]
    view = views.roofline(loaded(tmp_path, measured, b"".join(lines)))
    assert view is not None
    assert ([point.kernel for point in view.points], view.uncounted, view.left_out) == (["g/naive"], ["g/cublas"], 1)


LINE = {"seconds": 1e-6, "intensity": 2.0, "roofs": {}, "bound": "dram", "share": 0.5}


@pytest.mark.parametrize(
    ("code", "tone", "words"),
    [
        (0, "good", "Nothing is worse"),
        (1, "bad", "1 kernel got worse"),
        (3, "warn", "Inconclusive"),
        (4, "warn", "No baseline fits this GPU"),
        (5, "bad", "Not everything could be measured"),
        (130, "warn", "Stopped by Ctrl-C"),
        (77, "bad", "exit code 77"),
    ],
)
def test_the_headline_follows_the_exit_code(tmp_path: Path, code: int, tone: str, words: str) -> None:
    verdict = "regressed" if code == 1 else "same"
    nights = loaded(
        tmp_path, run(0, {"a/x": {"time": 2.0}}), report(0, [("a/x", "time", verdict, 1.0, 2.0, 0.5)], code=code)
    )
    tonight = overview.tonight(nights)
    assert tonight.tone == tone and words in tonight.headline
    assert f"exit code {code}" in tonight.detail
    assert tonight.counts == [(verdict, 1)]


def test_what_the_whole_suite_moved_is_no_kernel_and_no_change(tmp_path: Path) -> None:
    rows = [("a/x", "time", "same", 100.0, 110.0, 5.0), ("(suite)", "time", "unsure", 0.0, 0.0, 0.0)]
    document = json.loads(
        report(0, rows, code=3, suites=[{"metric": "time", "shift": 0.1, "kernels": 20, "moved": True}])
    )
    document["judgements"][0]["drift"] = 10.0
    nights = loaded(tmp_path, run(0, {"a/x": {"time": 110.0}}), json.dumps(document).encode())
    assert nights.kernels == ["a/x"]
    tonight = overview.tonight(nights)
    assert (tonight.headline, tonight.worst) == ("Inconclusive: all kernels shifted together", [])
    assert views.heat_map(nights).moves.tolist() == [[0.0]]
    (series,) = views.kernel_series(nights, "a/x")
    assert (series.low[0], series.high[0]) == (105.0, 115.0)
    assert overview.counts(nights) == [("same", 1)]


def test_what_another_toolchain_did_is_told_by_class_the_most_lost_time_first(tmp_path: Path) -> None:
    document = json.loads(report(0, [("a/x", "time", "regressed", 1.0, 2.0, 0.1)], code=1))
    kinds = (("a/x", "registers or spills", 90.0), ("a/y", "other instructions", 100.0))
    kinds += (("a/z", "registers or spills", 30.0), ("a/u", "launch", None), ("a/v", "other code", -5.0))
    kernels = [{"kernel": name, "class": kind, "lost": lost, "change": None} for name, kind, lost in kinds]
    document["upgrade"] = {"was": "nvcc 13.0.88", "is": "nvcc 13.5.37", "same": 20, "kernels": kernels, "libraries": []}
    tonight = overview.tonight(loaded(tmp_path, run(0, {"a/x": {"time": 2.0}}), json.dumps(document).encode()))
    assert tonight.upgrade and (tonight.upgrade.was, tonight.upgrade.now) == ("nvcc 13.0.88", "nvcc 13.5.37")
    assert [(one.kind, one.count, one.lost, one.most.kernel) for one in tonight.upgraded] == [
        ("registers or spills", 2, 120.0, "a/x"),
        ("other instructions", 1, 100.0, "a/y"),
        ("other code", 1, -5.0, "a/v"),
        ("launch", 1, None, "a/u"),
    ]


def test_a_kernel_that_crashed_is_counted_and_told_once(tmp_path: Path) -> None:
    document = json.loads(report(0, [("a/x", "time", "same", 1.0, 1.0, 1.0)], code=5))
    document["judgements"].append({"kernel": "b/y", "metric": None, "verdict": "missing"})
    document["failures"] = [{"kernel": "b/y", "status": "crashed", "reason": "illegal address"}]
    made = json.loads(run(0, {"a/x": {"time": 1.0}}))
    made["kernels"]["b/y"] = {"status": "crashed", "reason": "illegal address"}
    nights = loaded(tmp_path, json.dumps(made).encode(), json.dumps(document).encode())
    tonight = overview.tonight(nights)
    assert (tonight.headline, tonight.worst) == ("1 kernel could not be measured", [])
    assert [failure.kernel for failure in tonight.failures] == ["b/y"]
    assert nights.worst_verdict("b/y") == "missing"
    assert nights.counts[0, VERDICTS.index("missing")] == 1


def test_a_declared_regression_that_is_gone_is_not_worse(tmp_path: Path) -> None:
    rows = [("a/x", "time", "unexpected-pass", 2.0, 1.0, 0.5)]
    nights = loaded(tmp_path, run(0, {"a/x": {"time": 1.0}}), report(0, rows, code=1))
    assert overview.tonight(nights).headline == "1 known regression is gone"


# ---- Golden


def plain(value: object) -> object:
    """Returns a value as JSON has it: numbers with six digits, arrays as lists, NaN as null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Nights:
    """The recorded run, judged and explained by cugate, and an A/A of three recorded sessions."""
    if not CUGATE.exists():
        pytest.fail(f"{CUGATE} is not built: make all")
    folder = tmp_path_factory.mktemp("recorded")
    subprocess.run(
        ["tar", "-xJf", TOP / "tests/data/sessions-nvidia-h200.tar.xz", "-C", folder, "final-1", "final-2/s1.json"],
        check=True,
    )
    sessions = sorted(folder.rglob("*.json"))
    commands = {
        "check.json": ["check", "--replay", RECORDED, "--baselines", TOP / "baselines", "--format", "json"],
        "explain.json": ["explain", "*", "--replay", RECORDED, "--format", "json"],
        "aa.json": ["aa", *sessions, "--format", "json"],
    }
    for name, command in commands.items():
        subprocess.run(
            [CUGATE, *command, "-o", folder / name], cwd=TOP, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    for name in ("explain", "aa"):  # test_schemas.py has the report
        for root in documents((folder / f"{name}.json").read_text()):
            assert complaints(name, root) == [], name
    return loaded(folder, RECORDED.read_bytes(), *((folder / name).read_bytes() for name in commands))


@pytest.mark.parametrize(
    ("form", "name", "kernel", "metric", "value"),
    [
        ("nvbench", "nvbench.json", "copy/default", "time", 7300),
        ("google-benchmark", "google_benchmark.json", "BM_reduce<float>/default", "wall_time", 1062500),
        ("ncu", "ncu.csv", "python3.12/scale@1024,256,1024", "time", 5440),
    ],
)
def test_imported_files_have_nights(
    tmp_path: Path, form: str, name: str, kernel: str, metric: str, value: float
) -> None:
    """With a report and an explanation, though their session says little and their device less."""
    run = tmp_path / "run.json"
    gpu = [] if form == "nvbench" else ["--gpu", "Made-up GPU"]
    commands = {
        "run.json": ["import", form, TOP / "tests/data/import" / name, *gpu, "-q"],
        "check.json": ["check", "--replay", run, "--baselines", tmp_path, "--format", "json"],
        "explain.json": ["explain", kernel, "--replay", run, "--format", "json"],
    }
    for to, command in commands.items():
        option = "--save" if to == "run.json" else "-o"
        subprocess.run([CUGATE, *command, option, tmp_path / to], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    nights = loaded(tmp_path, *((tmp_path / to).read_bytes() for to in commands))
    assert nights.tonight(kernel, metric) == value
    assert nights.sessions[-1].collector == form and nights.report is not None
    assert [explanation.kernel for explanation in nights.explanations] == [kernel]


def test_the_recorded_run_gives_the_golden_numbers(recorded: Nights) -> None:
    gate, heat = views.gate(recorded), views.heat_map(recorded)
    assert gate is not None
    seen = plain(
        {
            "tonight": overview.tonight(recorded).counts,
            "kernels": overview.kernel_rows(recorded),
            "roofline": views.roofline(recorded),
            "occupancy": [
                (row.kernel, row.theoretical, row.achieved, row.limits, row.gap) for row in views.occupancy(recorded)
            ],
            "heat": {metric: heat.moves[:, place] for place, metric in enumerate(heat.metrics)},
            "gate": gate,
        }
    )
    text = json.dumps(seen, indent=1) + "\n"
    if os.environ.get("REWRITE_GOLDENS"):
        GOLDEN.write_text(text)
    golden = json.loads(GOLDEN.read_text())
    assert seen.keys() == golden.keys()
    for part in golden:
        assert seen[part] == golden[part], f"{part} differs; if that is meant: make goldens"
