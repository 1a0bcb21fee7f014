"""The data behind the first page: what is wrong tonight, why, what changed around it, and every kernel in a row.

Like views.py: plain values, and nothing is drawn or written here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cugate_reports import week
from cugate_reports.files import PROGRAM, Failure, Judgement, Upgrade, Upgraded, is_program
from cugate_reports.fleet import Runner, evening, listed
from cugate_reports.nights import RECENT, RED, SUITE, VERDICTS, Absent, Nights, environment_changes
from cugate_reports.programs import Program, program
from cugate_reports.rules import rule_word
from cugate_reports.views import COUNTERS, GPU_TIME, TIME, WALL_TIME, better_is, finite, has_time, panels, time_panel

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
    """A change point among the last nights: a level that moved, whatever the gate said each night. judgement is
    tonight's on that row.
    """

    kernel: str
    metric: str
    date: str
    before: float
    after: float
    unit: str
    better: bool | None
    judgement: Judgement | None


@dataclass(frozen=True)
class Tonight:
    """The first screen. counts are of tonight's kernels by their worst verdict, only those that were given."""

    tone: str
    headline: str
    detail: str
    counts: list[tuple[str, int]]
    worst: list[Blame]
    more: int  # how many kernels are as bad but not listed
    better: list[Blame]  # kernels of which something improved and nothing is worse
    came: list[str]  # kernels that are new since one of the last nights
    went: list[str]  # kernels that the last nights had, and tonight has not
    accepted: list[tuple[str, list[str]]]  # reasons with which baselines of kernels were accepted lately
    failures: list[Failure]
    environment: list[tuple[str, str, str]]
    notes: list[str]
    suites: list[str]
    upgrade: Upgrade | None
    upgraded: list[UpgradedClass]
    news: list[News]
    programs: list[Program]
    kernels_only: list[str]  # names of tonight's programs that were not measured as a whole on any night
    fleet: Fleet | None  # the night's runners; None with one runner


@dataclass(frozen=True)
class UpgradedClass:
    """The kernels that another toolchain changed in one way, with the time that they lost together, in ns; None where
    none has a time. `most` lost the most of it.
    """

    kind: str
    count: int
    lost: float | None
    most: Upgraded


@dataclass(frozen=True)
class Fleet:
    """What a night of several runners needs in addition: the runners, their problems in words, and days without any."""

    runners: list[Runner]  # runners that are off first, then by name
    absent: list[Absent]
    odd: list[str]


WORST = 8  # how many kernels the first screen shows
WORST_ROWS = 3  # how many rows of each kernel are shown
BETTER = 5  # how many kernels are shown that improved


@dataclass(frozen=True)
class Blame:
    """The judgements of one kernel that are worse, the gravest first; causes only where no earlier judgement has the
    same.
    """

    kernel: str
    time: Judgement | None  # what happened to the kernel's time, whether or not it is among the rows
    rows: list[tuple[Judgement, bool]]  # the kernel's rows, with whether their causes are shown
    more: int  # how many of the kernel's rows are left out

    @property
    def lost(self) -> float | None:
        """Returns time x slow-down: ns more than the baseline's time; None where the report has no such time."""
        if self.time is None or self.time.now is None or self.time.base is None:
            return None
        return self.time.now - self.time.base


def _by_time_lost(blame: Blame) -> tuple[bool, bool, float]:
    """Orders rows: red before in doubt, in each programs first, then the most lost time. Rows without a known time
    follow those that lost some, in the order of the report.
    """
    is_whole = blame.time is not None and blame.time.metric == GPU_TIME.metric
    return not any(judgement.verdict in RED for judgement, _ in blame.rows), not is_whole, -(blame.lost or 0.0)


def blames(judgements: list[Judgement], most_rows: int | None = None, most_told: int | None = None) -> list[Blame]:
    """Groups worse rows by kernel, the most lost time first. It keeps so many rows of each kernel, in the order of the
    report, and causes of so many of these.
    """
    return _grouped(judgements, [*RED, "unsure"], most_rows, most_told)


