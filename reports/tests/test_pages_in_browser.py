"""Tests the pages in Chromium: they sort, filter, and can be read in light and dark, wide and narrow."""

from __future__ import annotations

import itertools
import json
import random
import threading
from collections.abc import Iterator
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import make
import pytest
from conftest import PATIENCE
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from cugate_reports import site, units
from cugate_reports.files import Run, kind_of, parse
from cugate_reports.history import History
from cugate_reports.links import Links

KERNEL_PAGE = "kernels/transpose-padded.html"
BROWSER, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")

# ---- A site like a real one

NIGHTS = 40
# For each kernel: time in ns, occupancy, branch efficiency and DRAM throughput in %, bank conflicts.
KERNELS: dict[str, tuple[float, float, float | str, float, float]] = {
    "reduce/global_strided": (243600, 75.6, "not applicable", 53.5, 0),
    "reduce/interleaved_modulo": (167400, 92.0, 100, 8.363, 117761),
    "reduce/sequential": (83010, 83.7, 100, 16.9, 83674),
    "reduce/cub": (19550, 89.4, 78.06, 71.4, 7294),
    "sgemm/naive": (2423000, 37, 100, 0.506, 0),
    "sgemm/tiled": (1854000, 98.2, 100, 0.661, 1853577),
    "sgemm/register_tile": (508100, 23.3, 100, 2.06, 33940000),
    "sgemm/register_tile_transposed": (463500, 22.8, 100, 2.258, 618861),
    "sgemm/double_buffered": (395300, 22.7, 100, 2.656, 47079),
    "sgemm/cublas": (350200, 12.5, 100, 2.99, 11170000),
    "dgemm/naive": (551700, 94.3, 100, 0.95, 0),
    "dgemm/tiled": (111600, 9.834, 100, 4.689, 27175),
    "transpose/padded": (33790, 91.46, "not applicable", 67.44, 40061),
    "an_application_of_ours/a_kernel_with_a_long_name_of_several_words<float, 256>": (4320, 28, 66.67, 0.004, 3),
}
METRICS = ("time", "achieved_occupancy", "branch_efficiency", "dram_throughput", "shared_bank_conflicts")
WORSE = "transpose/padded"  # the kernel that is worse tonight
STEPPED = "reduce/sequential"  # the kernel that is slower since the driver's update
MORE_METRICS = ("instructions", "l1_hit_rate", "global_load_sectors", "theoretical_occupancy")
WALL = "transfer/pageable"  # the kernel that only the host's clock times
LIMITS = (0.02, 0.03, 0.01, 0.05, 0.1)


def values_of(night: int, chance: random.Random) -> dict[str, dict[str, Any]]:
    kernels: dict[str, dict[str, Any]] = {}
    for kernel, row in KERNELS.items():
        moved = {STEPPED: 1.06 if night >= 24 else 1, WORSE: 1.35 if night == NIGHTS - 1 else 1}.get(kernel, 1)
        kernels[kernel] = {
            metric: [value * (moved if metric == "time" else 1) * chance.gauss(1, 0.003)]
            if not isinstance(value, str)
            else value
            for metric, value in zip(METRICS, row, strict=True)
        } | dict.fromkeys(MORE_METRICS, 7.0)
    kernels[WORSE]["shared_bank_conflicts"] = [40061 if night < NIGHTS - 1 else 17301504]
    kernels[WALL] = {"wall_time": [4.2e6 * chance.gauss(1, 0.02)]}
    return kernels


