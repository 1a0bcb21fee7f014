"""Names the gate's rule by which a row that moved is not worse.

The verdict is the gate's. This gives its reason, so that no "same" stands beside a slow-down without one.
"""

from __future__ import annotations

from cugate_reports.definitions import Floor, floors
from cugate_reports.files import Judgement

# How the pages explain the words below, once, where they first appear.
LEGEND = (
    "A change within its limit does not count. The limit is the larger of two: noise, from the spread of the "
    "baseline's sessions, and floor, below which a change of that metric never counts. Wide limit: so wide that the "
    "row can hardly fail. Same code: beyond the limit, but machine code, launch and counts are the baseline's, which "
    "explains up to 10 % of a time."
)


def moved(judgement: Judgement) -> float | None:
    """Returns how far the row is from its baseline, without the shift that all kernels share; None where that is not
    known.
    """
    if judgement.base is None or judgement.now is None:
        return None
    return judgement.now - judgement.base - (judgement.drift or 0.0)


def source(judgement: Judgement, known: dict[str, Floor] | None = None) -> str:
    """Returns where the limit comes from."""
    known = floors() if known is None else known
    floor = known.get(judgement.metric or "")
    if floor and judgement.limit is not None and judgement.limit <= floor.of(judgement.base or 0.0) * (1 + 1e-6):
        return f"floor of {floor.words}"
    if judgement.base_sessions:
        return f"noise of {judgement.base_sessions} session{'s' if judgement.base_sessions != 1 else ''}"
    return "noise of the baseline"


def rule_word(judgement: Judgement) -> str:
    """Returns the rule in a word, for a table under LEGEND: noise, floor, same code or beyond."""
    words = rule(judgement)
    short = next((word for word in ("noise", "floor") if words.startswith(f"within the {word}")), words)
    return f"{short}, wide limit" if judgement.blind and short != words else short


def rule(judgement: Judgement, known: dict[str, Floor] | None = None) -> str:
    """Returns what decided, for example "within the noise of 20 sessions"; "" where nothing moved or nothing is known.
    known: the floors of metrics, by default those of cugate's files.
    """
    change = moved(judgement)
    if judgement.verdict not in ("same", "improved", "regressed") or change is None or judgement.limit is None:
        return judgement.reason or ""
    if not change and judgement.base == judgement.now:
        return judgement.reason or ""
    if abs(change) > judgement.limit:
        decided = "same code" if judgement.same_code else judgement.reason
        return decided or (
            "beyond its limit" if judgement.verdict != "same" else "beyond its limit, and the gate calls it the same"
        )
    words = f"within the {source(judgement, known)}"
    return f"{words}, and so wide that it can hardly fail" if judgement.blind else words
