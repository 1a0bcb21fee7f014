"""cugate-report: keeps run files in a history and makes pages from it."""

from __future__ import annotations

import argparse
import datetime
import errno
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

try:
    from cugate_reports import files, links, people, signals, whole
    from cugate_reports.definitions import PageError
    from cugate_reports.export import write_alike, write_runs, write_values
    from cugate_reports.files import BadFile, Run
    from cugate_reports.history import History, HistoryError, now
except ModuleNotFoundError as missing:
    if not {"-h", "--help"} & set(sys.argv):  # help needs none of them
        sys.exit(
            f"reports: error: this Python has no {missing.name}: `cugate-report`, in cugate's tree ci/report.sh, takes "
            "one that has all"
        )

if TYPE_CHECKING:
    from cugate_reports.nights import Nights
    from cugate_reports.states import RedNight

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
DEFAULT_HISTORY = "build/history/history.db"


class Progress:
    """A progress line. On a terminal it is overwritten; elsewhere there is a line every ten seconds, so that a log
    stays short.
    """

    def __init__(self, stream: TextIO = sys.stderr):
        self._stream, self._terminal = stream, stream.isatty()
        self._begun = self._said = time.monotonic()
        self._shown = False

    def __call__(self, words: str) -> None:
        now = time.monotonic()
        if now - self._begun < 2 or now - self._said < (0.1 if self._terminal else 10):
            return
        self._said, self._shown = now, True
        self._stream.write(f"\r\x1b[K{words}" if self._terminal else f"{words}\n")
        self._stream.flush()

    def end(self) -> None:
        if self._shown and self._terminal:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def shown(name: object) -> str:
    """Returns a name from outside in a form that is safe for a terminal and for any encoding."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(name))


def error(words: str) -> None:
    """Prints one line. Words may have keys of a file that anyone wrote, and to a CI system a line can be a command."""
    print(f"reports: error: {shown(words)}", file=sys.stderr)


# ---- ingest ---------------------------------------------------------------------------------------------------------


def _found(paths: list[str]) -> Iterator[Path]:
    """Lists the files that were named, and for folders all files below whose names end in .json."""
    for path in map(Path, paths):
        if os.path.isdir(path):  # Path.is_dir raises on a name that is too long
            yield from sorted(file for file in path.rglob("*.json") if file.is_file())
        else:
            yield path


class _Ingestion:
    """Adds files one by one to a history and counts the results."""

    def __init__(self, history: History, verbose: bool):
        self._history, self._verbose = history, verbose
        self.counts: dict[str, int] = {}
        self.refused = 0
        self.later: list[Path] = []  # messages about runs, printed last, since they may concern later files

    def keep(self, path: Path, runs_only: bool) -> None:
        try:
            data = files.read_bytes(path)
            if runs_only and files.kind_of(data) is not Run:
                self.later.append(path)
                return
            words = self._history.ingest(data)
        except (BadFile, MemoryError) as reason:
            words = str(reason) if isinstance(reason, BadFile) else f"takes more memory than there is: {reason}"
            error(f"{shown(path)} {words}")
            self.refused += 1
            return
        self.counts[words] = self.counts.get(words, 0) + 1
        if self._verbose:
            print(f"{shown(path)}: {words}")


def ingest(arguments: argparse.Namespace) -> int:
    paths, progress = list(_found(arguments.files)), Progress()
    if not paths:
        error(f"no file ends in .json below {shown(' '.join(arguments.files))}")
        return EXIT_USAGE
    with History(arguments.history) as history:
        ingestion = _Ingestion(history, arguments.verbose)
        try:
            for count, path in enumerate(paths, start=1):
                progress(f"file {count} of {len(paths)}")
                ingestion.keep(path, runs_only=True)
            for path in ingestion.later:
                progress(f"what was said: {shown(path.name)}")
                ingestion.keep(path, runs_only=False)
        finally:  # what was added stays, even if the database is full
            progress.end()
            for words, count in sorted(ingestion.counts.items()):
                print(f"{count} x {words}" if count != 1 else words)
        if ingestion.refused:
            print(f"{ingestion.refused} refused; the history {history.name} lost nothing")
    return EXIT_USAGE if ingestion.refused else 0


# ---- page -----------------------------------------------------------------------------------------------------------


def _say_future(history: History) -> None:
    if future := history.future():
        advice = (
            "which are most of all runs: set the clock of this machine right"
            if future.is_most
            else "cugate-report prune --future removes what a wrong clock made"
        )
        print(f"reports: left out: {future}; by the clock of this machine it is {now()}; {advice}", file=sys.stderr)


def page(arguments: argparse.Namespace) -> int:
    progress = Progress()
    try:
        # matplotlib takes half a second to load, which no other command needs
        from cugate_reports import overview, site

        found = links.read(Path(arguments.config)) if arguments.config else links.Links()
        repository = people.Repository(Path.cwd())
        with History(arguments.history, create=False) as history:
            _say_future(history)
            models = site.write(
                history, Path(arguments.output), arguments.nights, progress, found, arguments.figures, repository
            )
    except PageError as reason:
        error(str(reason))
        return EXIT_USAGE
    finally:
        progress.end()
    for nights in models:
        counts = ", ".join(f"{count:,} {verdict}" for verdict, count in overview.counts(nights)) or "not judged"
        plural = "" if len(nights.dates) == 1 else "s"
        print(f"{shown(nights.device.name)}, {len(nights.dates)} night{plural} to {nights.dates[-1]}: {counts}")
    print(f"page: {shown(Path(arguments.output) / 'index.html')}")
    return 0


# ---- state ---


def _night_of(nights: Nights, reds: list[RedNight], text: str | None) -> RedNight:
    """Returns the red night that was asked for, by the beginning of its date; the newest one without."""
    found = [one for one in reds if nights.dates[one.night].startswith((text or "").replace(" ", "T"))]
    if not found or (text and len(found) > 1):
        dates = ", ".join(nights.dates[one.night][:16] for one in (found or reds)[-8:])
        which = f"--night {shown(text)} is {'several' if found else 'none'} of them" if text else "there is none"
        raise PageError(f"{which}; red nights: {dates or 'none'}")
    return found[-1]


def state(arguments: argparse.Namespace) -> int:
    from cugate_reports.nights import Loader
    from cugate_reports.states import State, red_nights

    repository = people.Repository(Path.cwd())
    with History(arguments.history, create=False) as history, Loader(history) as loader:
        devices = history.devices()
        chosen = next((device for device in devices if not arguments.gpu or f'"{arguments.gpu}"' in device), None)
        if chosen is None:
            error(f"the history {history.name} has no run{' of ' + arguments.gpu if arguments.gpu else ''}")
            return EXIT_USAGE
        nights = loader.load(chosen, 365)
        reds = red_nights(nights)
        if arguments.seen or arguments.until or arguments.mended:
            try:
                one = _night_of(nights, reds, arguments.night)
            except PageError as reason:
                error(str(reason))
                return EXIT_USAGE
            by = arguments.by or repository.user or os.environ.get("USER") or "somebody"
            said = {"until": arguments.until, "mended": arguments.mended, "words": arguments.because}
            history.say(chosen, nights.keys[one.night], nights.dates[one.night], State(by=by, date=now(), **said))
            nights = loader.load(chosen, 365)
            reds = red_nights(nights)
    for one in reds:
        what = f"{one.word} {one.state.mended or one.state.until or ''}".strip() if one.state else one.word
        by = f", says {one.state.by}" if one.state else ""
        print(f"{nights.dates[one.night][:16]}  {shown(what + by)}: {shown(', '.join(one.kernels))}")
    return 0


# ---- export, prune --------------------------------------------------------------------------------------------------


def _leave_output() -> None:
    """Discards what is still to be written to standard output, because nobody reads it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _export_values(history: History, to: str, last: int | None) -> int:
    if to == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        count = write_values(history, sys.stdout, last)
        sys.stdout.flush()
        return count
    path = Path(to)
    if path.is_symlink() or (path.exists() and not path.is_file()):  # a pipe, or a link to one, is written to
        with open(path, "w", newline="", encoding="utf-8") as stream:
            return write_values(history, stream, last)
    with whole.file(path) as stream:
        return write_values(history, stream, last)


