"""What an earlier report in the same folder has that need not be drawn again.

The folder's marker says of what each page and figure was made, and the hash of every file. A page of which that is
still so is linked into the new folder, which takes the earlier one's place as a whole; so is a figure that this run
has no time for, and the page says up to which night it goes. What is gone, cut or changed is drawn again."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec
from msgspec import Struct, field

from cugate_reports.definitions import METRICS
from cugate_reports.whole import MARKER

HERE = Path(__file__).parent
_FIGURE = re.compile(r"<figure[^>]*>.*?</figure>", re.DOTALL)
_PNG = re.compile(r'href="(?:\.\./)*(figures/[^"]+\.png)"')


class Figure(Struct, kw_only=True):
    made_of: str
    until: str  # date of the last night in the figure
    there: bool  # the figure was drawn; nothing is drawn without values, or if they fit no axis


class State(Struct, kw_only=True):
    """What a folder's marker says about its pages and figures; paths are relative to the folder."""

    by: str  # what the report was drawn by, see drawn_by()
    files: dict[str, str] = field(default_factory=dict)  # files by path, with the hash of their bytes
    pages: dict[str, str] = field(default_factory=dict)  # pages by path, with the hash of what they were made from
    figures: dict[str, Figure] = field(default_factory=dict)  # figures by the path of their PNGs


def stamp(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def drawn_by() -> str:
    """Returns a hash of all that decides how pages look, besides their content: this program, its templates, the metric
    files.
    """
    files = [*sorted(HERE.glob("*.py")), *sorted((HERE / "templates").iterdir()), *sorted(METRICS.glob("*.ini"))]
    packages = [version(name) for name in ("matplotlib", "Jinja2", "numpy", "ruptures")]
    return stamp(packages, [(path.name, _hash(path)) for path in files if path.is_file()])


def _hash(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def figures_of(text: str) -> dict[str, str]:
    """Returns the figures of a page by the paths of their PNGs below the model's folder."""
    found = {}
    for figure in _FIGURE.findall(text):
        if png := _PNG.search(figure):
            found[png[1]] = figure
    return found


class Earlier:
    """The report that is in the folder, if the same program made it."""

    def __init__(self, folder: Path):
        self.folder, self.state = folder, State(by="")
        self._whole: dict[str, bool] = {}
        try:
            state = msgspec.json.decode((folder / MARKER).read_bytes(), type=State)
            if state.by == drawn_by():
                self.state = state
        except (OSError, msgspec.DecodeError):
            pass  # there is no marker, or it is of an earlier version

    def is_whole(self, path: str) -> bool:
        """Whether a file is unchanged since it was written."""
        if path not in self._whole:
            known = self.state.files.get(path)
            self._whole[path] = known is not None and _hash(self.folder / path) == known
        return self._whole[path]

    def figures(self, page: str) -> dict[str, str]:
        """Returns the unchanged figures of a page with their PNGs; paths are below the model's folder."""
        if not self.is_whole(page):
            return {}
        below = page[: -len(_below(page))]
        found = figures_of((self.folder / page).read_text(encoding="utf-8", errors="replace"))
        return {png: figure for png, figure in found.items() if self.is_whole(below + png)}

    def page(self, path: str, made_of: str) -> list[str] | None:
        """Returns the files of a page that would be made the same now; None when it would not."""
        if self.state.pages.get(path) != made_of or not self.is_whole(path):
            return None
        below = path[: -len(_below(path))]
        pngs = [below + png for png in figures_of((self.folder / path).read_text(encoding="utf-8", errors="replace"))]
        return [path, *pngs] if all(map(self.is_whole, pngs)) else None

    def take(self, paths: Iterable[str], into: Path) -> None:
        """Puts the same files into the new folder, without copying where the file system allows two names for a
        file.
        """
        for path in paths:
            try:
                os.link(self.folder / path, into / path)
            except OSError:
                shutil.copyfile(self.folder / path, into / path)


def _below(path: str) -> str:
    """Returns a page's path relative to its model's folder."""
    parts = path.split("/")
    return "/".join(parts[-2:]) if len(parts) > 1 and parts[-2] == "kernels" else parts[-1]


def keep(into: Path, state: State) -> None:
    """Writes the marker, after everything else."""
    state.files = {
        path.relative_to(into).as_posix(): _hash(path) or "" for path in sorted(into.rglob("*")) if path.is_file()
    }
    (into / MARKER).write_bytes(msgspec.json.format(msgspec.json.encode(state, order="sorted"), indent=1))