def judged(kernels: dict[str, dict[str, Any]], bad: bool) -> list[dict[str, Any]]:
    bases = {kernel: dict(zip(METRICS, row, strict=True)) for kernel, row in KERNELS.items()}
    rows = []
    for kernel, metric in itertools.product(KERNELS, METRICS):
        base, now = bases[kernel][metric], kernels[kernel][metric]
        if isinstance(base, str):
            continue
        facts = {"base": base, "now": now[0], "limit": LIMITS[METRICS.index(metric)] * base}
        worse = bad and kernel == WORSE and metric in ("time", "shared_bank_conflicts")
        rows.append(make.judgement(kernel, metric, "regressed" if worse else "same", **facts))
    if bad:
        by_metric = {row["metric"]: row for row in rows if row["kernel"] == WORSE}
        line = {"file": "kernels/transpose.cu", "line": 51, "function": "transpose_padded(float const*, float*)"}
        line["text"] = "out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];"
        cause = {**line, "base": 0.0, "now": 16777216.0, "share": 1.0}
        advice = "lanes of one warp access the same bank: pad the rows by one element, or swizzle the index"
        by_metric["shared_bank_conflicts"] |= {"story": "excess_wavefronts", "causes": [cause], "advice": advice}
        reason = "too few sessions: the baseline has 1 of this row, and it takes 3 to know the spread"
        by_metric["dram_throughput"] |= {"verdict": "unsure", "reason": reason}
        next(row for row in rows if (row["kernel"], row["metric"]) == ("sgemm/tiled", "time"))["verdict"] = "unsure"
        rows.sort(key=lambda row: ("regressed", "unsure", "same").index(row["verdict"]))
    return rows


@cache
def documents() -> list[bytes]:
    chance, found = random.Random(1), []
    for night in range(NIGHTS):
        kernels, tonight = values_of(night, chance), night == NIGHTS - 1
        if night < 12:
            del kernels["sgemm/double_buffered"]  # this kernel was written later
        new = {"driver": "590.12", "cuda": "13.1", "compiler": "nvcc 13.1.20"} if night >= 24 else {}
        gpu = f"GPU-{chance.randrange(3)}d1b7adb-c4fe-4279-4bee-b1804d9cd8fb"
        run = make.run_document(night, kernels, gpu_uuid=gpu, commit=f"{night:02}b8a00c3a17", **new)
        run["sessions"][0]["roofs"] = {"dram": 4.53e12, "fp32": 64.2e12, "fp64": 33.1e12}
        found.append(make.encoded(run))
        if night >= 12:
            bad = tonight or night == 30
            more: dict[str, Any] = {"exit_code": 1, "verdict": "regressed"} if bad else {}
            if tonight:
                more["notes"] = ["driver 590.12; the baseline has 580.159.04"]
                more["suites"] = [{"metric": "time", "shift": 0.0012, "kernels": len(KERNELS)}]
                more["replay"] = "tests/data/recorded.json"
            present = {name: rows for name, rows in kernels.items() if name != WALL}
            found.append(make.report(found[-1], judged(present, bad), **more))
    run_file = next(text for text in reversed(found) if b'"judgements"' not in text)
    for night, reason in ((12, "first baseline"), (25, "the new driver"), (26, "and once more: a fused loop")):
        found.append(make.baseline(night, {WORSE: {"time": 1.0}, STEPPED: {"time": 1.0}}, reason, host=f"{night}"))
    found.append(make.baseline(30, {STEPPED: {"time": 1.0}}, "first baseline"))
    return [*found, explained(run_file), analysed()]


def explained(run: bytes) -> bytes:
    bounds = itertools.cycle(["dram", "shared", "compute", "issue", "latency", None])
    texts = []
    for place, kernel in enumerate(KERNELS):
        intensity = 0.03 * 2.4**place
        seconds, flops = 1e-4, min(4.53e12 * intensity, 64.2e12) * 0.7 * 1e-4
        roofs = {
            "dram": {"roof": 4.53e12},
            "fp64": {"roof": 33.1e12},
            "fp32": {"roof": 64.2e12},
            "fp16": {"roof": 66e12},
        }
        line = {"seconds": seconds, "flops": flops, "intensity": intensity, "roofs": roofs, "bound": next(bounds)}
        limits = [["block size"], ["registers", "shared memory"], ["block slots"]][place % 3]
        launch = {"function": f"(anonymous namespace)::{kernel.split('/')[1]}(float const*, float*)", "registers": 22}
        launch |= {"block": [32, 8, 1], "theoretical_occupancy": (100, 50, 18.75)[place % 3], "limits": limits}
        achieved = (91.5, 47.3, 12.5)[place % 3]
        occupancy = {
            "achieved": achieved,
            "largest_launch": 0,
            "gap": "short_blocks",
            "why": "short blocks: a wave takes 2 us",
        }
        more = {"launches": [launch], "roofline": line | {"share": 0.7}, "occupancy": occupancy}
        texts.append(make.explanations(run, [kernel], **more))
    return b"\n".join(texts)


