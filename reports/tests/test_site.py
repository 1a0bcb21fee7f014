"""Tests the pages as files: they parse, their links lead somewhere, and they are complete or absent."""

from __future__ import annotations

import ctypes
import errno
import itertools
import multiprocessing
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from argparse import Namespace
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import make
import pytest
from conftest import PATIENCE, TOP, reports

from cugate_reports import drawing, site, whole
from cugate_reports.__main__ import export
from cugate_reports.history import History
from cugate_reports.links import Links

pytestmark = pytest.mark.filterwarnings("ignore:Glyph", "ignore:Data has no positive", "ignore:overflow encountered")

SCRIPT = "<script>alert(1)</script>"
LINES = (Path(__file__).parent / "nasty_names.txt").read_text().splitlines()
NASTY = [line.encode().decode("unicode_escape") for line in LINES]
NASTY += ["x" * 300, f"a/{'y' * 300}1", f"a/{'y' * 300}2"]

# Names of kernels: those in OWN are families of their own, which costs a figure each; the others share one family.
OWN = (SCRIPT, "../../x", "..", "kernel/..", "con", "", "/", "a/b", "a-b", "A/B", "a/b/", "100%/%2e%2e", "what?x=1")
NAMES = [name if name in OWN else f"family/{name}" for name in NASTY]


# ---- A page taken apart

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """A page, parsed strictly: every element is closed, in order."""

    def __init__(self, path: Path, source: str):
        super().__init__(convert_charrefs=True)
        self.path, self.source = path, source
        self.title, self.text, self.h1 = "", "", ""
        self.ids: list[str] = []
        self.links: list[str] = []
        self.scripts: list[str | None] = []
        self.policies: list[str] = []
        self._open: list[str] = []
        self.feed(self.source)
        self.close()
        assert self._open == [], f"{path.name}: {self._open} not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{self.path.name}: <{tag}> has an attribute twice: {attrs}"
        for name, value in attrs:
            assert not name.startswith("on"), f"{self.path.name}: <{tag} {name}={value}>"
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src", "xlink:href"):
                self.links.append(value or "")
            elif name == "style" or name == "clip-path":
                self.links += re.findall(r"url\(([^)]*)\)", value or "")
        if tag == "script":
            self.scripts.append(dict(attrs).get("src"))
        elif tag == "meta" and dict(attrs).get("http-equiv") == "Content-Security-Policy":
            assert self.scripts == self.links == [], "the policy comes before all that it is for"
            self.policies.append(dict(attrs)["content"] or "")

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1] == tag, f"{self.path.name}: </{tag}> closes {self._open[-3:]}"
        self._open.pop()
        if tag in ("td", "th"):
            self.text += " "

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["script"]:
            self.scripts.append(data)
        elif self._open[-1:] == ["style"]:
            assert data.strip() == STYLE.strip()
        elif "title" in self._open:
            self.title += data
        else:
            self.text += data
            if "h1" in self._open:
                self.h1 += data

    def svgs(self) -> list[ElementTree.Element]:
        namespaces = '<svg xmlns:xlink="http://www.w3.org/1999/xlink"'
        found = re.findall(r"<svg .*?</svg>", self.source, re.DOTALL)
        return [ElementTree.fromstring(svg.replace("<svg", namespaces, 1)) for svg in found]

    def says(self, words: str) -> bool:
        return " ".join(words.split()) in " ".join(self.text.split())


parsed = lru_cache(200)(Page)  # many a page is as it was when it was read before


def page_of(path: Path) -> Page:
    return parsed(path, path.read_text(encoding="utf-8"))


def shown(text: str) -> str:
    """Returns a text as a page can show it, with invalid characters replaced."""
    return re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\x7f]", "\N{REPLACEMENT CHARACTER}", text)


def check(folder: Path, undrawn: tuple[str, ...] = ()) -> dict[str, Page]:
    """Checks what holds for every site, and returns its pages by their paths. Those in `undrawn` may lack a figure."""
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pages = {name: page_of(folder / name) for name in sorted(files) if name.endswith(".html")}
    assert {".cugate-report", "index.html"} <= files
    for name, page in pages.items():
        assert page.source.startswith("<!doctype html>\n"), name
        assert shown(page.source) == page.source, f"{name} has control characters"
        assert page.title.strip(), name
        assert page.scripts == [None, SCRIPT_OF_PAGES], name
        assert page.policies == [POLICY], name
        assert page.says("numbers fit no axis") == (name in undrawn), name
        assert len(page.ids) == len(set(page.ids)), f"{name}: ids {sorted(page.ids)}"
        for link in page.links:
            _check_link(folder, pages, name, link)
        _check_figures(page)
    for name in files:
        if name.endswith(".png"):
            assert (folder / name).read_bytes().startswith(b"\x89PNG\r\n\x1a\n"), name
        else:
            assert name.endswith((".html", ".cugate-report")), name
    return pages


def _check_link(folder: Path, pages: dict[str, Page], name: str, link: str) -> None:
    if link == "data:,":
        return
    parts = urlsplit(link)
    assert not parts.scheme and not parts.netloc and not parts.query, f"{name}: {link!r}"
    to = os.path.normpath(Path(name).parent / unquote(parts.path)) if parts.path else name
    assert not to.startswith(".."), f"{name}: {link!r} leads out of the folder"
    assert (folder / to).is_file(), f"{name}: {link!r} leads nowhere"
    if parts.fragment:
        assert unquote(parts.fragment) in pages[to].ids, f"{name}: {link!r} has no target"


