"""The history: every ingested file, unchanged, in a table of an SQL database.

The database is named by an SQLAlchemy URL. An SQLite file needs no set-up; a PostgreSQL server serves many runners.
A run file is never replaced. Files about it (its report, its explanations) are replaced by newer ones. The history
also keeps what the pages need of each file (tables.py), which can be made again at any time.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import msgspec
import sqlalchemy as sa

from cugate_reports import extracts, files, fleet, tables
from cugate_reports.files import Analysis, BadFile, Explanation, Report, Run
from cugate_reports.states import State
from cugate_reports.tables import documents, metadata, schema

SCHEMA = 1  # version of the database; this program refuses to write to a later one


class _Model(msgspec.Struct):
    """The part of files.model_key that explanations name."""

    name: str
    collector: str | None = None


def analysis_key(device: str, collector: str | None) -> str:
    """Returns the key of an analysis, which names only the product of its device."""
    return device if collector in files.HARNESS else f"{device}\n{collector}"


class HistoryError(Exception):
    """The database cannot be used; the text says why and what to do."""


@dataclass(frozen=True)
class Stored:
    """A file of the history. body is the file's bytes."""

    kind: str
    key: str
    device: str
    date: str
    body: bytes


@dataclass(frozen=True)
class Future:
    """The dates of the runs after today, oldest first. True if there are any.

    is_most: they are the majority, so it is this machine's clock that is wrong, not the runners'.
    """

    dates: list[str]
    is_most: bool

    def __bool__(self) -> bool:
        return bool(self.dates)

    def __str__(self) -> str:
        return f"{len(self.dates)} run{'s' if len(self.dates) != 1 else ''} dated after today, up to {self.dates[-1]}"


