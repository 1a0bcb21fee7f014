"""cugate in pytest: a fixture, and functions under `@cugate.kernel` as tests.

    def test_softmax(cugate_check):
        cugate_check("python3 bench.py", baselines="perf")

    @cugate.kernel
    def softmax():
        torch.softmax(x, -1)

Each fails with cugate's report unless something was judged and nothing is worse: also without a baseline or a GPU.
`cugate_no_gpu = skip` in pytest's settings skips where there is no GPU.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

import cugate

NO_GPU = "cugate_no_gpu"  # in pytest's settings


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(NO_GPU, "what a check does that needs a GPU where there is none: fail or skip", default="fail")


def pytest_configure(config: pytest.Config) -> None:
    if config.getini(NO_GPU) not in ("fail", "skip"):
        raise pytest.UsageError(f"{NO_GPU} is fail or skip, not {config.getini(NO_GPU)!r}")


def passes(config: pytest.Config, what: cugate.Checked, options: dict[str, cugate.Option]) -> cugate.Check:
    """Returns what cugate.check() does. Fails the test unless that passed."""
    failed = None
    try:
        result = cugate.check(what, **options)
    except cugate.Error as error:
        failed = error
    if failed:
        missing = cugate.plan(what, **options)["no_gpu"] if failed.exit_code == 5 else None
        if missing and config.getini(NO_GPU) == "skip":
            pytest.skip(missing)
        pytest.fail(f"{failed}\n(cugate's exit code {failed.exit_code})", pytrace=False)
    if not result.passed:
        pytest.fail(f"{result.summary}\n\n{result.report}", pytrace=False)
    return result


@pytest.fixture
def cugate_check(pytestconfig: pytest.Config) -> Callable[..., cugate.Check]:
    """cugate.check(), which fails the test with the report unless something was judged and nothing is worse."""

    def check(what: cugate.Checked = None, /, **options: cugate.Option) -> cugate.Check:
        return passes(pytestconfig, what, options)

    return check


class KernelItem(pytest.Item):
    """A function under `@cugate.kernel` as a test."""

    kernel: cugate.Kernel

    def runtest(self) -> None:
        passes(self.config, self.kernel, {})

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.path, self.kernel.function.__code__.co_firstlineno - 1, self.name


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> KernelItem | None:
    if not isinstance(obj, cugate.Kernel) or not isinstance(collector, pytest.Module):
        return None
    if obj.function.__module__ != collector.obj.__name__:  # imported: it is a test where it is written
        return None
    item: KernelItem = KernelItem.from_parent(collector, name=name)
    item.kernel = obj
    item.own_markers.extend(getattr(obj, "pytestmark", []))
    return item
