"""The static pages: HTML that opens from disk and from any web server, without a network. Written whole or not at
all."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import jinja2
import numpy as np

from cugate_reports import drawing, figures, ladder_figures, overview, processes, rules, units, views, whole
from cugate_reports.definitions import PageError
from cugate_reports.files import HARNESS, Cause, Judgement, model_key
from cugate_reports.history import History
from cugate_reports.links import Links
from cugate_reports.nights import RED, VERDICTS, Nights, load

HERE = Path(__file__).parent
Progress = Callable[[str], None]
NO_LINKS = Links()


# ---- Names and words for templates ----------------------------------------------------------------------------------


def slug(name: str) -> str:
    """A file name for any name: its letters and digits, and where that lost something a hash that keeps names apart."""
    if re.fullmatch(r"[a-z0-9_]+(/[a-z0-9_]+)*", name) and len(name) <= 60:
        return name.replace("/", "-")
    plain = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60]
    return f"{plain or 'name'}.{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def verdict_tone(verdict: str) -> str:
    """The class of style.css by which a verdict is coloured; the word itself always stands beside it."""
    if verdict in RED:
        return "bad"
    return {"unsure": "warn", "trade-off": "warn", "expected": "warn", "improved": "good", "same": "good"}.get(
        verdict, ""
    )


def rank(verdict: str) -> int:
    """Its place among the verdicts, worst first; by it tables are sorted."""
    return VERDICTS.index(verdict) if verdict in VERDICTS else len(VERDICTS)


def place_words(cause: Cause) -> str:
    """kernels/transpose.cu:51, or the offset in a function without line information."""
    return (
        f"{cause.file}:{cause.line}" if cause.file else f"{cause.function or 'machine code'} + {cause.offset or 0:#x}"
    )


def cause_words(cause: Cause, judgement: Judgement) -> str:
    """excess wavefronts 0 \u2192 16.25 M (100 % of the kernel's)."""
    what = (judgement.story or judgement.metric or "").replace("_", " ")
    now, share = units.value(cause.now, "count"), ""
    if cause.share is not None:
        share = f" ({100 * cause.share:.0f} % of the kernel's)"
    return (
        f"{what} {units.value(cause.base, 'count')} \N{RIGHTWARDS ARROW} {now}{share}"
        if cause.base is not None
        else f"{what} {now}{share}"
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        value=units.value, night=units.night, tone=verdict_tone, slug=slug, place=place_words, shorten=drawing.shorten
    )
    environment.filters.update(bound=figures.bound_words, rank=rank)
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    # Within each page: opened from disk, a policy can name no file beside it that every browser would then load.
    script, style = ((HERE / "templates" / name).read_text(encoding="utf-8") for name in ("script.js", "style.css"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment.globals.update(script=script, style=style, script_hash=f"sha256-{digest}")
    environment.globals.update(change=units.change, limit=units.limit, cause=cause_words, COUNTERS=views.COUNTERS)
    environment.globals.update(rule=rules.rule, rule_word=rules.rule_word, LEGEND=rules.LEGEND)
    return environment


# ---- One GPU model --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Model:
    """The pages of one GPU model: where they stand below the root, and links to those of the others."""

    nights: Nights
    words: str
    folder: Path
    others: list[tuple[str, str]]  # name, link from `folder`


_NO_TEXT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")  # which neither HTML nor SVG may hold


class _Writer:
    """Renders templates and draws figures into one folder."""

    def __init__(self, model: _Model, future: list[str], links: Links):
        self.model = model
        self.nights = model.nights
        self.links = links
        self.rungs = views.ladders(model.nights)
        self.blocking = views.gemm_blocking(model.nights)
        self.folder = model.folder
        self.environment = _environment()
        self.environment.globals["known"] = frozenset(model.nights.kernels)  # those that have a page
        self.environment.globals["future"] = future
        self.environment.globals["links"] = links
        self.environment.globals["tonight_commit"] = self.nights.sessions[-1].commit
        for below in ("kernels", "figures"):
            (self.folder / below).mkdir(parents=True, exist_ok=True)

    def figure(
        self, name: str, label: str, draw: Callable[..., drawing.Drawing], *data: object, up: str = ""
    ) -> dict[str, object]:
        """Draws the data; what the template `figure` needs. Numbers too large for an axis cost their own figure only,
        and words in its place say so."""
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
        text = self.environment.get_template(template).render(
            nights=self.nights,
            device=self.nights.device,
            model=self.model.words,
            others=self.model.others,
            up=up,
            here=to,
            tabs=self.tabs(),
            commits=any(self.commits()),
            **values,
        )
        with open(self.folder / to, "w", encoding="utf-8", errors="replace") as stream:
            stream.write(_NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", text))

    # ---- Pages

    def pages(self) -> list[Callable[[], None]]:
        """What writes each of them, those that take longest first."""
        kernels = [partial(self.kernel, name) for name in self.nights.kernels]
        ladders = [self.ladders] if self.has_ladders() else []
        return [self.overview, self.changes, self.gpu, *ladders, self.gate, *kernels]

    def has_ladders(self) -> bool:
        return bool(self.rungs or self.blocking)

    def tabs(self) -> list[tuple[str, str]]:
        """The pages that each page links to: file and words."""
        ladders = [("ladders.html", "Ladders")] if self.has_ladders() else []
        first = [("index.html", "Tonight"), ("changes.html", "Changes"), ("gpu.html", "GPU")]
        return [*first, *ladders, ("gate.html", "Gate")]

    def commits(self) -> list[str]:
        """Of each night; "" where it is not known."""
        return [session.commit or "" for session in self.nights.sessions]

    def overview(self) -> None:
        tonight = overview.tonight(self.nights)
        counts = self.nights.counts
        shown = None
        if len(self.nights.dates) > 1 and counts[:, [VERDICTS.index(name) for name in figures.STACKED]].any():
            label = "Rows by verdict in each night, those that are the same left out"
            shown = self.figure("verdicts", label, figures.verdict_nights, self.nights.dates, self.commits(), counts)
        self.page("index.html", "index.html", tonight=tonight, rows=overview.kernel_rows(self.nights), verdicts=shown)

    def changes(self) -> None:
        heat = views.heat_map(self.nights)
        moved, shown = heat.moved(), None
        if moved.kernels:
            label = "Change from the baseline by kernel and metric, in limits"
            shown = self.figure("changes", label, figures.heat_map, moved)
        moves = [
            (kernel, panel, change)
            for kernel in self.nights.kernels
            for panel in (views.time_panel(self.nights, kernel), *views.COUNTERS)
            for change in self.nights.changes(kernel, panel.metric)
        ]
        moves.sort(key=lambda move: (-move[2].index, move[0]))
        self.page("changes.html", "changes.html", judged=bool(heat.metrics), moved=moved, heat=shown, moves=moves)

    def gpu(self) -> None:
        roofline, rows = views.roofline(self.nights), views.occupancy(self.nights)
        shown: dict[str, dict[str, object] | None] = {"roofline": None, "occupancy": None}
        if roofline and roofline.points:
            label = "Roofline: each kernel's rate over its intensity, under the roofs of this GPU"
            shown["roofline"] = self.figure("roofline", label, figures.roofline, roofline)
        if rows:
            label = "Theoretical and achieved occupancy of each kernel, and what limits it"
            shown["occupancy"] = self.figure("occupancy", label, figures.occupancy, rows)
        self.page("gpu.html", "gpu.html", roofline=roofline, rows=rows, shown=shown)

    def ladders(self) -> None:
        shown = []
        for place, ladder in enumerate(self.rungs):
            label = f"The rungs of {ladder.family}: {', '.join(title for title, _, _ in ladder.panels())}"
            name = f"ladder-{slug(ladder.family)}"
            one = {
                "ladder": ladder,
                "figure": self.figure(name, label, ladder_figures.ladder, ladder),
                "literature": None,
            }
            one["published"] = any(rung.published is not None for rung in ladder.rungs)
            if any(rung.published_speedup and rung.speedup for rung in ladder.rungs):
                label = f"How much faster the rungs of {ladder.family} are than the first, here and as published"
                one["literature"] = self.figure(f"literature-{place}", label, ladder_figures.literature, ladder)
            shown.append(one)
        gemm, gemm_figure = self.blocking, None
        if any(row.bandwidth for row in gemm):
            label = "The bandwidth that GEMM blocks need, over their side, against what device memory gives"
            gemm_figure = self.figure("gemm", label, ladder_figures.gemm_blocking, gemm)
        self.page("ladders.html", "ladders.html", ladders=shown, gemm=gemm, gemm_figure=gemm_figure)

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

    def kernel(self, name: str) -> None:
        nights = self.nights
        series = views.kernel_series(nights, name)
        marks = sorted([*nights.marks, *nights.accepted.get(name, [])], key=lambda mark: mark.night)
        drawn_series = [one for one in series if np.nan_to_num(one.values).any()]
        never = [one.panel.title for one in series if not np.nan_to_num(one.values).any()]
        shown = None
        if drawn_series and len(nights.dates) > 1:
            label = f"{drawing.shorten(name, 60)} over {len(nights.dates)} nights: time and counters, and their limits"
            drawn = figures.kernel_nights, nights.dates, self.commits(), drawn_series, marks
            shown = self.figure(f"kernel-{slug(name)}", label, *drawn, up="../")
        report, metrics = nights.report, self.nights.run.kernels.get(name)
        moves = [(one.panel, change) for one in series for change in nights.changes(name, one.panel.metric)]
        judgements = [j for j in report.judgements if j.kernel == name] if report else []
        self.page(
            "kernel.html",
            f"kernels/{slug(name)}.html",
            name=name,
            result=metrics,
            shown=shown,
            never=never,
            marks=figures.lettered(marks),
            gpu_changes=sum(mark.fact == "gpu_uuid" for mark in marks),
            moves=moves,
            judgements=judgements,
            blames=overview.blames(judgements),
            explanation=next((e for e in nights.explanations if e.kernel == name), None),
        )


# ---- All of it ------------------------------------------------------------------------------------------------------


def _model_words(nights: Nights, loaded: list[Nights]) -> str:
    """NVIDIA H200; where several models have that name, with what tells this one apart: NVIDIA H200 (16 SMs, MIG)."""

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


def _models(history: History, folder: Path, last: int, progress: Progress) -> list[_Model]:
    """That of the newest run stands at the root, the others each in a folder."""
    devices = history.devices()
    if not devices and (dates := history.future()):
        raise PageError(f"the history {history.name} has only runs that are dated after today, up to {dates[-1]}")
    if not devices:
        raise PageError(f"the history {history.name} has no run yet: cugate-report ingest RUN.json puts one there")
    loaded = [load(history, device, last, lambda count: progress(f"reading night {count}")) for device in devices]
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


def _fill(history: History, folder: Path, last: int, links: Links, progress: Progress) -> list[Nights]:
    models = _models(history, folder, last, progress)
    future = history.future()
    writers = [_Writer(model, future, links) for model in models]
    jobs = [page for writer in writers for page in writer.pages()]
    processes.spread(jobs, lambda draw: draw(), lambda count: progress(f"drawing page {count} of {len(jobs)}"))
    return [model.nights for model in models]


def write(
    history: History, folder: Path, last: int, progress: Progress = lambda _: None, links: Links = NO_LINKS
) -> list[Nights]:
    """Writes the pages of the `last` nights of every GPU model into folder; what was loaded, the newest model first.

    An earlier report in the folder is replaced when the new one is whole; PageError when another thing is there, when
    there is nothing to show, or when something cannot be written."""
    try:
        return whole.folder(folder, lambda new: _fill(history, new, last, links, progress))
    except (whole.FolderError, processes.ProcessError) as reason:
        raise PageError(str(reason)) from None