def _grouped(
    judgements: list[Judgement], verdicts: list[str], most_rows: int | None, most_told: int | None
) -> list[Blame]:
    times = _times(judgements)
    kernels: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.verdict in verdicts and judgement.kernel != SUITE:
            kernels.setdefault(judgement.kernel, []).append(judgement)
    found = []
    for kernel, rows in kernels.items():
        told: set[str | None] = set()
        chosen = []
        for judgement in rows[:most_rows]:
            new = bool(judgement.causes or judgement.appeared) and judgement.story not in told
            chosen.append((judgement, new and (most_told is None or len(told) < most_told)))
            if new:
                told.add(judgement.story)
        found.append(Blame(kernel, times.get(kernel), chosen, len(rows) - len(chosen)))
    return sorted(found, key=_by_time_lost)


def _times(judgements: list[Judgement]) -> dict[str, Judgement]:
    """The time of each kernel, or its wall time, and of a program its GPU time."""
    times: dict[str, Judgement] = {}
    for panel in (WALL_TIME, TIME, GPU_TIME):
        rows = (j for j in judgements if j.metric == panel.metric and j.now is not None)
        times.update({j.kernel: j for j in rows if panel is not GPU_TIME or is_program(j.kernel)})
    return times


def _accepted(nights: Nights) -> list[tuple[str, list[str]]]:
    """Returns the reasons of the last nights, the newest first, with their kernels."""
    found: dict[tuple[int, str], list[str]] = {}
    for kernel, marks in nights.accepted.items():
        for mark in marks:
            if mark.night >= len(nights.dates) - RECENT:
                found.setdefault((mark.night, mark.text), []).append(kernel)
    return [(reason, kernels) for (_, reason), kernels in sorted(found.items(), reverse=True)]


def _news(nights: Nights) -> list[News]:
    found = []
    judged = {(j.kernel, j.metric): j for j in (nights.report.judgements if nights.report else [])}
    for kernel in nights.kernels:
        for panel in panels(nights, kernel):  # other metrics follow from these
            unit = nights.units.get(panel.metric, "")
            for change in nights.changes(kernel, panel.metric):
                if change.index < len(nights.dates) - RECENT:
                    continue
                better = _is_better(nights, panel.metric, change.after > change.before)
                date = nights.dates[change.index]
                said = judged.get((kernel, panel.metric))
                found.append(News(kernel, panel.metric, date, change.before, change.after, unit, better, said))
    return sorted(
        found, key=lambda news: (news.better is True, news.kernel not in nights.programs, news.date, news.kernel)
    )


def _is_better(nights: Nights, metric: str, is_more: bool) -> bool | None:
    """Whether more of a metric, or less, is better; None where that is not known."""
    better = better_is(nights, metric)
    return is_more == (better == "higher") if better else None


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' if count != 1 else ''}"


def _headline(nights: Nights) -> tuple[str, str, str]:
    """Returns tone, headline and a line below it."""
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
        words = "Inconclusive: all kernels shifted together"
    judged = sum(j.verdict != "info" and j.kernel != SUITE for j in report.judgements)
    of = (report.counts or {}).get("kernels", len(nights.run.kernels))
    what = f"{_counted(judged, 'row')} in {_counted(of, 'kernel')} {'was' if judged == 1 else 'were'} judged"
    return tone, words, f"{what}; exit code {report.exit_code} ({report.verdict})."


def _odd(nights: Nights) -> list[str]:
    """Returns the problems of a fleet's runners, unknown ones first. While there are any, nothing is called good."""
    runners, found = nights.runners, []
    if since := _since(nights):
        found.append(f"no runner measured since: nothing is known of {_counted(len(since), 'night')}")
    if nights.absent:
        found.append(f"not measured tonight: {listed([one.name for one in nights.absent])}")
    if unjudged := [runner.name for runner in runners if runner.exit_code is None]:
        found.append(f"measured and not judged: {listed(unjudged)}")
    for runner in runners:
        if runner.lacks:
            found.append(f"{runner.name} has no value of {_counted(len(runner.lacks), 'kernel')} that others measured")
    return found


def _since(nights: Nights) -> list[str]:
    """Returns the days without a run since the newest night."""
    newest = evening(nights.dates[-1])
    return [day for day in nights.gaps if day > newest]


