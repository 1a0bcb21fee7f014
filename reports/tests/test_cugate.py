"""Tests `import cugate` and its plug-in for pytest, on recorded runs and on programs on the stand-in for a GPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import RECORDED, TOP

import cugate
from cugate import kernels
from cugate.checking import command_line

pytest_plugins = ["pytester"]
BUILD = Path(os.environ.get("CUGATE") or TOP / "build/cugate").resolve().parent
STANDIN = BUILD / "tests/standin"
PROGRAM = STANDIN / "program"
MADE_UP = TOP / "tests/cli/made_up"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The program that was built, in a folder that has no cugate.ini."""
    monkeypatch.setenv("CUGATE", str(BUILD / "cugate"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """None, also where there is one."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The stand-in for a GPU, for the processes that are started."""
    for name in ("STANDIN_DIR", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(STANDIN))
    monkeypatch.setenv("LD_PRELOAD", str(STANDIN / "libcupti.so.13"))


def accept(run: Path | str) -> None:
    """Makes a run the baseline."""
    words = [BUILD / "cugate", "accept", run, "--baselines", "baselines", "--reason", "first"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


# ---- check()


def test_a_recorded_run_passes() -> None:
    result = cugate.check(replay=RECORDED, baselines=TOP / "baselines")
    assert result.passed and result.exit_code == 0 and result.verdict == "same"
    assert result.report.startswith("REPLAY: NOTHING WAS MEASURED NOW.")
    assert len(result.rows) == len(result.document["judgements"]) > 1000
    rows = {row.metric: row for row in result.kernels["transpose/tiled"]}
    assert rows["time"].unit == "ns" and rows["time"].verdict == "same"
    assert rows["time"].change == pytest.approx((rows["time"].now or 0) - (rows["time"].base or 0))


def test_a_program_that_got_worse(gpu: None) -> None:
    first = cugate.check([PROGRAM, "plain"], save="run.json", baselines="baselines", runs=3)
    assert (first.exit_code, first.passed, first.rows) == (4, False, ())
    assert "To make one:" in first.report
    accept("run.json")
    assert cugate.check(f"{PROGRAM} plain", baselines="baselines").passed
    worse = cugate.check([PROGRAM, "changed"], baselines="baselines")
    assert worse.exit_code == 1 and not worse and not worse.passed and worse.verdict == "regressed"
    assert worse.summary.startswith("regressed: ") and repr(worse) == f"<cugate.Check {worse.summary}>"
    row = next(row for row in worse.kernels["program/add_one@64,256"] if row.metric == "instructions")
    assert (row.verdict, row.unit) == ("regressed", "count")
    assert row.base and row.now and row.change == row.now - row.base > 0
    assert "regressed  program/add_one@64,256" in worse.report
    assert next(iter(worse.kernels)) == worse.rows[0].kernel


def test_options_are_those_of_the_program() -> None:
    words = command_line(
        ["python3", Path("a b.py")],
        {
            "k": ["a*", "b"],
            "static": True,
            "simulate": None,
            "all": False,
            "from_start": "off",
            "runs": 3,
            "nvtx": ("x", "y"),
        },
    )
    assert words[1:] == (
        ["check", "-k", "a*", "-k", "b", "--static", "--from-start=off", "--runs=3", "--nvtx=x", "--nvtx=y"]
        + ["--", "python3", "a b.py"]
    )
    assert command_line("python3 'a b.py'", {})[1:] == ["check", "--", "python3", "a b.py"]


def test_machine_code() -> None:
    result = cugate.check([TOP / "build/tests/standin/kernels.cubin"], static="sm_90", baselines="none")
    assert result.exit_code == 4 and result.document["static"]


def test_reports_of_ones_own(tmp_path: Path) -> None:
    cugate.check(replay=RECORDED, baselines=TOP / "baselines", report="junit=junit.xml", k="hierarchy/*")
    cugate.check(replay=RECORDED, baselines=TOP / "baselines", report=["bmf=b.json", "markdown=m.md"], k="hierarchy/*")
    assert {path.name for path in tmp_path.iterdir()} == {"junit.xml", "b.json", "m.md"}


@pytest.mark.parametrize(
    ("what", "options", "code", "words"),
    [
        (None, {"nonsense": True}, 2, "unknown option --nonsense"),
        (None, {"replay": "absent.json"}, 2, "cannot read absent.json"),
        (["true"], {}, 5, "no NVIDIA driver|no GPU|CUDA_VISIBLE_DEVICES"),
    ],
)
def test_what_cannot_be_judged_raises(
    what: list[str] | None, options: dict[str, cugate.Option], code: int, words: str, no_gpu: None
) -> None:
    with pytest.raises(cugate.Error, match=words) as raised:
        cugate.check(what, **options)
    assert raised.value.exit_code == code


def test_a_program_that_fails_raises(gpu: None, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(cugate.Error, match="exited with code 3") as raised:
        cugate.check([PROGRAM, "exit3"], baselines="none")
    assert raised.value.exit_code == 5
    assert "exit3: 23 launches" in capfd.readouterr().err


def test_a_kernel_that_fails_is_found_and_does_not_pass() -> None:
    found = cugate.check(replay=MADE_UP / "broken.json", metrics=MADE_UP / "metrics", baselines="none")
    assert found.exit_code == 5 and not found
    assert "crashed" in {failure["status"] for failure in found.document["failures"]}
    assert repr(found).startswith("<cugate.Check ") and repr(found).endswith("(exit 5)>")


def test_a_verdict_without_its_report_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    liar = tmp_path / "liar"
    liar.write_text("#!/bin/sh\nexit 0\n")
    liar.chmod(0o755)
    monkeypatch.setenv("CUGATE", str(liar))
    with pytest.raises(cugate.Error, match="ended with 0, and no report"):
        cugate.check(["true"])


def test_plan(no_gpu: None) -> None:
    planned = cugate.plan(["true"], baselines="perf")
    assert (planned["way"], planned["baselines"]) == ("measure", "perf")
    assert planned["no_gpu"]
    assert cugate.plan(replay=RECORDED)["no_gpu"] is None


def test_the_program_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CUGATE")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(cugate.Error, match="pip install cugate"):
        cugate.find_program()
    (tmp_path / "cugate").symlink_to(BUILD / "cugate")
    assert cugate.find_program() == str(tmp_path / "cugate")


# ---- Functions

LAUNCHING = f"""
import ctypes, sys
import cugate
from cugate import kernels

driver = ctypes.CDLL("libcuda.so.1")
cubin = open({str(TOP / "build/tests/standin/kernels.cubin")!r}, "rb").read()

def must(code):
    assert code == 0, code

def launch(name, blocks=64):
    must(driver.cuLaunchKernel(FUNCTIONS[name], blocks, 1, 1, 256, 1, 1, 0, None, ARGUMENTS, None))

must(driver.cuInit(0))
context, module, numbers = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
must(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
must(driver.cuCtxSetCurrent(context))
must(driver.cuModuleLoadData(ctypes.byref(module), cubin))
must(driver.cuMemAlloc_v2(ctypes.byref(numbers), ctypes.c_size_t(1 << 20)))
FUNCTIONS = {{}}
for name in ("add_one", "tiny"):
    FUNCTIONS[name] = ctypes.c_void_p()
    must(driver.cuModuleGetFunction(ctypes.byref(FUNCTIONS[name]), module, name.encode()))
one, zero = ctypes.c_int(1), ctypes.c_int(0)
ARGUMENTS = (ctypes.c_void_p * 3)(*(ctypes.addressof(value) for value in (numbers, one, zero)))
launch("tiny")
"""
SOFTMAX = """
@cugate.kernel(baselines="baselines")
def softmax():
    launch("add_one")
"""


def test_a_function_is_measured_in_a_process_of_its_own(gpu: None, pytester: pytest.Pytester) -> None:
    """Its launches alone: not those of its module. In pytest it is a test, named after it."""
    path = pytester.makepyfile(test_launching="import apart\n" + LAUNCHING + SOFTMAX)
    pytester.mkdir("sources").joinpath("apart.py").touch()
    pytester.makeini("[pytest]\npythonpath = sources\n")  # which its process has, too
    run = pytester.runpytest_subprocess("-p", "cugate.pytest_plugin", "-v")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(
        ["*test_launching.py::softmax FAILED*", "Nothing was judged, because no baseline fits this run*"]
    )

    # As one that is imported: the same name, options added.
    code = (
        "import sys; sys.path.append('sources')\n"
        "import cugate, test_launching\n"
        "print(cugate.check(test_launching.softmax, save='run.json').exit_code)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=path.parent, capture_output=True, text=True)
    assert done.stdout == "4\n", done.stderr
    accept(path.parent / "run.json")
    run = pytester.runpytest_subprocess("-p", "cugate.pytest_plugin", "-v")
    run.assert_outcomes(passed=1)

    path.write_text("import apart\n" + LAUNCHING + SOFTMAX + '    launch("add_one")\n    launch("add_one")\n')
    run = pytester.runpytest_subprocess("-p", "cugate.pytest_plugin")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["*regressed  test_launching_softmax/*"])
    assert "tiny" not in run.stdout.str()


def test_a_long_name_is_cut_and_stays_one_of_its_own() -> None:
    long = [kernels.program_name(f"tests.test_{'x' * 50}_{end}") for end in "ab"]
    assert kernels.program_name("tests.Bench_softmax") == "tests_bench_softmax"
    assert all(re.fullmatch("[a-z0-9_]{40}", name) for name in long) and long[0] != long[1]


def test_a_kernel_takes_no_arguments_and_stands_at_the_top() -> None:
    with pytest.raises(TypeError, match="is called without arguments: missing a required argument: 'n'"):
        cugate.kernel(lambda n: None)
    with pytest.raises(TypeError, match="is not at the top of its module"):
        cugate.kernel(lambda: None)


# ---- pytest

USES = """
def test_softmax(cugate_check):
    result = cugate_check({what}, baselines={baselines!r})
    assert result.rows
"""


def test_the_fixture_judges(gpu: None, pytester: pytest.Pytester) -> None:
    cugate.check([PROGRAM, "plain"], save="run.json", baselines="baselines", runs=3)
    accept("run.json")
    baselines = str(Path("baselines").resolve())
    for how, outcome, words in (
        ("plain", {"passed": 1}, []),
        ("changed", {"failed": 1}, ["regressed  program/add_one@64,256*", "FAILED *::test_softmax - *regressed: *"]),
        ("exit3", {"failed": 1}, ["*exited with code 3*", "*(cugate's exit code 5)"]),
    ):
        pytester.makepyfile(USES.format(what=repr(f"{PROGRAM} {how}"), baselines=baselines))
        run = pytester.runpytest("-p", "cugate.pytest_plugin")
        run.assert_outcomes(**outcome)
        run.stdout.fnmatch_lines(words)


def test_without_a_gpu_the_fixture_fails_or_skips_as_told(no_gpu: None, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(USES.format(what="'true'", baselines="none"))
    run = pytester.runpytest("-p", "cugate.pytest_plugin")
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(["(cugate's exit code 5)"])
    run = pytester.runpytest("-p", "cugate.pytest_plugin", "-o", "cugate_no_gpu=skip", "-rs")
    run.assert_outcomes(skipped=1)
    run.stdout.fnmatch_lines(["SKIPPED*"])
    run = pytester.runpytest("-p", "cugate.pytest_plugin", "-o", "cugate_no_gpu=pass")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(["*cugate_no_gpu is fail or skip, not 'pass'"])


def test_only_a_missing_gpu_is_skipped(gpu: None, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(USES.format(what=repr(f"{PROGRAM} exit3"), baselines="none"))
    run = pytester.runpytest("-p", "cugate.pytest_plugin", "-o", "cugate_no_gpu=skip")
    run.assert_outcomes(failed=1)
