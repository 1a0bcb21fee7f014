"""Tests that the pages of a long history stay within what a nightly job has: 20 s on 2 cores, and 400 MB. It has a
fifth of the kernels; bench_pages.py measures all.
"""

from __future__ import annotations

from bench_pages import KERNELS, NIGHTS, measure


def test_a_year_of_nights_is_no_burden() -> None:
    figures = measure(NIGHTS, KERNELS // 5)
    assert figures.held < 400e6
    assert figures.weights[".html"] < 10e6 / 5 and figures.weights[".png"] < 12e6 / 5
    # A processor that other jobs share does half as much in a second. Four times the 2 x 20 s / 5 is beyond any such
    # effect, and far below what a step that is quadratic in nights or kernels would take.
    assert figures.cpu < 4 * 2 * 20 / 5
