"""Exports from a history: run files as they were ingested, those that belong to one A/A analysis, or values as a
table.
"""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import TextIO

from cugate_reports import files, whole
from cugate_reports.files import Run
from cugate_reports.history import History, Stored


def _name(stored: Stored) -> str:
    return f"{stored.date.replace(':', '')}-{stored.key[:8]}.json"


def write_runs(history: History, folder: Path, last: int | None) -> int:
    """Writes the last runs of each GPU model, byte by byte as they were ingested. Returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for device in history.devices():
        for stored in history.read("run", device, last):
            with whole.file(folder / _name(stored), "wb") as stream:
                stream.write(stored.body)
            count += 1
    return count


def _code(run: Run) -> dict[str, tuple[list[str | None], list[str]]]:
    """Returns the machine code of each kernel's launches, and which metrics were measured, so that a new metric is not
    taken for noise.
    """
    return {
        kernel: ([launch.code for launch in result.launches], sorted(result.metrics))
        for kernel, result in run.kernels.items()
    }


def write_alike(history: History, folder: Path, last: int | None) -> int:
    """Writes the last runs that can be judged by `cugate aa` with the newest one: of its GPU model, machine code and
    metrics. Returns how many.

    That command takes one session a file. So a run with a second session, measured to confirm what looked worse, is
    cut to its first one. Leaving it out would leave out the very nights on which the gate was in doubt.
    """
    folder.mkdir(parents=True, exist_ok=True)
    devices = history.devices()
    if not devices:
        return 0
    newest = next(iter(history.read("run", devices[0], 1)))
    code, count = _code(files.parse(newest.body, Run)), 0
    for stored in history.read("run", devices[0], last):
        run = files.parse(stored.body, Run)
        if _code(run) != code:
            continue
        document = json.loads(stored.body)
        if len(document["sessions"]) > 1:
            document["sessions"] = document["sessions"][:1]
            for result in document["kernels"].values():
                for row in result.get("metrics", {}).values():
                    row.pop("pairs", None)
                    if "sessions" in row:
                        row["sessions"] = row["sessions"][:1]
        with whole.file(folder / _name(stored)) as stream:
            json.dump(document, stream)
        count += 1
    return count


def _cell(text: str | None) -> str:
    """Returns a text that a spreadsheet shows and does not calculate. A ' is put before what would be a formula, and
    before a ', so that removing one ' restores the text.
    """
    return f"'{text}" if text and text[0] in "=+-@'\t\r\n" else text or ""


def write_values(history: History, stream: TextIO, last: int | None) -> int:
    """Writes a row for each measured value; the first line names the columns. Returns how many runs they are from. See
    _cell.
    """
    rows = csv.writer(stream)
    rows.writerow(("date", "device", "gpu_uuid", "driver", "commit", "kernel", "metric", "unit", "value"))
    count = 0
    for device in history.devices():
        for stored in history.read("run", device, last):
            run = files.parse(stored.body, Run)
            session = run.sessions[-1]
            for kernel, result in run.kernels.items():
                for metric, row in result.metrics.items():
                    value, unit = row.value(), run.metrics.get(metric, files.Note()).unit
                    if not math.isnan(value):
                        facts = (run.device.name, session.gpu_uuid, session.driver, session.commit)
                        texts = map(_cell, (stored.date, *facts, kernel, metric, unit))
                        rows.writerow((*texts, repr(value)))
            count += 1
    return count