class History:
    """The files of one database. Use it as a context manager, so that connections are closed.

    Raises HistoryError when the database cannot be reached, is no history, or was made by a later version. Without
    `create` also when it does not exist, and then it is not created.
    """

    def __init__(self, url: str, *, create: bool = True):
        if _CONNECTION.search(url):
            raise HistoryError(
                "what names the history looks like the connection string of a database, and has no form that is known "
                "here: write postgresql+psycopg://user:password@host/name, or ./FILE for a file of such a name"
            )
        try:
            self.url = sa.make_url(url) if "://" in url else sa.URL.create("sqlite", database=url)
            with _explained(self.url):
                self._engine = sa.create_engine(self.url, connect_args=_connect_arguments(self.url))
                self._process = os.getpid()
                self._prepare(create)
        except (sa.exc.ArgumentError, ModuleNotFoundError, ValueError) as reason:
            raise HistoryError(
                f"'{_masked(url)}' names no database that can be used here ({_masked(str(reason))}): it needs to look "
                "like history.db, sqlite:///history.db or postgresql+psycopg://user@host/name"
            ) from None

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def _prepare(self, create: bool) -> None:
        """Makes the tables in an empty database. If two processes do so at once, the later one finds them."""
        if self.url.get_backend_name() == "sqlite":
            folder = Path(self.url.database or ".").parent
            if folder.exists() and not folder.is_dir():
                raise HistoryError(f"the history {self.name} cannot be used: {folder} is not a folder")
            if create:
                folder.mkdir(parents=True, exist_ok=True)
            elif self.url.database and ":" not in self.url.database and not Path(self.url.database).exists():
                raise HistoryError(f"history {self.name} does not exist: `cugate-report ingest` creates it")
            sa.event.listen(self._engine, "connect", _sqlite_manual_transactions)
            sa.event.listen(self._engine, "begin", _sqlite_begin)
        version = None
        if not create:
            with self.reading() as connection:
                if not sa.inspect(connection).has_table(schema.name):
                    raise HistoryError(f"{self.name} is not a cugate history: `cugate-report ingest` creates one")
                version = connection.execute(sa.select(schema.c.version)).scalar()
        for attempt in range(2 if create else 0):
            try:
                with self._engine.begin() as connection:
                    metadata.create_all(connection)
                    version = connection.execute(sa.select(schema.c.version)).scalar()
                    if version is None:
                        connection.execute(schema.insert().values(version=SCHEMA))
                break
            except (sa.exc.IntegrityError, sa.exc.ProgrammingError):
                if attempt:
                    raise
        if version is not None and version > SCHEMA:
            raise HistoryError(f"{self.name} was made by a later version of cugate (schema {version}): update this one")

    @property
    def name(self) -> str:
        """The database's URL without a password."""
        return _name(self.url)

    def _own(self) -> sa.Engine:
        """Returns the engine; in a forked process a new one, since two processes cannot share connections."""
        if self._process != os.getpid():
            self._engine.dispose(close=False)
            self._process = os.getpid()
        return self._engine

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction for tables.py; errors of the database become HistoryError."""
        with _explained(self.url), self._own().begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction for reading, which delays no writer."""
        with _explained(self.url), self._own().connect().execution_options(reading=True) as connection:
            yield connection

    # ---- Writing

    def ingest(self, data: bytes) -> str:
        """Adds one file. Returns what happened, such as "run: kept". BadFile when it is refused: then nothing is
        written.

        The same file again changes nothing. A run whose sessions are known with other content is refused. A report
        or explanations replace earlier ones, and a baseline's kernel the older one.
        """
        found = files.recognise(data)
        with self.writing() as connection:
            if isinstance(found[0], Explanation):
                return self._keep_explanations(connection, found, data)  # type: ignore[arg-type]
            if isinstance(found[0], Report):
                return self._keep_report(connection, found[0], data)
            if isinstance(found[0], Analysis):
                return self._keep_analysis(connection, found[0], data)
            return self._keep_run(connection, found[0], data)

    def _keep_run(self, connection: sa.Connection, run: Run, data: bytes) -> str:
        date = _last_date(run.sessions)
        model = files.model_key(run.device, files.collector_of(run.sessions))
        if run.is_baseline():
            kernels = "\n".join([model, *sorted(run.kernels)])
            key = hashlib.sha256(kernels.encode()).hexdigest()
            return _put(connection, Stored("baseline", key, model, date, data), replace=True)
        key = files.sessions_key(run.device, run.sessions)
        words = _put(connection, Stored("run", key, model, date, data), replace=False)
        _put_extract(connection, _sha256(data), extracts.of_run(run))
        return words

    def _keep_report(self, connection: sa.Connection, report: Report, data: bytes) -> str:
        key = files.sessions_key(report.device, report.sessions)
        if not _exists(connection, "run", key):
            raise BadFile("is a report about a run that is not in the history: ingest that run file first")
        date = _last_date(report.sessions)
        model = files.model_key(report.device, files.collector_of(report.sessions))
        words = _put(connection, Stored("report", key, model, date, data), replace=True)
        _put_extract(connection, _sha256(data), extracts.of_report(report))
        return words

    def _keep_explanations(self, connection: sa.Connection, found: list[Explanation], data: bytes) -> str:
        """Stores explanations. They name only the last session of their run; the run is the newest one with that
        session.
        """
        if len({(e.device.name, e.session.date) for e in found}) != 1:
            raise BadFile("has explanations of several runs: ingest one file for each run")
        date, collector = _last_date([found[0].session]), found[0].session.collector
        runs = sa.select(documents).where(documents.c.kind == "run", documents.c.date == date)
        for row in connection.execute(runs.order_by(documents.c.id.desc())):
            model = msgspec.json.decode(row.device, type=_Model)
            known = None if collector in files.HARNESS else collector
            if (model.name, model.collector) == (found[0].device.name, known):
                return _put(connection, Stored("explanations", row.key, row.device, date, data), replace=True)
        raise BadFile("explains a run that is not in the history: ingest that run file first")

    def _keep_analysis(self, connection: sa.Connection, analysis: Analysis, data: bytes) -> str:
        date = _last_date([files.Session(date=analysis.last_date)])
        of = analysis_key(analysis.device, analysis.collector)
        key = hashlib.sha256(of.encode()).hexdigest()
        return _put(connection, Stored("analysis", key, of, date, data), replace=True)

    def say(self, device: str, key: str, date: str, state: State) -> None:
        """Keeps what is said of a night, in place of what was said before. key and date: of the night's last run."""
        with self.writing() as connection:
            _put(connection, Stored("state", key, device, date, msgspec.json.encode(state)), replace=True)

    def prune(self, keep: int) -> int:
        """Removes all but the newest `keep` nights of each GPU model, with all files about their runs. Returns how many
        runs were removed. A night is what the pages call one: a run, or all runs of several runners.
        """
        self.prepare()
        old: list[str] = []
        for device in sorted(self.devices()):
            members = self.members(device)
            kept = {member.key for night in fleet.grouped(members)[-keep:] for member in night}
            first = next(place for place, member in enumerate(members) if member.key in kept)
            old += [member.key for member in members[:first]]
        with self.writing() as connection:
            connection.execute(sa.select(schema.c.version).with_for_update())  # if two processes prune, one waits
            kinds = documents.c.kind.in_(["run", "report", "explanations", "state"])
            for key in old:
                connection.execute(documents.delete().where(kinds, documents.c.key == key))
        self._tidy()
        return len(old)

    def _tidy(self) -> None:
        """Removes extracts of files that are gone. A night that differs from what is there now stays for a day, because
        somebody may be drawing it.
        """
        stamps = {fleet.stamp(night) for device in self.devices() for night in fleet.grouped(self.members(device))}
        yesterday = (datetime.now(timezone.utc) - timedelta(days=1)).isoformat()
        with self.writing() as connection:
            connection.execute(sa.select(schema.c.version).with_for_update())
            known = {extracts.name_of(sha256) for sha256 in connection.execute(sa.select(documents.c.sha256)).scalars()}
            have = connection.execute(sa.select(tables.extracts.c.sha256)).scalars().all()
            for name in sorted(set(have) - known):
                connection.execute(tables.extracts.delete().where(tables.extracts.c.sha256 == name))
            nights = sa.select(tables.nights.c.id, tables.nights.c.stamp).where(tables.nights.c.made < yesterday)
            for row in connection.execute(nights.order_by(tables.nights.c.id)).all():
                if row.stamp not in stamps:
                    connection.execute(tables.series.delete().where(tables.series.c.night == row.id))
                    connection.execute(tables.nights.delete().where(tables.nights.c.id == row.id))

    def prune_future(self) -> int:
        """Removes the runs that future() returns. Returns how many. HistoryError when these are most runs."""
        with self.writing() as connection:
            future = self._future(connection)
            if future.is_most:
                raise HistoryError(
                    f"nothing is removed from the history {self.name}: {future}, are most of its runs. So "
                    f"the clock of this machine is wrong, by which it is {now()}: set it right. If it is right, begin "
                    "another history"
                )
            connection.execute(documents.delete().where(documents.c.date > _today()))
        return len(future.dates)

    # ---- Reading: runs dated after today only in future()

    def devices(self) -> list[str]:
        """Returns the GPU models of the runs as files.model_key, that of the newest run first."""
        newest = sa.func.max(documents.c.date)
        runs = sa.select(documents.c.device).where(documents.c.kind == "run", documents.c.date <= _today())
        with self.reading() as connection:
            return list(connection.execute(runs.group_by(documents.c.device).order_by(newest.desc())).scalars())

    @staticmethod
    def _future(connection: sa.Connection) -> Future:
        runs = sa.select(documents.c.date).where(documents.c.kind == "run").order_by(documents.c.date)
        dates, today = list(connection.execute(runs).scalars()), _today()
        later = [date for date in dates if date > today]
        return Future(later, 2 * len(later) > len(dates))

    def future(self) -> Future:
        """Returns the runs that are dated after today.

        New ones are refused, but earlier versions accepted them, or this machine's clock was set back. Each would
        count as tonight's until its date comes.
        """
        with self.reading() as connection:
            return self._future(connection)

    # ---- Extracts of files

    def prepare(self) -> None:
        """Makes the tables that a history of an earlier version lacks. Reports if this user may not write."""
        with self.writing() as connection:
            metadata.create_all(connection)
            # matches no row, but fails for a user who may not write
            connection.execute(tables.nights.delete().where(tables.nights.c.id < 0))

    def members(
        self, device: str, cache: History | None = None, progress: Callable[[int], None] = lambda _: None
    ) -> list[fleet.Member]:
        """Returns the runs of a GPU model, oldest first. progress gets the number of files that had to be extracted.
        Extracts are stored in `cache`, by default in this history.
        """
        cache = cache or self
        of_device = sa.and_(documents.c.device == device, documents.c.date <= _today())
        runs = sa.select(documents.c.key, documents.c.date, documents.c.sha256)
        with self.reading() as connection:
            rows = connection.execute(
                runs.where(of_device, documents.c.kind == "run").order_by(documents.c.date, documents.c.id)
            ).all()
            said = connection.execute(runs.where(of_device, documents.c.kind == "report")).all()
        with cache.reading() as connection:
            column = tables.extracts.c.runner
            known = sa.select(tables.extracts.c.sha256, column).where(column != "")
            runners = dict(connection.execute(known).tuples().all())
        with undamaged(cache):
            for runner in set(runners.values()):
                msgspec.json.decode(runner, type=tuple[str | None, list[str]])
        reports, found, made = {row.key: row.sha256 for row in said}, [], 0
        for row in rows:
            runner = runners.get(extracts.name_of(row.sha256))
            if runner is None:
                runner = extracts.runner_of(self.run_extract(row.key, row.sha256, cache))
                progress(made := made + 1)
            found.append(fleet.Member(row.key, row.date, runner, row.sha256, reports.get(row.key)))
        return found

    def run_extract(self, key: str, sha256: str, cache: History) -> extracts.RunExtract:
        body = self._extract("run", key, sha256, cache)
        with undamaged(self):
            return extracts.decode(body, extracts.RunExtract)

    def report_extract(self, key: str, sha256: str, cache: History) -> extracts.ReportExtract:
        body = self._extract("report", key, sha256, cache)
        with undamaged(self):
            return extracts.decode(body, extracts.ReportExtract)

    def _extract(self, kind: str, key: str, sha256: str, cache: History) -> bytes:
        """Returns the extract of a file, which is made now if necessary."""
        kept = sa.select(tables.extracts.c.body).where(tables.extracts.c.sha256 == extracts.name_of(sha256))
        with cache.reading() as connection:
            body = connection.execute(kept).scalar()
        if body is not None:
            return body
        data = self.body(kind, key)
        if _sha256(data) != sha256:
            raise HistoryError(f"the history {self.name} was changed while it was read: run this again")
        run = kind == "run"
        extract = extracts.of_run(files.parse(data, Run)) if run else extracts.of_report(files.parse(data, Report))
        with cache.writing() as connection:
            return _put_extract(connection, sha256, extract)

    def body(self, kind: str, key: str) -> bytes:
        """Returns the bytes of one file."""
        chosen = sa.select(documents.c.body).where(documents.c.kind == kind, documents.c.key == key)
        with self.reading() as connection:
            body = connection.execute(chosen).scalar()
            if body is None:
                raise HistoryError(f"the history {self.name} was pruned while it was read: run this again")
            return zlib.decompress(body)

    def read(self, kind: str, device: str | None = None, last: int | None = None) -> Iterator[Stored]:
        """Returns the files of a kind, oldest first; of one GPU model, and only the `last` ones, if these are given.
        One at a time, so that a long history needs no memory.
        """
        chosen = sa.select(documents.c.id).where(documents.c.kind == kind, documents.c.date <= _today())
        if device is not None:
            chosen = chosen.where(documents.c.device == device)
        if last is not None:
            chosen = chosen.order_by(documents.c.date.desc(), documents.c.id.desc()).limit(last)
        rows = sa.select(documents).where(documents.c.id.in_(chosen)).order_by(documents.c.date, documents.c.id)
        with self.reading() as connection:
            for row in connection.execution_options(yield_per=16).execute(rows):
                yield Stored(row.kind, row.key, row.device, row.date, zlib.decompress(row.body))


