"""Tests what the pages take from the metric files."""

from __future__ import annotations

from pathlib import Path

import pytest

from cugate_reports.definitions import PageError, Panel, headlines

FIRST = """; A comment
[time]
title = Time
law = > 0,
    <= 100 %
[b]
title = Second
headline = two
"""


def test_headlines_stand_in_the_order_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "z.ini").write_text("[a]\ntitle = Third\nheadline = three\n")
    (tmp_path / "y.ini").write_text(FIRST)
    (tmp_path / "x.txt").write_text("[c]\ntitle = None\nheadline = none\n")
    assert headlines(tmp_path) == (Panel("b", "Second"), Panel("a", "Third"))


def test_the_four_metrics_that_the_gate_is_about_are_headlines() -> None:
    assert [panel.metric for panel in headlines()] == [
        "dram_throughput",
        "achieved_occupancy",
        "branch_efficiency",
        "shared_bank_conflicts",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no metric there has a headline"),
        ("[a]\ntitle = A\n", "no metric there has a headline"),
        ("[a]\nheadline = a\n", "x.ini: cannot be read"),
        ("headline = a\n", "x.ini: cannot be read"),
        ("\udcff", "x.ini: cannot be read"),
    ],
)
def test_pages_without_plots_are_an_error(tmp_path: Path, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "x.ini").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(PageError, match=words):
        headlines(tmp_path)


def test_an_optional_file_has_no_plots(tmp_path):
    (tmp_path / "a.ini").write_text("[time]\ntitle = Time\nheadline = time\n")
    (tmp_path / "b.ini").write_text("; of few\n\noptional = yes\n[rare]\ntitle = Rare\nheadline = rare\n")
    assert headlines(tmp_path) == (Panel("time", "Time"),)