def analysed() -> bytes:
    tallies = {"static": (0, 0), "exact": (0, 0), "steady": (9, 8), "time": (190, 185)}
    classes = {name: {"rows": 6300, "worse": worse, "better": better} for name, (worse, better) in tallies.items()}
    view = {"comparisons": 870, "exit_codes": {"0": 860, "1": 10}, "classes": classes}
    share = {"metric": "time", "unit": "ns", "base": 1e5, "change": 3e3}
    found = [{"kernel": kernel, **share, "share": 0.004 * 1.35**place} for place, kernel in enumerate(KERNELS)]
    return make.analysis(NIGHTS, views={"pairs": view, "others": view, "gpus": view}, detectable=found)


HOST = "https://host.example/o/r"
ADDRESSES = f"{HOST}/commit/{{commit}}", f"{HOST}/blob/{{commit}}/{{path}}#L{{line}}"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the pages."""
    place = tmp_path_factory.mktemp("site")
    with History(str(place / "history.db")) as history:
        for document in documents():
            history.ingest(document)
        site.write(history, place / "page", 365, links=Links(*ADDRESSES))
    return place / "page"


# ---- A browser


@pytest.fixture(scope="session")
def browser() -> Iterator[webdriver.Chrome]:
    for program in (BROWSER, DRIVER):
        if not program.exists():
            pytest.skip(f"there is no {program}: ci/install_deps.sh browser installs it")
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    started.set_script_timeout(PATIENCE)
    started.set_page_load_timeout(PATIENCE)
    try:
        yield started
    finally:
        started.quit()


class Viewer:
    """A browser that shows one site."""

    def __init__(self, browser: webdriver.Chrome, folder: Path, root: str):
        self.browser, self.root = browser, root
        self.pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))

    def open(self, page: str) -> None:
        self.browser.get(f"{self.root}/{page}")

    def show(self, width: int = 1280, height: int = 800, theme: str = "light") -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        wanted = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)

    def ask(self, script: str) -> Any:
        return self.browser.execute_script(script)

    def find(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def column(self, table: str, column: int) -> list[str]:
        """Returns the texts in a column of the rows that are shown."""
        rows = f"[...document.querySelectorAll('#{table} tbody tr')].filter((row) => row.checkVisibility())"
        return self.ask(f"return {rows}.map((row) => row.cells[{column}].textContent.trim())")


@pytest.fixture
def viewer(browser: webdriver.Chrome, folder: Path) -> Viewer:
    """A browser that shows the site from disk, in a light window of 1280 x 800."""
    found = Viewer(browser, folder, folder.as_uri())
    found.show()
    return found


@pytest.fixture(scope="session")
def served(folder: Path) -> Iterator[str]:
    """The address of the site on a web server."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_no_page_has_an_error(viewer: Viewer, served: str) -> None:
    for root in (viewer.root, served):
        for page in viewer.pages:
            viewer.browser.get(f"{root}/{page}")
            assert viewer.browser.get_log("browser") == [], page
            sheet = viewer.ask("return getComputedStyle(document.body).maxWidth")
            assert sheet != "none", f"{root}/{page} has no style"


def test_nothing_runs_and_nothing_is_loaded_but_what_is_the_pages_own(viewer: Viewer, served: str) -> None:
    """This matters if text from outside should ever become part of a page."""
    for root in (viewer.root, served):
        viewer.browser.get(f"{root}/index.html")
        blocked = viewer.browser.execute_async_script(
            """const seen = [], done = arguments[0];
               document.addEventListener("securitypolicyviolation", (event) => {
                 seen.push(event.effectiveDirective);
                 if (seen.length === 5) done(seen.sort());
               });
               const add = (tag, facts) => document.body.append(Object.assign(document.createElement(tag), facts));
               add("script", {text: "window.ran = true"});
               add("script", {src: "figures/verdicts.png"});
               add("img", {src: "figures/verdicts.png"});
               add("iframe", {src: "gpu.html"});
               add("link", {rel: "stylesheet", href: "style.css"});"""
        )
        assert blocked == ["frame-src", "img-src", "script-src-elem", "script-src-elem", "style-src-elem"]
        assert viewer.ask("return window.ran === undefined")
        viewer.browser.get_log("browser")  # has them too