# ---- Parts ----------------------------------------------------------------------------------------------------------


# Dates as harness/measure/session_facts.c writes them, so that text sorts by time.
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z")


def _today() -> str:
    """Returns the last moment that does not count as the future: a day from now by this machine's clock, since other
    clocks may be ahead.
    """
    return (datetime.now(timezone.utc) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.999Z")


def now() -> str:
    """Returns the time by this machine's clock."""
    return f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M}Z"


def _last_date(sessions: Iterable[files.Session]) -> str:
    dates = [session.date for session in sessions if session.date]
    if not dates:
        raise BadFile("has no session with a date, so it has no place in a history")
    for date in dates:
        try:
            if not _DATE.fullmatch(date):
                raise ValueError
            datetime.fromisoformat(date.replace("Z", "+00:00"))
        except ValueError:
            raise BadFile(f"has a session whose date is not like 2026-11-21T08:00:00.000Z: {date[:40]!r}") from None
    if max(dates) > _today():
        raise BadFile(
            f"has a session that is dated after today: {max(dates)}, and by the clock of this machine it is {now()}: "
            "set the wrong clock right, and measure again"
        )
    return max(dates)


def _exists(connection: sa.Connection, kind: str, key: str) -> bool:
    found = sa.select(documents.c.id).where(documents.c.kind == kind, documents.c.key == key)
    return connection.execute(found).first() is not None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _put_extract(
    connection: sa.Connection, sha256: str, extract: extracts.RunExtract | extracts.ReportExtract
) -> bytes:
    """Stores an extract, unless it is there already. Returns its bytes."""
    run, body = isinstance(extract, extracts.RunExtract), extracts.encode(extract)
    values = {"sha256": extracts.name_of(sha256), "runner": extracts.runner_of(extract) if run else ""}
    same = sa.select(tables.extracts.c.sha256).where(tables.extracts.c.sha256 == values["sha256"])
    if connection.execute(same).first() is None:
        try:
            with connection.begin_nested():
                connection.execute(tables.extracts.insert().values(**values, body=body))
        except sa.exc.IntegrityError:
            pass  # another process has just stored it
    return body


