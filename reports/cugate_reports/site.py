"""The static pages: HTML that opens from disk and from any web server, without a network.

They are written completely or not at all. A page is made again when its content changed (drawn.py). Figures take
most of the time, so a run draws a limited number of them: first of kernels to which something happened, then the
oldest ones. Other pages have tonight's numbers and verdict, and say up to which night their figure goes, or that
there is none yet.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path

import jinja2
import numpy as np

from cugate_reports import (
    drawing,
    drawn,
    figures,
    overview,
    people,
    processes,
    programs,
    rules,
    states,
    units,
    views,
    week,
    whole,
)
from cugate_reports.definitions import PageError, docs
from cugate_reports.files import HARNESS, Cause, Explanation, Judgement, model_key
from cugate_reports.history import Future, History
from cugate_reports.links import Links, is_dirty
from cugate_reports.nights import RECENT, RED, VERDICTS, Loader, Nights

HERE = Path(__file__).parent
Progress = Callable[[str], None]
NO_LINKS, NO_REPOSITORY = Links(), people.Repository()
TREND = 3  # nights that make a trend
RED_OF_KERNEL = 5  # red nights that a kernel's page has
FIGURES = 100  # figures that a run draws for each processor; they take some 20 s on an idle one


# ---- Names and words for templates ----------------------------------------------------------------------------------


def slug(name: str) -> str:
    """Returns a file name for any name: its letters and digits, and if others were lost a hash that keeps names
    apart.
    """
    if re.fullmatch(r"[a-z0-9_]+(/[a-z0-9_]+)*", name) and len(name) <= 60:
        return name.replace("/", "-")
    plain = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60]
    return f"{plain or 'name'}.{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def verdict_tone(verdict: str) -> str:
    """Returns the class of style.css that colours a verdict; the word itself is always beside it."""
    if verdict in RED:
        return "bad"
    return {"unsure": "warn", "trade-off": "warn", "expected": "warn", "improved": "good", "same": "good"}.get(
        verdict, ""
    )


def rank(verdict: str) -> int:
    """Returns the rank of a verdict, the worst first, by which tables are sorted."""
    return VERDICTS.index(verdict) if verdict in VERDICTS else len(VERDICTS)


def place_words(cause: Cause) -> str:
    """Returns "kernels/transpose.cu:51", or the offset in a function without line information."""
    return (
        f"{cause.file}:{cause.line}" if cause.file else f"{cause.function or 'machine code'} + {cause.offset or 0:#x}"
    )


def cause_words(cause: Cause, judgement: Judgement) -> str:
    """Returns "excess wavefronts 0 → 16.25 M (100 % of the kernel's total)"."""
    what = (judgement.story or judgement.metric or "").replace("_", " ")
    now, share = units.value(cause.now, "count"), ""
    if cause.share is not None:
        share = f" ({100 * cause.share:.0f} % of the kernel's total)"
    return (
        f"{what} {units.value(cause.base, 'count')} \N{RIGHTWARDS ARROW} {now}{share}"
        if cause.base is not None
        else f"{what} {now}{share}"
    )


@cache
def _environment() -> jinja2.Environment:
    """Returns the template environment that all models share, so that a template is compiled once. A model's own values
    are _Writer's globals.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        title=views.title_of,
        about=lambda metric: docs().get(metric, ""),
        gpu=units.gpu,
        value=units.value,
        cell=units.cell,
        exact=units.exact,
        night=units.night,
        tone=verdict_tone,
        slug=slug,
        place=place_words,
        shorten=drawing.shorten,
    )
    environment.filters.update(bound=figures.bound_words, rank=rank)
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    # Included in each page: for a page opened from disk, no policy names a file beside it that every browser would
    # load.
    script, style = ((HERE / "templates" / name).read_text(encoding="utf-8") for name in ("script.js", "style.css"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals.update(script=script, style=style, script_hash=f"sha256-{digest}")
    environment.globals.update(
        change=units.change,
        green_again=states.green_again,
        change_cell=units.change_cell,
        is_dirty=is_dirty,
        limit=units.limit,
        cause=cause_words,
        COUNTERS=views.COUNTERS,
    )
    environment.globals.update(rule=rules.rule, rule_word=rules.rule_word, source=rules.source, LEGEND=rules.LEGEND)
    return environment


@cache
def _warm() -> None:
    """Compiles templates and reads fonts once; otherwise each drawing process would."""
    for name in _environment().list_templates(extensions=["html"]):
        _environment().get_template(name)
    drawing.warm()


# ---- One GPU model --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Model:
    """The pages of one GPU model: their folder below the root, and links to the other models."""

    nights: Nights
    words: str
    folder: Path
    others: list[tuple[str, str]]  # the other models: name and link from `folder`


_NO_TEXT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")  # characters that neither HTML nor SVG may contain


class _Writer:
    """Renders templates and draws figures into one folder."""

    def __init__(
        self,
        model: _Model,
        future: Future,
        links: Links,
        repository: people.Repository,
        earlier: drawn.Earlier,
        place: str,
    ):
        self.model = model
        self.earlier = earlier
        self.place = f"{place}/" if place else ""  # prefix of the model's paths in the state
        self.root = model.folder.parent if place else model.folder
        self.nights = model.nights
        self.links, self.repository = links, repository
        self.kernel_of = {f"figures/kernel-{slug(kernel)}.png": kernel for kernel in model.nights.kernels}
        self.behind: list[str] = []  # kernels whose figures lack a night, or do not exist
        self.folder = model.folder
        self.globals = {
            "known": frozenset(model.nights.kernels),  # kernels that have a page
            "future": future,
            "links": links,
            "tonight_commit": self.nights.sessions[-1].commit,
        }
        for below in ("kernels", "figures"):
            (self.folder / below).mkdir(parents=True, exist_ok=True)

    def figure(
        self, name: str, label: str, draw: Callable[..., drawing.Drawing], *data: object, up: str = ""
    ) -> dict[str, object]:
        """Draws the data and returns what the template `figure` needs. If numbers are too large for an axis, only this
        figure is lost, and its place says so.
        """
        try:
            with np.errstate(all="ignore"):
                drawn = draw(*data)
                svg = drawing.save(drawn, self.folder / "figures", name, label)
                points = drawn.points()
        except (ArithmeticError, ValueError) as reason:
            return {"failed": f"{label}: not drawn, since its numbers fit no axis ({reason})"}
        if points and self.links.commit_address:
            points["link"] = self.links.commit_address
        return {"svg": svg, "png": f"{up}figures/{name}.png", "points": points}

    def page(self, template: str, to: str, **values: object) -> None:
        up = "../" * to.count("/")
        text = (
            _environment()
            .get_template(template, globals=self.globals)
            .render(
                nights=self.nights,
                device=self.nights.device,
                model=self.model.words,
                others=self.model.others,
                up=up,
                here=to,
                commits=any(self.commits()),
                **values,
            )
        )
        with open(self.folder / to, "w", encoding="utf-8", errors="replace") as stream:
            stream.write(_NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", text))

    # ---- What has to be drawn

    def figure_stamp(self, png: str) -> str:
        """Returns a hash of what the figure of a kernel is made from."""
        nights, kernel = self.nights, self.kernel_of[png]
        return drawn.stamp(self._until(nights.last_night[kernel]), nights.accepted.get(kernel), self.links)

    @cache  # noqa: B019 - a writer lives as long as its pages are made
    def _until(self, night: int) -> str:
        """Returns what the nights up to this one are made from. For a kernel that later nights lack, only marks are new
        in them.
        """
        return drawn.stamp(self.nights.stamps[: night + 1], self.is_last(night), self.nights.marks)

    def is_last(self, night: int) -> bool:
        return night + 1 == len(self.nights.dates)

    def stamps(self) -> dict[str, str]:
        """Returns for each page a hash of what it is made from, without its figure."""
        nights = self.nights
        all_of_it = (nights.stamps, nights.explanations, nights.analysis, nights.accepted, nights.states)
        all_of_it += (nights.absent, nights.gaps)
        whole = drawn.stamp(self._common(), all_of_it, self.behind, self.repository.head)
        found = dict.fromkeys(self.first_pages(), whole)
        return found | {_page_of(kernel): self._kernel_stamp(png) for png, kernel in self.kernel_of.items()}

    def _common(self) -> tuple[object, ...]:
        """Returns what every page shows."""
        model, replay = self.model, self.nights.report.replay if self.nights.report else None
        return model.words, model.others, self.links, self.globals["future"], replay

    @cached_property
    def _explained(self) -> dict[str, Explanation]:
        return {explanation.kernel: explanation for explanation in reversed(self.nights.explanations)}

    def _kernel_stamp(self, png: str) -> str:
        nights, kernel = self.nights, self.kernel_of[png]
        tonight: object = None
        if nights.worst_verdict(kernel) in RED:
            tonight = self.repository.head
        # tonight's text does not apply to a kernel without tonight's values
        if not self.is_last(nights.last_night[kernel]):
            tonight = nights.judged.get(kernel), self.runners(kernel)
        return drawn.stamp(
            self._common(), self.figure_stamp(png), self._explained.get(kernel), tonight, self.red_of(kernel)
        )

    def runners(self, kernel: str) -> list[overview.RunnerRow]:
        return overview.runner_rows(self.nights, kernel) if self.nights.is_fleet else []

    def is_as_before(self) -> bool:
        """Whether all pages except those of kernels are there and would be made the same now."""
        stamps = self.stamps()
        return all(self.earlier.page(self.place + page, stamps[page]) for page in self.first_pages())

    def urgency(self, png: str) -> tuple[int, bool, str, str]:
        """Returns the key by which figures are drawn, the smallest first: red, in doubt, moved lately; in each programs
        first, then what was never drawn, or is most behind.
        """
        nights, kernel = self.nights, self.kernel_of[png]
        verdict, panels = nights.worst_verdict(kernel), views.panels(nights, kernel)
        news = (change for panel in panels for change in nights.changes(kernel, panel.metric))
        moved = any(change.index >= len(nights.dates) - RECENT for change in news)
        grave = 0 if verdict in RED else 1 if verdict == "unsure" else 2 if moved else 3
        have = self.earlier.state.figures.get(self.place + png)
        return grave, kernel not in nights.programs, have.until if have else "", png

    def due(self) -> list[str]:
        """Returns the figures that do not exist, or would be drawn differently now."""
        found = []
        for png, kernel in self.kernel_of.items():
            page, have = self.place + _page_of(kernel), self.earlier.state.figures.get(self.place + png)
            if have and not have.there:  # there is nothing to draw, and the page says so
                is_there = self.earlier.page(page, self._kernel_stamp(png)) is not None
            else:
                is_there = png in self.earlier.figures(page)
            if not is_there or not self._is_there(png):
                found.append(png)
        return found

    def _is_there(self, png: str) -> bool:
        have = self.earlier.state.figures.get(self.place + png)
        return have is not None and have.made_of == self.figure_stamp(png)

    def kept(self, png: str, page: str) -> dict[str, object]:
        """Returns the earlier figure in place of one that this run does not draw, with the night up to which it goes if
        that is not tonight.
        """
        have = self.earlier.state.figures.get(self.place + png)
        figure = self.earlier.figures(self.place + page).get(png) if have else None
        if have is None or figure is None:
            return {"undrawn": True}
        self.earlier.take([self.place + png], self.root)
        return {"kept": figure, "until": have.until if have.made_of != self.figure_stamp(png) else None}

    # ---- Pages

    def first_pages(self) -> dict[str, Callable[[], None]]:
        """Returns the jobs that write the pages of the model, the longest first."""
        return {"index.html": self.overview, "changes.html": self.changes, "gpu.html": self.gpu, "gate.html": self.gate}

    def commits(self) -> list[str]:
        """Returns the commit of each night; "" where it is not known."""
        return [session.commit or "" for session in self.nights.sessions]

    def overview(self) -> None:
        tonight = overview.tonight(self.nights)
        counts = self.nights.counts
        shown = None
        several = len(self.nights.dates) > 1
        is_verdict = several and counts[:, [VERDICTS.index(name) for name in figures.STACKED]].any()
        if is_verdict or len(self.nights.dates) >= TREND:
            of = "GPU time of programs" if self.nights.programs else "Time of kernels"
            of = of if (self.nights.trend_metric or "time").endswith("time") else "Instructions of kernels"
            label = f"{of} over the nights, and kernels by verdict, those that are the same left out"
            data = self.nights.dates, self.commits(), counts, self.nights.trend(), of
            shown = self.figure("verdicts", label, figures.verdict_nights, *data)
        rows, none = overview.kernel_rows(self.nights), [png for png in self.behind if not self._has_earlier(png)]
        behind = {"kernels": len(self.behind), "undrawn": len(none)}
        of_week = week.week(self.nights)
        values = {"tonight": tonight, "rows": rows, "verdicts": shown, "behind": behind, "week": of_week}
        worse = self.worse(blame.kernel for blame in tonight.worst)
        red_tonight = next((one for one in self.red[:1] if self.is_last(one.night)), None)
        self.page("index.html", "index.html", **values, red=self.red, red_tonight=red_tonight, worse=worse)

    @cached_property
    def red(self) -> list[states.RedNight]:
        """Returns the red nights, the newest first."""
        return states.red_nights(self.nights)[::-1]

    def red_of(self, kernel: str) -> list[states.RedNight]:
        """Returns the last red nights of a kernel, the newest first."""
        return [one for one in self.red if kernel in one.kernels][:RED_OF_KERNEL]

    def worse(self, kernels: Iterable[str]) -> dict[str, tuple[week.Slower, people.Asked]]:
        """Returns since when these kernels are worse, and who is asked, of those that the gate calls so tonight."""
        found = ((kernel, week.worse(self.nights, kernel)) for kernel in kernels)
        return {kernel: (one, self.asked(one)) for kernel, one in found if one}

    def _has_earlier(self, png: str) -> bool:
        have = self.earlier.state.figures.get(self.place + png)
        return have is not None and have.there

    def changes(self) -> None:
        heat = views.heat_map(self.nights)
        moved, shown = heat.moved(), None
        if moved.kernels:
            label = "Change from the baseline by kernel and metric, in limits"
            shown = self.figure("changes", label, figures.heat_map, moved)
        moves = [
            (kernel, panel, change)
            for kernel in self.nights.kernels
            for panel in views.panels(self.nights, kernel)
            for change in self.nights.changes(kernel, panel.metric)
        ]
        moves.sort(key=lambda move: (-move[2].index, move[0]))
        of_week = week.week(self.nights)
        values = {"judged": bool(heat.metrics), "moved": moved, "heat": shown, "moves": moves, "week": of_week}
        asked = [self.asked(one) for one in of_week.slower]
        self.page("changes.html", "changes.html", **values, asked=asked, week_shown=self.week_figure(of_week))

    def week_figure(self, of_week: week.Week) -> dict[str, object] | None:
        first = max(of_week.first - 1, 0)
        dates = self.nights.dates[first:]
        shares = [one for one in of_week.slower if one.before > 0]
        if not shares or len(dates) < 2:
            return None
        label = f"How much more than before of the kernels that {of_week.verb} this week"
        return self.figure("week", label, figures.week, dates, self.commits()[first:], shares)

    def asked(self, one: week.Slower) -> people.Asked:
        earlier, slow = week.commits_of(self.nights, one)
        path = one.cause.file if one.cause else None
        return self.repository.asked(earlier.commit if earlier else None, slow.commit, path)

    def authors(self, night: int) -> list[str]:
        """Returns who wrote the commits between this night and the one before."""
        if night == 0:
            return []
        before, after = (session.commit for session in self.nights.sessions[night - 1 : night + 1])
        return self.repository.asked(before, after, None).authors

    def gpu(self) -> None:
        roofline, rows = views.roofline(self.nights), views.occupancy(self.nights)
        shown = None
        if roofline and roofline.points:
            label = "Roofline: each kernel's rate over its intensity, under the roofs of this GPU"
            shown = self.figure("roofline", label, figures.roofline, roofline)
        self.page("gpu.html", "gpu.html", roofline=roofline, rows=rows, shown=shown)

    def gate(self) -> None:
        gate = views.gate(self.nights)
        shown: dict[str, dict[str, object] | None] = {"symmetry": None, "detectable": None}
        if gate and any(one.worse or one.better for view in gate.views for one in view.classes):
            label = "Of the same code judged by itself, rows beyond the limit to the worse and to the better"
            shown["symmetry"] = self.figure("symmetry", label, figures.symmetry, gate)
        if gate and gate.detectable:
            label = "The smallest slow-down that is caught, by kernel"
            shown["detectable"] = self.figure("detectable", label, figures.detectable, gate)
        self.page("gate.html", "gate.html", gate=gate, shown=shown)

    def kernel(self, name: str, is_drawn: bool = True) -> None:
        """is_drawn: its figure is drawn too; else the earlier one stays."""
        nights, png = self.nights, f"figures/kernel-{slug(name)}.png"
        series = views.kernel_series(nights, name)
        marks = sorted([*nights.marks, *nights.accepted.get(name, [])], key=lambda mark: mark.night)
        drawn_series = [one for one in series if np.nan_to_num(one.values).any()]
        never = [one.panel.title for one in series if not np.nan_to_num(one.values).any()]
        program = programs.program(nights, name) if name in nights.programs else None
        shown = None
        if drawn_series and len(nights.dates) > 1:
            label = f"{drawing.shorten(name, 60)} over {len(nights.dates)} nights: time and counters, and their limits"
            stack = program.stack if program else []
            what = figures.kernel_nights, nights.dates, self.commits(), drawn_series, marks, stack
            shown = self.figure(Path(png).stem, label, *what, up="../") if is_drawn else self.kept(png, _page_of(name))
        moves = [
            (one.panel, change, self.authors(change.index))
            for one in series
            for change in nights.changes(name, one.panel.metric)
        ]
        judgements = nights.judged.get(name, [])
        self.page(
            "kernel.html",
            _page_of(name),
            name=name,
            result=nights.run.kernels.get(name),
            runners=self.runners(name),
            program=program,
            shown=shown,
            never=never,
            marks=figures.lettered(marks),
            gpu_changes=sum(mark.fact == "gpu_uuid" for mark in marks),
            moves=moves,
            judgements=judgements,
            blames=overview.blames(judgements),
            worse=self.worse([name]),
            red=[(one, self.authors(one.night)) for one in self.red_of(name)],
            unjudged=[j for j in judgements if j.verdict == "info" and j.reason and j.metric],
            explanation=self._explained.get(name),
        )


def _page_of(kernel: str) -> str:
    return f"kernels/{slug(kernel)}.html"


# ---- All of it ------------------------------------------------------------------------------------------------------


def _model_words(nights: Nights, loaded: list[Nights]) -> str:
    """Returns "NVIDIA H200"; if several models have that name, with what tells this one apart: "NVIDIA H200 (16 SMs,
    MIG)".
    """

    def facts(of: Nights) -> list[str]:
        device, collector = of.device, of.sessions[-1].collector
        return [
            f"{device.sm_count or 'unknown'} SMs",
            f"{device.memory_bytes / 2**20:,.0f} MiB" if device.memory_bytes else "memory unknown",
            device.compute_capability or "capability unknown",
            "ECC unknown" if device.ecc is None else "ECC" if device.ecc else "no ECC",
            "MIG unknown" if device.mig is None else "MIG" if device.mig else "no MIG",
            "by cugate run" if collector in HARNESS else f"by {collector}",
        ]

    namesakes = [other for other in loaded if other.device.name == nights.device.name]
    apart = [fact for fact in facts(nights) if any(fact not in facts(other) for other in namesakes)]
    return f"{nights.device.name} ({', '.join(apart)})" if apart else nights.device.name


def _models(history: History, loader: Loader, folder: Path, last: int) -> list[_Model]:
    """Returns the models: that of the newest run at the root, the others each in a folder."""
    devices = history.devices()
    if not devices and (future := history.future()):
        raise PageError(f"the history {history.name} has nothing but {future}")
    if not devices:
        raise PageError(f"the history {history.name} has no run yet: cugate-report ingest RUN.json puts one there")
    loaded = [loader.load(device, last) for device in devices]
    places: list[str] = [""]
    for nights in loaded[1:]:
        place = slug(nights.device.name)
        key = model_key(nights.device, nights.sessions[-1].collector)
        while place in (*places, "kernels", "figures"):
            place += f"-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
        places.append(place)
    models = []
    for nights, place in zip(loaded, places, strict=True):
        up = "../" if place else ""
        others = [
            (_model_words(other, loaded), f"{up}{to}/index.html" if to else f"{up}index.html")
            for other, to in zip(loaded, places, strict=True)
            if other is not nights
        ]
        models.append(_Model(nights, _model_words(nights, loaded), folder / place, others))
    return models


def _chosen(writers: list[_Writer], most: int, progress: Progress) -> list[set[str]]:
    """Chooses the figures that are drawn now, the most urgent of all models, for each writer. Afterwards each writer
    knows which of its kernels' figures are behind.
    """
    due = []
    for place, writer in enumerate(writers):
        pngs = writer.due()
        if pngs or not writer.is_as_before():
            metrics = [panel.metric for panel in views.PANELS]
            writer.nights.find_all(metrics, lambda count: progress(f"looking for changes: kernel {count}"))
        due += [(writer.urgency(png), place, png) for png in pngs]
    due.sort()
    chosen: list[set[str]] = [set() for _ in writers]
    for _, place, png in due[:most]:
        chosen[place].add(png)
    for _, place, png in due[most:]:
        writers[place].behind.append(png)
    return chosen


class _Jobs:
    """The jobs for one model, and their results."""

    def __init__(self, writer: _Writer, chosen: set[str]):
        self.writer, self.chosen, self.stamps = writer, chosen, writer.stamps()
        self.first = [job for page, job in writer.first_pages().items() if not self._taken(page)]
        kernels = [
            partial(writer.kernel, kernel, png in chosen)
            for png, kernel in writer.kernel_of.items()
            if png in chosen or not self._taken(_page_of(kernel))
        ]
        # Pages without a figure take little time, so they come last: then no process waits long for another one.
        self.kernels = sorted(kernels, key=lambda job: not job.args[1])

    def _taken(self, page: str) -> bool:
        """Whether an unchanged page is there; if so, it now belongs to the new report."""
        path = self.writer.place + page
        files = self.writer.earlier.page(path, self.stamps[page])
        if files is None:
            return False
        self.writer.earlier.take(files, self.writer.root)
        return True

    def record(self, state: drawn.State) -> None:
        """Records what the present pages and figures were made from."""
        writer, earlier = self.writer, self.writer.earlier.state
        tonight = writer.nights.dates[-1]
        for page, made_of in self.stamps.items():
            state.pages[writer.place + page] = made_of
        for png in writer.kernel_of:
            path = writer.place + png
            if png in self.chosen:
                there = (writer.root / path).exists()
                state.figures[path] = drawn.Figure(made_of=writer.figure_stamp(png), until=tonight, there=there)
            elif path in earlier.figures and (not earlier.figures[path].there or (writer.root / path).exists()):
                state.figures[path] = earlier.figures[path]


def _fill(
    history: History,
    folder: Path,
    earlier: Path,
    last: int,
    links: Links,
    repository: people.Repository,
    most: int,
    progress: Progress,
) -> list[Nights]:
    with Loader(history, progress) as loader:
        models = _models(history, loader, folder, last)
        future, before = history.future(), drawn.Earlier(earlier)
        writers = [
            _Writer(model, future, links, repository, before, "" if model.folder == folder else model.folder.name)
            for model in models
        ]
        chosen = _chosen(writers, most, progress)
        models_jobs = [_Jobs(*pair) for pair in zip(writers, chosen, strict=True)]
        todo: list[Callable[[], object]] = [job for jobs in models_jobs for job in jobs.first]
        todo += [job for jobs in models_jobs for job in jobs.kernels]
        if todo:
            _warm()
        told = lambda count: progress(f"drawing page {count} of {len(todo)}")  # noqa: E731
        processes.spread(todo, lambda draw: draw(), told)
        state = drawn.State(by=drawn.drawn_by())
        for jobs in models_jobs:
            jobs.record(state)
        drawn.keep(folder, state)
        return [model.nights for model in models]


def write(
    history: History,
    folder: Path,
    last: int,
    progress: Progress = lambda _: None,
    links: Links = NO_LINKS,
    most: int | None = None,
    repository: people.Repository = NO_REPOSITORY,
) -> list[Nights]:
    """Writes the pages of the `last` nights of every GPU model into folder. Returns what was loaded, the newest model
    first.

    repository: where the commits of the nights are, whose authors are named.
    most: how many figures of kernels are drawn. An earlier report in the folder is replaced when the
    new one is complete. PageError when something else is there, when there is nothing to show, or when something
    cannot be written.
    """
    count = FIGURES * len(os.sched_getaffinity(0)) if most is None else most
    try:
        earlier = Path(os.path.realpath(folder))
        return whole.folder(folder, lambda new: _fill(history, new, earlier, last, links, repository, count, progress))
    except (whole.FolderError, processes.ProcessError) as reason:
        raise PageError(str(reason)) from None
