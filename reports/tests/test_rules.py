"""Tests which rule the pages name beside a row that moved and is not worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from cugate_reports.definitions import Floor, floors
from cugate_reports.files import Judgement
from cugate_reports.rules import rule, rule_word

FLOORS = {"time": Floor("2 % or 250 ns", 2, 250)}


def judged(now: float, **facts: object) -> Judgement:
    facts = {"verdict": "same", "limit": 6000.0, "base_sessions": 20, **facts}
    return Judgement(kernel="a/x", metric="time", unit="ns", base=100000.0, now=now, **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("row", "words", "word"),
    [
        (judged(105480.0), "within the noise of 20 sessions", "noise"),
        (judged(105480.0, base_sessions=1), "within the noise of 1 session", "noise"),
        (judged(105480.0, base_sessions=None), "within the noise of the baseline", "noise"),
        (judged(101500.0, limit=2000.0), "within the floor of 2 % or 250 ns", "floor"),
        (judged(101500.0, limit=2000.1), "within the noise of 20 sessions", "noise"),
        (judged(107000.0, same_code=True), "same code", "same code"),
        (judged(107000.0, drift=1500.0), "within the noise of 20 sessions", "noise"),
        (judged(107000.0, reason="2 of 14 pairs say so"), "2 of 14 pairs say so", "2 of 14 pairs say so"),
        (
            judged(107000.0),
            "beyond its limit, and the gate calls it the same",
            "beyond its limit, and the gate calls it the same",
        ),
        (judged(107000.0, verdict="regressed"), "beyond its limit", "beyond its limit"),
        (judged(90000.0, verdict="improved"), "beyond its limit", "beyond its limit"),
        (judged(107000.0, verdict="unsure", reason="one session"), "one session", "one session"),
        (
            judged(120000.0, limit=4e4, blind=True),
            "within the noise of 20 sessions, and so wide that it can hardly fail",
            0,
        ),
        (judged(100000.0), "", ""),
        (judged(105480.0, limit=None), "", ""),
        (judged(105480.0, limit=None, verdict="info"), "", ""),
    ],
)
def test_the_rule_is_told(row: Judgement, words: str, word: str | int) -> None:
    assert rule(row, FLOORS) == words
    if row.limit != 2000.0:  # that row's floor is in cugate's files too
        assert rule_word(row) == (word or "noise, wide limit" if words else "")
    else:
        assert rule_word(row) == "floor"


def test_floors_are_those_of_the_metric_files(tmp_path: Path) -> None:
    text = "; of few\noptional = yes\n[a]\ntitle = A\nfloor = 2 % and 250 ns ; why\n[b]\nfloor = 1 point\n"
    text += "[c]\nfloor = much\n[d]\ntitle = D\n"
    (tmp_path / "x.ini").write_text(text)
    found = floors(tmp_path)
    assert set(found) == {"a", "b"}
    assert (found["a"].words, found["a"].of(1e6), found["a"].of(1000.0)) == ("2 % or 250 ns", 20000.0, 250.0)
    assert (found["b"].words, found["b"].of(80.0)) == ("1 point", 1.0)
    assert floors()["time"].words == "2 % or 250 ns"