def test_the_first_screen_says_what_is_wrong(viewer: Viewer) -> None:
    viewer.open("index.html")
    words = viewer.ask(
        """return [...document.querySelectorAll("body *")].filter((element) => {
             const box = element.getBoundingClientRect();
             return !element.children.length && box.top >= 0 && box.bottom <= 800 && box.right <= 1280;
           }).map((element) => element.textContent.trim())"""
    )
    expected = ("1 kernel got worse", WORSE, "shared_bank_conflicts", "kernels/transpose.cu:51", "regressed", "590.12")
    for word in expected[:-1]:
        assert any(word in text for text in words), word
    counts = viewer.find(".counts li")
    assert [item.text for item in counts][0] == "regressed 1 kernel"
    assert all(item.rect["y"] + item.rect["height"] < 800 for item in counts)
    assert "Nothing was measured on this machine." in viewer.find(".banner")[0].text


# ---- Tables


def number_of(text: str) -> float | None:
    """Returns 16.25 M as a number, for the few prefixes that the pages use; None for n/a, and 0 for <0.1."""
    scale = {"k": 1e3, "M": 1e6, "G": 1e9, "us": 1e3, "ms": 1e6, "s": 1e9}
    if text == "n/a":
        return None
    first, *unit = text.replace(",", "").rstrip("*").split()
    return 0.0 if first.startswith("<") else float(first) * scale.get(unit[0] if unit else "", 1)


@pytest.mark.parametrize("column", [2, 3, 4, 5, 7, 9])
def test_a_click_on_a_head_sorts_numbers_by_size(viewer: Viewer, column: int) -> None:
    viewer.open("index.html")
    before = viewer.column("kernels", 0)
    head = viewer.find("#kernels th")[column]
    for direction in ("ascending", "descending"):
        head.find_element(By.TAG_NAME, "button").click()
        assert head.get_attribute("aria-sort") == direction
        numbers = [number_of(text) for text in viewer.column("kernels", column)]
        known = [number for number in numbers if number is not None]
        assert numbers == known + [None] * (len(numbers) - len(known)), "what has no value is last"
        assert known == sorted(known, reverse=direction == "descending")
    assert len(viewer.find("#kernels th[aria-sort]")) == 1
    assert sorted(viewer.column("kernels", 0)) == sorted(before)


def test_words_sort_as_words_and_verdicts_by_gravity(viewer: Viewer) -> None:
    viewer.open("index.html")
    name, verdict = (head.find_element(By.TAG_NAME, "button") for head in viewer.find("#kernels th")[:2])
    verdict.click()
    verdicts = viewer.column("kernels", 1)
    assert verdicts[0] == "regressed" and set(verdicts) == {"regressed", "unsure", "same", "not judged"}
    assert [word for word, _ in itertools.groupby(verdicts)] == ["regressed", "unsure", "same", "not judged"]
    name.click()
    name.click()
    names = viewer.column("kernels", 0)
    assert names == sorted(names, reverse=True)
    assert viewer.find("#kernels th")[1].get_attribute("aria-sort") is None


def test_the_filter_shows_rows_with_every_word(viewer: Viewer) -> None:
    viewer.open("index.html")
    everything = viewer.column("kernels", 0)
    field = viewer.find("input[data-filters=kernels]")[0]
    for text, expected in (
        ("sgemm", [name for name in everything if name.startswith("sgemm/")]),
        ("TILE  sgemm ", [name for name in everything if name.startswith("sgemm/") and "tile" in name]),
        ("regressed", [WORSE]),
        ("no such kernel", []),
        ("<b>.*", []),
        ("", everything),
    ):
        field.clear()
        field.send_keys(text or " ")
        assert viewer.column("kernels", 0) == expected, text
    field.clear()
    field.send_keys("sgemm")
    viewer.find("#kernels th button")[2].click()  # sorting keeps the others hidden
    assert len(viewer.column("kernels", 0)) == 6


