"""Change points of a metric over the nights: where its level moved and stayed.

The gate judges one night against the baseline. This looks at the whole history, so it also finds a move that is too
small for the gate's limits, and says on which night it began.

Method: the nights are split into segments so that a cost, plus a penalty for every change point, is least over all
splits (kernel change point detection: Arlot, Celisse and Harchaoui, JMLR 20, 2019; pruned as by Killick, Fearnhead and
Eckley, JASA 107, 2012). A segment's cost says how unlike its nights are by a Gaussian kernel: a night counts at most 1,
however far off it is.

Why this one. False alerts are per 1,000 series-nights, searching anew every night of a year; an outlier is +10 % in one
night of 100; "found" is a step of 3 % at 1 % noise, after 30 nights and within 5; the time is for 365 nights.

                               false alerts         found   time    remarks
                               Gaussian  outliers
    ruptures KernelCPD rbf     0.3       0.3        92 %    0.9 ms  in use
    ruptures KernelCPD linear  0.8       10         95 %    0.3 ms  its squared error follows one bad night
    ruptures Pelt                                           570 ms  the same optimum, searched in Python
    Apache Otava, p < 0.0001   1.0       8          97 %    9 ms    every outlier alerts; version 0.8 wants one NumPy
                                                                    and the clients of BigQuery, PostgreSQL and Slack
    SciPy                                                           has tests of two samples, no search for the split

reports/tests/test_change_rates.py has bars for those of the one in use. What falls short: noise that hangs together
from night to night looks like levels (with a correlation of 0.3 between neighbours 7 false alerts), and so does noise
that grows for good, until the scale has followed (7). A slow drift is told as a staircase.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

# Two constants, chosen together by simulation: kernels of 0.07 and 0.14, each with the penalty that gives as few false
# alerts, find as much. Two nights cannot reach the penalty unless by noise, so a move of one or two nights is no
# change.
_GAMMA = 0.1  # the kernel of two nights d noise scales apart is exp(-0.1 d^2): 0.41 at d = 3
_PENALTY = 2.05

# A segment of four nights leaves space to find a step within five nights. Of three nights, two outliers would be a
# majority.
_SEGMENT = 4  # at least; a shorter history than two segments has nothing to compare

# The least scale, as a share of the level. Counters that repeat to the digit have no noise, but some vary by 0.0007 %
# on one night. This floor makes that nothing, and a move of 0.1 % is four scales and found.
_SCALE_FLOOR = 0.00025

# Noise is estimated by this quantile of the differences between neighbouring nights. Their median is common and more
# robust, but it says less about a short history, and is 0 when most nights are equal. Here 15 % may be anything: one
# bad night in 13, with two differences each. Weibull's way to take a quantile leaves 15 % of further differences above
# it, however few were seen. NumPy's usual way is too low in short histories, which then alert twice as often.
_SCALE_QUANTILE = 0.85
# that quantile of the normal distribution with scale 1
_SCALE_OF_NORMAL = math.sqrt(2) * NormalDist().inv_cdf((1 + _SCALE_QUANTILE) / 2)


@dataclass(frozen=True)
class Change:
    index: int  # index of the first night of the new level
    before: float  # in the metric's unit: median since the previous change point
    after: float  # median of the nights until the next change point


def noise_scale(levels: np.ndarray) -> float:
    """The standard deviation of one night, from the differences between neighbours: a lasting step is in only one.

    `levels` are natural logarithms, shape (nights,), at least 2 nights; so the scale is a share of the level.
    """
    steps = np.abs(np.diff(levels))
    return max(float(np.quantile(steps, _SCALE_QUANTILE, method="weibull")) / _SCALE_OF_NORMAL, _SCALE_FLOOR)


def find_changes(values: np.ndarray) -> list[Change]:
    """The change points of one series, oldest first.

    `values` has shape (nights,), in order and in any unit. NaN is a night without a value; so is what no metric can be,
    negative or infinite. Fewer than 8 nights with a value have no change point. Nothing is remembered: with another
    night a change point may move by a night or two, and an uncertain one may come or go.
    """
    values = np.asarray(values, dtype=float)
    nights = np.flatnonzero(np.isfinite(values) & (values >= 0))
    if len(nights) < 2 * _SEGMENT:
        return []
    values = values[nights]
    # Noise is proportional to the level: in logarithms it stays the same when code becomes ten times faster. The kernel
    # is bounded, so a very low value for 0 only makes it unlike everything else.
    levels = np.log(np.maximum(values, np.finfo(float).tiny))
    if np.ptp(levels) < _SCALE_FLOOR:
        return []  # most counters do not move: much the fastest way out
    # ruptures imports SciPy, half of all that the pages import. Most short histories never need it.
    from ruptures import KernelCPD

    search = KernelCPD(kernel="rbf", min_size=_SEGMENT, params={"gamma": _GAMMA})
    # the last end is len(values), no change point
    ends = search.fit_predict(levels / noise_scale(levels), pen=_PENALTY)
    medians = [float(np.median(part)) for part in np.split(values, ends[:-1])]
    return [
        Change(int(nights[end]), before, after)
        for end, before, after in zip(ends[:-1], medians[:-1], medians[1:], strict=True)
    ]