SCRIPT_OF_PAGES = (TOP / "reports/cugate_reports/templates/script.js").read_text()
POLICY = (
    f"default-src 'none'; script-src 'sha256-{b64encode(sha256(SCRIPT_OF_PAGES.encode()).digest()).decode()}'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
STYLE = (TOP / "reports/cugate_reports/templates/style.css").read_text()
THEMES = [set(re.findall(r"--([a-z0-9-]+):", theme)) for theme in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)]


def _check_figures(page: Page) -> None:
    """Checks that each SVG is XML, and that its colours are those of both themes."""
    pictures = page.svgs()
    assert len(pictures) == page.source.count("<figure") == page.source.count(".png"), page.path
    for picture in pictures:
        assert picture.get("role") == "img" and picture.get("aria-label"), page.path
        for element in picture.iter():
            values = " ".join(value for name, value in element.attrib.items() if name != "aria-label")
            left = [colour for colour in drawing._VARIABLES if colour in values]
            assert not left, f"{page.path}: {left} in {element.tag} {element.attrib}"
            for variable in re.findall(r"var\(--([^)]*)\)", values):
                assert all(variable in theme for theme in THEMES) or variable == "font", f"{page.path}: {variable}"


def test_both_themes_have_the_same_colours() -> None:
    light, dark = THEMES
    assert light - dark == {"font"} and dark <= light
    assert set(drawing._VARIABLES.values()) <= dark


def write(folder: Path, *documents: bytes, last: int = 365, to: str = "page", **options: Any) -> Path:
    """Adds these files to the folder's history, and writes its pages."""
    with History(str(folder / "history.db")) as history:
        for document in documents:
            history.ingest(document)
        site.write(history, folder / to, last, **options)
    return folder / to


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def kernel_page(pages: dict[str, Page], kernel: str, below: str = "") -> Page:
    return pages[f"{below}kernels/{site.slug(kernel)}.html"]


# ---- Names


def test_every_name_has_a_file_name_of_its_own() -> None:
    names = [
        *NASTY,
        *(site.slug(name) for name in NASTY),
        "a/b/c",
        "softmax/x[n=1M]",
        "softmax/x[n=1m]",
        "a/b-c",
        "a-b/c",
        "a_b",
        "a--b",
        "-a-b",
        "a-b-",
    ]
    names += ["A" * 200, "a" * 200, "a" * 201, "\u00e4", "\u00f6"]
    found = {name: site.slug(name) for name in set(names)}
    assert all(re.fullmatch(r"[a-z0-9_][a-z0-9_.-]*", slug) and len(slug) < 100 for slug in found.values()), found
    twice = [pair for pair in itertools.combinations(sorted(found), 2) if found[pair[0]] == found[pair[1]]]
    assert not twice
    assert site.slug("transpose/padded_32") == "transpose-padded_32"  # an ordinary name stays readable in the address


def nasty_documents() -> list[bytes]:
    """Returns files in which everything has a bad name: each kernel another one, the rest in turn."""
    texts = itertools.cycle(NASTY)

    def nasty(prefix: str = "") -> str:
        return prefix + next(texts)

    device = {**make.DEVICE, "name": f'{SCRIPT} GPU & "co" \'{"x" * 200}', "compute_capability": "{{ 7*7 }}"}
    facts = ("driver", "cuda", "cupti", "compiler", "flags", "gpu_uuid", "host", "commit", "cugate")
    metrics = {"time": 1000.0, "dram_throughput": "<b>not counted</b>\0"}
    documents = []
    for night in range(2):
        document = make.run_document(
            night,
            {kernel: {**metrics, text: 7.0} for kernel, text in zip(NAMES, [*NASTY[1:], *NASTY[:1]], strict=True)},
            device=device,
            collector=SCRIPT,
            **{fact: nasty() or "?" for fact in facts},
        )
        document["metrics"] |= {text: {"counter": text, "unit": text[:80]} for text in NASTY}
        document["metrics"]["time"]["unit"] = "</text><script>\0"
        document["kernels"][SCRIPT] |= {"status": SCRIPT, "reason": SCRIPT, "metrics": {}}
        documents.append(make.encoded(document))
    causes = [
        {"file": text, "line": 3, "function": nasty(), "text": text, "base": 1.0, "now": 2.0, "share": 0.5}
        for text in NASTY
    ]
    causes.append({"function": SCRIPT, "offset": 16, "now": 5.0})
    words = ("unit", "reason", "launch_change", "appeared", "advice", "story")
    rows = [
        make.judgement(kernel, metric, verdict, base=1.0, now=2.0, causes=causes, **{word: nasty() for word in words})
        for kernel in NAMES
        for metric, verdict in (("time", "regressed"), (nasty("m"), "unsure"), (nasty("n"), nasty()))
    ]
    rows.append({**rows[0], "kernel": "gone" + SCRIPT, "metric": None, "verdict": "missing"})
    documents.append(
        make.report(
            documents[-1],
            rows,
            exit_code=1,
            verdict=SCRIPT,
            replay=SCRIPT,
            notes=NASTY,
            suites=[{"metric": text, "shift": 0.01, "kernels": 3, "moved": True} for text in NASTY],
            upgrade={
                "was": SCRIPT,
                "is": nasty(),
                "same": 1,
                "kernels": [{"kernel": text, "class": text, "lost": 1.0} for text in NASTY],
            },
            failures=[{"kernel": text, "status": SCRIPT, "reason": text} for text in (*NAMES, "unknown" + SCRIPT)],
        )
    )
    limits = {"function": SCRIPT, "block": [1, 2, 3], "theoretical_occupancy": 50.0, "limits": NASTY}
    roofs = {f"fp{text}": {"roof": 1e12} for text in NASTY} | {"dram": {"roof": 4e12}}
    line = {"seconds": 1e-3, "flops": 1e6, "intensity": 2.0, "roofs": roofs, "bound": SCRIPT, "share": 0.5}
    occupancy = {"achieved": 20.0, "largest_launch": 0, "gap": SCRIPT, "why": SCRIPT}
    more = {"launches": [limits], "roofline": line, "occupancy": occupancy}
    documents.append(make.explanations(documents[1], [*NAMES, "unknown" + SCRIPT], **more))
    documents += [
        make.baseline(1, {kernel: {"time": 1.0}}, reason=nasty(), device=device, host=str(place))
        for place, kernel in enumerate(NAMES)
    ]
    tally = {"rows": 10, "worse": 1, "better": 2}
    view = {"comparisons": 3, "exit_codes": {"1": 1}, "classes": dict.fromkeys(NASTY, tally)}
    share = {"metric": "time", "unit": "ns", "base": 1.0, "change": 0.1, "share": 0.1}
    detectable = [{"kernel": text, **share} for text in (*NAMES, "unknown" + SCRIPT)]
    documents.append(
        make.analysis(
            1, device["name"], collector=SCRIPT, views={SCRIPT: view, "b\0": view, "c": None}, detectable=detectable
        )
    )
    return documents


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("nasty"), *nasty_documents())


