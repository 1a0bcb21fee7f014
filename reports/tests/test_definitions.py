"""What the pages take from the metric files."""

from __future__ import annotations

from pathlib import Path

from reports.definitions import Panel, headlines

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