def _fleet(nights: Nights) -> Fleet | None:
    if not nights.is_fleet:
        return None
    off = [
        f"{runner.name} is off: its kernels take {100 * runner.speed:+.1f} % against the median of the runners"
        for runner in nights.runners
        if runner.off and runner.speed is not None
    ]
    commits = {runner.commit for runner in nights.runners if runner.commit}
    mixed = [f"the runners measured {len(commits)} commits"] if len(commits) > 1 else []
    past = nights.gaps[: len(nights.gaps) - len(_since(nights))]
    missed = [f"no runner measured on {_counted(len(past), 'day')} before: {listed(past[::-1])}"] if past else []
    runners = sorted(nights.runners, key=lambda runner: (not runner.off, runner.name))
    return Fleet(runners, nights.absent, [*_odd(nights), *off, *mixed, *missed])


def _fleet_headline(nights: Nights, tone: str, headline: str, detail: str) -> tuple[str, str, str]:
    """Returns the headline for several runners: what is good on some and unknown on others is not good."""
    total = len(nights.runners) + sum(one.count for one in nights.absent)
    judged = sum(runner.exit_code is not None for runner in nights.runners)
    detail = f"{detail} {len(nights.runners)} of {_counted(total, 'runner')} measured, {judged} of them were judged."
    if tone == "good" and _odd(nights):
        tone, headline = "warn", f"{headline} where it is known, and not all is known"
    if _since(nights):
        headline = f"Nothing came since {nights.dates[-1][:10]}. Then: {headline[0].lower()}{headline[1:]}"
    return tone, headline, detail


@dataclass(frozen=True)
class RunnerRow:
    """A kernel on one runner tonight: its time in ns, the distance from the median as a share, or why there is no
    time.
    """

    runner: str
    time: float
    share: float
    why: str


def runner_rows(nights: Nights, kernel: str) -> list[RunnerRow]:
    """Returns the runners without a value, then those furthest from the median."""
    times = nights.times[:, nights.rows[kernel]]
    known = times[np.isfinite(times)]
    middle = float(np.median(known)) if len(known) else math.nan
    rows = []
    for runner, time in zip(nights.runners, times.tolist(), strict=True):
        why = "" if math.isfinite(time) else runner.failed.get(kernel, "not measured")
        rows.append(RunnerRow(runner.name, time, time / middle - 1 if middle else math.nan, why))
    rows += [RunnerRow(one.name, math.nan, math.nan, "the runner did not measure tonight") for one in nights.absent]
    return sorted(rows, key=lambda row: (not row.why, -abs(row.share) if math.isfinite(row.share) else 0, row.runner))


def _programs(nights: Nights) -> tuple[list[Program], list[str]]:
    """Returns the programs, and the names of those of which there are only kernels."""
    if nights.sessions[-1].collector != PROGRAM:
        return [], []
    found = [one for name in sorted(nights.programs) if (one := program(nights, name))]
    families = {kernel.partition("/")[0] for kernel in nights.run.kernels}
    return found, sorted(families - {one.name.partition("/")[0] for one in found})


def counts(nights: Nights) -> list[tuple[str, int]]:
    """Counts tonight's kernels by their worst verdict, only verdicts that occur."""
    found = zip(VERDICTS, nights.counts[-1].astype(int).tolist(), strict=True)
    return [(verdict, count) for verdict, count in found if count and verdict != "info"]


def _upgraded(upgrade: Upgrade | None) -> list[UpgradedClass]:
    """Returns the classes of kernels that another toolchain changed, the most lost time first, then those without."""
    kinds: dict[str, list[Upgraded]] = {}
    for one in upgrade.kernels if upgrade else []:
        kinds.setdefault(one.kind, []).append(one)
    found = []
    for kind, kernels in kinds.items():
        timed = [one for one in kernels if one.lost is not None]
        lost = sum(one.lost or 0.0 for one in timed) if timed else None
        found.append(UpgradedClass(kind, len(kernels), lost, max(timed or kernels, key=lambda one: one.lost or 0.0)))
    return sorted(found, key=lambda one: (one.lost is None, -(one.lost or 0.0), one.kind))


