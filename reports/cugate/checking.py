"""Runs the program cugate, and reads the report that it writes for programs."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Option = bool | int | float | str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None

Words = str | Sequence[str | os.PathLike[str]] | None  # of what stands behind "--"

SCHEMA = 1
COMPLAINT = "cugate: error: "


class Error(Exception):
    """cugate could not do what it was asked to. The text is what it said.

    `exit_code` is cugate's: 2 for an unknown option or a file that cannot be read, 5 for no GPU, or for a program that
    failed; 130 if it was stopped.
    """

    def __init__(self, exit_code: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class Row:
    """What was found of one metric of one kernel. What has no value is None, and never 0."""

    kernel: str  # "bench_softmax/add_one@64,256", as the report names it
    metric: str | None  # "time"; None: the verdict is about the kernel as a whole, for example that it is missing
    unit: str | None  # of the values: "ns", "count", "byte", "%"
    verdict: str  # "same", "regressed", "improved", "unsure", "missing" and others
    shown: str  # the verdict as the report has it: a wrong result is "wrong", a kernel that is not launched "gone"
    base: float | None  # the baseline's value
    now: float | None  # this run's
    change: float | None  # now - base, in the same unit
    limit: float | None  # the change beyond which it is no chance
    reason: str | None  # why it has this verdict, for people
    launched_by: str | None  # the line and the library that launched the kernel, of a program
    causes: tuple[Mapping[str, Any], ...]  # lines that have more of it, each with "file", "line", "base" and "now"


@dataclass(frozen=True, repr=False)
class Check:
    """What `cugate check` found. It is true if it passed, and nothing else is."""

    exit_code: (
        int  # 0: nothing is worse; 1: something is; 3: in doubt; 4: no baseline; 5: a kernel failed or is missing
    )
    verdict: str  # the exit code as a word
    rows: tuple[Row, ...]  # what was judged, worst first
    report: str = field(repr=False)  # the report for people
    document: Mapping[str, Any] = field(repr=False)  # all of `--format json`: check.schema.json describes it

    @property
    def passed(self) -> bool:
        """Whether something was judged and nothing is worse: exit code 0, and no other."""
        return self.exit_code == 0

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"<cugate.Check {self.summary}>"

    @property
    def summary(self) -> str:
        """The verdict in one line: "regressed: 4 of 19 rows in 1 of 1 kernel (exit 1)"."""
        lines = [line for line in self.report.splitlines() if line.endswith(f"(exit {self.exit_code})")]
        return lines[-1] if lines else f"{self.verdict} (exit {self.exit_code})"

    @property
    def kernels(self) -> dict[str, tuple[Row, ...]]:
        """The rows of each kernel, by its name; the kernel with the worst row is first."""
        names = dict.fromkeys(row.kernel for row in self.rows)
        return {name: tuple(row for row in self.rows if row.kernel == name) for name in names}


def installed(name: str) -> Path | None:
    """Returns the file of that name that was installed with this package, for example "bin/cugate"."""
    try:
        distribution = importlib.metadata.distribution("cugate")
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in distribution.files or ():
        if file.as_posix().endswith("/" + name):
            return Path(str(distribution.locate_file(file))).resolve()
    return None


def find_program() -> str:
    """Returns the program: the one that the variable CUGATE names, that of this package, or that on the PATH."""
    program = os.environ.get("CUGATE") or installed("bin/cugate") or shutil.which("cugate")
    if not program:
        raise Error(2, "the program cugate was not found: pip install cugate, or set the variable CUGATE to its path")
    return str(program)


def cmake_dir() -> str:
    """Returns the folder of cugateConfig.cmake: for `cmake -D cugate_DIR=...` where find_package() does not find it."""
    config = installed("lib/cmake/cugate/cugateConfig.cmake")
    beside = Path(find_program()).resolve().parent.parent / "lib/cmake/cugate/cugateConfig.cmake"
    if not config and beside.exists():
        config = beside
    if not config:
        raise Error(2, f"{beside} is not there: only where cugate is installed it has files for CMake")
    return str(config.parent)


def listed(value: Option) -> list[object]:
    """Returns the values of an option that may be given several times."""
    if value is None:
        return []
    return [*value] if isinstance(value, list | tuple) else [value]


def command_line(what: Words, options: Mapping[str, Option]) -> list[str]:
    """Returns the arguments of `cugate check`. `what` stands behind "--"; a string is split as a shell would."""
    words = [find_program(), "check"]
    for name, value in options.items():
        option = f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        for one in listed(value):
            words += [option, str(one)] if len(name) == 1 else [f"{option}={one}"]
    if what is not None:
        words += ["--", *(shlex.split(what) if isinstance(what, str) else map(str, what))]
    return words


def run_plan(what: Words, options: Mapping[str, Option]) -> dict[str, Any]:
    """Runs `cugate check --dry-run`."""
    run = subprocess.run(command_line(what, {**options, "dry_run": True}), capture_output=True)
    if run.returncode:
        raise Error(run.returncode, run.stderr.decode(errors="replace").strip().removeprefix(COMPLAINT))
    planned: dict[str, Any] = json.loads(run.stdout)
    return planned


def run_check(what: Words, options: Mapping[str, Option], environment: Mapping[str, str]) -> Check:
    """Runs `cugate check`. What it and the program say while it runs goes to standard error."""
    pipe = subprocess.PIPE
    with tempfile.TemporaryDirectory(prefix="cugate-") as folder:
        document, report = Path(folder, "check.json"), Path(folder, "report")
        reports = [f"json={document}", *map(str, listed(options.get("report")))]
        words = command_line(what, {**options, "report": reports})
        said = []
        with report.open("wb") as out, subprocess.Popen(words, stdout=out, stderr=pipe, env=environment) as process:
            assert process.stderr
            for line in process.stderr:
                text = line.decode(errors="replace")
                sys.stderr.write(text)
                if text.startswith(COMPLAINT):
                    said.append(text.removeprefix(COMPLAINT).strip())
        result = read_check(document, report, process.returncode)
    if result is not None and (result.exit_code != 5 or result.rows or result.document["failures"]):
        return result
    if result is not None and result.report:
        said.append(result.report.rstrip())
    raise Error(process.returncode, "\n".join(said) or f"cugate ended with {process.returncode}, and no report")


def read_check(document: Path, report: Path, exit_code: int) -> Check | None:
    """Returns what the report says, or None if there is none, or one of another run or version."""
    try:
        root = json.loads(document.read_text())
    except (OSError, ValueError):
        return None
    if root.get("schema") != SCHEMA or root.get("exit_code") != exit_code:
        return None
    names = Row.__dataclass_fields__.keys() - {"causes"}
    rows = tuple(Row(**{name: one[name] for name in names}, causes=tuple(one["causes"])) for one in root["judgements"])
    return Check(exit_code, root["verdict"], rows, report.read_text(errors="replace"), root)
