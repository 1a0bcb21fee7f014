"""A program over nights (`cugate run -- PROGRAM`): the GPU time of all its launches, and which kernels it went to.

GPU time is the metric of that name. On nights without it, it is the time of a kernel x its launches, as the harness
has it: of such nights the pages say so. Nothing is known of a night that lacks the program's own row.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from cugate_reports.files import is_range
from cugate_reports.nights import Nights
from cugate_reports.views import GPU_TIME, TIME

NAMED = 6  # functions that a stack names; there are as many fillings in figures.py


@dataclass(frozen=True)
class Part:
    """A kernel of a program, or the program as a whole: all its launches in one run. now and before are GPU times in
    ns: 0 on a night that lacks the kernel, NaN where nothing is known.
    """

    kernel: str
    launches: float
    now: float
    before: float

    @property
    def each(self) -> float:
        """Returns the time of a launch in ns."""
        return self.now / self.launches if self.launches > 0 else math.nan

    @property
    def lost(self) -> float:
        """Returns how much longer it took than before, in ns."""
        return self.now - self.before

    @property
    def news(self) -> str:
        """Returns "new" or "gone"; "" for a kernel of both nights."""
        if self.before == 0:
            return "new"
        return "gone" if self.now == 0 else ""


@dataclass(frozen=True)
class Program:
    """A program over all nights. stack: the GPU time in ns of the largest functions and, last, of all others; shape
    (nights,). They add up to the program's; NaN on a night on which that was not measured.
    """

    name: str
    stack: list[tuple[str, np.ndarray]]
    night: int  # the last night on which the program was measured
    before: int | None  # the last one before that
    gaps: int  # number of nights up to the last one on which it was not measured
    estimated: list[int]  # nights of which GPU time is time x launches
    whole: Part
    parts: list[Part]  # kernels of either of the two nights, those first that moved most

    def count(self, news: str) -> int:
        """Counts the parts that are "new", or "gone"."""
        return sum(part.news == news for part in self.parts)

    def largest(self, most: int = 3) -> list[tuple[str, float, float]]:
        """Returns the functions that took most on the last night: name, time in ns, share of the program's."""
        times = sorted(((float(times[self.night]), name) for name, times in self.stack[:-1]), reverse=True)
        return [(name, time, time / self.whole.now) for time, name in times[:most] if time > 0]


def function_of(kernel: str) -> str:
    """Returns "softmax<float>" of "train/softmax<float>@256,32x4"; a graph has no shape."""
    name, at, shape = kernel.partition("/")[2].rpartition("@")
    return name if at else shape


def program(nights: Nights, name: str) -> Program | None:
    """Returns one of nights.programs; None where it was not measured on any night."""
    with np.errstate(all="ignore"):
        return _program(nights, name)


def _program(nights: Nights, name: str) -> Program | None:
    total = nights.series(name, GPU_TIME.metric)
    timed = np.isfinite(total)
    total = np.where(timed, total, nights.series(name, TIME.metric))
    measured = np.flatnonzero(np.isfinite(total))
    if not len(measured):
        return None
    night, before = int(measured[-1]), int(measured[-2]) if len(measured) > 1 else None

    def part(kernel: str, launches: np.ndarray, took: np.ndarray) -> Part:
        earlier = math.nan if before is None else float(took[before])
        return Part(kernel, float(launches[night]), float(took[night]), earlier)

    functions: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(total)))
    parts = []
    for kernel in nights.kernels:
        if kernel == name or is_range(kernel) or kernel.partition("/")[0] != name.partition("/")[0]:
            continue
        launches = nights.series(kernel, "launches")
        times = nights.series(kernel, TIME.metric) * launches
        took = np.where(timed, nights.series(kernel, GPU_TIME.metric), times)
        took[np.isnan(took) & ~(launches > 0)] = 0
        functions[function_of(kernel)] += np.nan_to_num(took)
        parts.append(part(kernel, launches, took))
    parts = [one for one in parts if one.now != 0 or one.before > 0]
    parts.sort(key=lambda one: (-abs(np.nan_to_num(one.now) - np.nan_to_num(one.before)), one.kernel))
    return Program(
        name=name,
        stack=_stacked(functions, total, measured[-2:]),
        night=night,
        before=before,
        gaps=night + 1 - len(measured),
        estimated=[place for place in measured.tolist() if not timed[place]],
        whole=part(name, nights.series(name, "launches"), total),
        parts=parts,
    )


def _stacked(functions: dict[str, np.ndarray], total: np.ndarray, compared: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Names the functions that are largest on any of the nights that are compared, so also what is new or gone.

    Where each number is a median, of runs or runners, the parts may add up to more than the program: they are drawn
    as much smaller then.
    """
    names = sorted(functions, key=lambda name: (-functions[name][compared].max(), name))
    stack = np.array([functions[name] for name in names[:NAMED]]).reshape(-1, len(total))
    named = stack.sum(axis=0)
    stack *= np.where(named > total, total / named, 1)
    stack[:, ~np.isfinite(total)] = math.nan
    others = np.maximum(total - stack.sum(axis=0), 0)
    return [*zip(names, stack, strict=False), ("others", others)]