def test_every_table_that_sorts_and_every_filter_works(viewer: Viewer) -> None:
    for page in ("changes.html", "gpu.html", "gate.html", f"kernels/{site.slug(WORSE)}.html"):
        viewer.open(page)
        for table in viewer.find("table.sortable"):
            for button in table.find_elements(By.TAG_NAME, "button")[:2]:
                button.click()
                assert table.find_elements(By.CSS_SELECTOR, "th[aria-sort=ascending]"), page
        for field in viewer.find("input[data-filters]"):
            field.send_keys("no such row")
            assert viewer.column(field.get_attribute("data-filters") or "", 0) == []
        assert viewer.browser.get_log("browser") == []


def test_a_kernels_page_uses_its_right_half(viewer: Viewer) -> None:
    """Reasons and metrics stand beside the figure, all columns are in view; no rule and no night takes two lines."""
    viewer.show(1280)
    viewer.open(f"kernels/{site.slug(WORSE)}.html")
    figure, table = viewer.find("figure")[0].rect, viewer.find("#metrics")[0].rect
    assert figure["x"] + figure["width"] <= table["x"] and table["x"] + table["width"] <= 1280
    heights = {round(cell.rect["height"]) for cell in viewer.find("#metrics td:last-child")}
    assert max(heights) < 40 and viewer.find("#metrics td:last-child[title^='within the ']")
    nights = viewer.find("table.stack td.word")
    assert nights and {cell.value_of_css_property("white-space") for cell in nights} == {"nowrap"}
    assert (
        "Worse since" not in viewer.find("main")[0].text and "with commit 39b8a00c3a17" in viewer.find("main")[0].text
    )