def export(arguments: argparse.Namespace) -> int:
    to = next(place for place in (arguments.csv, arguments.alike, arguments.folder) if place is not None)
    with History(arguments.history, create=False) as history:
        _say_future(history)
        try:
            if arguments.csv is not None:
                count = _export_values(history, to, arguments.last)
            elif arguments.alike is not None:
                count = write_alike(history, Path(to), arguments.last)
            else:
                count = write_runs(history, Path(to), arguments.last)
        except BrokenPipeError:
            _leave_output()  # the reader has closed the pipe of standard output
            return 0
        except OSError as reason:
            where = "standard output" if to == "-" else shown(reason.filename or to)
            error(f"cannot write {where}: {reason.strerror}")
            _leave_output()
            return EXIT_USAGE
    if to != "-":
        print(f"{count} run{'s' if count != 1 else ''}: {shown(to)}")
    return 0


def prune(arguments: argparse.Namespace) -> int:
    with History(arguments.history, create=False) as history:
        gone = history.prune_future() if arguments.future else history.prune(arguments.keep)
    print(f"{gone} run{'s' if gone != 1 else ''} removed")
    return 0


# ---- The command line -----------------------------------------------------------------------------------------------


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return min(number, 1 << 31)  # more than any history has, and still a number for databases


_positive.__name__ = "number of 1 or more"  # argparse uses this name in an error