def test_no_name_breaks_a_page_or_leaves_the_folder(nasty: Path) -> None:
    pages = check(nasty)
    assert {path.name for path in nasty.parent.iterdir()} == {"history.db", "page"}
    headings = [page.h1.rsplit(" ", 1)[0] for name, page in pages.items() if name.startswith("kernels/")]
    assert sorted(map(str.split, headings)) == sorted(shown(name).split() for name in NAMES), "a page for each kernel"


def test_names_stand_in_the_pages_as_text(nasty: Path) -> None:
    pages = check(nasty)
    index, gate, gpu = (pages[f"{name}.html"] for name in ("index", "gate", "gpu"))
    for name in NAMES:
        short = drawing.shorten(name, 44)
        assert index.says(short), name
        assert gpu.says(short), name
        assert gate.says(drawing.shorten(name, 60)), name
        page = kernel_page(pages, name)
        assert page.title.startswith(drawing.shorten(name, 80).strip()), name
    cause = kernel_page(pages, "a/b")
    for text in NASTY:
        assert index.says(f"Note: {shown(text)}."), text
        assert cause.says(f"{shown(text)}:3" if text else ""), text
    assert gpu.says("compute capability {{ 7*7 }}")
    assert SCRIPT in gpu.h1


# ---- Whole or not at all


PLAIN = {"copy/plain": {"time": 20000.0}}  # a run that is quickly drawn


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = [make.run(night, PLAIN) for night in range(2)]
    return write(tmp_path_factory.mktemp("drawn"), *runs, make.report(runs[-1])).parent


@pytest.fixture
def earlier(drawn: Path, tmp_path: Path) -> dict[str, bytes]:
    """Returns the content of tmp_path / "page", with a marker as of an earlier version, so that all is drawn again."""
    shutil.copytree(drawn, tmp_path, dirs_exist_ok=True)
    (tmp_path / "page/.cugate-report").write_bytes(b"")
    return contents(tmp_path / "page")


def test_the_same_history_gives_the_same_bytes(tmp_path: Path, figures: None) -> None:
    one = write(tmp_path, *map(make.run, range(9)), make.explanations(make.run(8)), make.analysis(8), to="one")
    check(one)
    assert contents(one) == contents(write(tmp_path, to="two"))


@pytest.mark.parametrize("method", ["gate", "kernel"])  # it fails in this process, or in one that draws
def test_an_exception_leaves_the_earlier_report(
    tmp_path: Path, figures: None, earlier: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of a test")

    monkeypatch.setattr(site._Writer, method, broken)
    with pytest.raises(ZeroDivisionError):
        write(tmp_path)
    assert contents(tmp_path / "page") == earlier
    assert {path.name for path in tmp_path.iterdir()} == {"history.db", "page"}


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.EACCES, "cannot write .*Permission denied"), (errno.EINVAL, "cannot replace .*: remove that folder first")],
)
def test_the_earlier_report_stays_when_the_new_one_cannot_take_its_place(
    tmp_path: Path, earlier: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    """The file system reports that it cannot exchange two names in one step."""

    class Library:
        def renameat2(self, *_: object) -> int:
            ctypes.set_errno(code)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Library())
    with pytest.raises(site.PageError, match=words):
        write(tmp_path)
    assert contents(tmp_path / "page") == earlier
    assert {path.name for path in tmp_path.iterdir()} == {"history.db", "page"}