def tonight(nights: Nights) -> Tonight:
    """Returns the data of the first screen."""
    report = nights.report
    tone, headline, detail = _headline(nights)
    if nights.is_fleet:
        tone, headline, detail = _fleet_headline(nights, tone, headline, detail)
    failed = {failure.kernel for failure in report.failures} if report else set()
    rows = [j for j in report.judgements if j.kernel not in failed] if report else []
    bad, last = blames(rows, WORST_ROWS, most_told=1), len(nights.dates) - 1
    red = {blame.kernel for blame in bad}
    better = [blame for blame in _grouped(rows, ["improved"], 1, 0) if blame.kernel not in red]
    better.sort(key=lambda blame: blame.lost or 0.0)
    environment = environment_changes(*nights.sessions[-2:]) if len(nights.sessions) > 1 else []
    programs, kernels_only = _programs(nights)
    suites = []
    for suite in report.suites if report else []:
        if suite.shift is not None:
            moved = ": all kernels shifted together, which is judged apart" if suite.moved else ""
            suites.append(f"{suite.metric}: {100 * suite.shift:+.2f} % over {suite.kernels} kernels{moved}")
    return Tonight(
        tone=tone,
        headline=headline,
        detail=detail,
        counts=counts(nights),
        worst=bad[:WORST],
        more=max(0, len(bad) - WORST),
        better=better[:BETTER],
        came=[name for name, night in nights.first_night.items() if night >= max(1, last - RECENT)],
        went=[name for name, night in nights.last_night.items() if last - RECENT <= night < last],
        accepted=_accepted(nights),
        failures=report.failures if report else [],
        environment=environment,
        notes=report.notes if report else [],
        suites=suites,
        upgrade=report.upgrade if report else None,
        upgraded=_upgraded(report.upgrade if report else None),
        news=_news(nights),
        programs=programs,
        kernels_only=kernels_only,
        fleet=_fleet(nights),
    )


@dataclass(frozen=True)
class KernelRow:
    """A kernel in the table of all: tonight's time and counters, its time against the baseline's, and the rule behind
    its verdict. Where no kernel has a time it is the row of week.watched.
    """

    kernel: str
    metric: str
    unit: str
    verdict: str
    time: float
    base: float | None  # the baseline's time
    lost: float | None  # how much longer a launch takes than in the baseline, in ns; None where that may be noise
    limit: float | None  # limit of the time, as a share
    rule: str
    counters: tuple[float, ...]  # values of the counters, in the order of COUNTERS
    by_host: bool  # the time is by the host's clock

    @property
    def order(self) -> tuple[int, float, str]:
        """Orders worse kernels first, then those in doubt, by the most lost time; then others by their time."""
        grave = 0 if self.verdict in RED else 1 if self.verdict == "unsure" else 2
        lost = self.lost if grave < 2 else self.time if math.isfinite(self.time) else None
        return grave, -lost if lost is not None else math.inf, self.kernel


def kernel_rows(nights: Nights) -> list[KernelRow]:
    """Returns programs first, whose time is the GPU time of all launches, then kernels by their order."""
    rows, timed = [], any(has_time(nights, kernel) for kernel in nights.kernels)
    for kernel in nights.kernels:
        metric = time_panel(nights, kernel).metric if timed else week.watched(nights, kernel)
        now, known, lost, limit = nights.tonight(kernel, metric), None, None, None
        place = nights.place(kernel, metric)
        base = float(nights.bases[place]) if place else math.nan
        if math.isfinite(now) and math.isfinite(base) and base >= 0:
            known = base
            if place and VERDICTS[nights.verdicts[place]] not in ("same", "info", "not judged"):
                lost = now - base
            limit = finite(float(nights.limits[place] / base)) if base else None
        counters = tuple(nights.tonight(kernel, counter.metric) for counter in COUNTERS)
        said = next((j for j in nights.judged.get(kernel, []) if j.metric == metric and j.now is not None), None)
        decided = rule_word(said) if known is not None and said else ""
        verdict, by_host, unit = nights.worst_verdict(kernel), metric == WALL_TIME.metric, nights.units.get(metric, "")
        of = kernel, metric, unit, verdict, now, known, lost, limit, decided, counters, by_host
        rows.append(KernelRow(*of))
    return sorted(rows, key=lambda row: (row.kernel not in nights.programs, row.order))