def _put(connection: sa.Connection, stored: Stored, *, replace: bool) -> str:
    """Inserts or replaces. If another writer was first with the same key, the constraint tells, not luck."""
    sha256 = _sha256(stored.body)
    values = {**vars(stored), "sha256": sha256, "body": zlib.compress(stored.body)}
    try:
        with connection.begin_nested():
            connection.execute(documents.insert().values(values))
        return f"{stored.kind}: kept"
    except sa.exc.IntegrityError:
        pass
    same = sa.and_(documents.c.kind == stored.kind, documents.c.key == stored.key)
    have = connection.execute(sa.select(documents.c.sha256).where(same)).scalar_one()
    if have == sha256:
        return f"{stored.kind}: was there already"
    if not replace:
        raise BadFile("is another file about sessions that are in the history already: it was changed, or measured on")
    connection.execute(documents.update().where(same).values(values))
    return f"{stored.kind}: replaced the earlier one"


# Connection strings such as "host=h password=p" and user:password@host/name. As file names they would be shown with the
# password.
_CONNECTION = re.compile(
    r"(?i)^(?!\.?/[^/]|.*://)(.*\b(host|hostaddr|user|uid|password|passwd|pwd|dbname|service)\s*=|[^@]*:.*@)", re.DOTALL
)
_SECRET = re.compile(r"(?i)pass|pwd|secret|token")


