"""The data behind the first page: what is wrong tonight, why, what changed around it, and every kernel in a row.

Like views.py: plain values, and nothing is drawn or written here.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from cugate_reports.files import Failure, Judgement
from cugate_reports.nights import RECENT, RED, SUITE, VERDICTS, Nights, environment_changes
from cugate_reports.views import COUNTERS, TIME, WALL_TIME, time_panel

HEADLINES = {
    0: ("good", "Nothing is worse"),
    1: ("bad", "Something got worse"),
    3: ("warn", "Inconclusive: something could not be decided"),
    4: ("warn", "No baseline fits this GPU"),
    5: ("bad", "Not everything could be measured"),
    130: ("warn", "Stopped by Ctrl-C"),
}


@dataclass(frozen=True)
class News:
    """A change point among the last nights: a level that moved, whatever the gate said night by night."""

    kernel: str
    metric: str
    date: str
    before: float
    after: float
    unit: str
    better: bool | None


@dataclass(frozen=True)
class Tonight:
    """The first screen. counts are of tonight's judgements by verdict, only those that were given."""

    tone: str
    headline: str
    detail: str
    replay: str | None
    counts: list[tuple[str, int]]
    worst: list[Blame]
    more: int  # kernels as bad that are not among them
    failures: list[Failure]
    environment: list[tuple[str, str, str]]
    notes: list[str]
    suites: list[str]
    news: list[News]


# Metrics whose moves are news: those of the plots, and time. Others follow from them.
_NEWS = (TIME, WALL_TIME, *COUNTERS)
_LOWER_IS_BETTER = frozenset({"time", "wall_time", "shared_bank_conflicts"})
WORST = 8  # kernels on the first screen
WORST_ROWS = 3  # of each


@dataclass(frozen=True)
class Blame:
    """Judgements of one kernel that are worse, the gravest first; causes only where no earlier one told the same."""

    kernel: str
    time: Judgement | None  # what it did to the kernel's time, whether that is among the rows or not
    rows: list[tuple[Judgement, bool]]  # whether its causes are told
    more: int  # rows that are left out


def blames(judgements: list[Judgement], most_rows: int | None = None, most_told: int | None = None) -> list[Blame]:
    """Groups rows that are worse by kernel, in the order in which the report has them; of each kernel so many rows, and
    causes of so many of them."""
    times = {j.kernel: j for j in judgements if j.metric in (TIME.metric, WALL_TIME.metric) and j.now is not None}
    kernels: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if (judgement.verdict in RED or judgement.verdict == "unsure") and judgement.kernel != SUITE:
            kernels.setdefault(judgement.kernel, []).append(judgement)
    found = []
    for kernel, rows in kernels.items():
        told: set[str | None] = set()
        chosen = []
        for judgement in rows[:most_rows]:
            new = bool(judgement.causes) and judgement.story not in told
            chosen.append((judgement, new and (most_told is None or len(told) < most_told)))
            if new:
                told.add(judgement.story)
        found.append(Blame(kernel, times.get(kernel), chosen, len(rows) - len(chosen)))
    return found


def _news(nights: Nights) -> list[News]:
    found = []
    for kernel in nights.kernels:
        for panel in _NEWS:
            unit = nights.units.get(panel.metric, "")
            for change in nights.changes(kernel, panel.metric):
                if change.index < len(nights.dates) - RECENT:
                    continue
                better = (change.after < change.before) if panel.metric in _LOWER_IS_BETTER else None
                date = nights.dates[change.index]
                found.append(News(kernel, panel.metric, date, change.before, change.after, unit, better))
    return sorted(found, key=lambda news: (news.better is True, news.date, news.kernel))


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count != 1 else ''}"


def _headline(nights: Nights) -> tuple[str, str, str]:
    """Tone, headline and a line below it."""
    report = nights.report
    if report is None:
        return "warn", "Tonight's run was not judged", "No report was ingested with it: cugate check --format json."
    tone, words = HEADLINES.get(report.exit_code, ("bad", f"The gate ended with exit code {report.exit_code}"))
    missing = len({j.kernel for j in report.judgements if j.verdict == "missing"} | {f.kernel for f in report.failures})
    kernels = {
        verdict: len({j.kernel for j in report.judgements if j.verdict == verdict and j.kernel != SUITE})
        for verdict in RED
    }
    told = [
        f"{_counted(kernels['regressed'], 'kernel')} got worse" if kernels["regressed"] else "",
        f"{_counted(missing, 'kernel')} could not be measured" if missing else "",
        f"{_counted(kernels['unexpected-pass'], 'known regression')} is gone" if kernels["unexpected-pass"] else "",
    ]
    if report.exit_code in (1, 5) and any(told):
        words = ", ".join(part for part in told if part)
    elif report.exit_code == 3 and any(suite.moved for suite in report.suites):
        words = "Inconclusive: the whole suite moved"
    judged = sum(j.verdict != "info" and j.kernel != SUITE for j in report.judgements)
    of = (report.counts or {}).get("kernels", len(nights.run.kernels))
    what = f"{_counted(judged, 'row')} in {_counted(of, 'kernel')} {'was' if judged == 1 else 'were'} judged"
    return tone, words, f"{what}; exit code {report.exit_code} ({report.verdict})."


def tonight(nights: Nights) -> Tonight:
    """What the first screen says."""
    report = nights.report
    tone, headline, detail = _headline(nights)
    counts = Counter(j.verdict for j in report.judgements) if report else Counter()
    failed = {failure.kernel for failure in report.failures} if report else set()
    rows = [j for j in report.judgements if j.kernel not in failed] if report else []
    bad = blames(rows, WORST_ROWS, most_told=1)
    environment = environment_changes(*nights.sessions[-2:]) if len(nights.sessions) > 1 else []
    suites = []
    for suite in report.suites if report else []:
        if suite.shift is not None:
            moved = ": the whole suite moved, which is judged apart" if suite.moved else ""
            suites.append(f"{suite.metric}: {100 * suite.shift:+.2f} % over {suite.kernels} kernels{moved}")
    return Tonight(
        tone=tone,
        headline=headline,
        detail=detail,
        replay=report.replay if report else None,
        counts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict] and verdict != "info"],
        worst=bad[:WORST],
        more=max(0, len(bad) - WORST),
        failures=report.failures if report else [],
        environment=environment,
        notes=report.notes if report else [],
        suites=suites,
        news=_news(nights),
    )


@dataclass(frozen=True)
class KernelRow:
    """A kernel in the table of all: tonight's time and counters, and the time's change from the baseline."""

    kernel: str
    verdict: str
    time: float
    time_change: float | None  # a share
    counters: tuple[float, ...]  # as COUNTERS
    by_host: bool  # the time is the host's clock


def kernel_rows(nights: Nights) -> list[KernelRow]:
    rows = []
    for kernel in nights.kernels:
        panel = time_panel(nights, kernel)
        now, change = nights.tonight(kernel, panel.metric), None
        place = nights.place(kernel, panel.metric)
        base = nights.bases[(-1, *place)] if place else math.nan
        if math.isfinite(now) and math.isfinite(base) and base > 0:
            change = float(now / base - 1)
        counters = tuple(nights.tonight(kernel, counter.metric) for counter in COUNTERS)
        rows.append(KernelRow(kernel, nights.worst_verdict(kernel), now, change, counters, panel is WALL_TIME))
    return rows