def test_the_keyboard_reaches_what_the_mouse_does(viewer: Viewer) -> None:
    viewer.open("index.html")
    viewer.find("input[data-filters=kernels]")[0].click()
    active = viewer.browser.switch_to.active_element
    for _ in range(3):
        active.send_keys(Keys.TAB)
        active = viewer.browser.switch_to.active_element
    assert (active.tag_name, active.text) == ("button", "time")
    assert viewer.ask("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    for direction in ("ascending", "descending"):
        active.send_keys(Keys.ENTER)
        assert viewer.find("#kernels th")[2].get_attribute("aria-sort") == direction


def test_tables_can_be_read_without_scripts(viewer: Viewer) -> None:
    viewer.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        viewer.open("index.html")
        assert viewer.find("#kernels th button") == []
        rows = viewer.find("#kernels tbody tr")
        assert len(rows) == len(KERNELS) + 1
        assert all(row.is_displayed() and row.text for row in rows)
    finally:
        viewer.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


# ---- Reading

# Finds every visible text, with its contrast to its background (WCAG 2.2, relative luminance).
CONTRASTS = """
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const [r, g, b, a = 1] = parts(getComputedStyle(e).backgroundColor);
    if (a === 1) return [r, g, b];
  }
  return [255, 255, 255];
};
const ratio = (element, colour) => {
  const [a, b] = [luminance(parts(colour).slice(0, 3)), luminance(behind(element))].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};
const found = [];
for (const element of document.querySelectorAll("body *")) {
  const style = getComputedStyle(element);
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const svg = element.namespaceURI.endsWith("svg");
  if (own && (!svg || element.tagName === "text"))
    found.push([element.tagName + "." + element.getAttribute("class"), ratio(element, svg ? style.fill : style.color)]);
  if (element.placeholder)
    found.push(["placeholder", ratio(element, getComputedStyle(element, "::placeholder").color)]);
}
return found;
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_told_from_what_is_behind_it(viewer: Viewer, theme: str) -> None:
    viewer.show(theme=theme)
    kinds = set()
    for page in ("index.html", "changes.html", "gpu.html", "gate.html", KERNEL_PAGE):
        viewer.open(page)
        found = viewer.ask(CONTRASTS)
        kinds |= {kind for kind, _ in found}
        weak = sorted({(kind, round(ratio, 2)) for kind, ratio in found if ratio < 4.5})
        assert not weak, f"{page}, {theme}: {weak}"
    assert {"A.null", "text.null", "SPAN.chip bad", "SPAN.chip warn", "SPAN.chip good", "placeholder"} <= kinds


def test_a_page_has_a_light_and_a_dark_side(viewer: Viewer) -> None:
    """Figures change with the page: their text and lines, too."""
    viewer.open(f"kernels/{site.slug(WORSE)}.html")
    sides = []
    for theme in ("light", "dark"):
        viewer.show(theme=theme)
        body = viewer.ask("const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]")
        text = viewer.ask("return getComputedStyle(document.querySelector('svg text')).fill")
        assert text == body[1]
        lines = "[...document.querySelectorAll('svg path, svg use')].map((e) => getComputedStyle(e).stroke)"
        sides.append([*body, *viewer.ask(f"return [...new Set({lines})].filter((colour) => colour != 'none').sort()")])
    light, dark = sides
    assert len(light) == len(dark) > 6
    assert not set(light) & set(dark)


# Finds what exceeds its frame: texts of tables and figures, and tables within frames that would scroll.
CUT = """
const width = document.documentElement.clientWidth, found = [];
for (const frame of document.querySelectorAll(".wide, figure, .plot, pre"))
  if (frame.scrollWidth > frame.clientWidth + 1) found.push(`${frame.className || frame.tagName} scrolls`);
for (const cell of document.querySelectorAll("td, th, svg text")) {
  const box = cell.getBoundingClientRect();
  if (box.width && (box.right > width + 1 || box.left < -1)) found.push(cell.textContent.trim());
}
return found;
"""


def test_no_number_is_beside_the_window(viewer: Viewer) -> None:
    """This holds for tables and figures. On a phone only the least important columns are hidden."""
    for page in viewer.pages:
        viewer.open(page)
        for width in (360, 390, 640, 1280):
            viewer.show(width)
            assert viewer.ask(CUT) == [], f"{page} at {width}"
            wide = viewer.ask("const e = document.scrollingElement; return [e.scrollWidth, e.clientWidth]")
            assert wide[0] <= wide[1] == width, f"{page} at {width}"
            if page != "index.html":
                continue
            cells = "[...document.querySelectorAll('#kernels tbody tr:first-child td')]"
            seen = viewer.ask(f"return {cells}.map((cell) => cell.checkVisibility())")
            assert seen == [True] * 7 + [width > 640] * 4
            assert viewer.ask(f"return {cells}.slice(2, 7).map((cell) => cell.dataset.head)") == [
                *("time", "change", "time lost", "limit", "rule")
            ]


@pytest.mark.parametrize("width", [390, 1280])
def test_the_newest_night_is_in_view(viewer: Viewer, width: int) -> None:
    """Its label, its point in the curve, and the words about it are visible without scrolling sideways."""
    viewer.show(width)
    newest = make.date_of(NIGHTS - 1)
    for page in ("index.html", f"kernels/{site.slug(WORSE)}.html"):
        viewer.open(page)
        plot = viewer.find("figure[data-points] .plot")[0]
        labels = "[...document.querySelectorAll('figure[data-points] svg')][0].querySelectorAll('text')"
        boxes = viewer.ask(
            f"return [...{labels}].filter((text) => text.textContent.trim() === '{newest[:10]}')"
            ".map((text) => { const b = text.getBoundingClientRect(); return [b.left, b.right]; })"
        )
        assert len(boxes) == 1 and 0 <= boxes[0][0] < boxes[0][1] <= width, page
        line = last_point(viewer)
        assert plot.rect["x"] <= line <= width
        hover(viewer, plot, line - plot.rect["x"], 40)
        assert tip(viewer).startswith(units.night(newest))


# Returns for each figure its label, the smallest text's size in CSS pixels, texts that leave it, and texts that
# overlap.
FIGURES = """
return [...document.querySelectorAll("figure svg")].map((svg) => {
  const around = svg.getBoundingClientRect();
  const scale = around.width / svg.viewBox.baseVal.width;
  const texts = [...svg.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
  const least = Math.min(...texts.map(([text]) => parseFloat(getComputedStyle(text).fontSize) * scale));
  const words = (text) => text.textContent.trim();
  const outside = texts.filter(([, box]) => box.left < around.left - 1 || box.right > around.right + 1 ||
                                            box.top < around.top - 1 || box.bottom > around.bottom + 1);
  const meeting = [];
  texts.forEach(([a, p], place) => texts.slice(place + 1).forEach(([b, q]) => {
    // A line box is higher than its letters: as much as a quarter may be over another one.
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    const margin = 0.25 * least;
    if (across > (p.height > 1.5 * p.width ? margin : 1) && down > (p.height > 1.5 * p.width ? 1 : margin))
      meeting.push(`${words(a)} | ${words(b)}`);
  }));
  return [svg.getAttribute("aria-label"), texts.length, least, outside.map(([text]) => words(text)), meeting];
});
"""


def test_the_words_of_a_figure_can_be_read(viewer: Viewer) -> None:
    mistakes, widths = [], (360, 390, 640, 1280)
    figures = dict.fromkeys(widths, 0)
    for page, width in itertools.product(viewer.pages, widths):
        if width == widths[0]:
            viewer.open(page)
        viewer.show(width)
        for label, texts, least, outside, meeting in viewer.ask(FIGURES):
            figures[width] += 1
            assert texts > 3, label
            if least < 8 or outside or meeting:
                where = f"{page} at {width}: {label[:40]}"
                mistakes.append(f"{where}: {least:.1f} px, leave it: {outside}, meet: {meeting}")
    assert not mistakes, "\n".join(mistakes)
    assert min(figures.values()) > 20


# ---- Points of figures


def tip(viewer: Viewer) -> str:
    """Returns the text that is shown for a point; "" where there is none."""
    shown = [element.text for element in viewer.find(".tip") if element.is_displayed()]
    assert len(shown) < 2
    return shown[0] if shown else ""


def last_point(viewer: Viewer) -> float:
    """Returns the position of the first figure's last point on the page."""
    return viewer.ask(
        """const figure = document.querySelector("figure[data-points]"), box = figure.querySelector(".plot");
           const last = JSON.parse(figure.dataset.points).points.at(-1)[0];
           const { left, width } = box.getBoundingClientRect();
           return left + ((typeof last === "number" ? last : last[0]) * width) / 1000;"""
    )


def point_at(viewer: Viewer, kind: str, plot: WebElement, x: float, y: float) -> None:
    """Sends a mouse event, or a tap, at a place of a figure, in coordinates of the browser's window."""
    viewer.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    left, top = viewer.browser.execute_script(
        "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top];", plot
    )
    at = {"x": left + x, "y": top + y}
    if kind == "tap":
        viewer.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
        viewer.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        return
    if kind == "hover":
        viewer.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", **at})
        return
    for one in ("mouseMoved", "mousePressed", "mouseReleased"):
        button = {} if one == "mouseMoved" else {"button": "left", "clickCount": 1}
        viewer.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": one, **at, **button})


def hover(viewer: Viewer, plot: WebElement, x: float, y: float) -> None:
    point_at(viewer, "hover", plot, x, y)


@cache
def words_of(night: int) -> str:
    """Returns what the page of WORSE says about a night, from its run file."""
    runs = (parse(document, Run) for document in documents() if kind_of(document) is Run)
    run = [run for run in runs if not run.is_baseline()][night]
    metrics = {"Time": "time", "DRAM throughput": "dram_throughput", "Achieved occupancy": "achieved_occupancy"}
    metrics["Bank conflicts"] = "shared_bank_conflicts"
    values = {
        title: units.value(run.kernels[WORSE].metrics[name].value(), make.UNITS[name])
        for title, name in metrics.items()
    }
    lines = [units.night(make.date_of(night)), *(f"{title}: {value}" for title, value in values.items())]
    return "\n".join([*lines, f"commit: {night:02}b8a00c3a17"])


@pytest.mark.parametrize("kind", ["hover", "tap", "click"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_point_says_its_values(viewer: Viewer, width: int, kind: str) -> None:
    viewer.show(width)
    viewer.open(KERNEL_PAGE)
    (plot,) = viewer.find("figure[data-points] .plot")
    points = viewer.ask("return JSON.parse(document.querySelector('figure[data-points]').dataset.points).points")
    assert len(points) == NIGHTS and tip(viewer) == ""
    for night in (NIGHTS - 1, 7):
        point_at(viewer, kind, plot, points[night][0] * plot.rect["width"] / 1000 + 1, plot.rect["height"] / 2)
        assert tip(viewer) == words_of(night)
        box = "const b = document.querySelector('.tip').getBoundingClientRect();"
        left, top, right, bottom = viewer.ask(f"{box} return [b.left, b.top, b.right, b.bottom]")
        assert left >= 0 and right <= width and top >= 0 and bottom <= 800, "within the window"
    hover(viewer, plot, 5, -200)  # the mouse leaves the point
    kept = kind != "hover"
    assert tip(viewer) == (words_of(7) if kept else "")
    if kept:
        links = [one for one in viewer.find(".tip a") if one.is_displayed()]
        assert [one.get_attribute("href") for one in links] == [f"{HOST}/commit/07b8a00c3a17"]
        point_at(
            viewer, kind, plot, points[7][0] * plot.rect["width"] / 1000 + 1, plot.rect["height"] / 2
        )  # a second tap hides it
        assert tip(viewer) == ""
    assert viewer.browser.get_log("browser") == []


def test_the_keyboard_goes_from_point_to_point(viewer: Viewer) -> None:
    viewer.open(KERNEL_PAGE)
    viewer.find("nav a")[-1].send_keys("")  # the last link before the page's own
    for _ in range(20):
        active = viewer.browser.switch_to.active_element
        if active.get_attribute("class") == "plot":
            break
        active.send_keys(Keys.TAB)
    assert viewer.ask("return document.activeElement.className") == "plot"
    assert viewer.ask("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert tip(viewer) == words_of(NIGHTS - 1), "the newest night first"
    for key, night in ((Keys.ARROW_LEFT, NIGHTS - 2), (Keys.HOME, 0), (Keys.ARROW_RIGHT, 1), (Keys.END, NIGHTS - 1)):
        viewer.browser.switch_to.active_element.send_keys(key)
        assert tip(viewer) == words_of(night)
    viewer.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert tip(viewer) == ""
    viewer.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert tip(viewer) == words_of(0)
    viewer.browser.switch_to.active_element.send_keys(Keys.TAB)
    assert tip(viewer).endswith(f"commit: {0:02}b8a00c3a17"), "its link can be reached"
    assert viewer.ask("return document.activeElement.href") == f"{HOST}/commit/00b8a00c3a17"
    viewer.browser.switch_to.active_element.send_keys(Keys.TAB)
    assert tip(viewer) == ""


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("index.html", "regressed: "),
        ("changes.html", f"{WORSE}: +"),
        ("gpu.html", "of its nearest roof"),
        ("gate.html", "of 1,000 rows"),
    ],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_figure_has_points(viewer: Viewer, page: str, words: str, theme: str) -> None:
    """Each point can be found where it is, and its text can be read."""
    viewer.show(390, theme=theme)
    viewer.open(page)
    figures = viewer.find("figure")
    assert len(figures) == len(viewer.find("figure[data-points]")) > 0
    for place, figure in enumerate(figures):
        plot = figure.find_element(By.CSS_SELECTOR, ".plot")
        points = json.loads(figure.get_attribute("data-points") or "")["points"]
        found, *_ = points[0]
        left, top, right, bottom = (found, 100, found, 100) if isinstance(found, int) else found
        size = plot.rect
        point_at(viewer, "click", plot, (left + right) * size["width"] / 2000, (top + bottom) * size["height"] / 2000)
        said = tip(viewer)
        assert said and (place > 0 or words in said), f"{page}: {said!r}"
        body = viewer.ask("const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]")
        shown = viewer.ask(
            "const e = [...document.querySelectorAll('.tip')].find((tip) => tip.checkVisibility());"
            "const s = getComputedStyle(e); return [s.backgroundColor, s.color]"
        )
        assert shown == body
        assert viewer.ask("return document.scrollingElement.scrollWidth") == 390
        plot.send_keys(Keys.ESCAPE)