def _connect_arguments(url: sa.URL) -> dict[str, object]:
    # Writers wait for each other, up to minutes, because the other may be on a slow network file system.
    return {"timeout": 120} if url.get_backend_name() == "sqlite" else {"connect_timeout": 20}


def _sqlite_manual_transactions(connection, _record) -> None:  # noqa: ANN001
    """Begins transactions explicitly: Python's module would begin one at the first write, after reads that another
    writer overtook.
    """
    connection.isolation_level = None


def _sqlite_begin(connection: sa.Connection) -> None:
    reading = connection.get_execution_options().get("reading")
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _name(url: sa.URL) -> str:
    """Returns the URL without a password, wherever it stands."""
    secrets = {name: "***" for name in url.query if _SECRET.search(name)}
    return url.update_query_dict(secrets).render_as_string(hide_password=True)


def _masked(text: str) -> str:
    """Removes the password from a text that may be no URL."""
    text = re.sub(r"(?s)://.*@", "://***@", text)
    return re.sub(r"(?i)(\w*(?:pass|pwd|secret|token)\w*=)[^&]*", r"\1***", text)


def _first(reason: BaseException) -> BaseException:
    """Returns the first cause of a database error. If SQLite has ended the transaction, rolling back fails as well."""
    first, at = reason, reason.__context__
    while at is not None:
        first, at = at if isinstance(at, sa.exc.DBAPIError) else first, at.__context__
    return first


def _is_full(reason: BaseException) -> bool:
    """Whether a disk is full, or a quota or limit is reached."""
    of_database = getattr(reason, "orig", None)
    return (
        getattr(reason, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        or str(of_database) == "database or disk is full"  # SQLite's message
        or getattr(of_database, "sqlstate", None) == "53100"  # PostgreSQL's disk_full
    )


@contextmanager
def undamaged(history: History) -> Iterator[None]:
    """For reading extracts: raises HistoryError when one is not as it was written."""
    try:
        yield
    except (zlib.error, msgspec.MsgspecError, ValueError, IndexError) as reason:
        raise HistoryError(
            f"the history {history.name} is damaged: what it keeps for the pages cannot be read ({reason}). Empty "
            "its tables cugate_extracts, cugate_nights and cugate_series: the next page fills them from the files"
        ) from None


@contextmanager
def _explained(url: sa.URL) -> Iterator[None]:
    """Returns a database's error as one sentence that names the database."""
    try:
        yield
    except sa.exc.ArgumentError:
        raise  # the error is about the URL, which has its own message
    except (sa.exc.SQLAlchemyError, OSError, zlib.error) as last:
        reason = _first(last)
        said = str(getattr(reason, "orig", reason)).strip()
        if _is_full(reason):
            raise HistoryError(
                f"there is no space left for the history {_name(url)} ({said}): free some, and run this again; what "
                "was kept stays"
            ) from None
        raise HistoryError(f"the history {_name(url)} cannot be used: {said}") from None