def _ingest_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-v", "--verbose", action="store_true", help="say what became of each file")


def _page_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="an earlier report there is replaced")
    parser.add_argument("--nights", type=_positive, default=365, help="how many, newest (default: 365)")
    parser.add_argument(
        "--figures",
        type=_positive,
        metavar="N",
        help="draw at most so many figures of kernels: those of kernels that something happened to first; "
        "the other pages say up to which night theirs go, and later calls draw them (default: 100 for each processor)",
    )
    parser.add_argument("--config", metavar="FILE", help="its [links] say where commits and source lines lead to")


def _export_options(parser: argparse.ArgumentParser) -> None:
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("folder", nargs="?", metavar="FOLDER", help="write run files there")
    target.add_argument("--csv", metavar="FILE", help="write values there; - is standard output")
    target.add_argument(
        "--alike",
        metavar="FOLDER",
        help="write run files there of the newest run's machine code, a session each: for cugate aa",
    )
    parser.add_argument("--last", type=_positive, metavar="N", help="only the newest N runs of each GPU model")


def _day(text: str) -> str:
    return datetime.date.fromisoformat(text).isoformat()


_day.__name__ = "day"


def _commit(text: str) -> str:
    if links.plain_commit(text) != text:
        raise ValueError
    return text


_commit.__name__ = "commit, 7 to 64 hexadecimal digits"