def test_a_reader_finds_the_earlier_report_or_the_new_one(tmp_path: Path) -> None:
    """A reader looks at it all the time."""
    page, found, over = tmp_path / "page", [0, 0], threading.Event()

    def fill(folder: Path) -> None:
        (folder / "index.html").write_text("whole")

    def look() -> None:
        while not over.is_set():
            found[(page / "index.html").exists()] += 1

    whole.folder(page, fill)
    reader = threading.Thread(target=look)
    reader.start()
    while sum(found) < 1000:
        whole.folder(page, fill)
    over.set()
    reader.join()
    assert found[0] == 0 < found[1]
    assert os.listdir(tmp_path) == ["page"]


def test_a_link_to_the_report_stays_one(tmp_path: Path) -> None:
    write(tmp_path, make.run(0, PLAIN))
    (tmp_path / "page").rename(tmp_path / "elsewhere")
    (tmp_path / "page").symlink_to("elsewhere")
    (tmp_path / "elsewhere/index.html").write_text("earlier")
    check(write(tmp_path))
    assert (tmp_path / "page").is_symlink() and not (tmp_path / "elsewhere").is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"history.db", "page", "elsewhere"}


def test_what_came_to_its_place_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page"

    def fill(_: Path) -> None:
        page.mkdir()
        (page / "thesis.tex").write_text("years of work")

    with pytest.raises(whole.FolderError, match="page exists and is not a cugate report"):
        whole.folder(page, fill)
    assert os.listdir(tmp_path) == ["page"] and os.listdir(page) == ["thesis.tex"]


