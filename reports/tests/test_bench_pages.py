"""The pages of a long history stay within what a nightly job has: 20 s on 2 cores, and 400 MB."""

from __future__ import annotations

from reports.tests.bench_pages import KERNELS, NIGHTS, measure


def test_a_year_of_nights_is_no_burden() -> None:
    figures = measure(NIGHTS, KERNELS)
    assert figures.held < 400e6
    assert figures.cpu < 2 * 20  # by the processors' clocks, since other jobs may hold up the wall's