def _state_options(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--seen", action="store_true", help="somebody looks at it")
    which.add_argument("--expected-until", dest="until", type=_day, metavar="DAY", help="it is meant, until 2026-12-01")
    which.add_argument("--mended-by", dest="mended", type=_commit, metavar="COMMIT", help="the commit that fixes it")
    parser.add_argument("--because", metavar="WORDS", help="why, for those who read the pages")
    parser.add_argument("--night", metavar="DATE", help="which red night: 2026-11-21 (default: the newest)")
    parser.add_argument("--by", metavar="NAME", help="who says so (default: git's user.name)")
    parser.add_argument("--gpu", metavar="NAME", help="of which GPU model (default: that of the newest run)")


def _prune_options(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--keep", type=_positive, metavar="N", help="keep so many nights of each GPU model")
    which.add_argument(
        "--future",
        action="store_true",
        help="remove what is dated after today: a clock was wrong; "
        "refused where most runs are, since then it is that of this machine",
    )


@dataclass(frozen=True)
class Command:
    name: str
    summary: str
    details: str
    example: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


# To add a command: a row.
COMMANDS = (
    Command(
        "ingest",
        "keep run files, and what cugate said about them",
        "FILE is a run (cugate run --save, check --save), a report about one (check --format json), explanations "
        "(cugate explain --format json), an analysis (cugate aa --format json) or a baseline; of a folder, every .json "
        "below. The same file again changes nothing. A bad one is refused with its reason, and the others are kept: "
        "exit code 2.",
        "cugate-report ingest run.json check.json baselines",
        _ingest_options,
        ingest,
    ),
    Command(
        "page",
        "make the pages of the history",
        "Static HTML with a page a kernel. It opens from disk and from any web server. What did not change "
        "since an earlier report in the same folder is not drawn again; remove that to have all drawn. Commits and "
        "source lines are links where the file of --config has a section [links]: "
        "commit = https://host/owner/repo/commit/{commit} and line = https://host/owner/repo/blob/{commit}/{path}#L{line}.",
        "cugate-report page -o build/nightly/page",
        _page_options,
        page,
    ),
    Command(
        "state",
        "say that a red night was seen, is expected, or was fixed",
        "It stays in the history and stands on the pages. Later red nights of the same kernels have it too, until the "
        "day that was given, and not once they are fixed. Without an option the red nights are listed.",
        "cugate-report state --mended-by 0123456789ab",
        _state_options,
        state,
    ),
    Command(
        "export",
        "give run files back, or values as a table",
        "Run files as they were ingested, one a run; or --csv with a row a value, for other programs. A text of that "
        "table that begins with = + - @ ' a tab or a line's end has a ' before it: a spreadsheet then sees text.",
        "cugate-report export --csv values.csv",
        _export_options,
        export,
    ),
    Command(
        "prune",
        "forget old runs",
        "Keeps the newest nights of each GPU model; the runs of older ones go, with what was said about them. A night "
        "is a run, or where several hosts ran between two noons (UTC) all of theirs. Runs dated after today, which no "
        "page shows, do not count.",
        "cugate-report prune --keep 400",
        _prune_options,
        prune,
    ),
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cugate-report",
        description="Keeps run files of cugate in a history and makes pages of it.",
        epilog="exit codes: 0 done; 2 unknown option, or a file or database that cannot be used; 130 stopped",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        one = commands.add_parser(
            command.name, help=command.summary, description=command.details, epilog=f"example: {command.example}"
        )
        one.add_argument(
            "--history",
            metavar="URL",
            default="",
            help=f"SQLite file or SQLAlchemy URL, such as postgresql+psycopg://user@host/name (default: $HISTORY, else "
            f"{DEFAULT_HISTORY})",
        )
        command.options(one)
        one.set_defaults(run=command.run)
    return parser


class _Stop:
    """Turns Ctrl-C and SIGTERM into KeyboardInterrupt, so that a cancelled job leaves nothing half done either. Only
    the first one, since cleaning up follows.
    """

    def __init__(self) -> None:
        self._asked = False
        for number in signals.STOPS:
            if signal.getsignal(number) != signal.SIG_IGN:  # a signal that is ignored in the background stays ignored
                signal.signal(number, self)

    def __call__(self, *_: object) -> None:
        if not self._asked:
            self._asked = True
            raise KeyboardInterrupt


def main() -> int:
    arguments = _parser().parse_args()
    _Stop()
    arguments.history = arguments.history or os.environ.get("HISTORY") or DEFAULT_HISTORY
    try:
        code = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except HistoryError as reason:
        error(str(reason))
        return EXIT_USAGE
    except BadFile as reason:
        error(f"a file of the history {reason}")
        return EXIT_USAGE
    except MemoryError as reason:
        error(f"there is not enough memory: {reason}")
        return EXIT_USAGE
    except OSError as reason:  # from printing; commands report errors of their own files
        error(f"cannot write {shown(reason.filename or 'standard output')}: {reason.strerror}")
        _leave_output()
        return EXIT_USAGE
    except KeyboardInterrupt:
        for number in signals.STOPS:  # a second signal at the very end would kill this process
            signal.signal(number, signal.SIG_IGN)
        error("stopped; what was kept until then is kept, and pages are whole, the earlier ones or the new")
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
