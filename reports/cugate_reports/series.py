"""The nights of a history as stored for the pages (tables.py): each is made once from its runs, and one kernel can be
read over all nights alone.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from datetime import datetime, timezone

import msgspec
import numpy as np
import sqlalchemy as sa

from cugate_reports import fleet, tables
from cugate_reports.extracts import NOT_JUDGED, ReportExtract, RunExtract
from cugate_reports.fleet import Member, Night
from cugate_reports.history import History, HistoryError, undamaged


def _hash(kernel: str) -> str:
    return hashlib.sha256(kernel.encode()).hexdigest()


def known(cache: History, stamps: Sequence[str]) -> dict[str, int]:
    """Returns which of these nights are stored, with their numbers."""
    wanted = set(stamps)
    with cache.reading() as connection:
        rows = connection.execute(sa.select(tables.nights.c.stamp, tables.nights.c.id)).all()
    return {row.stamp: row.id for row in rows if row.stamp in wanted}


def extracted(
    history: History, cache: History, members: Sequence[Member]
) -> tuple[list[RunExtract], list[ReportExtract | None]]:
    """Returns the extracts of a night's files."""
    runs = [history.run_extract(one.key, one.sha256, cache) for one in members]
    return runs, [history.report_extract(one.key, one.report, cache) if one.report else None for one in members]


def make(history: History, cache: History, members: Sequence[Member]) -> None:
    """Stores a night, completely or not at all. If two processes do so at once, the later one finds it there."""
    night, table = fleet.combine(members, *extracted(history, cache, members))
    made = datetime.now(timezone.utc).isoformat()
    body = zlib.compress(msgspec.json.encode(night), 1)
    row = {"stamp": fleet.stamp(members), "made": made, "body": body}
    with cache.writing() as connection:
        try:
            with connection.begin_nested():
                number = connection.execute(tables.nights.insert().values(row)).inserted_primary_key[0]
        except sa.exc.IntegrityError:
            return
        rows = [
            {"kernel": _hash(kernel), "night": number, "body": table.pack(place)}
            for place, kernel in enumerate(night.kernels)
        ]
        if rows:
            connection.execute(tables.series.insert(), rows)


def night(cache: History, number: int) -> Night:
    chosen = sa.select(tables.nights.c.body).where(tables.nights.c.id == number)
    with cache.reading() as connection:
        body = connection.execute(chosen).scalar()
    if body is None:
        raise HistoryError(f"the history {cache.name} was pruned while it was read: run this again")
    with undamaged(cache):
        return msgspec.json.decode(zlib.decompress(body), type=Night)


class Kernel:
    """One kernel over the nights: arrays of the shape (nights, metrics). NaN where there is no value."""

    def __init__(self, nights: int, metrics: int):
        self.values, self.bases, self.limits, self.drifts, self.least, self.most = (
            np.full((nights, metrics), np.nan) for _ in range(6)
        )
        self.verdicts = np.full((nights, metrics), NOT_JUDGED, dtype=np.uint8)

    def take(self, places: list[int], columns: np.ndarray, bodies: list[bytes]) -> None:
        """Takes the rows of nights that have the same metrics, and as many numbers for each. columns: the index of each
        metric here.
        """
        numbers, verdicts = fleet.unpack(bodies, len(columns))
        where = np.ix_(places, columns)
        self.verdicts[where] = verdicts
        arrays = (self.values, self.bases, self.limits, self.drifts, self.least, self.most)
        for place, array in enumerate(arrays):
            array[where] = numbers[:, place]


def read(
    cache: History, kernel: str, places: dict[int, int], columns: Sequence[np.ndarray], metrics: int
) -> tuple[Kernel, int]:
    """Reads a kernel over all nights, and on how many of them it has a row. places: index of each night by its number.
    columns: as in Kernel.take, by index; nights with the same metrics have the same object.
    """
    found, count = Kernel(len(places), metrics), 0
    of_kernel = sa.and_(
        tables.series.c.kernel == _hash(kernel), tables.series.c.night.between(min(places), max(places))
    )
    alike: dict[tuple[int, int], tuple[list[int], list[bytes]]] = {}
    chosen = sa.select(tables.series.c.night, tables.series.c.body).where(of_kernel)
    with cache.reading() as connection:
        for number, body in connection.execute(chosen).all():
            place = places.get(number)
            if place is not None:
                of, bodies = alike.setdefault((id(columns[place]), len(body)), ([], []))
                of.append(place)
                bodies.append(body)
                count += 1
    for of, bodies in alike.values():
        if len(columns[of[0]]):
            with undamaged(cache):
                found.take(of, columns[of[0]], bodies)
    return found, count