def test_a_process_that_is_ended_is_told_and_waited_for_by_nobody(
    tmp_path: Path, figures: None, earlier: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process is killed as when memory runs out."""
    monkeypatch.setattr(site._Writer, "kernel", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(site.PageError, match="ended before it was done"):
        write(tmp_path)
    assert contents(tmp_path / "page") == earlier
    assert multiprocessing.active_children() == []


def test_only_an_empty_folder_or_a_report_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    check(write(tmp_path, make.run(0, PLAIN)))
    for name in ("file", "folder"):
        place = tmp_path / name
        if name == "folder":
            place.mkdir()
            place = place / "thesis.tex"
        place.write_text("years of work")
        with pytest.raises(site.PageError, match=f"{name} exists and is not a cugate report.* or remove it"):
            write(tmp_path, to=name)
        assert place.read_text() == "years of work"
    with pytest.raises(site.PageError, match="cannot write beside .*below"):
        write(tmp_path, to="file/below")


def run_page(folder: Path, *options: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return reports("page", "--history", folder / "history.db", "-o", folder / "page", *options, **more)


@pytest.mark.parametrize("ending", [".html", ".png"])  # of the largest file, which does not fit
def test_a_full_disk_leaves_the_earlier_report(
    tmp_path: Path, figures: None, earlier: dict[str, bytes], ending: str
) -> None:
    ended = run_page(tmp_path, limit=max(len(data) for name, data in earlier.items() if name.endswith(ending)) - 1)
    assert ended.returncode == 2, ended.stderr
    assert re.fullmatch(rf"reports: error: cannot write {tmp_path}/page: .+\n", ended.stderr), ended.stderr
    assert "File too large" in ended.stderr
    assert contents(tmp_path / "page") == earlier
    assert {path.name for path in tmp_path.iterdir()} == {"history.db", "page"}


def test_the_command_says_what_it_wrote_and_nothing_else(tmp_path: Path) -> None:
    # the font of the PNG lacks these characters
    write(tmp_path, *(make.run(night, {"\u884c\u5217/\u8ee2\u7f6e": {"time": 1.0}}) for night in range(2)))
    shutil.rmtree(tmp_path / "page")
    # in a Python of its own, since pytest would take the warnings
    command = [sys.executable, "-m", "cugate_reports", "page", "--history", tmp_path / "history.db", "-o"]
    ended = subprocess.run([*command, tmp_path / "page"], cwd=TOP, capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[0].startswith("NVIDIA H200, 2 nights to 2023-")
    assert ended.stdout.splitlines()[1] == f"page: {tmp_path}/page/index.html"


def test_an_empty_history_has_no_pages(tmp_path: Path, history: History) -> None:
    with pytest.raises(site.PageError, match="has no run yet: cugate-report ingest"):
        site.write(history, tmp_path / "page", 365)
    assert not (tmp_path / "page").exists()


# ---- Shapes of a history


def test_one_night(tmp_path: Path) -> None:
    run = make.run()
    pages = check(write(tmp_path, run, make.report(run)))
    assert not pages["index.html"].says("Levels that moved lately")
    assert pages["index.html"].says("1 night from")
    assert "figures/verdicts.png" not in pages["index.html"].links
    assert pages["changes.html"].says(
        "None is looked for yet: a level has moved when four nights have it, after four others."
    )
    page = kernel_page(pages, "transpose/padded")
    assert (
        page.svgs() == [] and not page.says("Over nights") and page.says("Every metric tonight")
    )  # a single point is no curve


def test_a_night_that_was_not_judged(tmp_path: Path) -> None:
    runs = [make.run(night) for night in range(3)]
    pages = check(write(tmp_path, *runs, make.report(runs[0])))
    assert pages["index.html"].h1 == "Tonight's run was not judged"
    assert pages["index.html"].says("cugate check --format json")
    assert pages["changes.html"].says("Tonight's run was not judged")
    assert kernel_page(pages, "copy/plain").says("20.0 us")


def test_a_kernel_that_failed_and_one_that_is_gone(tmp_path: Path) -> None:
    document = make.run_document(1, {**make.KERNELS, "crash/er": {}})
    document["kernels"]["crash/er"] |= {"status": "crashed", "reason": "illegal address"}
    run = make.encoded(document)
    failures = [{"kernel": "crash/er", "status": "crashed", "reason": "illegal address"}]
    gone = make.judgement("gone/away", "time", "missing", unit="ns", now=1.0)
    whole = {**gone, "kernel": "never/seen", "metric": None, "now": None, "change": None}
    report = make.report(run, [gone, whole], exit_code=5, failures=failures)
    pages = check(write(tmp_path, make.run(0, {**make.KERNELS, "gone/away": {"time": 5.0}}), run, report))
    index = pages["index.html"]
    assert index.h1 == "3 kernels could not be measured"
    assert index.says("crash/er missing crashed: illegal address")
    assert kernel_page(pages, "crash/er").says("Not measured tonight: crashed. illegal address")
    assert kernel_page(pages, "gone/away").says("Tonight's run does not have this kernel.")
    # nothing is known about that kernel
    assert index.says("missing 3 kernels")
    assert index.says("never/seen") and "kernels/never-seen.html" not in index.links


def test_a_kernel_and_a_metric_that_came_later(tmp_path: Path, figures: None) -> None:
    runs = [make.run(night) for night in range(9)]
    runs += [make.run(9, {"new/comer": {"time": 3.0}, "copy/plain": {"time": 1.0, "newton": 2.0}})]
    pages = check(write(tmp_path, *runs))
    assert kernel_page(pages, "new/comer").says("3 ns")
    assert pages["index.html"].says("What is new") and pages["index.html"].says(
        "Came lately: new/comer. Not measured any more: transpose/padded."
    )
    assert kernel_page(pages, "copy/plain").says("newton")


def test_a_kernel_without_any_value(tmp_path: Path) -> None:
    states: dict[str, Any] = {"time": "not counted", "achieved_occupancy": "not applicable"}
    pages = check(write(tmp_path, *(make.run(night, {"no/value": states}) for night in range(3))))
    page = kernel_page(pages, "no/value")
    assert page.says("not counted") and page.svgs() == []
    assert pages["index.html"].says("n/a")


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e300, sys.float_info.max])
def test_extreme_values(tmp_path: Path, value: float, figures: None) -> None:
    """A figure that cannot show a value says so, and everything else is there."""
    metrics = ("time", "achieved_occupancy", "branch_efficiency", "dram_throughput", "shared_bank_conflicts", "other")
    kernels = {f"reduce/{name}": dict.fromkeys(metrics, value) for name in ("global_strided", "sequential", "cub")}
    runs = [make.run(night, kernels) for night in range(10)]
    rows = [
        make.judgement(kernel, metric, "regressed", base=base, now=value, limit=limit)
        for kernel in kernels
        for metric, (base, limit) in zip(metrics, itertools.product((0.0, value, 1.0), (0.0, value)), strict=True)
    ]
    launch = {"theoretical_occupancy": value}
    line = {"seconds": value, "flops": value, "intensity": value, "roofs": {"dram": {"roof": value}}}
    more = {"launches": [launch], "occupancy": {"achieved": value, "largest_launch": 0}, "roofline": line}
    tally = {"rows": 1, "worse": 1 << 60, "better": 0}
    view = {"comparisons": 1, "exit_codes": {}, "classes": {"time": tally}}
    share = {"metric": "time", "unit": "ns", "base": value, "change": value, "share": value}
    analysis = make.analysis(9, views={"pairs": view}, detectable=[{"kernel": "reduce/cub", **share}])
    report = make.report(runs[-1], rows, exit_code=1)
    figures = [f"kernels/{site.slug(name)}.html" for name in kernels]
    undrawn = tuple(figures) if value == sys.float_info.max else ()
    pages = check(write(tmp_path, *runs, report, make.explanations(runs[-1], **more), analysis), undrawn)
    assert len(pages) == 4 + len(kernels)


def test_a_figure_that_cannot_be_drawn_costs_no_other(tmp_path: Path, figures: None) -> None:
    kernels = {"huge/one": {"achieved_occupancy": 1.7e308}, "copy/plain": {"time": 20000.0}}
    pages = check(write(tmp_path, make.run(0, PLAIN), make.run(1, kernels)), ("kernels/huge-one.html",))
    assert len(kernel_page(pages, "copy/plain").svgs()) == 1
    assert kernel_page(pages, "huge/one").says("huge/one over 2 nights: time and counters, and their limits: not drawn")


@pytest.mark.parametrize(
    "column", ["cugate_extracts.runner", "cugate_extracts.body", "cugate_nights.body", "cugate_series.body"]
)
def test_tables_for_the_pages_that_are_damaged_are_told(column: str, tmp_path: Path) -> None:
    write(tmp_path, make.run(0, PLAIN), make.run(1, PLAIN))
    table, name = column.split(".")
    with sqlite3.connect(tmp_path / "history.db") as connection:
        connection.execute(f"update {table} set {name} = x'7f00'")
    shutil.rmtree(tmp_path / "page")  # so that everything is read again
    ended = run_page(tmp_path)
    assert ended.returncode == 2 and "is damaged: " in ended.stderr and "Traceback" not in ended.stderr
    with sqlite3.connect(tmp_path / "history.db") as connection:
        for emptied in ("extracts", "nights", "series"):
            connection.execute(f"delete from cugate_{emptied}")
    assert run_page(tmp_path).returncode == 0


# ---- The future


def test_a_run_of_the_future_is_never_tonight(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    history.ingest(make.run(0, PLAIN))
    with monkeypatch.context() as before:  # as an earlier version accepted one
        before.setattr("cugate_reports.history._today", lambda: "2999")
        history.ingest(make.run(0, {"from/afar": {"time": 1.0}}, date="2099-01-01T00:00:00.000Z"))
    pages = check(write(tmp_path))
    assert all(page.says("1 run dated after today, up to 2099-01-01 00:00 UTC, is left out") for page in pages.values())
    assert not any("from" in name for name in pages) and pages["index.html"].says("1 night from 2023-11-14")
    ended = run_page(tmp_path)
    assert ended.returncode == 0 and "to 2023-11-14T22:13:20.000Z" in ended.stdout
    assert (
        "left out: 1 run dated after today, up to 2099-01-01T00:00:00.000Z; by the clock of this machine"
        in ended.stderr
    )
    assert "cugate-report prune --future" in ended.stderr
    assert history.prune(1) == 0 and history.prune_future() == 1
    pages = check(write(tmp_path))
    assert not any(page.says("left out") for page in pages.values())


def test_a_history_of_the_future_alone_has_no_pages(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("cugate_reports.history._today", lambda: "2999")
        history.ingest(make.run(0, PLAIN, date="2099-01-01T00:00:00.000Z"))
    with pytest.raises(site.PageError, match="has nothing but 1 run dated after today, up to 2099-01-01"):
        site.write(history, tmp_path / "page", 365)


def test_a_clock_that_was_set_back_is_said_without_advice_to_prune(
    tmp_path: Path, history: History, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for night in range(5):
        history.ingest(make.run(night, PLAIN))
    monkeypatch.setattr("cugate_reports.history._today", lambda: make.date_of(1))
    pages = check(write(tmp_path))
    assert export(Namespace(csv=str(tmp_path / "v.csv"), alike=None, folder=None, history=history.name, last=None)) == 0
    said = capsys.readouterr().err
    assert "3 runs dated after today" in said and "set the clock of this machine right" in said and "prune" not in said
    for page in pages.values():
        assert page.says("the clock of the machine that made this page is wrong") and not page.says("prune --future")


def test_two_models_of_gpu_link_to_each_other(tmp_path: Path) -> None:
    kernels = {"only/there": {"time": 1.0}}
    pages = check(write(tmp_path, make.run(2, kernels), make.run(1, device=make.OTHER_DEVICE)))
    below = site.slug("NVIDIA H100")
    root, other = pages["index.html"], pages[f"{below}/index.html"]
    assert "NVIDIA H200" in root.title and "NVIDIA H100" in other.title
    assert f"{below}/index.html" in root.links and "../index.html" in other.links
    assert "kernels/only-there.html" in pages and f"{below}/kernels/only-there.html" not in pages
    assert f"../{below}/index.html" in kernel_page(pages, "only/there").links
    assert "../../index.html" in kernel_page(pages, "copy/plain", f"{below}/").links


def test_models_of_one_name_are_told_apart(tmp_path: Path) -> None:
    devices = [make.DEVICE, {**make.DEVICE, "mig": True, "sm_count": 16}, {**make.DEVICE, "ecc": False}]
    pages = check(write(tmp_path, *(make.run(9 - place, PLAIN, device=device) for place, device in enumerate(devices))))
    index = pages["index.html"]
    assert index.says("NVIDIA H200 (132 SMs, ECC, no MIG) \N{MIDDLE DOT}")
    assert index.says("NVIDIA H200 (16 SMs, ECC, MIG) \N{MIDDLE DOT} NVIDIA H200 (132 SMs, no ECC, no MIG)")
    assert len([name for name in pages if name.endswith("index.html")]) == 3


def test_collectors_are_told_apart_and_what_is_unknown_is_no_number(tmp_path: Path) -> None:
    unknown = {"name": "NVIDIA H200", "sm_count": 0, "memory_bytes": 0}
    pages = check(
        write(tmp_path, make.run(9, PLAIN), make.run(8, PLAIN, collector="exec"), make.run(7, PLAIN, device=unknown))
    )
    assert pages["index.html"].says("NVIDIA H200 (132 SMs, 143,156 MiB, 9.0, ECC, no MIG, by cugate run)")
    assert pages["index.html"].says("by exec)") and pages["index.html"].says("unknown SMs, memory unknown")
    assert [page.says("Unknown number of SMs, compute capability unknown") for page in pages.values()].count(True) == 1
    assert len([name for name in pages if name.endswith("index.html")]) == 3


# ---- Why a difference is no regression


def slower_night(**facts: Any) -> tuple[bytes, ...]:
    """Makes a night that is 5.48 % slower after quiet ones, while the gate calls it the same."""
    runs = [make.run(night, {"sort/radix": {"time": 100000.0 if night < 3 else 105480.0}}) for night in range(9)]
    facts = {"base": 100000.0, "now": 105480.0, "limit": 7100.0, "base_sessions": 12, **facts}
    return *runs, make.report(runs[-1], [make.judgement("sort/radix", "time", "same", **facts)])


@pytest.mark.parametrize(
    ("facts", "words", "word"),
    [
        ({}, "within the noise of 12 sessions (limit 7.10 us)", "noise"),
        ({"limit": 2000.0, "drift": 4000.0}, "within the floor of 2 % or 250 ns (limit 2.00 us)", "floor"),
        ({"limit": 2000.0, "same_code": True}, "same code (limit 2.00 us)", "same code"),
    ],
)
def test_what_is_slower_and_not_worse_is_no_loss_and_says_by_which_rule(
    tmp_path: Path, facts: dict[str, Any], words: str, word: str
) -> None:
    pages = check(write(tmp_path, *slower_night(**facts)))
    index = pages["index.html"]
    assert index.h1 == "Nothing is worse" and index.says("same 1 kernel")
    text = " ".join(index.text.split())
    assert 0 < text.index("The trend") < text.index("What changed around it"), "first what the field looks at"
    assert not index.says("Slower, and not worse") and not index.says("5.48 us"), "no noise is a loss"
    assert "<strong>" not in index.source.split("<h2>")[1], "it may be noise"
    assert index.says("A change within its limit does not count.") and index.text.count("within its limit does") == 1
    assert index.says(f"105 us +5.5 % {100 * facts.get('limit', 7100) / 1e5:.1f} % {word} n/a")
    assert 'title="105,480 ns"' in index.source, "the value on hover"
    page = kernel_page(pages, "sort/radix")
    assert (
        page.says("A change within its limit does not count.") and page.says(word) and f'title="{words}"' in page.source
    )


def test_a_level_that_moved_stands_beside_what_the_gate_says(tmp_path: Path, figures: None) -> None:
    runs = [make.run(night, {"a/x": {"time": 1000.0 if night < 24 else 1055.0}}) for night in range(30)]
    facts = {"base": 1040.0, "now": 1055.0, "limit": 250.0}
    index = check(write(tmp_path, *runs, make.report(runs[-1], [make.judgement("a/x", "time", **facts)])))["index.html"]
    assert index.says("found over all nights. They are not verdicts")
    assert index.says("+5.5 %") and index.says(
        "The gate tonight: same +1.4 % from the baseline, within the floor of 2 % or 250 ns (limit 250 ns)."
    )
    index = check(write(tmp_path, make.report(runs[-1], [])))["index.html"]
    assert index.says("The gate does not judge it.")


def test_the_worst_are_said_to_be_ordered_by_time_lost(tmp_path: Path) -> None:
    run = make.run(0, {"a/x": {"time": 30.0}, "b/y": {"time": 1100.0}})
    rows = [
        make.judgement("a/x", "time", "regressed", base=10.0, now=30.0),
        make.judgement("b/y", "time", "regressed", base=1000.0, now=1100.0),
    ]
    index = check(write(tmp_path, run, make.report(run, rows, exit_code=1)))["index.html"]
    assert index.title.startswith(index.h1) and index.says("exit code 1")
    assert index.says("By time lost, the most first: a kernel's time x its slow-down. What is in doubt comes after")
    text = " ".join(index.text.split())
    assert text.index("+10.0 %: 100 ns lost") < text.index("+200.0 %: 20 ns lost")


def test_a_page_draws_nothing_that_has_no_content(tmp_path: Path, figures: None) -> None:
    kernels = {"a/x": {"time": 1000.0, "shared_bank_conflicts": 0.0}}
    runs = [make.run(night, kernels) for night in range(3)]
    rows = [make.judgement("a/x", "time", base=1000.0, now=1000.0)]
    pages = check(write(tmp_path, *runs, make.report(runs[-1], rows)))
    (trend,) = pages["index.html"].svgs()
    assert "regressed" not in "".join(trend.itertext()), "no night has another verdict than same"
    assert pages["changes.html"].svgs() == [] and pages["changes.html"].says(
        "No row that the gate judges moved by more"
    )
    page = kernel_page(pages, "a/x")
    assert page.says("Not drawn, since it was 0 on every night: Bank conflicts.")
    (figure,) = page.svgs()
    assert "Bank conflicts" not in "".join(figure.itertext())


def test_the_gate_says_what_one_session_means_before_its_number(tmp_path: Path) -> None:
    views: dict[str, Any] = {
        "pairs": {"comparisons": 20, "exit_codes": {"0": 2, "3": 18}, "classes": {"time": {"rows": 10, "unsure": 7}}},
        "others": {"comparisons": 20, "exit_codes": {"0": 20}, "classes": {"time": {"rows": 10}}},
    }
    gate = check(write(tmp_path, make.run(0, PLAIN), make.analysis(0, views=views)))["gate.html"]
    text = " ".join(gate.text.split())
    assert gate.says("by a baseline of one session. One session cannot tell noise from a change")
    assert text.index("One session cannot tell noise") < text.index("18")
    assert text.index("all others 20 20") < text.index("one session 20 2 0 18"), "what a night is judged by comes first"
    assert gate.says("No row left its limit.") and gate.svgs() == []


# ---- What the gate says of a cause, and of a toolchain


def test_what_appeared_and_another_toolchain_are_on_the_first_page(tmp_path: Path) -> None:
    runs = [make.run(night, {"a/x": {"time": 1000.0}}) for night in range(2)]
    rows = [make.judgement("a/x", "time", "regressed", base=1.0, now=2.0, appeared="fp64_arithmetic 0 -> 2.10 M")]
    kernels = [{"kernel": "a/x", "class": "other instructions", "lost": 1200.0, "change": "registers 18 -> 22"}]
    upgrade = {"was": "nvcc 13.0.88", "is": "nvcc 13.5.37", "same": 20, "kernels": kernels, "libraries": []}
    pages = check(write(tmp_path, *runs, make.report(runs[-1], rows, exit_code=1, upgrade=upgrade)))
    index, kernel = pages["index.html"], kernel_page(pages, "a/x")
    assert index.says("appeared: fp64_arithmetic 0 -> 2.10 M") and kernel.says("appeared: fp64_arithmetic 0 -> 2.10 M")
    assert index.says("1 kernel has other machine code, 20 the same") and index.says("nvcc 13.5.37")
    assert index.says("other instructions") and index.says("1.20 us")


# ---- Links


def test_commits_and_lines_are_links_where_cugate_ini_says_to_what(tmp_path: Path) -> None:
    causes = [{"file": "kernels/a b.cu", "line": 51, "now": 5.0}, {"file": "/usr/include/x.h", "line": 3, "now": 5.0}]
    runs = [make.run(night, {"a/x": {"time": 1000.0}}, commit=f"{night:012x}") for night in range(2)]
    rows = [make.judgement("a/x", "time", "regressed", causes=causes)]
    host = "https://host.example/o/r"
    address = Links(f"{host}/commit/{{commit}}", f"{host}/blob/{{commit}}/{{path}}#L{{line}}")
    write(tmp_path, *runs, make.report(runs[-1], rows, exit_code=1), to="linked", links=address)
    for name in ("index.html", "kernels/a-x.html"):
        page = page_of(tmp_path / "linked" / name)
        assert {link for link in page.links if "://" in link} >= {
            f"{host}/commit/{1:012x}",
            f"{host}/blob/{1:012x}/kernels/a%20b.cu#L51",
        }
        assert page.says("kernels/a b.cu:51") and page.says("/usr/include/x.h:3")
        assert not any("include" in link for link in page.links)
    assert f"{host}/commit/{0:012x}" in page_of(tmp_path / "linked/index.html").links  # the commit of the night before
    for page in check(write(tmp_path, to="plain")).values():
        assert "host.example" not in page.source
        assert page.says(f"commit {1:012x}")


def test_the_command_takes_the_links_of_cugate_ini(tmp_path: Path) -> None:
    write(tmp_path, make.run(0, PLAIN))
    (tmp_path / "links.ini").write_text("[links]\ncommit = https://host.example/{commit}\n")
    ended = run_page(tmp_path, "--config", str(tmp_path / "links.ini"))
    assert ended.returncode == 0, ended.stderr
    assert "https://host.example/0123456789ab" in page_of(tmp_path / "page/index.html").links
    (tmp_path / "links.ini").write_text("[links]\ncommit = javascript:{commit}\n")
    ended = run_page(tmp_path, "--config", str(tmp_path / "links.ini"))
    assert ended.returncode == 2 and "links.ini: [links] commit: " in ended.stderr


@pytest.mark.parametrize("name", ["kernels", "figures", ".."])
def test_a_model_takes_no_place_of_the_first_ones_pages(tmp_path: Path, name: str) -> None:
    pages = check(write(tmp_path, make.run(2, PLAIN), make.run(1, PLAIN, device={**make.DEVICE, "name": name})))
    assert len([page for page in pages if page.endswith("index.html")]) == 2
    assert len(list((tmp_path / "page/kernels").iterdir())) == len(PLAIN)


def test_recorded_runs_are_said_to_be_recorded(tmp_path: Path) -> None:
    run = make.run(0, {})
    for replay in ("tests/data/recorded.json", None):
        pages = check(write(tmp_path, run, make.report(run, replay=replay)))
        said = [page.says("Nothing was measured on this machine.") for page in pages.values()]
        assert all(said) if replay else not any(said)


def test_pages_that_lack_something_say_how_to_get_it(tmp_path: Path) -> None:
    run = make.run(0, PLAIN)
    pages = check(write(tmp_path, run, make.report(run)))
    assert pages["gpu.html"].says("cugate explain '*' --replay RUN.json --format json")
    assert pages["gate.html"].says("cugate aa --format json")
    pages = check(write(tmp_path, make.explanations(run), make.analysis(0)))
    assert not pages["gpu.html"].says("cugate explain")
    assert not pages["gate.html"].says("cugate aa")
