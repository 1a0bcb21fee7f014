"""The tables of a history. What was ingested is in `documents`, whole; all else is taken out of it and can be made
anew, so nothing is lost with it: a database that lacks it, as one of an earlier version does, is filled as pages are
made.

    documents   a row a file
    extracts    a row a run or report: its values as one matrix, named by the hash of the file
    nights      a row a night: whose runs it is of, named by the hashes of their files; kernels, metrics, runners
    series      a row a kernel and night: its metrics over all runners, so that a kernel's page reads one range of the
                index, and nothing of other kernels

Rows are named by the hashes of what they were made of. So none is ever changed: where a run comes to a night, or a
report is replaced, there is a new row, and the old one is found by nobody until it is pruned."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

# Documents: one row a file. `key` says what the file is about and is unique within a kind:
#   run, report, explanations   files.sessions_key of the run that they are about
#   state                       that of the last run of the night that it is about, see states.State
#   analysis                    the device's name and the collector: only the last one is kept
#   baseline                    the device, the collector and the kernel
documents = sa.Table(
    "cugate_documents",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("key", sa.String(64), nullable=False),
    sa.Column("device", sa.String(2000), nullable=False),  # files.model_key; for an analysis, analysis_key
    sa.Column("date", sa.String(32), nullable=False),  # of the last session, in UTC, so that text sorts by time
    sa.Column("sha256", sa.String(64), nullable=False),  # hash of the file
    sa.Column("body", sa.LargeBinary, nullable=False),  # content of the file, compressed by zlib
    sa.UniqueConstraint("kind", "key", name="cugate_documents_are_unique"),
    sa.Index("cugate_documents_by_device", "device", "kind", "date"),
)
schema = sa.Table("cugate_schema", metadata, sa.Column("version", sa.Integer, primary_key=True, autoincrement=False))

extracts = sa.Table(
    "cugate_extracts",
    metadata,
    # extracts.name_of: the hash of the file and of the way of extracting
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("runner", sa.Text, nullable=False),  # for a run, extracts.runner_of: JSON, which contains no NUL
    sa.Column("body", sa.LargeBinary, nullable=False),  # the extract, see extracts.encode
)
nights = sa.Table(
    "cugate_nights",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("stamp", sa.String(64), nullable=False, unique=True),  # name of the night, see fleet.stamp
    sa.Column("made", sa.String(32), nullable=False),  # when the row was made, in UTC
    sa.Column("body", sa.LargeBinary, nullable=False),  # the night, see fleet.Night
)
series = sa.Table(
    "cugate_series",
    metadata,
    # hash of its name, which may have characters that a database refuses
    sa.Column("kernel", sa.String(64), primary_key=True),
    sa.Column("night", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.LargeBinary, nullable=False),  # the kernel's part of the night, see fleet.pack
    sqlite_with_rowid=False,
)
